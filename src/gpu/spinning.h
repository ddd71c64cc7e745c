/* Finds out that all warps of a timed launch spin (exec/control/spin.h). When no CTA has begun or ended for long, each
 * warp is seen to come back to where it was, with the registers of then. Looks rarely, between two quanta, and changes
 * nothing. */
#ifndef SUBCORE_GPU_SPINNING_H
#define SUBCORE_GPU_SPINNING_H

#include "exec/control/spin.h"

struct timed;
struct gpu_options;

/* Cycles without a begin or an end of a CTA before warps are looked at, and how often a look compares them. */
enum { SPINNING_AFTER_CYCLES = 1 << 21, SPINNING_LOOKS = 512 };

/* A warp that is looked at. */
struct spinning_warp {
    const struct exec_warp *warp;
    uint64_t state;
    uint32_t pc, branches;
    bool moved, back; /* the warp has gone elsewhere; it has come back, or it waits at a barrier */
};

struct spinning {
    uint64_t ctas;         /* that have begun or ended */
    uint64_t moved, after; /* the cycle of the last; the next look is so many cycles later */
    struct spinning_warp *warp;
    uint32_t count, room, seen; /* seen: in the running look */
    uint32_t looks;             /* that are left of it; 0: none is under way */
    bool told, holds, wrong;    /* wrong: a warp is not as it has to be */
    char text[SPIN_TEXT];
};

/* Begins to watch a launch. */
void spinning_begin(struct spinning *s, const struct gpu_options *options);
void spinning_free(struct spinning *s);
/* Looks at the warps if it is time; called between two quanta, not at each. */
void spinning_check(struct timed *t, const struct gpu_options *options);
/* Tells again, of a run that is interrupted. */
void spinning_again(const struct timed *t, const struct gpu_options *options);

#endif
