/* Warps that spin: they go round in a loop without a change of their registers, so that only another's store could let
 * them go on. A run looks for them when no CTA has begun or ended for long, and tells once for each launch where they
 * are. */
#ifndef SUBCORE_EXEC_SPIN_H
#define SUBCORE_EXEC_SPIN_H

#include "exec/launch.h"
#include "exec/resident.h"
#include "exec/sizes.h"
#include "exec/warp_state.h"

enum { SPIN_LOOPS = 6, SPIN_TEXT = 1600 };

/* Warps in the same loop. */
struct spin_loop {
    uint32_t first, last;   /* pcs */
    uint64_t warps, linear; /* linear: CTA number of the first one, with its index and that warp's */
    struct exec_dim cta;
    uint32_t warp;
    bool waits;       /* that warp's first thread reads in the loop: */
    bool shared;      /* shared memory, at an offset */
    uint64_t address; /* where, */
    uint32_t value;   /* and the word that is there */
};

struct spin_report {
    const struct exec_launch *launch;
    struct spin_loop loop[SPIN_LOOPS];
    uint32_t loops;
    uint64_t elsewhere; /* warps that spin in further loops */
    uint64_t waiting;   /* warps that wait at a barrier: the first that was added, and the barrier's number */
    struct exec_dim waiting_cta;
    uint32_t waiting_warp, waiting_barrier;
};

/* Returns a digest of the warp's state: with memory, that state decides the warp's next instruction. */
uint64_t spin_state(const struct exec_warp *warp);
/* Tells whether the warp waits at a barrier, and executes nothing. */
bool spin_waits(const struct exec_warp *warp);

/* Adds a warp that spins, or waits at a barrier. */
void spin_add(struct spin_report *report, const struct exec_warp *warp);
/* Writes "spins: no CTA has begun or ended for 1000 warp instructions ..."; `unit` is the unit of `amount`. */
void spin_text(const struct spin_report *report, uint64_t amount, const char *unit, char text[static SPIN_TEXT]);

/* ---- a functional run -------------------------------------------------------------------------------------------- */

enum {
    SPIN_AFTER_INSTRUCTIONS = 1 << 24, /* without a begin or an end of a CTA, before the first look at warps */
    SPIN_TURNS = 2048                  /* that each warp has in a look: some sixty times round a loop with one load */
};

/* A warp in a look. */
struct spin_warp {
    uint64_t state;
    uint32_t pc;
    bool back; /* it has come back to this pc with this state */
};

struct spin_watch {
    uint64_t moved, after;  /* a CTA has begun or ended at instruction `moved`. The next look is so many later */
    uint32_t left;          /* turns of CTAs that the look has yet to see (0: there is no look) */
    bool told, holds;       /* it was told; and nothing has begun or ended since then */
    struct spin_warp *seen; /* owned: 32 of each resident; NULL before the first look */
    struct spin_report report;
    char text[SPIN_TEXT];
};

void spin_begin(struct spin_watch *watch, const struct exec_launch *launch);
void spin_end(struct spin_watch *watch);
/* Notes that a CTA begins or ends, which ends a look. */
void spin_moved(struct spin_watch *watch, uint64_t instructions);
/* Tells whether it is time for a look. */
bool spin_is_due(const struct spin_watch *watch, uint64_t instructions);
/* Begins a look at the residents that live, for so many turns of each. Without host memory there is no look. */
void spin_look(struct spin_watch *watch, const struct exec_resident *resident, uint32_t room, uint32_t turns);
/* Compares a warp of resident number `index` at the end of its turn with itself at the begin of the look. */
void spin_see(struct spin_watch *watch, uint32_t index, uint32_t warp, const struct exec_resident *resident);
/* Counts the turn of a CTA. After the last one it tells, if all warps spin or wait; else the next look comes later. */
void spin_turn(struct spin_watch *watch, uint64_t instructions, const struct exec_resident *resident, uint32_t room);
/* Tells again, of a run that is interrupted. */
void spin_again(const struct spin_watch *watch);

#endif
