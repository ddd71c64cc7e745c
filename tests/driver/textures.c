/* Texture and surface objects: made, described, used by kernels, destroyed; and the descriptions that are refused. The
 * results of reads by format and mode are tested in tests/exec. */
#include <string.h>

#include "driver/abi/api_memory.h"
#include "tests/driver/kernels.h"

enum { WIDTH = 8, HEIGHT = 4, THREADS = 64, SURFACE = 2, LAYERED = 1, INTEGERS = 1, NORMALIZED = 2 };

/* As struct block of tests/exec/textures.cu. */
struct block {
    unsigned long long object;
    unsigned free[2];
    float at[THREADS][4], more[THREADS][4], out[THREADS][4];
};

static CUarray array_of(size_t width, size_t height, size_t depth, CUarray_format format, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {width, height, depth, format, 1, flags};
    CUarray array = NULL;
    SUCCEEDS(cuArray3DCreate_v2(&array, &d));
    return array;
}

static CUDA_RESOURCE_DESC resource_of(CUarray array)
{
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
    r.res.array.hArray = array;
    return r;
}

static CUDA_RESOURCE_DESC linear_of(CUdeviceptr address, size_t bytes)
{
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_LINEAR};
    r.res.linear.devPtr = address;
    r.res.linear.format = CU_AD_FORMAT_FLOAT;
    r.res.linear.numChannels = 1;
    r.res.linear.sizeInBytes = bytes;
    return r;
}

static CUDA_RESOURCE_DESC plane_of(CUdeviceptr address, size_t width, size_t height, size_t pitch)
{
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    r.res.pitch2D.devPtr = address;
    r.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
    r.res.pitch2D.numChannels = 1;
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    return r;
}

static void fill(CUarray array, size_t level_width, size_t level_height, float first)
{
    float texels[WIDTH * HEIGHT];
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        texels[i] = first + (float)i;
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = texels,
                          .srcPitch = level_width * sizeof *texels,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = level_width * sizeof *texels,
                          .Height = level_height};
    SUCCEEDS(cuMemcpy2D_v2(&copy));
}

static CUfunction kernel_of(const char *name)
{
    char path[4096];
    CUmodule module = NULL;
    CUfunction function = NULL;
    SUCCEEDS(cuModuleLoad(&module, unit_path(path, "tests/exec/cubin/textures.sm_80.cubin")));
    SUCCEEDS(cuModuleGetFunction(&function, module, name));
    return function;
}

static CUresult read(CUfunction kernel, unsigned long long object, struct block *block)
{
    CUdeviceptr device = device_bytes(sizeof *block);
    void *parameters[] = {&device};
    block->object = object;
    SUCCEEDS(cuMemcpyHtoD_v2(device, block, sizeof *block));
    SUCCEEDS(run(kernel, 1, THREADS, parameters));
    CUresult result = cuCtxSynchronize();
    if (result == CUDA_SUCCESS)
        SUCCEEDS(cuMemcpyDtoH_v2(block, device, sizeof *block));
    return result;
}

