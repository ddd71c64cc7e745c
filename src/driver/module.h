/* Modules and libraries, and the functions and variables in them. A kernel (CUkernel) and a function (CUfunction)
 * are the same object here: there is one device. */
#ifndef SUBCORE_DRIVER_MODULE_H
#define SUBCORE_DRIVER_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/context.h"
#include "exec/exec.h"

struct CUfunc_st {
    struct CUmod_st *module;
    const struct cubin_kernel *cubin;
    const struct exec_kernel *kernel; /* decoded at first use; NULL before */
    uint32_t dynamic_shared_most;     /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
    int carveout;                     /* percent; -1: as the driver likes */
    CUfunc_cache cache;
    uint64_t launches;
};

struct CUmod_st {
    struct CUctx_st *context;
    struct CUmod_st *next; /* of context.modules */
    struct exec_module *exec;
    struct CUfunc_st **functions; /* one for each kernel, made when asked for */
    int ptx_version;              /* virtual architecture that the code was compiled for */
};

/* Frees all modules of a context. */
void modules_clear(struct CUctx_st *context);

#endif
