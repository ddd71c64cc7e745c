/* Functions and kernels: what they are, and what programs set of them. */
#include "driver/abi/api_module.h"
#include "driver/launch/launch.h"
#include "driver/module/module.h"

enum { SHARED_DEFAULT = 48 << 10, RESERVED_FIRST = 90 }; /* the first architecture whose static size has the reserve */

/* ---- facts ------------------------------------------------------------------------------------------------------- */

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

/* Without asking for more, a CTA gets no more than 48 KiB, static and dynamic together. */
void function_settings_init(const struct driver *driver, struct CUfunc_st *function)
{
    uint32_t fixed = function_static_shared(driver, function);
    function->settings = (struct function_settings){
        .dynamic_shared_most = fixed < SHARED_DEFAULT ? SHARED_DEFAULT - fixed : 0, .carveout = -1};
}

uint32_t function_threads_most(const struct driver *driver, const struct CUfunc_st *function)
{
    enum { THREADS_MOST = 1024, WARP = 32 };
    const struct config_sm *sm = &driver->device.config.sm;
    const struct cubin_kernel *k = function->cubin;
    const uint32_t *bounds = k->required_threads[0] ? k->required_threads : k->max_threads;
    uint64_t most = THREADS_MOST;
    if (bounds[0]) {
        uint64_t compiled = (uint64_t)bounds[0] * (bounds[1] ? bounds[1] : 1) * (bounds[2] ? bounds[2] : 1);
        most = compiled < most ? compiled : most;
    }
    uint32_t warp_registers = (k->registers * WARP + sm->register_unit - 1) / sm->register_unit * sm->register_unit;
    if (warp_registers) {
        uint32_t warps = sm->registers / sm->subcores / warp_registers * sm->subcores;
        most = warps * WARP < most ? warps * WARP : most;
    }
    return (uint32_t)most;
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

CUresult function_check(const struct call *call, const void *handle, struct CUfunc_st **out)
{
    if (!handle_is(call->driver->handles, HANDLE_FUNCTION, handle))
        return CUDA_ERROR_INVALID_HANDLE;
    *out = (struct CUfunc_st *)(uintptr_t)handle;
    return CUDA_SUCCESS;
}

CUresult function_find(struct call *call, CUfunction handle, struct CUfunc_st **out)
{
    struct CUfunc_st *found;
    struct CUmod_st *module;
    CUresult result = function_check(call, handle, &found);
    if (result != CUDA_SUCCESS)
        return result;
    *out = found;
    if (found->module)
        return found->module->context == call->context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
    if (!call->context)
        return CUDA_ERROR_INVALID_CONTEXT;
    struct CUlib_st *library = found->library;
    size_t index = (size_t)(found->cubin - library->cubin.kernels);
    result = library_module(call->context, library, &module);
    if (result != CUDA_SUCCESS)
        return result;
    *out = module_function(module, index);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* Bytes of local memory a thread, without the stack of calls that the compiler does not know. */
static int local_bytes(const struct cubin_kernel *k)
{
    return (int)(k->stack_bytes > k->frame_bytes ? k->stack_bytes : k->frame_bytes);
}

static CUresult get_attribute(const struct driver *driver, struct CUfunc_st *function, CUfunction_attribute attribute,
                              int *value)
{
    const struct cubin *cubin = function_cubin(function);
    const struct function_settings *s = function_settings(function);
    const uint32_t *cluster = function->cubin->cluster;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = (int)function_threads_most(driver, function); break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)function_static_shared(driver, function); break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)cubin->constant3.size; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = local_bytes(function->cubin); break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = (int)function->cubin->registers; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = (int)function_ptx_version(function); break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = (int)cubin->sm; break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = (int)s->dynamic_shared_most; break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = s->carveout; break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: *value = 0; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *value = cluster[0] ? (int)cluster[0] : s->cluster[0]; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *value = cluster[0] ? (int)cluster[1] : s->cluster[1]; break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *value = cluster[0] ? (int)cluster[2] : s->cluster[2]; break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: *value = s->large_cluster; break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: *value = s->cluster_policy; break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

static CUresult set_shared(const struct driver *driver, struct CUfunc_st *function, int value)
{
    uint32_t fixed = function_static_shared(driver, function), most = driver->device.config.sm.shared_per_cta;
    if (value < 0 || fixed > most || (uint32_t)value > most - fixed)
        return CUDA_ERROR_INVALID_VALUE;
    function_settings(function)->dynamic_shared_most = (uint32_t)value;
    return CUDA_SUCCESS;
}

/* Compiled-in sizes cannot be changed. */
static CUresult set_cluster(const struct driver *driver, struct CUfunc_st *function, unsigned axis, int value)
{
    enum { CLUSTER_FIRST = 90 };
    if (value < 0 || function->cubin->cluster[0])
        return CUDA_ERROR_INVALID_VALUE;
    if (value > 1)
        return driver->device.config.gpu.architecture < CLUSTER_FIRST ? CUDA_ERROR_INVALID_VALUE
                                                                      : CUDA_ERROR_NOT_SUPPORTED;
    function_settings(function)->cluster[axis] = value;
    return CUDA_SUCCESS;
}

static CUresult set_attribute(const struct driver *driver, struct CUfunc_st *function, CUfunction_attribute attribute,
                              int value)
{
    struct function_settings *s = function_settings(function);
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: return set_shared(driver, function, value);
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < -1 || value > 100)
            return CUDA_ERROR_INVALID_VALUE;
        s->carveout = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: return set_cluster(driver, function, 0, value);
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: return set_cluster(driver, function, 1, value);
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: return set_cluster(driver, function, 2, value);
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: s->large_cluster = value != 0; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        if (value < CU_CLUSTER_SCHEDULING_POLICY_DEFAULT || value > CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING)
            return CUDA_ERROR_INVALID_VALUE;
        s->cluster_policy = value;
        return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

/* ---- the API ----------------------------------------------------------------------------------------------------- */

static CUresult begin(struct call *call, const char *name, enum call_needs needs, const void *handle,
                      struct CUfunc_st **function)
{
    CUresult result = call_begin(call, name, needs);
    return result == CUDA_SUCCESS ? function_check(call, handle, function) : result;
}

/* Of a function that names the device, too. */
static CUresult begin_on(struct call *call, const char *name, const void *handle, CUdevice dev,
                         struct CUfunc_st **function)
{
    CUresult result = begin(call, name, CALL_INITIALISED, handle, function);
    return result == CUDA_SUCCESS && dev != 0 ? CUDA_ERROR_INVALID_DEVICE : result;
}

CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, __func__, CALL_CONTEXT, hfunc, &function);
    if (result == CUDA_SUCCESS)
        result = pi ? get_attribute(call.driver, function, attrib, pi) : CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}

