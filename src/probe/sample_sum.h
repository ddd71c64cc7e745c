/* The cycles of all launches in a program when some were timed, with an interval.
 *
 * Launches with the same likeness are a group. The cycles of a launch that was not timed are those of its group's line
 * over warp instructions (probe/fit.h), and the distance of the timed launches before and after it from the line, in
 * the mean. The launches behind the last timed one differ as that one does.
 *
 * The interval has these parts. s is the group's standard deviation about its line, from the differences between
 * neighbours (von Neumann): they hold random changes, and no drift. Few differences in a group count as four in its
 * kernel, and few in a kernel as two in the program.
 *
 *   a timed launch stands for c others, and its own deviation counts c times         c c s s
 *   each of the others has a deviation of its own; m with the same trace have one    s s, or m m s s
 *   the cycles of a timed launch that was sampled inside have an error v, and
 *   stand for c others                                                       (1 + c) (1 + c) v v
 *   somewhere in a gap of n launches between neighbours that differ by d, the time
 *   may have changed at once                                                         n n d d / 12
 *
 * A launch that repeats an earlier one has its cycles, and counts in no other way: it says nothing of launches that
 * differ.
 *
 * They add up over groups, and the half width of the 95 % interval is Student's quantile times the root of the sum. Its
 * degrees of freedom are Satterthwaite's, over kernels. */
#ifndef SUBCORE_PROBE_SAMPLE_SUM_H
#define SUBCORE_PROBE_SAMPLE_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/keys.h"

struct sample_launch {
    uint64_t kernel, likeness; /* hash of the kernel's name; a launch's kind */
    bool timed;
    double cycles;       /* of a timed launch */
    double instructions; /* warp instructions */
    double half_width;   /* of the 95 % interval of a launch that was timed in part (0: its cycles are exact) */
    bool repeats;        /* timed: its cycles are those of an earlier launch with the same trace */
    uint64_t trace;      /* launches with the same number have the same trace (0: not known) */
};

struct sample_total {
    double cycles, half_width; /* the half width of the 95 % interval; infinite: nothing is known of the spread */
    uint64_t launches, timed, repeated, groups; /* timed: without the repeated ones */
};

struct sample_sum {
    struct keys likenesses, names, traces;
    uint64_t *untimed;           /* launches of each trace that were not timed */
    struct sample_part *groups;  /* one for each likeness */
    struct sample_total *totals; /* one for each name, as sample_sum_end has made it */
    size_t group_room, trace_room;
    struct sample_total total;
};

/* Adds a launch. Launches come in the order of the program. False: out of memory. */
bool sample_sum_add(struct sample_sum *sum, const struct sample_launch *launch);
/* Makes the totals when the last launch has been added. False: out of memory. */
bool sample_sum_end(struct sample_sum *sum);
/* Returns the total of one kernel, its launches 0 where it has none. Its half width is that of its own interval. */
struct sample_total sample_sum_of(const struct sample_sum *sum, uint64_t kernel);
void sample_sum_free(struct sample_sum *sum);

#endif
