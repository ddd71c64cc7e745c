/* Warps that spin: they go round in a loop without a change of their registers, so that only another's store could let
 * them go on. A run looks for them when no CTA has begun or ended for long, and tells once for each launch where they
 * are. */
#ifndef SUBCORE_EXEC_SPIN_H
#define SUBCORE_EXEC_SPIN_H

#include "exec/exec.h"

enum { SPIN_LOOPS = 6, SPIN_TEXT = 1600 };

/* Warps in the same loop. */
struct spin_loop {
    uint32_t first, last;   /* pcs */
    uint64_t warps, linear; /* linear: number of the CTA of the first of them, with its index and that warp's */
    struct exec_dim cta;
    uint32_t warp;
};

struct spin_report {
    const struct exec_launch *launch;
    struct spin_loop loop[SPIN_LOOPS];
    uint32_t loops;
    uint64_t elsewhere; /* warps that spin in further loops */
    uint64_t waiting;   /* warps that wait at a barrier */
};

/* Returns a digest of all that decides, beside memory, what a warp does next. */
uint64_t spin_state(const struct exec_warp *warp);
/* Tells whether the warp waits at a barrier, and executes nothing. */
bool spin_waits(const struct exec_warp *warp);

/* Adds a warp that spins, or waits at a barrier. */
void spin_add(struct spin_report *report, const struct exec_warp *warp);
/* Writes "spins: no CTA has begun or ended for 1000 warp instructions ..."; `unit` is what `amount` counts. */
void spin_text(const struct spin_report *report, uint64_t amount, const char *unit, char text[static SPIN_TEXT]);

/* ---- a functional run -------------------------------------------------------------------------------------------- */

/* Instructions without a begin or an end of a CTA before warps are looked at for the first time. */
enum { SPIN_AFTER_INSTRUCTIONS = 1 << 24 };

struct spin_watch {
    uint64_t moved, after; /* a CTA has begun or ended at instruction `moved`; the next look is so many later */
    uint32_t left;         /* CTAs that the look has yet to see; 0: there is no look */
    bool told, holds;      /* it was told; and nothing has begun or ended since then */
    struct spin_report report;
    char text[SPIN_TEXT];
};

void spin_begin(struct spin_watch *watch, const struct exec_launch *launch);
/* Notes that a CTA begins or ends. */
void spin_moved(struct spin_watch *watch, uint64_t instructions);
/* Begins a look at all of the `ctas` that are resident, if it is time. */
void spin_look(struct spin_watch *watch, uint64_t instructions, uint32_t ctas);
/* Ends the look, because a warp does not spin; the next one comes later. */
void spin_is_none(struct spin_watch *watch);
/* Notes that all warps of a CTA were added; after the last CTA it tells. */
void spin_cta_seen(struct spin_watch *watch, uint64_t instructions);
/* Tells again, of a run that is interrupted. */
void spin_again(const struct spin_watch *watch);

#endif
