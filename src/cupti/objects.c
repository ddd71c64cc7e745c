/* Numbers of contexts, streams and devices in records, and CUPTI results for CUDA errors. The driver's own functions
 * answer, and a profiler does not see these calls. */
#include "cupti/state.h"
#include "driver/abi/api_device.h"
#include "driver/abi/api_stream.h"

CUPTI_API(cuptiGetContextId, CUcontext context, uint32_t *number)
{
    unsigned long long id = 0;
    if (!number)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!context)
        return CUPTI_ERROR_INVALID_CONTEXT;
    subcore_profile_enter(PROFILE_NONE, __func__);
    CUresult result = cuCtxGetId(context, &id);
    subcore_profile_leave(0);
    *number = (uint32_t)id;
    return result == CUDA_SUCCESS ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_CONTEXT;
}

CUPTI_API(cuptiGetDeviceId, CUcontext context, uint32_t *number)
{
    CUdevice device = 0;
    if (!number)
        return CUPTI_ERROR_INVALID_PARAMETER;
    subcore_profile_enter(PROFILE_NONE, __func__);
    CUresult result = context ? cuCtxPushCurrent_v2(context) : CUDA_SUCCESS;
    bool pushed = context && result == CUDA_SUCCESS;
    if (result == CUDA_SUCCESS)
        result = cuCtxGetDevice(&device);
    if (pushed)
        cuCtxPopCurrent_v2(&context);
    subcore_profile_leave(0);
    *number = (uint32_t)device;
    return result == CUDA_SUCCESS ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_DEVICE;
}

static bool belongs(CUstream stream, CUcontext context)
{
    CUcontext own = NULL;
    return !context || (cuStreamGetCtx(stream, &own) == CUDA_SUCCESS && own == context);
}

CUPTI_API(cuptiGetStreamIdEx, CUcontext context, CUstream stream, uint8_t per_thread, uint32_t *number)
{
    unsigned long long id = 0;
    if (!number)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!stream && per_thread)
        stream = (CUstream)2; /* CU_STREAM_PER_THREAD */
    subcore_profile_enter(PROFILE_NONE, __func__);
    CUresult result = cuStreamGetId(stream, &id);
    bool right = result == CUDA_SUCCESS && belongs(stream, context);
    subcore_profile_leave(0);
    if (!right)
        return CUPTI_ERROR_INVALID_STREAM;
    *number = (uint32_t)id;
    return CUPTI_SUCCESS;
}

CUPTI_API(cuptiGetStreamId, CUcontext context, CUstream stream, uint32_t *number)
{
    return cuptiGetStreamIdEx(context, stream, 0, number);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

struct text {
    enum cupti_result result;
    const char *name, *message;
};

static const struct text texts[] = {
    {CUPTI_SUCCESS, "CUPTI_SUCCESS", "No error"},
    {CUPTI_ERROR_INVALID_PARAMETER, "CUPTI_ERROR_INVALID_PARAMETER", "One or more of the parameters is invalid"},
    {CUPTI_ERROR_INVALID_DEVICE, "CUPTI_ERROR_INVALID_DEVICE", "There is no such device"},
    {CUPTI_ERROR_INVALID_CONTEXT, "CUPTI_ERROR_INVALID_CONTEXT", "There is no such context"},
    {CUPTI_ERROR_INVALID_OPERATION, "CUPTI_ERROR_INVALID_OPERATION", "The call is not possible now"},
    {CUPTI_ERROR_OUT_OF_MEMORY, "CUPTI_ERROR_OUT_OF_MEMORY", "Out of memory"},
    {CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT, "CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT",
     "The value needs more bytes"},
    {CUPTI_ERROR_MAX_LIMIT_REACHED, "CUPTI_ERROR_MAX_LIMIT_REACHED", "There is no further record"},
    {CUPTI_ERROR_NOT_COMPATIBLE, "CUPTI_ERROR_NOT_COMPATIBLE", "The operation does not fit another one"},
    {CUPTI_ERROR_NOT_INITIALIZED, "CUPTI_ERROR_NOT_INITIALIZED", "CUPTI is not initialized"},
    {CUPTI_ERROR_QUEUE_EMPTY, "CUPTI_ERROR_QUEUE_EMPTY", "There is no id on the stack"},
    {CUPTI_ERROR_INVALID_STREAM, "CUPTI_ERROR_INVALID_STREAM", "There is no such stream"},
    {CUPTI_ERROR_INVALID_KIND, "CUPTI_ERROR_INVALID_KIND", "There is no such kind of record"},
    {CUPTI_ERROR_NOT_SUPPORTED, "CUPTI_ERROR_NOT_SUPPORTED", "The simulator's own CUPTI does not support this"},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
     "There is a subscriber already"},
    {CUPTI_ERROR_UNKNOWN, "CUPTI_ERROR_UNKNOWN", "Unknown error"},
};

static const struct text *text_of(enum cupti_result result)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].result == result)
            return &texts[i];
    return NULL;
}

CUPTI_API(cuptiGetResultString, enum cupti_result result, const char **text)
{
    const struct text *found = text_of(result);
    if (!text || !found)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *text = found->name;
    return CUPTI_SUCCESS;
}

CUPTI_API(cuptiGetErrorMessage, enum cupti_result result, const char **text)
{
    const struct text *found = text_of(result);
    if (!text || !found)
        return CUPTI_ERROR_INVALID_PARAMETER;
    *text = found->message;
    return CUPTI_SUCCESS;
}
