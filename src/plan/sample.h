/* The choice of launches that a sampled run times.
 *
 * Launches with the same likeness (gpu/likeness.h) are a group. The first launch of a group is timed. The next one
 * follows after a gap with a random length, which these three rules bound from above:
 *
 *   the error     Neyman's rule with costs divides the timed launches that the requested error needs among groups:
 *                 N_g s_g / sqrt(t_g), with N_g launches, a standard deviation s_g and a mean time t_g. STEM (Chung et
 *                 al., MICRO 2025) has the same rule. It counts with 0.7 of the requested error.
 *   the evidence  A kernel with the share w of all cycles has n timed pairs of alike launches after about 0.6 n * n / w
 *                 launches: a time that no timed launch shows is in no interval.
 *                 Launches that repeat a timed one are known. w leaves their cycles out, and all cycles include them.
 *                 With such launches it is 0.3 n * n / w: in programs of 400 launches that differ and 1,600 of 120
 *                 traces, where one trace in twenty takes three times as long, the interval holds in 93 % of the runs
 *                 (with 0.6 in 90 %).
 *   the spread    s_g is that of the group's timed launches about their line over warp instructions. Few of them count
 *                 as four with the spread of the kernel, and a kernel's as two more with 10 %.
 *
 * The choice depends on nothing but the launches and their cycles. */
#ifndef SUBCORE_PLAN_SAMPLE_H
#define SUBCORE_PLAN_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/fit.h"
#include "probe/keys.h"

struct sample_group {
    size_t kernel; /* of sample_choice.kernels */
    uint64_t seen; /* launches */
    uint64_t next; /* the number in the group of the next one to time */
    struct fit fit;
    double x, y;    /* of the last timed one: warp instructions, cycles */
    double squares; /* sum of half the squared differences between neighbours, over the mean */
    uint64_t pairs; /* of these */
};

struct sample_kernel {
    double squares;
    uint64_t pairs;
};

struct sample_choice {
    double error; /* the asked one, as a share */
    struct keys likenesses, names;
    struct sample_group *groups;   /* one for each likeness */
    struct sample_kernel *kernels; /* one for each name */
    size_t group_room, kernel_room;
    double repeated; /* cycles of the launches that repeat a timed one */
};

/* Returns true if the next launch must be timed. `kernel` is the hash of its name. Out of memory, every launch is
 * timed. */
bool sample_takes(struct sample_choice *choice, uint64_t kernel, uint64_t likeness);
/* Adds the cycles and warp instructions of the last chosen launch with this likeness. */
void sample_told(struct sample_choice *choice, uint64_t likeness, double cycles, double instructions);
/* Adds the cycles of a launch that repeats a timed one. sample_takes was not called for it. */
void sample_repeated(struct sample_choice *choice, double cycles);
/* Returns the cycles that a launch with so many warp instructions is expected to take (0: its group is not known). */
double sample_expected(const struct sample_choice *choice, uint64_t likeness, double instructions);
/* Removes all groups. The asked error stays. */
void sample_forget(struct sample_choice *choice);

#endif
