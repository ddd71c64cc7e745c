#include "driver/memory/array.h"

#include "driver/abi/api_memory.h"
#include "driver/memory/allocations.h"
#include "driver/memory/array_layout.h"
#include "driver/memory/memory_call.h"
#include "driver/queue/queue.h"

static void array_free(struct driver *driver, struct CUarray_st *array)
{
    struct CUarray_st **link = &driver->allocations->arrays;
    while (*link != array)
        link = &(*link)->next;
    *link = array->next;
    memory_free(driver_memory(driver), array->address);
    handle_free(driver->handles, array);
}

static CUresult array_new(struct call *call, const CUDA_ARRAY3D_DESCRIPTOR *descriptor, struct CUmipmappedArray_st *of,
                          struct CUarray_st **out)
{
    struct driver *driver = call->driver;
    struct array_layout layout;
    CUresult result = array_lay_out(&driver->device, descriptor, &layout);
    if (result == CUDA_SUCCESS)
        result = call_pause_uncaptured(call);
    if (result != CUDA_SUCCESS)
        return result;
    struct memory *memory = driver_memory(driver);
    if (layout.bytes > device_free_bytes(driver))
        return CUDA_ERROR_OUT_OF_MEMORY;
    uint64_t address = memory_alloc_aligned(memory, layout.bytes, device_alignment(layout.bytes));
    struct CUarray_st *array = address ? handle_new(driver->handles, HANDLE_ARRAY, sizeof *array) : NULL;
    if (!array) {
        if (address)
            memory_free(memory, address);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    array->context = call->context;
    array->of = of;
    array->descriptor = *descriptor;
    array->layout = layout;
    array->address = address;
    array->next = driver->allocations->arrays;
    driver->allocations->arrays = array;
    *out = array;
    return CUDA_SUCCESS;
}

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

static void mipmap_free(struct driver *driver, struct CUmipmappedArray_st *mipmap)
{
    for (unsigned i = 0; i < mipmap->levels; i++)
        if (mipmap->level[i])
            array_free(driver, mipmap->level[i]);
    struct CUmipmappedArray_st **link = &driver->allocations->mipmaps;
    while (*link != mipmap)
        link = &(*link)->next;
    *link = mipmap->next;
    handle_free(driver->handles, mipmap);
}

static size_t half(size_t extent) { return extent > 1 ? extent / 2 : extent; }

static unsigned most_levels(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    size_t most = d->Width > d->Height ? d->Width : d->Height;
    bool layers = (d->Flags & (1u | 4u)) != 0; /* CUDA_ARRAY3D_LAYERED, CUDA_ARRAY3D_CUBEMAP */
    if (!layers && d->Depth > most)
        most = d->Depth;
    unsigned levels = 0;
    for (; most > 0; most /= 2)
        levels++;
    return levels;
}

static CUresult create_mipmap(struct call *call, CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                              unsigned levels)
{
    struct driver *driver = call->driver;
    if (!out || !descriptor || levels == 0)
        return CUDA_ERROR_INVALID_VALUE;
    unsigned most = most_levels(descriptor);
    if (levels > most) /* documented: clamped */
        levels = most < ARRAY_LEVELS ? most : ARRAY_LEVELS;
    struct array_layout layout;
    CUresult result = array_lay_out(&driver->device, descriptor, &layout);
    if (result == CUDA_SUCCESS)
        result = call_pause_uncaptured(call); /* before the first of many, which then do not give the lock away */
    if (result != CUDA_SUCCESS)
        return result;
    struct CUmipmappedArray_st *mipmap = handle_new(driver->handles, HANDLE_MIPMAPPED_ARRAY, sizeof *mipmap);
    if (!mipmap)
        return CUDA_ERROR_OUT_OF_MEMORY;
    mipmap->context = call->context;
    mipmap->next = driver->allocations->mipmaps;
    driver->allocations->mipmaps = mipmap;
    CUDA_ARRAY3D_DESCRIPTOR level = *descriptor;
    for (; mipmap->levels < levels && result == CUDA_SUCCESS; mipmap->levels++) {
        result = array_new(call, &level, mipmap, &mipmap->level[mipmap->levels]);
        level.Width = half(level.Width);
        level.Height = half(level.Height);
        level.Depth = (level.Flags & (1u | 4u)) != 0 ? level.Depth : half(level.Depth);
    }
    if (result == CUDA_SUCCESS)
        *out = mipmap;
    else
        mipmap_free(driver, mipmap);
    return result;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                unsigned int numMipmapLevels)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = create_mipmap(&call, pHandle, pMipmappedArrayDesc, numMipmapLevels);
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

void arrays_clear(struct CUctx_st *context)
{
    struct driver *driver = context->driver;
    for (struct CUmipmappedArray_st *m = driver->allocations->mipmaps, *next; m; m = next) {
        next = m->next;
        if (m->context == context)
            mipmap_free(driver, m);
    }
    for (struct CUarray_st *a = driver->allocations->arrays, *next; a; a = next) {
        next = a->next;
        if (a->context == context)
            array_free(driver, a);
    }
}
