/* Links of an SM's CTAs to other grids (griddepcontrol, programmatic dependent launch).
 *
 * A CTA lets dependent grids launch when a warp of it first executes PREEXIT, or when it ends: once all CTAs of a
 * grid have, a grid that was launched to depend on it may begin (PTX ISA, griddepcontrol.launch_dependents). ACQBULK
 * holds a warp until the grids that its own depends on are complete. They are from the beginning unless the launch
 * says otherwise (griddepcontrol.wait). */
#ifndef SUBCORE_SM_GRID_LINK_H
#define SUBCORE_SM_GRID_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "sm/cta.h"
#include "sm/scheduler/warp_gate.h"
#include "sm/warp.h"

struct grid_preexit {
    uint64_t cycle;
    uint8_t cta; /* slot */
};

struct grid_link {
    struct grid_link_ports {
        const struct warp_gates *gates;
        const struct sm_warp *warp; /* [SM_WARPS] */
        struct sm_cta *cta;         /* [SM_CTAS] */
    } to;
    uint64_t waiting;                     /* warp slots at ACQBULK */
    struct grid_preexit preexit[SM_CTAS]; /* CTAs that have let dependents launch since the caller last looked */
    uint32_t preexits;
};

/* Before a kernel. */
static inline void grid_link_begin(struct grid_link *g) { *g = (struct grid_link){.to = g->to}; }

/* A warp of the CTA in this slot executes PREEXIT. */
static inline void grid_link_preexit(struct grid_link *g, uint8_t cta, uint64_t now)
{
    if (g->to.cta[cta].preexited)
        return;
    g->to.cta[cta].preexited = true;
    g->preexit[g->preexits++] = (struct grid_preexit){now, cta};
}

/* A warp executes ACQBULK. */
static inline void grid_link_wait(struct grid_link *g, uint32_t slot)
{
    if (!g->to.cta[g->to.warp[slot].cta].waits)
        return;
    g->waiting |= UINT64_C(1) << slot;
    gates_close(g->to.gates, slot, STALL_MEMBAR);
}

/* All that the grid of this CTA waits for is complete, and its memory is visible. Returns whether a warp continues. */
static inline bool grid_link_acquire(struct grid_link *g, uint32_t cta)
{
    uint64_t waiting = g->waiting;
    g->to.cta[cta].waits = false;
    for (uint64_t left = waiting; left; left &= left - 1) {
        uint32_t slot = lowest_bit64(left);
        if (g->to.warp[slot].cta != cta)
            continue;
        gates_open(g->to.gates, slot, STALL_MEMBAR);
        g->waiting &= ~(UINT64_C(1) << slot);
    }
    return waiting != g->waiting;
}

#endif