CUresult cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin_on(&call, __func__, kernel, dev, &function);
    if (result == CUDA_SUCCESS)
        result = pi ? get_attribute(call.driver, function, attrib, pi) : CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, __func__, CALL_CONTEXT, hfunc, &function);
    if (result == CUDA_SUCCESS)
        result = set_attribute(call.driver, function, attrib, value);
    return call_end(&call, result);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin_on(&call, __func__, kernel, dev, &function);
    if (result == CUDA_SUCCESS)
        result = set_attribute(call.driver, function, attrib, val);
    return call_end(&call, result);
}

static CUresult set_cache(struct CUfunc_st *function, CUfunc_cache config)
{
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    function_settings(function)->cache = config;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, __func__, CALL_CONTEXT, hfunc, &function);
    if (result == CUDA_SUCCESS)
        result = set_cache(function, config);
    return call_end(&call, result);
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin_on(&call, __func__, kernel, dev, &function);
    if (result == CUDA_SUCCESS)
        result = set_cache(function, config);
    return call_end(&call, result);
}

/* Banks have had one width since Maxwell: nothing changes. */
CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, __func__, CALL_CONTEXT, hfunc, &function);
    if (result == CUDA_SUCCESS && (unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        result = CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}

CUresult cuFuncGetModule(CUmodule *hmod, CUfunction hfunc)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, __func__, CALL_CONTEXT, hfunc, &function);
    if (result == CUDA_SUCCESS && !hmod)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = function_find(&call, function, &function);
    if (result == CUDA_SUCCESS)
        *hmod = function->module;
    return call_end(&call, result);
}

static CUresult get_name(const char *caller, const char **name, const void *handle)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, caller, CALL_INITIALISED, handle, &function);
    if (result == CUDA_SUCCESS && !name)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *name = function->cubin->name;
    return call_end(&call, result);
}

CUresult cuFuncGetName(const char **name, CUfunction hfunc) { return get_name(__func__, name, hfunc); }
CUresult cuKernelGetName(const char **name, CUkernel hfunc) { return get_name(__func__, name, hfunc); }

static CUresult parameter_info(const char *name, const void *handle, size_t index, size_t *offset, size_t *size)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, name, CALL_INITIALISED, handle, &function);
    if (result == CUDA_SUCCESS && (!offset || index >= function->cubin->parameter_count))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) {
        *offset = function->cubin->parameters[index].offset;
        if (size)
            *size = function->cubin->parameters[index].size;
    }
    return call_end(&call, result);
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    return parameter_info(__func__, func, paramIndex, paramOffset, paramSize);
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    return parameter_info(__func__, kernel, paramIndex, paramOffset, paramSize);
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    struct call call;
    struct CUfunc_st *found;
    CUresult result = begin(&call, __func__, CALL_CONTEXT, function, &found);
    if (result == CUDA_SUCCESS && !state)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *state = found->module ? CU_FUNCTION_LOADING_STATE_LOADED : CU_FUNCTION_LOADING_STATE_UNLOADED;
    return call_end(&call, result);
}

CUresult cuFuncLoad(CUfunction function)
{
    struct call call;
    struct CUfunc_st *found;
    CUresult result = begin(&call, __func__, CALL_CONTEXT, function, &found);
    if (result == CUDA_SUCCESS)
        result = function_find(&call, found, &found);
    return call_end(&call, result);
}

CUresult cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, __func__, CALL_CONTEXT, kernel, &function);
    if (result == CUDA_SUCCESS && !pFunc)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = function_find(&call, function, pFunc);
    return call_end(&call, result);
}

CUresult cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, __func__, CALL_INITIALISED, kernel, &function);
    if (result == CUDA_SUCCESS && !pLib)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && !function->library)
        result = CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS)
        *pLib = function->library;
    return call_end(&call, result);
}
