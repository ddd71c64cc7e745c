/* Finds out that all warps of a timed launch spin (exec/control/spin.h). When no CTA has begun or ended for long, each
 * warp is seen to come back to where it was, with the registers of then. Looks rarely, between two quanta, and changes
 * nothing. */
#ifndef SUBCORE_GPU_SPIN_MONITOR_H
#define SUBCORE_GPU_SPIN_MONITOR_H

#include "exec/control/spin.h"

struct timed;
struct gpu_options;

/* Cycles without a begin or an end of a CTA before warps are looked at, and how often a look compares them. */
enum { SPIN_AFTER_CYCLES = 1 << 21, SPIN_LOOKS = 512 };

/* A warp that is looked at. */
struct spin_monitor_warp {
    const struct exec_warp *warp;
    uint64_t state;
    uint32_t pc, branches;
    bool moved, back; /* the warp has gone elsewhere. It has come back, or it waits at a barrier */
};

struct spin_monitor {
    uint64_t ctas;         /* that have begun or ended */
    uint64_t moved, after; /* the cycle of the last; the next look is so many cycles later */
    struct spin_monitor_warp *warp;
    uint32_t count, room, seen; /* seen: in the running look */
    uint32_t looks;             /* that are left of it (0: none is under way) */
    bool told, holds, wrong;    /* wrong: a warp is not as it has to be */
    char text[SPIN_TEXT];
};

/* Begins to watch a launch. */
void spin_monitor_begin(struct spin_monitor *s, const struct gpu_options *options);
void spin_monitor_free(struct spin_monitor *s);
/* Looks at the warps if it is time; called between two quanta, not at each. */
void spin_monitor_check(struct timed *t, const struct gpu_options *options);
/* Tells again, of a run that is interrupted. */
void spin_monitor_again(const struct timed *t, const struct gpu_options *options);

#endif
