/* Runs the kernels of tests/exec/cubin, each of which writes one buffer. */
#ifndef SUBCORE_TESTS_EXEC_KERNEL_RUN_H
#define SUBCORE_TESTS_EXEC_KERNEL_RUN_H

#include "exec/module.h"

enum { KERNEL_WORDS = 1024 };

struct kernel_run {
    struct memory *memory;
    struct exec_module module;
    unsigned sm;
    uint64_t seed;     /* 0: accesses take effect at once; else late, in an order that it chooses */
    uint32_t *out;     /* the buffer, zero at first */
    uint64_t argument; /* its device address */
    uint64_t object;   /* second argument of the kernels that have one */
};

/* One CTA of the kernel. Fails the test on a fault. */
void kernel_run(struct kernel_run *r, const char *kernel, uint32_t threads);
/* Runs `check` with fresh memory on NAME.sm_N.cubin for each of the architectures, at once and late. */
void kernel_run_each(const char *name, const unsigned *architectures, unsigned count,
                     void (*check)(struct kernel_run *r));

#endif
