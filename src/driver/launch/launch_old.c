/* Launches as before CUDA 4: a function keeps block shape and parameters from call to call. */
#include <stdlib.h>
#include <string.h>

#include "driver/abi/api_module.h"
#include "driver/capture/submit.h"
#include "driver/launch/kernel_make.h"
#include "driver/queue/queue.h"
#include "driver/queue/stream.h"

enum { PARAMETERS_MOST = 4096 };

struct old_launch {
    struct exec_dim block;
    uint32_t shared;
    uint32_t parameter_bytes;
    uint8_t parameters[PARAMETERS_MOST];
};

static CUresult begin(struct call *call, const char *name, CUfunction handle, struct old_launch **old)
{
    struct CUfunc_st *function;
    CUresult result = call_begin(call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = function_check(call, handle, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (!function->old)
        function->old = calloc(1, sizeof *function->old);
    *old = function->old;
    return *old ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z)
{
    struct call call;
    struct old_launch *old;
    CUresult result = begin(&call, __func__, hfunc, &old);
    if (result == CUDA_SUCCESS && (x <= 0 || y <= 0 || z <= 0))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        old->block = (struct exec_dim){(uint32_t)x, (uint32_t)y, (uint32_t)z};
    return call_end(&call, result);
}

CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes)
{
    struct call call;
    struct old_launch *old;
    CUresult result = begin(&call, __func__, hfunc, &old);
    if (result == CUDA_SUCCESS)
        old->shared = bytes;
    return call_end(&call, result);
}

CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes)
{
    struct call call;
    struct old_launch *old;
    CUresult result = begin(&call, __func__, hfunc, &old);
    if (result == CUDA_SUCCESS && numbytes > PARAMETERS_MOST)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        old->parameter_bytes = numbytes;
    return call_end(&call, result);
}

static CUresult set(struct old_launch *old, int offset, const void *value, size_t bytes)
{
    if (!value || offset < 0 || offset > PARAMETERS_MOST || bytes > (size_t)(PARAMETERS_MOST - offset))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(old->parameters + offset, value, bytes);
    return CUDA_SUCCESS;
}

CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value)
{
    struct call call;
    struct old_launch *old;
    CUresult result = begin(&call, __func__, hfunc, &old);
    if (result == CUDA_SUCCESS)
        result = set(old, offset, &value, sizeof value);
    return call_end(&call, result);
}

CUresult cuParamSetf(CUfunction hfunc, int offset, float value)
{
    struct call call;
    struct old_launch *old;
    CUresult result = begin(&call, __func__, hfunc, &old);
    if (result == CUDA_SUCCESS)
        result = set(old, offset, &value, sizeof value);
    return call_end(&call, result);
}

CUresult cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes)
{
    struct call call;
    struct old_launch *old;
    CUresult result = begin(&call, __func__, hfunc, &old);
    if (result == CUDA_SUCCESS)
        result = set(old, offset, ptr, numbytes);
    return call_end(&call, result);
}

static CUresult launch(struct call *call, CUfunction f, const struct old_launch *old, int width, int height,
                       CUstream handle)
{
    struct command command;
    if (width <= 0 || height <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    const struct launch_shape shape = {
        .grid = {(uint32_t)width, (uint32_t)height, 1}, .block = old->block, .dynamic_shared_bytes = old->shared};
    if (!stream_find(call, handle, false))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = kernel_make_packed(call, f, &shape, old->parameters, old->parameter_bytes, &command);
    if (result != CUDA_SUCCESS)
        return result;
    struct CUstream_st *stream = stream_find(call, handle, false);
    if (stream)
        return stream_submit(stream, &command);
    command_clear(&command);
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuLaunch(CUfunction f)
{
    struct call call;
    struct old_launch *old;
    CUresult result = begin(&call, __func__, f, &old);
    if (result == CUDA_SUCCESS)
        result = launch(&call, f, old, 1, 1, NULL);
    return call_end(&call, result);
}

CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height)
{
    struct call call;
    struct old_launch *old;
    CUresult result = begin(&call, __func__, f, &old);
    if (result == CUDA_SUCCESS)
        result = launch(&call, f, old, grid_width, grid_height, NULL);
    return call_end(&call, result);
}

CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream)
{
    struct call call;
    struct old_launch *old;
    CUresult result = begin(&call, __func__, f, &old);
    if (result == CUDA_SUCCESS)
        result = launch(&call, f, old, grid_width, grid_height, hStream);
    return call_end(&call, result);
}
