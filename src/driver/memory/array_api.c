#include "driver/abi/api_memory.h"
#include "driver/memory/array.h"
#include "driver/queue/queue.h"

static CUresult create(const char *name, CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = out && descriptor ? array_new(&call, descriptor, NULL, out) : CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}

CUresult cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
    return create(__func__, pHandle, pAllocateArray);
}

CUresult cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {0};
    if (pAllocateArray) {
        descriptor.Width = pAllocateArray->Width;
        descriptor.Height = pAllocateArray->Height;
        descriptor.Format = pAllocateArray->Format;
        descriptor.NumChannels = pAllocateArray->NumChannels;
    }
    return create(__func__, pHandle, pAllocateArray ? &descriptor : NULL);
}

/* Levels belong to their mipmapped array. */
static CUresult destroy(struct call *call, CUarray array)
{
    if (!handle_is(call->driver->handles, HANDLE_ARRAY, array) || array->of)
        return CUDA_ERROR_INVALID_HANDLE;
    queue_wait_context(array->context);
    queue_pause(call->driver);
    if (!handle_is(call->driver->handles, HANDLE_ARRAY, array)) /* meanwhile another thread has done it */
        return CUDA_ERROR_INVALID_HANDLE;
    array_free(call->driver, array);
    return CUDA_SUCCESS;
}

CUresult cuArrayDestroy(CUarray hArray)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CLEANUP);
    if (result == CUDA_SUCCESS)
        result = destroy(&call, hArray);
    return call_end(&call, result);
}

/* Entry of a function that asks an array, or one of its levels' like. */
static CUresult ask(struct call *call, const char *name, enum handle_kind kind, const void *object, const void *out)
{
    CUresult result = call_begin(call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && !out)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && !handle_is(call->driver->handles, kind, object))
        result = CUDA_ERROR_INVALID_HANDLE;
    return result;
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    struct call call;
    CUresult result = ask(&call, __func__, HANDLE_ARRAY, hArray, pArrayDescriptor);
    if (result == CUDA_SUCCESS)
        *pArrayDescriptor = hArray->descriptor;
    return call_end(&call, result);
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    struct call call;
    CUresult result = ask(&call, __func__, HANDLE_ARRAY, hArray, pArrayDescriptor);
    if (result == CUDA_SUCCESS) {
        const CUDA_ARRAY3D_DESCRIPTOR *d = &hArray->descriptor;
        *pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR){d->Width, d->Height, d->Format, d->NumChannels};
    }
    return call_end(&call, result);
}

/* These are for arrays of kinds that cannot be made here: of several planes, sparse, or with deferred memory. */
CUresult cuArrayGetPlane(CUarray *pPlaneArray, CUarray hArray, unsigned int planeIdx)
{
    struct call call;
    CUresult result = ask(&call, __func__, HANDLE_ARRAY, hArray, pPlaneArray);
    (void)planeIdx;
    return call_end(&call, result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_VALUE : result);
}

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties, CUarray array)
{
    struct call call;
    CUresult result = ask(&call, __func__, HANDLE_ARRAY, array, sparseProperties);
    return call_end(&call, result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_VALUE : result);
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements, CUarray array,
                                      CUdevice device)
{
    struct call call;
    CUresult result = ask(&call, __func__, HANDLE_ARRAY, array, memoryRequirements);
    (void)device;
    return call_end(&call, result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_VALUE : result);
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                unsigned int numMipmapLevels)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = mipmap_new(&call, pHandle, pMipmappedArrayDesc, numMipmapLevels);
    return call_end(&call, result);
}

CUresult cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray, unsigned int level)
{
    struct call call;
    CUresult result = ask(&call, __func__, HANDLE_MIPMAPPED_ARRAY, hMipmappedArray, pLevelArray);
    if (result == CUDA_SUCCESS && level >= hMipmappedArray->levels)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *pLevelArray = hMipmappedArray->level[level];
    return call_end(&call, result);
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties, CUmipmappedArray mipmap)
{
    struct call call;
    CUresult result = ask(&call, __func__, HANDLE_MIPMAPPED_ARRAY, mipmap, sparseProperties);
    return call_end(&call, result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_VALUE : result);
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                               CUmipmappedArray mipmap, CUdevice device)
{
    struct call call;
    CUresult result = ask(&call, __func__, HANDLE_MIPMAPPED_ARRAY, mipmap, memoryRequirements);
    (void)device;
    return call_end(&call, result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_VALUE : result);
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CLEANUP);
    if (result == CUDA_SUCCESS && !handle_is(call.driver->handles, HANDLE_MIPMAPPED_ARRAY, hMipmappedArray))
        result = CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS) {
        queue_wait_context(hMipmappedArray->context);
        queue_pause(call.driver);
        if (handle_is(call.driver->handles, HANDLE_MIPMAPPED_ARRAY, hMipmappedArray))
            mipmap_free(call.driver, hMipmappedArray);
        else
            result = CUDA_ERROR_INVALID_HANDLE;
    }
    return call_end(&call, result);
}
