/* Arrays: made, described, destroyed. Their contents are tested with copies. */
#include "driver/abi/api_memory.h"
#include "tests/driver/rig.h"

enum { LAYERED = 1, SURFACE = 2, CUBEMAP = 4, GATHER = 8, SPARSE = 0x40, DEFERRED = 0x80 };

static void an_array_is_what_it_was_made_as(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUDA_ARRAY3D_DESCRIPTOR made = {7, 5, 3, CU_AD_FORMAT_HALF, 4, SURFACE}, told = {0};
    CUDA_ARRAY_DESCRIPTOR flat = {0}, plain = {100, 0, CU_AD_FORMAT_SIGNED_INT8, 1};
    CUarray array = NULL;
    SUCCEEDS(cuArray3DCreate_v2(&array, &made));
    SUCCEEDS(cuArray3DGetDescriptor_v2(&told, array));
    assert_true(told.Width == 7 && told.Height == 5 && told.Depth == 3 && told.Format == CU_AD_FORMAT_HALF &&
                told.NumChannels == 4 && told.Flags == SURFACE);
    SUCCEEDS(cuArrayGetDescriptor_v2(&flat, array));
    assert_true(flat.Width == 7 && flat.Height == 5 && flat.Format == CU_AD_FORMAT_HALF && flat.NumChannels == 4);
    SUCCEEDS(cuArrayDestroy(array));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(array));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuArray3DGetDescriptor_v2(&told, array));
    SUCCEEDS(cuArrayCreate_v2(&array, &plain));
    SUCCEEDS(cuArray3DGetDescriptor_v2(&told, array));
    assert_true(told.Width == 100 && told.Height == 0 && told.Depth == 0 && told.Flags == 0);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuArray3DGetDescriptor_v2(NULL, array));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static CUresult make(size_t width, size_t height, size_t depth, CUarray_format format, unsigned channels,
                     unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {width, height, depth, format, channels, flags};
    CUarray array = NULL;
    CUresult result = cuArray3DCreate_v2(&array, &d);
    if (result == CUDA_SUCCESS)
        SUCCEEDS(cuArrayDestroy(array));
    return result;
}

static void arrays_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    const CUarray_format f = CU_AD_FORMAT_FLOAT;
    CUDA_ARRAY3D_DESCRIPTOR good = {4, 4, 0, f, 1, 0};
    CUarray array = NULL;
    SUCCEEDS(make(4, 4, 0, f, 1, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(0, 4, 0, f, 1, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(4, 0, 4, f, 1, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(4, 4, 0, f, 3, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(4, 4, 0, f, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(4, 4, 0, (CUarray_format)0, 1, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(4, 4, 0, (CUarray_format)7, 1, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(4, 4, 0, f, 1, 0x100));
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, make(4, 4, 0, CU_AD_FORMAT_NV12, 1, 0));
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, make(4, 4, 0, f, 1, SPARSE));
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, make(4, 4, 0, f, 1, DEFERRED));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make((size_t)1 << 40, 0, 0, f, 1, 0));
    SUCCEEDS(make(4, 4, 3, f, 1, LAYERED));
    SUCCEEDS(make(4, 0, 3, f, 1, LAYERED));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(4, 4, 0, f, 1, LAYERED));
    SUCCEEDS(make(4, 4, 6, f, 1, CUBEMAP));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(4, 5, 6, f, 1, CUBEMAP));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(4, 4, 5, f, 1, CUBEMAP));
    SUCCEEDS(make(4, 4, 12, f, 1, CUBEMAP | LAYERED));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(4, 4, 13, f, 1, CUBEMAP | LAYERED));
    SUCCEEDS(make(4, 4, 0, f, 1, GATHER));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(4, 0, 0, f, 1, GATHER));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate_v2(NULL, &good));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate_v2(&array, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuArrayCreate_v2(&array, NULL));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(NULL));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy((CUarray)(void *)&good));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_mipmapped_array_has_levels_of_half_the_size(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUDA_ARRAY3D_DESCRIPTOR base = {20, 6, 0, CU_AD_FORMAT_FLOAT, 1, 0}, told;
    const size_t widths[] = {20, 10, 5, 2, 1}, heights[] = {6, 3, 1, 1, 1};
    CUmipmappedArray mipmap = NULL;
    CUarray level = NULL;
    CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
    SUCCEEDS(cuMipmappedArrayCreate(&mipmap, &base, 99)); /* as many as there are */
    for (unsigned i = 0; i < 5; i++) {
        SUCCEEDS(cuMipmappedArrayGetLevel(&level, mipmap, i));
        SUCCEEDS(cuArray3DGetDescriptor_v2(&told, level));
        assert_int_equal(told.Width, widths[i]);
        assert_int_equal(told.Height, heights[i]);
    }
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(&level, mipmap, 5));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(NULL, mipmap, 0));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(level)); /* goes with the whole */
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetMemoryRequirements(&needs, mipmap, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuArrayGetMemoryRequirements(&needs, level, 0));
    SUCCEEDS(cuMipmappedArrayDestroy(mipmap));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayDestroy(mipmap));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayGetLevel(&level, mipmap, 0));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuArray3DGetDescriptor_v2(&told, level));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayCreate(&mipmap, &base, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayCreate(NULL, &base, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayCreate(&mipmap, NULL, 1));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(an_array_is_what_it_was_made_as), UNIT(arrays_that_make_no_sense_are_refused),
           UNIT(a_mipmapped_array_has_levels_of_half_the_size))
