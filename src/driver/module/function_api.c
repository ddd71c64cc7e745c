/* Functions and kernels: their queries and settings. */
#include "driver/abi/api_module.h"
#include "driver/module/module.h"

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
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET: *value = function->cubin->cluster_explicit; break;
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

/* Compiled-in sizes cannot be changed. A launch checks whether the three sizes make a cluster. */
static CUresult set_cluster(const struct driver *driver, struct CUfunc_st *function, unsigned axis, int value)
{
    enum { CLUSTER_FIRST = 90 };
    if (function->cubin->cluster[0])
        return CUDA_ERROR_NOT_PERMITTED;
    if (value < 0 || (value > 1 && driver->device.config.gpu.architecture < CLUSTER_FIRST))
        return CUDA_ERROR_INVALID_VALUE;
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
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        if (value != 0 && value != 1)
            return CUDA_ERROR_INVALID_VALUE;
        s->large_cluster = value != 0;
        return CUDA_SUCCESS;
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
