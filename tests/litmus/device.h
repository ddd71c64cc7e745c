/* A GPU with the kernels of tests/litmus loaded, and runs of one litmus test on it. */
#ifndef SUBCORE_TESTS_LITMUS_DEVICE_H
#define SUBCORE_TESTS_LITMUS_DEVICE_H

#include "allowed.h"
#include "gpu/gpu.h"

struct variant {
    unsigned threads; /* of the host */
    bool skip, functional;
    bool bare; /* fences take no longer than the accesses that they wait for, ways to slices and page walks are long */
};

struct device {
    struct gpu *gpu;
    struct exec_module *module;
    struct file_bytes *file;
    uint32_t sms;
};

/* `kernels` is the cubin's name without architecture. Fails the test when something is missing. */
void device_begin(struct device *d, const char *gpu, unsigned sm, const char *kernels, struct variant v);
void device_end(struct device *d);

/* Launches a kernel whose parameters are one struct. Fails the test on a fault, a deadlock or a wrong end. */
uint64_t device_launch(struct device *d, const char *kernel, uint32_t ctas, uint32_t threads, const void *parameters,
                       size_t bytes);
uint64_t device_alloc(struct device *d, uint64_t bytes);

/* Where the threads of a test run. */
enum placement {
    IN_A_WARP, /* lanes of one warp */
    IN_A_CTA,  /* warps of one CTA */
    ON_AN_SM,  /* two CTAs of one SM, in turn */
    IN_PAIRS,  /* threads 0 and 1, 2 and 3 in a CTA each, on two SMs */
    APART,     /* their own SMs, two of them neighbours */
    PLACEMENTS
};
extern const char *const placement_name[PLACEMENTS];
void placement_ctas(enum placement p, uint32_t sms, unsigned cta[LITMUS_THREADS]);

struct litmus_run {
    enum placement placement;
    unsigned iterations, stride, delay, seed;
    bool noise;
};
enum { LITMUS_ITERATIONS = 256 };

/* The outcome of each iteration. Returns the cycles of the launch. */
uint64_t litmus_run(struct device *d, const struct litmus_test *test, const struct litmus_run *run,
                    uint32_t outcome[LITMUS_ITERATIONS]);

#endif