static void a_kernel_reads_an_array_through_a_texture(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUarray array = array_of(WIDTH, HEIGHT, 0, CU_AD_FORMAT_FLOAT, 0);
    CUDA_RESOURCE_DESC resource = resource_of(array), told;
    CUDA_TEXTURE_DESC sampler = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP}}, same;
    CUDA_RESOURCE_VIEW_DESC view;
    CUtexObject texture = 0;
    struct block block = {0};
    fill(array, WIDTH, HEIGHT, 100);
    SUCCEEDS(cuTexObjectCreate(&texture, &resource, &sampler, NULL));
    for (unsigned i = 0; i < THREADS; i++) {
        block.at[i][0] = (float)(i % WIDTH) + 0.5f;
        block.at[i][1] = (float)(i / WIDTH) + 0.5f; /* from row HEIGHT on: the last row again */
    }
    SUCCEEDS(read(kernel_of("sample2"), texture, &block));
    for (unsigned i = 0; i < THREADS; i++) {
        unsigned row = i / WIDTH < HEIGHT ? i / WIDTH : HEIGHT - 1;
        assert_true(block.out[i][0] == (float)(100 + row * WIDTH + i % WIDTH));
        assert_true(block.out[i][1] == 0 && block.out[i][3] == 1);
    }
    SUCCEEDS(cuTexObjectGetResourceDesc(&told, texture));
    assert_ptr_equal(told.res.array.hArray, array);
    SUCCEEDS(cuTexObjectGetTextureDesc(&same, texture));
    assert_memory_equal(&same, &sampler, sizeof same);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetResourceViewDesc(&view, texture)); /* made without one */
    SUCCEEDS(cuTexObjectDestroy(texture));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuTexObjectDestroy(texture));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuTexObjectGetTextureDesc(&same, texture));
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, read(kernel_of("sample2"), texture, &block));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_view_takes_levels_of_a_mipmapped_array(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUDA_ARRAY3D_DESCRIPTOR d = {WIDTH, HEIGHT, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUmipmappedArray mipmap = NULL;
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
    CUDA_TEXTURE_DESC sampler = {.flags = NORMALIZED, .maxMipmapLevelClamp = 10};
    CUDA_RESOURCE_VIEW_DESC view = {.firstMipmapLevel = 1, .lastMipmapLevel = 2}, told;
    CUtexObject texture = 0;
    struct block block = {0};
    SUCCEEDS(cuMipmappedArrayCreate(&mipmap, &d, 4));
    for (unsigned level = 0; level < 4; level++) {
        CUarray array = NULL;
        SUCCEEDS(cuMipmappedArrayGetLevel(&array, mipmap, level));
        size_t width = WIDTH >> level, height = HEIGHT >> level;
        fill(array, width, height ? height : 1, 1000 * (float)(level + 1));
    }
    resource.res.mipmap.hMipmappedArray = mipmap;
    SUCCEEDS(cuTexObjectCreate(&texture, &resource, &sampler, &view));
    for (unsigned i = 0; i < THREADS; i++) {
        block.at[i][0] = block.at[i][1] = 0.01f;
        block.at[i][3] = (float)(i % 4);
    }
    SUCCEEDS(read(kernel_of("level2"), texture, &block));
    for (unsigned i = 0; i < THREADS; i++)
        assert_true(block.out[i][0] == (i % 4 == 0 ? 2000 : 3000));
    SUCCEEDS(cuTexObjectGetResourceViewDesc(&told, texture));
    assert_memory_equal(&told, &view, sizeof told);
    view.lastMipmapLevel = 4;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, &resource, &sampler, &view));
    sampler.flags = 0;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, &resource, &sampler, NULL));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void linear_memory_and_planes_are_textures_too(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr memory = device_bytes(65536);
    CUDA_TEXTURE_DESC sampler = {0};
    CUtexObject linear = 0, plane = 0;
    struct block block = {0};
    float texels[WIDTH * HEIGHT];
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        texels[i] = 3 * (float)i;
    SUCCEEDS(cuMemcpyHtoD_v2(memory, texels, sizeof texels));
    CUDA_RESOURCE_DESC flat = linear_of(memory, sizeof texels), deep = plane_of(memory, WIDTH - 1, HEIGHT, 4 * WIDTH);
    SUCCEEDS(cuTexObjectCreate(&linear, &flat, &sampler, NULL));
    SUCCEEDS(cuTexObjectCreate(&plane, &deep, &sampler, NULL));
    for (unsigned i = 0; i < THREADS; i++) {
        block.at[i][0] = (float)(i % WIDTH);
        block.at[i][1] = (float)(i / WIDTH % HEIGHT);
    }
    SUCCEEDS(read(kernel_of("sample2"), plane, &block));
    for (unsigned i = 0; i < THREADS; i++) /* wrap needs normalized coordinates: the last texel of the row again */
        assert_true(block.out[i][0] == texels[i % WIDTH - (i % WIDTH == WIDTH - 1) + i / WIDTH % HEIGHT * WIDTH]);
    for (unsigned i = 0; i < THREADS; i++)
        block.at[i][0] = (float)i;
    SUCCEEDS(read(kernel_of("fetch1"), linear, &block));
    for (unsigned i = 0; i < THREADS; i++)
        assert_true(block.out[i][0] == (i < WIDTH * HEIGHT ? texels[i] : 0));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static CUresult make(const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *sampler,
                     const CUDA_RESOURCE_VIEW_DESC *view)
{
    CUtexObject texture = 0;
    CUresult result = cuTexObjectCreate(&texture, resource, sampler, view);
    if (result == CUDA_SUCCESS)
        SUCCEEDS(cuTexObjectDestroy(texture));
    return result;
}

static void descriptions_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr memory = device_bytes(65536);
    CUarray array = array_of(WIDTH, HEIGHT, 0, CU_AD_FORMAT_FLOAT, 0);
    const CUDA_RESOURCE_DESC good = resource_of(array);
    const CUDA_TEXTURE_DESC plain = {0};
    CUDA_RESOURCE_DESC r = good;
    CUDA_TEXTURE_DESC t = {.flags = 0x80};
    CUDA_RESOURCE_VIEW_DESC view = {.format = CU_RES_VIEW_FORMAT_UINT_2X16};
    CUtexObject texture = 0;
    SUCCEEDS(make(&good, &plain, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(NULL, &good, &plain, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, &good, NULL, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(&good, &t, NULL));
    t = (CUDA_TEXTURE_DESC){.addressMode = {(CUaddress_mode)4}};
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(&good, &t, NULL));
    t = (CUDA_TEXTURE_DESC){.filterMode = (CUfilter_mode)2};
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(&good, &t, NULL));
    r.flags = 1;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(&r, &plain, NULL));
    r = linear_of(memory + 4, 256); /* not aligned */
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(&r, &plain, NULL));
    r = linear_of(memory, 1 << 20); /* more than there is */
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(&r, &plain, NULL));
    r = plane_of(memory, WIDTH, HEIGHT, 4 * WIDTH - 4);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(&r, &plain, NULL));
    r = plane_of(memory, WIDTH, HEIGHT, 4 * WIDTH + 4);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(&r, &plain, NULL));
    SUCCEEDS(make(&good, &plain, &view)); /* as many bytes */
    view.format = CU_RES_VIEW_FORMAT_UINT_4X16;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, make(&good, &plain, &view));
    view.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC1;
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, make(&good, &plain, &view));
    SUCCEEDS(cuArrayDestroy(array));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, make(&good, &plain, NULL));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_surface_is_of_an_array_that_was_made_for_it(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUDA_RESOURCE_DESC without = resource_of(array_of(WIDTH, HEIGHT, 0, CU_AD_FORMAT_FLOAT, 0));
    CUDA_RESOURCE_DESC with = resource_of(array_of(WIDTH, HEIGHT, 2, CU_AD_FORMAT_FLOAT, SURFACE | LAYERED)), told;
    CUDA_RESOURCE_DESC linear = linear_of(device_bytes(4096), 4096);
    CUsurfObject surface = 0;
    CUDA_TEXTURE_DESC sampler = {0};
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(&surface, &without));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(&surface, &linear));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(NULL, &with));
    SUCCEEDS(cuSurfObjectCreate(&surface, &with));
    SUCCEEDS(cuSurfObjectGetResourceDesc(&told, surface));
    assert_ptr_equal(told.res.array.hArray, with.res.array.hArray);
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuTexObjectGetTextureDesc(&sampler, surface)); /* of the other kind */
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuTexObjectDestroy(surface));
    SUCCEEDS(cuSurfObjectDestroy(surface));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuSurfObjectDestroy(surface));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(a_kernel_reads_an_array_through_a_texture), UNIT(a_view_takes_levels_of_a_mipmapped_array),
           UNIT(linear_memory_and_planes_are_textures_too), UNIT(descriptions_that_make_no_sense_are_refused),
           UNIT(a_surface_is_of_an_array_that_was_made_for_it))
