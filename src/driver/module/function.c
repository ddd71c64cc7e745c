#include <stdlib.h>

#include "driver/module/module.h"

enum { SHARED_DEFAULT = 48 << 10, RESERVED_FIRST = 90 }; /* the first architecture whose static size has the reserve */

struct function_settings *function_settings(struct CUfunc_st *function)
{
    return function->kernel ? &function->kernel->settings : &function->settings;
}

const struct cubin *function_cubin(const struct CUfunc_st *function)
{
    return function->module ? &function->module->exec->cubin : &function->library->cubin;
}

unsigned function_ptx_version(const struct CUfunc_st *function)
{
    if (function->module)
        return function->module->ptx_version;
    const struct CUlib_st *library = function->library;
    return library->image.compiled_for ? library->image.compiled_for : library->cubin.virtual_sm;
}

uint32_t function_static_shared(const struct driver *driver, const struct CUfunc_st *function)
{
    uint32_t bytes = function->cubin->static_shared_bytes, reserve = driver->device.config.sm.shared_reserved;
    if (function_cubin(function)->sm < RESERVED_FIRST)
        return bytes;
    return bytes > reserve ? bytes - reserve : 0;
}

uint32_t function_threads_most(const struct driver *driver, const struct CUfunc_st *function)
{
    enum { THREADS_MOST = 1024 };
    const struct config_sm *sm = &driver->device.config.sm;
    const struct cubin_kernel *k = function->cubin;
    const uint32_t *bounds = k->required_threads[0] ? k->required_threads : k->max_threads;
    uint64_t most = THREADS_MOST;
    if (bounds[0]) {
        uint64_t compiled = (uint64_t)bounds[0] * (bounds[1] ? bounds[1] : 1) * (bounds[2] ? bounds[2] : 1);
        most = compiled < most ? compiled : most;
    }
    uint32_t warp_registers =
        (k->registers * ISA_LANES + sm->register_unit - 1) / sm->register_unit * sm->register_unit;
    if (warp_registers) {
        uint32_t warps = sm->registers / sm->subcores / warp_registers * sm->subcores;
        most = warps * ISA_LANES < most ? warps * ISA_LANES : most;
    }
    return (uint32_t)most;
}

/* Without asking for more, a CTA gets no more than 48 KiB, static and dynamic together. */
static void init_settings(const struct driver *driver, struct CUfunc_st *function)
{
    uint32_t fixed = function_static_shared(driver, function);
    function->settings = (struct function_settings){
        .dynamic_shared_most = fixed < SHARED_DEFAULT ? SHARED_DEFAULT - fixed : 0, .carveout = -1};
}

struct CUfunc_st *function_of_library(struct driver *driver, struct CUlib_st *library, size_t index)
{
    struct CUfunc_st *kernel = library->kernels[index];
    if (kernel)
        return kernel;
    kernel = handle_new(driver->handles, HANDLE_FUNCTION, sizeof *kernel);
    if (!kernel)
        return NULL;
    kernel->library = library;
    kernel->cubin = &library->cubin.kernels[index];
    init_settings(driver, kernel);
    library->kernels[index] = kernel;
    return kernel;
}

struct CUfunc_st *function_of_module(struct CUmod_st *module, size_t index)
{
    struct driver *driver = module->context->driver;
    struct CUfunc_st *function = module->functions[index];
    if (function)
        return function;
    struct CUfunc_st *kernel = module->library ? function_of_library(driver, module->library, index) : NULL;
    if (module->library && !kernel)
        return NULL;
    function = handle_new(driver->handles, HANDLE_FUNCTION, sizeof *function);
    if (!function)
        return NULL;
    function->module = module;
    function->library = module->library;
    function->kernel = kernel;
    function->cubin = &module->exec->cubin.kernels[index];
    init_settings(driver, function);
    module->functions[index] = function;
    return function;
}

void function_free(struct driver *driver, struct CUfunc_st *function)
{
    if (!function)
        return;
    free(function->old);
    handle_free(driver->handles, function);
}

CUresult function_check(const struct call *call, const void *handle, struct CUfunc_st **out)
{
    if (!handle_is(call->driver->handles, HANDLE_FUNCTION, handle))
        return CUDA_ERROR_INVALID_HANDLE;
    *out = (struct CUfunc_st *)(uintptr_t)handle;
    return CUDA_SUCCESS;
}
