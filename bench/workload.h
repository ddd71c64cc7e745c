/* A workload of the speed suite: one launch of a bench/kernels.cu kernel, sized to the GPU. */
#ifndef SUBCORE_BENCH_WORKLOAD_H
#define SUBCORE_BENCH_WORKLOAD_H

#include "gpu/gpu.h"

enum { WORKLOAD_PARAMETERS = 48 };

/* Buffers are in device memory, the parameters in place. */
struct workload_launch {
    const char *kernel;
    struct exec_dim grid, block;
    uint8_t parameters[WORKLOAD_PARAMETERS];
    size_t parameter_bytes;
};

struct workload {
    const char *name, *text;
    /* Allocates and fills the memory that the kernel works on. False: no device memory. */
    bool (*prepare)(struct gpu *gpu, struct workload_launch *launch);
};

const struct workload *workload_list(size_t *count);

#endif
