/* What the CTAs of an SM have to do with other grids (griddepcontrol, programmatic dependent launch).
 *
 * A CTA lets dependent grids launch when a warp of it first executes PREEXIT, or when it ends: once all CTAs of a grid
 * have, a grid that was launched to depend on it may begin (PTX ISA, griddepcontrol.launch_dependents). ACQBULK holds a
 * warp until the grids that its own depends on are complete; they are from the beginning unless the launch says
 * otherwise (griddepcontrol.wait). */
#ifndef SUBCORE_SM_GRID_LINK_H
#define SUBCORE_SM_GRID_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "sm/scheduler/warp_gate.h"

struct grid_link {
    struct grid_link_ports {
        const struct warp_gates *gates;
    } to;
    bool waits;             /* the grid begins before those that it depends on are complete, and they are not */
    uint64_t waiting;       /* warp slots at ACQBULK */
    uint32_t preexits;      /* CTAs that have let dependents launch since the caller last looked */
    uint64_t preexit_cycle; /* of the last of them */
};

/* Before a kernel whose prerequisites are complete. */
static inline void grid_link_begin(struct grid_link *g) { *g = (struct grid_link){.to = g->to}; }

/* A warp executes PREEXIT; `preexited` is its CTA's. */
static inline void grid_link_preexit(struct grid_link *g, bool *preexited, uint64_t now)
{
    if (*preexited)
        return;
    *preexited = true;
    g->preexits++;
    g->preexit_cycle = now;
}

/* A warp executes ACQBULK. */
static inline void grid_link_wait(struct grid_link *g, uint32_t slot)
{
    if (!g->waits)
        return;
    g->waiting |= UINT64_C(1) << slot;
    gates_close(g->to.gates, slot, STALL_MEMBAR);
}

/* All prerequisites are complete, and their memory is visible. Returns whether a warp goes on. */
static inline bool grid_link_acquire(struct grid_link *g)
{
    bool some = g->waiting != 0;
    for (uint64_t left = g->waiting; left; left &= left - 1)
        gates_open(g->to.gates, lowest_bit64(left), STALL_MEMBAR);
    g->waiting = 0;
    g->waits = false;
    return some;
}

#endif
