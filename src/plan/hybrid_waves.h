/* The waves of a hybrid launch that the model of memory sees, and the cycles of the others.
 *
 *   |0 1|2 3|  gap  |s|w w|   gap   |s|w w|      gap      |s|w w|  gap ... |s|w w|end|      waves -->
 *
 * A launch of HYBRID_LEAST waves or more has gaps. In a gap no SM is timed and the caches see nothing: the CTAs are
 * only executed, and in a replay not even decoded. Time flows past a gap, as in plan/wave_sample.h. The wave behind it
 * (s) takes the places of those before it. The hand-out of the two waves after that is a window (w). The gaps double,
 * up to a sixth of the launch. If the rates of two windows agree within STEADY, the launch is steady: the next gap is
 * half of it at most, and the window behind it is a single wave. So 24 windows or less tell of any launch.
 *
 * The timed SM's cycles and the traffic of all SMs are values with a rate in each window, per warp instruction of all
 * SMs. A gap has the mean rate of the windows beside it. */
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
    double work; /* warp instructions so far, with those of CTAs without time */
    double value[HYBRID_VALUES];
};

struct hybrid_waves {
    uint64_t waves;                    /* of the launch */
    uint64_t from;                     /* the wave behind the last gap */
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
/* Asks before the timed SM's CTAs of each wave that is not in a gap, in order. Returns the first wave behind the gap
 * that begins here, or 0: the wave is seen. */
uint64_t hybrid_waves_ask(struct hybrid_waves *w, const struct hybrid_mark *now, uint64_t wave);

#endif
