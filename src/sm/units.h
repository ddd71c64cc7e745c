/* Input latches of a sub-core's execution units. A unit of 16 lanes holds its latch for two cycles, one of 32
 * lanes for one. An instruction of fixed latency issues only when the latch will be free. The unit of a latch depends
 * on the GPU:
 *
 *   FP32     the first group of 16 lanes (heavy, which also multiplies integers) or the second (lite), if there is one.
 *            From sm_90 on the second while it is free
 *   integer  a unit of its own, or the lanes of the second FP32 group (GA10x, AD10x). On sm_120 moves, selections,
 *            comparisons and additions of two numbers go to either FP32 group instead
 *   packed   a unit of its own, or the tensor core's latch (sm_75), or both FP32 groups at once (from GA10x on)
 *
 * Sources: MICRO 2025 paper, execution units; the order of the FP32 groups on GA10x: the configuration published
 * with it; lanes: white papers and the throughput table of the CUDA C++ Programming Guide; from sm_90 on:
 * docs/core.md. */
#ifndef SUBCORE_SM_UNITS_H
#define SUBCORE_SM_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/code.h"

enum unit {
    UNIT_NONE, /* always free */
    UNIT_INT,
    UNIT_FP32,
    UNIT_FP32_SECOND,
    UNIT_HALF,
    UNIT_FP64,
    UNIT_TENSOR,
    UNIT_UNIFORM,
    UNIT_BRANCH,
    UNIT_COUNT
};

/* Where the instructions of a class go: to the first, when that is taken to the second; or to both at once. */
struct unit_choice {
    uint8_t first[CLASS_COUNT], second[CLASS_COUNT];
    uint32_t queued; /* bit c: class c has a queue instead */
    uint32_t both;   /* bit c: class c takes both of its units */
};
_Static_assert(CLASS_COUNT <= 32, "a bit for each class");

/* Instructions of this class that are no memory instructions go to a queue of units.def. */
bool class_is_queued(enum issue_class class, const struct config_core *core);

/* Instructions of the class go to a queue, not to a latch. */
static inline bool unit_choice_queued(const struct unit_choice *choice, enum issue_class class)
{
    return choice->queued >> class & 1;
}

void unit_choice_init(struct unit_choice *choice, const struct config_core *config);

struct units {
    uint64_t free[UNIT_COUNT]; /* cycle from which the latch is free */
    uint64_t blocked_until;    /* before, none is, whatever it executes */
};

static inline uint64_t units_free(const struct units *u, const struct unit_choice *choice, enum issue_class class)
{
    uint64_t first = u->free[choice->first[class]], second = u->free[choice->second[class]];
    return (choice->both >> class & 1) == (first < second) ? second : first;
}

/* The unit that an instruction of this class takes now, the first of two if it takes both. It is free. */
static inline unsigned units_choose(const struct units *u, const struct unit_choice *choice, enum issue_class class,
                                    uint64_t now)
{
    unsigned first = choice->first[class];
    return u->free[first] <= now ? first : choice->second[class];
}

/* The unit's latch is taken until `until`, as the issue check sees it. */
static inline void units_hold(struct units *u, unsigned unit, uint64_t until)
{
    if (unit != UNIT_NONE && u->free[unit] < until)
        u->free[unit] = until;
}

/* The same for the latches that an instruction of this class took. */
static inline void units_hold_choice(struct units *u, const struct unit_choice *choice, enum issue_class class,
                                     unsigned unit, uint64_t until)
{
    units_hold(u, unit, until);
    if (choice->both >> class & 1)
        units_hold(u, choice->second[class], until);
}

/* No unit takes an instruction before `cycle`. */
void units_block(struct units *u, uint64_t cycle);

#endif
