/* The implementation of include/subcore/subcore.h. */
#ifndef SUBCORE_API_API_H
#define SUBCORE_API_API_H

#include <pthread.h>

#include "gpu/gpu.h"
#include "subcore/subcore.h"

/* A kernel in one of the module's images. */
struct subcore_kernel {
    struct exec_module *code;
    const struct cubin_kernel *cubin;
};

struct subcore_module {
    struct exec_module **images; /* [image_count]: one for each container of the file that has code */
    size_t image_count;
    struct subcore_kernel *kernels; /* [kernel_count] */
    size_t kernel_count;
    struct subcore_gpu *gpu;
    struct subcore_module *next;
};

struct subcore_gpu {
    struct gpu *gpu;
    struct subcore_module *modules;
    volatile bool stop;
    struct plan plan;            /* of a sampled launch; else empty */
    struct kernel_result result; /* of the last launch */
};

/* Fills *error, if there is one, and returns false. */
bool api_fail(struct subcore_error *error, enum subcore_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same from a status that is not STATUS_OK. */
bool api_fail_status(struct subcore_error *error, const struct status *status);

/* Hands the reports on a launch to its observer. */
struct api_watch {
    const struct subcore_watch *to;
    const struct subcore_kernel *kernel;
    const struct exec_kernel *code;
    uint32_t warps_per_cta;
    uint64_t instructions; /* of a functional launch, so far */
    pthread_mutex_t lock;  /* one call at a time */
    struct exec_watch functional;
    struct sm_observer detailed;
};

void api_watch_begin(struct api_watch *watch, const struct subcore_launch *launch, const struct exec_kernel *code);
void api_watch_end(struct api_watch *watch);

#endif
