/* The choice of a hybrid launch's waves that the memory model sees, and the cycles of the other waves.
 *
 *   |0 1|2 3|  gap  |s|w w|   gap   |s|w w|      gap      |s|w w|  gap ... |s|w w|end|      waves -->
 *
 * A launch of HYBRID_LEAST waves or more has gaps. In a gap no SM is timed and no access reaches the caches: the CTAs
 * are only executed, and in a replay not even decoded. A gap takes no simulated time, as in plan/wave_sample.h. The
 * wave after it (s) replaces the resident CTAs. The hand-out of the next two waves is a window (w). The gaps double, up
 * to a sixth of the launch. If the rates of two windows agree within STEADY, the launch is steady: the next gap has at
 * most half of the launch, and the window after it is a single wave. So every launch has at most 24 windows.
 *
 * The timed SM's cycles and the traffic of all SMs are values with a rate in each window, per warp instruction of all
 * SMs. A gap has the mean rate of its neighbouring windows. */
#ifndef SUBCORE_PLAN_HYBRID_WAVES_H
#define SUBCORE_PLAN_HYBRID_WAVES_H

#include <stdbool.h>
#include <stdint.h>

enum { HYBRID_LEAST = 24 /* waves of a launch that has gaps */ };

enum hybrid_value {
    HYBRID_CYCLES, /* until the last CTA so far was handed out */
    HYBRID_L1_LOADS,
    HYBRID_L1_HITS,
    HYBRID_L2_LOADS,
    HYBRID_L2_LOAD_HITS,
    HYBRID_L2_SECTORS,
    HYBRID_L2_HITS,
    HYBRID_READS,
    HYBRID_DIRTIED,
    HYBRID_L2_CYCLES,
    HYBRID_ATOMIC_CYCLES,
    HYBRID_VALUES
};

/* The known facts when the timed SM's CTAs of a wave are the next ones to begin. */
struct hybrid_mark {
    double work; /* warp instructions so far, with those of untimed CTAs */
    double value[HYBRID_VALUES];
};

struct hybrid_waves {
    uint64_t waves;                    /* of the launch */
    uint64_t from;                     /* the wave after the last gap */
    uint64_t gap, segment;             /* the lengths of the next ones, in waves */
    struct hybrid_mark begin;          /* of the window */
    double left;                       /* warp instructions before the gap */
    double open;                       /* of a gap whose end has no rate yet */
    double rate[HYBRID_VALUES];        /* in the last window */
    uint32_t windows;                  /* so far */
    bool steady;                       /* the last two have the same rates */
    double work, value[HYBRID_VALUES]; /* of all gaps */
};

/* Begins a launch of so many waves; the last may not be whole. */
void hybrid_waves_begin(struct hybrid_waves *w, uint64_t waves);
/* Returns the first wave after the gap that begins with this wave, or 0 if the memory model sees the wave. The caller
 * asks before the timed SM's CTAs in each wave outside the gaps, in order. */
uint64_t hybrid_waves_ask(struct hybrid_waves *w, const struct hybrid_mark *now, uint64_t wave);

#endif
