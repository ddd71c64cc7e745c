/* Hopper kernels, and traces of them. */
#ifndef SUBCORE_TESTS_REPLAY_HOPPER_RIG_H
#define SUBCORE_TESTS_REPLAY_HOPPER_RIG_H

#include "gpu/gpu.h"

/* The parameters that a kernel takes. */
enum hopper_arguments { OUT_NUMBER, OUT_IN, IN_OUT, MAP_OUT };

struct hopper_kernel {
    const char *cubin, *kernel;
    struct exec_dim grid;
    uint32_t threads, dynamic;
    enum hopper_arguments arguments;
    uint32_t number;
    double percent; /* of cycles, by which a replay of a functional trace may differ */
};

enum { HOPPER_KERNELS = 16 };
extern const struct hopper_kernel hopper_kernels[HOPPER_KERNELS];

/* A GPU whose waits at barrier objects do not run out of time. */
struct gpu *hopper_gpu(const struct gpu_options *options);

/* Runs the kernel and records it into the file `path`. The test fails when anything does. */
struct kernel_result hopper_record(const struct hopper_kernel *kernel, bool timed, const char *path);

#endif
