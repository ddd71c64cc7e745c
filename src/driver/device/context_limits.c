/* Limits of a context: cuCtxSetLimit and cuCtxGetLimit. */
#include "driver/abi/api_device.h"
#include "driver/memory/memory_call.h"
#include "driver/queue/queue.h"
#include "driver/state/call.h"
#include "driver/state/context.h"
#include "exec/memory/heap.h"

enum { STACK_UNIT = 16, STACK_MOST = 512 * 1024 }; /* CUDA C++ Programming Guide: local memory of a thread */

/* Device runtime limits are for kernels that launch kernels, the last ones for graphics. */
static bool supported(CUlimit limit)
{
    switch (limit) {
    case CU_LIMIT_STACK_SIZE:
    case CU_LIMIT_PRINTF_FIFO_SIZE:
    case CU_LIMIT_MALLOC_HEAP_SIZE:
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE: return true;
    default: return false;
    }
}

static CUresult check(CUlimit limit) { return supported(limit) ? CUDA_SUCCESS : CUDA_ERROR_UNSUPPORTED_LIMIT; }

/* A stack is there for each thread that the device can hold. */
static CUresult set_stack(struct call *call, size_t value)
{
    const struct device *device = &call->driver->device;
    size_t threads = (size_t)device->config.gpu.sms * device->config.sm.threads;
    if (value > STACK_MOST)
        return CUDA_ERROR_INVALID_VALUE;
    if (value * threads > device_memory_bytes(device))
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = queue_wait_context(call->context); /* launches of before keep the old one */
    if (result == CUDA_SUCCESS)
        result = call_pause(call);
    if (result != CUDA_SUCCESS)
        return result;
    call->context->limit[CU_LIMIT_STACK_SIZE] = (value + STACK_UNIT - 1) / STACK_UNIT * STACK_UNIT;
    return CUDA_SUCCESS;
}

/* One heap is there for all contexts. */
static CUresult set_heap(struct call *call, size_t value)
{
    struct driver *driver = call->driver;
    struct status status = {0};
    size_t bytes = value < HEAP_UNIT ? HEAP_UNIT : (value + HEAP_UNIT - 1) / HEAP_UNIT * HEAP_UNIT;
    if (value > HEAP_MOST || value > device_memory_bytes(&driver->device))
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = call_pause(call);
    if (result != CUDA_SUCCESS)
        return result;
    if (!heap_resize(gpu_memory(driver->device.gpu), bytes, &status))
        return status.code == STATUS_USAGE ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OUT_OF_MEMORY;
    call->context->limit[CU_LIMIT_MALLOC_HEAP_SIZE] = bytes;
    return CUDA_SUCCESS;
}

static CUresult set(struct call *call, CUlimit limit, size_t value)
{
    struct CUctx_st *context = call->context;
    switch (limit) {
    case CU_LIMIT_STACK_SIZE: return set_stack(call, value);
    case CU_LIMIT_MALLOC_HEAP_SIZE: return set_heap(call, value);
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
        if (value > 128)
            return CUDA_ERROR_INVALID_VALUE;
        context->limit[limit] = value; /* a wish without effect */
        return CUDA_SUCCESS;
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
        return CUDA_SUCCESS; /* held down to CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE: 0 */
    default:                 /* of printf: output is written at once, and none is lost for want of room */
        if (value > device_memory_bytes(&context->driver->device))
            return CUDA_ERROR_OUT_OF_MEMORY;
        context->limit[limit] = value;
        return CUDA_SUCCESS;
    }
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = check(limit);
    if (result == CUDA_SUCCESS)
        result = set(&call, limit, value);
    return call_end(&call, result);
}

CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && !pvalue)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = check(limit);
    if (result == CUDA_SUCCESS)
        *pvalue = call.context->limit[limit];
    return call_end(&call, result);
}
