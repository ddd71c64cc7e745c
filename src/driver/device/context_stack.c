/* Contexts that programs make, and the stack of each thread. */
#include "driver/abi/api_device.h"
#include "driver/device/context_clear.h"
#include "driver/state/call.h"
#include "driver/state/context.h"
#include "driver/state/thread.h"

static bool push(struct thread *thread, struct CUctx_st *context)
{
    if (thread->depth == THREAD_CONTEXTS)
        return false;
    thread->context[thread->depth++] = context;
    return true;
}

static CUresult destroy(struct call *call, struct CUctx_st *context)
{
    struct thread *thread = call->thread;
    struct driver *driver = call->driver;
    if (thread->depth > 0 && thread->context[thread->depth - 1] == context)
        --thread->depth;
    context_clear(context);
    for (struct CUctx_st **link = &driver->contexts; *link; link = &(*link)->next)
        if (*link == context) {
            *link = context->next;
            break;
        }
    handle_free(driver->handles, context);
    return CUDA_SUCCESS;
}

static CUresult create(struct call *call, CUcontext *pctx, unsigned flags, CUdevice dev)
{
    if (!pctx || !context_flags_known(flags))
        return CUDA_ERROR_INVALID_VALUE;
    if (dev != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    if (call->thread->depth == THREAD_CONTEXTS)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct CUctx_st *context = context_new(call->driver, flags);
    if (!context)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = context_start(context);
    if (result != CUDA_SUCCESS) {
        destroy(call, context);
        return result;
    }
    context->retained = 1;
    push(call->thread, context);
    *pctx = context;
    return CUDA_SUCCESS;
}

static CUresult create_plain(const char *name, CUcontext *pctx, unsigned flags, CUdevice dev)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_INITIALISED);
    if (result == CUDA_SUCCESS)
        result = create(&call, pctx, flags, dev);
    return call_end(&call, result);
}

CUresult cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    return create_plain(__func__, pctx, flags, dev);
}

CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    return create_plain(__func__, pctx, flags, dev);
}

CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned int flags,
                        CUdevice dev)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && (numParams < 0 || (numParams > 0) != (paramsArray != NULL)))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && numParams > 0)
        result = CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    if (result == CUDA_SUCCESS)
        result = create(&call, pctx, flags, dev);
    return call_end(&call, result);
}

static CUresult check_parameters(const CUctxCreateParams *parameters)
{
    if (!parameters)
        return CUDA_SUCCESS;
    bool affinity = parameters->numExecAffinityParams != 0 || parameters->execAffinityParams != NULL;
    if (affinity && parameters->cigParams)
        return CUDA_ERROR_INVALID_VALUE; /* one of both at most */
    if (parameters->cigParams)
        return CUDA_ERROR_NOT_SUPPORTED;
    return affinity ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : CUDA_SUCCESS;
}

CUresult cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS)
        result = check_parameters(ctxCreateParams);
    if (result == CUDA_SUCCESS)
        result = create(&call, pctx, flags, dev);
    return call_end(&call, result);
}

/* A context that cuCtxCreate has made. The primary one is not destroyed but released. */
static bool is_made(const struct call *call, const struct CUctx_st *context)
{
    return context_lives(call->driver, context) && !context->primary;
}

static CUresult destroy_made(const char *name, CUcontext ctx)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_INITIALISED);
    if (result == CUDA_SUCCESS)
        result = is_made(&call, ctx) ? destroy(&call, ctx) : CUDA_ERROR_INVALID_CONTEXT;
    return call_end(&call, result);
}

CUresult cuCtxDestroy(CUcontext ctx) { return destroy_made(__func__, ctx); }
CUresult cuCtxDestroy_v2(CUcontext ctx) { return destroy_made(__func__, ctx); }

CUresult cuCtxAttach(CUcontext *pctx, unsigned int flags)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && (!pctx || flags != 0))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) {
        ++call.context->retained;
        *pctx = call.context;
    }
    return call_end(&call, result);
}

CUresult cuCtxDetach(CUcontext ctx)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && (!is_made(&call, ctx) || ctx != call.context))
        result = CUDA_ERROR_INVALID_CONTEXT;
    if (result == CUDA_SUCCESS && --ctx->retained == 0)
        result = destroy(&call, ctx);
    return call_end(&call, result);
}

/* The primary context may become current before it is active. */
static bool may_be_current(const struct call *call, const struct CUctx_st *context)
{
    return handle_is(call->driver->handles, HANDLE_CONTEXT, context) && (context->active || context->primary);
}

CUresult cuCtxSetCurrent(CUcontext ctx)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && ctx && !may_be_current(&call, ctx))
        result = CUDA_ERROR_INVALID_CONTEXT;
    if (result == CUDA_SUCCESS) {
        call.thread->depth -= call.thread->depth > 0;
        if (ctx)
            push(call.thread, ctx);
    }
    return call_end(&call, result);
}

CUresult cuCtxGetCurrent(CUcontext *pctx)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && !pctx)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *pctx = call.context;
    return call_end(&call, result);
}

static CUresult push_current(const char *name, CUcontext ctx)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && !may_be_current(&call, ctx))
        result = CUDA_ERROR_INVALID_CONTEXT;
    if (result == CUDA_SUCCESS && !push(call.thread, ctx))
        result = CUDA_ERROR_OUT_OF_MEMORY;
    return call_end(&call, result);
}

CUresult cuCtxPushCurrent(CUcontext ctx) { return push_current(__func__, ctx); }
CUresult cuCtxPushCurrent_v2(CUcontext ctx) { return push_current(__func__, ctx); }

static CUresult pop_current(const char *name, CUcontext *pctx)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && call.thread->depth == 0)
        result = CUDA_ERROR_INVALID_CONTEXT;
    if (result == CUDA_SUCCESS) {
        --call.thread->depth;
        if (pctx)
            *pctx = call.context;
    }
    return call_end(&call, result);
}

CUresult cuCtxPopCurrent(CUcontext *pctx) { return pop_current(__func__, pctx); }
CUresult cuCtxPopCurrent_v2(CUcontext *pctx) { return pop_current(__func__, pctx); }
