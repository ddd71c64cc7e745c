/* Queries and settings of contexts. */
#include "driver/abi/api_device.h"
#include "driver/abi/api_module.h"
#include "driver/queue/stream.h"
#include "driver/state/call.h"
#include "driver/state/context.h"

/* A context that is given, or with NULL the current one, sticky error or not. */
static CUresult choose(struct call *call, const char *name, CUcontext given, struct CUctx_st **context)
{
    CUresult result = call_begin(call, name, given ? CALL_INITIALISED : CALL_CLEANUP);
    call->needs = CALL_INITIALISED; /* later steps change nothing that can be an error */
    *context = given ? given : call->context;
    return result == CUDA_SUCCESS && !context_lives(call->driver, *context) ? CUDA_ERROR_INVALID_CONTEXT : result;
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    struct call call;
    struct CUctx_st *context;
    CUresult result = choose(&call, __func__, ctx, &context);
    if (result == CUDA_SUCCESS && !version)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *version = 3020;
    return call_end(&call, result);
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long *ctxId)
{
    struct call call;
    struct CUctx_st *context;
    CUresult result = choose(&call, __func__, ctx, &context);
    if (result == CUDA_SUCCESS && !ctxId)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *ctxId = context->id;
    return call_end(&call, result);
}

/* Also of a primary context that is current and not yet in use. */
static CUresult device_of(struct call *call, const struct CUctx_st *context, CUdevice *device)
{
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if (!handle_is(call->driver->handles, HANDLE_CONTEXT, context))
        return CUDA_ERROR_INVALID_CONTEXT;
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS)
        result = device_of(&call, call.context, device);
    return call_end(&call, result);
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS)
        result = device_of(&call, ctx ? ctx : call.context, device);
    return call_end(&call, result);
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && !flags)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *flags = call.context->flags;
    return call_end(&call, result);
}

CUresult cuCtxSetFlags(unsigned int flags)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && !context_flags_known(flags))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        call.context->flags = flags;
    return call_end(&call, result);
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && !pconfig)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *pconfig = call.context->cache;
    return call_end(&call, result);
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && ((int)config < 0 || config > CU_FUNC_CACHE_PREFER_EQUAL))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        call.context->cache = config;
    return call_end(&call, result);
}

/* Banks have had four bytes since compute capability 5.0. Wishes for others have no effect. */
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *pConfig)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && !pConfig)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *pConfig = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return call_end(&call, result);
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && ((int)config < 0 || config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE))
        result = CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}

CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && leastPriority)
        *leastPriority = STREAM_PRIORITY_LEAST;
    if (result == CUDA_SUCCESS && greatestPriority)
        *greatestPriority = STREAM_PRIORITY_GREATEST;
    return call_end(&call, result);
}

/* No line is ever set aside. */
CUresult cuCtxResetPersistingL2Cache(void)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    return call_end(&call, result);
}

/* A context always has all SMs. */
CUresult cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity, CUexecAffinityType type)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = pExecAffinity && type == CU_EXEC_AFFINITY_TYPE_SM_COUNT ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY
                                                                         : CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}
