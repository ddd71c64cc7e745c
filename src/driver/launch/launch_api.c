#include "driver/abi/api_module.h"
#include "driver/capture/submit.h"
#include "driver/launch/kernel_make.h"
#include "driver/queue/event.h"
#include "driver/queue/stream.h"

/* The event of a launch attribute: of the stream's context, and without time. */
static CUresult check_event(const struct call *call, CUevent handle, const struct CUstream_st *stream)
{
    const struct CUevent_st *event = event_find(call, handle);
    if (!event || event->context != stream->context)
        return CUDA_ERROR_INVALID_HANDLE;
    bool fits = (event->flags & EVENT_DISABLE_TIMING) && !(event->flags & EVENT_INTERPROCESS);
    return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The stream is looked at first, as a wrong one is the launch's error whatever else is. It is looked up again
 * afterwards because loading code may release the lock. */
static CUresult launch(struct call *call, CUfunction f, const struct launch_shape *shape, CUstream handle,
                       bool per_thread, void **parameters, void **extra)
{
    struct command command;
    const struct CUstream_st *first = stream_find(call, handle, per_thread);
    if (!first)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = shape->event ? check_event(call, shape->event, first) : CUDA_SUCCESS;
    if (result != CUDA_SUCCESS)
        return result;
    result = kernel_make(call, f, shape, parameters, extra, &command);
    if (result != CUDA_SUCCESS)
        return result;
    struct CUstream_st *stream = stream_find(call, handle, per_thread);
    if (!stream) {
        command_clear(&command);
        return CUDA_ERROR_INVALID_HANDLE;
    }
    result = stream_submit(stream, &command);
    struct CUevent_st *event = result == CUDA_SUCCESS ? event_find(call, shape->event) : NULL;
    return event ? stream_record(stream, event) : result;
}

static struct launch_shape shape_of(const unsigned d[7])
{
    return (struct launch_shape){.grid = {d[0], d[1], d[2]}, .block = {d[3], d[4], d[5]}, .dynamic_shared_bytes = d[6]};
}

static CUresult launch_call(const char *name, CUfunction f, const struct launch_shape *shape, CUstream stream,
                            bool per_thread, void **parameters, void **extra)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = launch(&call, f, shape, stream, per_thread, parameters, extra);
    return call_end(&call, result);
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                        unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                        unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra)
{
    const struct launch_shape shape =
        shape_of((unsigned[]){gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes});
    return launch_call(__func__, f, &shape, hStream, false, kernelParams, extra);
}

CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                             unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                             unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra)
{
    const struct launch_shape shape =
        shape_of((unsigned[]){gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes});
    return launch_call(__func__, f, &shape, hStream, true, kernelParams, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                   unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream, void **kernelParams)
{
    struct launch_shape shape =
        shape_of((unsigned[]){gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes});
    shape.cooperative = true;
    return launch_call(__func__, f, &shape, hStream, false, kernelParams, NULL);
}

CUresult cuLaunchCooperativeKernel_ptsz(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                        unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                        unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                                        void **kernelParams)
{
    struct launch_shape shape =
        shape_of((unsigned[]){gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes});
    shape.cooperative = true;
    return launch_call(__func__, f, &shape, hStream, true, kernelParams, NULL);
}

static CUresult launch_config(struct call *call, const CUlaunchConfig *c, CUfunction f, bool per_thread,
                              void **parameters, void **extra)
{
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    struct launch_shape shape = shape_of((unsigned[]){c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY,
                                                      c->blockDimZ, c->sharedMemBytes});
    CUresult result = launch_attributes(c->attrs, c->numAttrs, &shape);
    return result == CUDA_SUCCESS ? launch(call, f, &shape, c->hStream, per_thread, parameters, extra) : result;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = launch_config(&call, config, f, false, kernelParams, extra);
    return call_end(&call, result);
}

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = launch_config(&call, config, f, true, kernelParams, extra);
    return call_end(&call, result);
}
