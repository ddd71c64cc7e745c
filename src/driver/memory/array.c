#include "driver/memory/array.h"

#include "driver/memory/allocations.h"
#include "driver/memory/array_layout.h"
#include "driver/memory/memory_call.h"

void array_free(struct driver *driver, struct CUarray_st *array)
{
    struct CUarray_st **link = &driver->allocations->arrays;
    while (*link != array)
        link = &(*link)->next;
    *link = array->next;
    memory_free(driver_memory(driver), array->address);
    handle_free(driver->handles, array);
}

CUresult array_new(struct call *call, const CUDA_ARRAY3D_DESCRIPTOR *descriptor, struct CUmipmappedArray_st *of,
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

void mipmap_free(struct driver *driver, struct CUmipmappedArray_st *mipmap)
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

CUresult mipmap_new(struct call *call, CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
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
