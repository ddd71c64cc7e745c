/* Modules and libraries, and the functions and variables in them.
 *
 * A module is loaded code in one context. A library (cuLibraryLoadData) belongs to no context: it becomes a module
 * in each context that uses it, at the first use. CUkernel and CUfunction are the same kind of object: a kernel of a
 * library stands for its function in the current context, and both share their settings. */
#ifndef SUBCORE_DRIVER_MODULE_H
#define SUBCORE_DRIVER_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/module/load.h"
#include "driver/module/names.h"
#include "driver/state/call.h"
#include "driver/state/context.h"
#include "exec/module.h"

struct CUlib_st;

/* Settings of programs: cuFuncSetAttribute, cuKernelSetAttribute, cuFuncSetCacheConfig. */
struct function_settings {
    uint32_t dynamic_shared_most; /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
    int carveout;                 /* percent (-1: as the driver likes) */
    CUfunc_cache cache;
    bool large_cluster; /* CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED */
    int cluster_policy, cluster[3];
};

struct CUfunc_st {
    struct CUmod_st *module;  /* NULL: a kernel of a library */
    struct CUlib_st *library; /* NULL: none */
    const struct cubin_kernel *cubin;
    struct CUfunc_st *kernel; /* of the library, whose settings it shares (NULL: own settings) */
    struct function_settings settings;
    struct old_launch *old; /* owned, one block; cuFuncSetBlockShape and the like (NULL: never called) */
};

struct CUmod_st {
    struct CUctx_st *context;
    struct CUmod_st *next; /* of context.modules */
    struct exec_module *exec;
    struct names *names;
    struct CUfunc_st **functions; /* one for each kernel, made when asked for */
    unsigned ptx_version;         /* virtual architecture that the code was compiled for */
    struct CUlib_st *library;     /* whose module it is (NULL: none) */
    struct CUmod_st *sibling;     /* of library.modules */
    struct reference *references; /* that the program has asked for */
    uint64_t *ranges;             /* owned: bases of its entries in the table of allocations */
    size_t range_count;
};

struct CUlib_st {
    struct cubin_code code; /* as chosen at loading */
    CUresult missing;       /* why there is none, answered when it is asked for (CUDA_SUCCESS: there is some) */
    struct status reason;
    bool opening; /* by a thread that has released the lock */
    bool opened;  /* `image`, `cubin` and all below are there */
    struct image image;
    struct cubin cubin;
    struct names *names;
    struct CUfunc_st **kernels; /* one for each kernel, made when asked for */
    struct CUmod_st *modules;   /* one for each context, by `sibling` */
    struct jit_settings jit;
};

/* Loads machine code into a context. After queue_pause. Prints reasons on standard error. */
CUresult module_load(struct CUctx_st *context, const struct image *image, struct CUmod_st **out);
/* The same from an argument of cuModuleLoadData, and so on. */
CUresult module_load_code(struct CUctx_st *context, const struct cubin_code *code, const struct jit_settings *settings,
                          const char *name, struct CUmod_st **out);
/* Frees a module whose commands have ended. After queue_pause. */
void module_free(struct CUmod_st *module);
/* Frees all modules of a context. */
void modules_clear(struct CUctx_st *context);

/* Where a variable of the module lies. CUDA_ERROR_NOT_FOUND. */
CUresult module_variable(const struct CUmod_st *module, const char *name, bool managed, CUdeviceptr *address,
                         size_t *bytes);

/* Makes a library of the image at `data`, or of a file's bytes if that is NULL. An image that cannot be loaded is an
 * error at once. Missing code for this GPU is one when something of the library is needed. */
CUresult library_create(struct driver *driver, CUlibrary *out, struct jit_settings *jit, bool compile_now,
                        const void *data, const uint8_t *bytes, size_t size);
/* Waits until queued kernels of the library have run, and frees it. */
CUresult library_unload(struct driver *driver, struct CUlib_st *library);
/* Makes the library's code ready: unpacks or compiles it. */
CUresult library_open(struct driver *driver, struct CUlib_st *library);
/* The library's module in a context, loaded now if it is not. */
CUresult library_module(struct CUctx_st *context, struct CUlib_st *library, struct CUmod_st **out);

/* The function of the kernel with this index, made when it is first asked for. Both return NULL if out of memory. */
struct CUfunc_st *function_of_module(struct CUmod_st *module, size_t index);
struct CUfunc_st *function_of_library(struct driver *driver, struct CUlib_st *library, size_t index);
void function_free(struct driver *driver, struct CUfunc_st *function); /* NULL: nothing */

/* Finds the function of a module for a CUfunction or CUkernel from a program, in the calling thread's context.
 * CUDA_ERROR_INVALID_HANDLE if it is neither. May wait for the queue (driver/queue/queue.h) when it loads the code. */
CUresult function_find(struct call *call, CUfunction handle, struct CUfunc_st **out);
/* The same, without loading: the object itself. */
CUresult function_check(const struct call *call, const void *handle, struct CUfunc_st **out);
struct function_settings *function_settings(struct CUfunc_st *function);
const struct cubin *function_cubin(const struct CUfunc_st *function);
unsigned function_ptx_version(const struct CUfunc_st *function);

/* Shared memory of a CTA that the kernel's code asks for, without the system's part. */
uint32_t function_static_shared(const struct driver *driver, const struct CUfunc_st *function);
/* Most threads of a CTA: by __launch_bounds__, by the register file and by the GPU. */
uint32_t function_threads_most(const struct driver *driver, const struct CUfunc_st *function);

#endif
