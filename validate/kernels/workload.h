/* The kernels on which the simulator is compared with hardware: CUDA sources of ours in the classes that the
 * literature uses, each with a host program that prepares inputs, launches, and checks the result against a plain
 * computation on the CPU. No value of a configuration may come from them. Those come from the measurements of
 * validate/micro.
 *
 * The host programs see a GPU only through struct example_device, so that `subcore validate` and a program on a real
 * GPU share everything but that. */
#ifndef SUBCORE_VALIDATE_KERNELS_WORKLOAD_H
#define SUBCORE_VALIDATE_KERNELS_WORKLOAD_H

#include "examples/example.h"

/* How much of a GPU the main kernel of a workload takes. A size gives the grid of the work, not its time: each
 * launch is to stay below some two million warp instructions, so that a simulation of all takes minutes. */
enum workload_size {
    SIZE_SMALL,  /* some CTAs: less than one for each SM */
    SIZE_MEDIUM, /* about one for each SM, or two */
    SIZE_FULL,   /* every SM holds all that fit, once or more */
    WORKLOAD_SIZES
};

struct workload_scale {
    enum workload_size size;
    uint32_t sms; /* of the GPU */
};

enum { WORKLOAD_LAUNCHES = 12 };

struct workload {
    const char *name;    /* "needle" */
    const char *module;  /* validate/kernels/needle.cu, one cubin for each architecture */
    const char *class;   /* "dynamic programming" */
    const char *summary; /* one line */
    unsigned arch;       /* the first architecture that it runs on, 60 for all */
    unsigned last;       /* the last one (0: there is none) */
    /* At most WORKLOAD_LAUNCHES launches, the same ones in each run. */
    struct example_result (*run)(const struct example_device *device, const struct workload_scale *scale);
};

/* All, in the order of --list. */
const struct workload *const *workload_list(size_t *count);

/* Returns whether the workload runs on this architecture, such as 86. */
bool workload_fits(const struct workload *workload, unsigned architecture);

/* "small" */
const char *workload_size_name(enum workload_size size);

/* One of three numbers, by the size. */
uint32_t workload_pick(const struct workload_scale *scale, uint32_t small, uint32_t medium, uint32_t full);

#endif
