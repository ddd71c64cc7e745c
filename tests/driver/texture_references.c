/* Texture and surface references of a module, which the program binds to arrays and memory. */
#include <string.h>

#include "driver/abi/api_memory.h"
#include "driver/abi/api_module.h"
#include "tests/driver/kernels.h"

enum { WIDTH = 8, HEIGHT = 8, THREADS = 64, SURFACE = 2, OVERRIDE = 1, INTEGERS = 1, NORMALIZED = 2 };

/* As tests/driver/references.ptx has it. */
struct block {
    float out[THREADS], at[THREADS][2];
};

struct rig {
    CUcontext context;
    CUmodule module;
    CUarray array;
    CUdeviceptr block;
};

static CUarray array_of(float first)
{
    const CUDA_ARRAY3D_DESCRIPTOR d = {WIDTH, HEIGHT, 0, CU_AD_FORMAT_FLOAT, 1, SURFACE};
    float texels[WIDTH * HEIGHT];
    CUarray array = NULL;
    SUCCEEDS(cuArray3DCreate_v2(&array, &d));
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        texels[i] = first + (float)i;
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = texels,
                          .srcPitch = WIDTH * sizeof *texels,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = WIDTH * sizeof *texels,
                          .Height = HEIGHT};
    SUCCEEDS(cuMemcpy2D_v2(&copy));
    return array;
}

static struct rig begin(void)
{
    struct rig rig = {.context = rig_context("p100")};
    char path[4096], name[64];
    int major = 0;
    SUCCEEDS(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    snprintf(name, sizeof name, "tests/driver/cubin/references.sm_%d0.cubin", major);
    SUCCEEDS(cuModuleLoad(&rig.module, unit_path(path, name)));
    rig.array = array_of(100);
    rig.block = device_bytes(sizeof(struct block));
    return rig;
}

static CUresult launch(struct rig *rig, const char *kernel, struct block *block)
{
    CUfunction function = NULL;
    void *parameters[] = {&rig->block};
    SUCCEEDS(cuModuleGetFunction(&function, rig->module, kernel));
    SUCCEEDS(cuMemcpyHtoD_v2(rig->block, block, sizeof *block));
    SUCCEEDS(run(function, 1, THREADS, parameters));
    CUresult result = cuCtxSynchronize();
    if (result == CUDA_SUCCESS)
        SUCCEEDS(cuMemcpyDtoH_v2(block, rig->block, sizeof *block));
    return result;
}

static void texels_in_turn(struct block *block, float scale)
{
    for (unsigned i = 0; i < THREADS; i++) {
        block->at[i][0] = ((float)(i % WIDTH) + 0.5f) * scale;
        block->at[i][1] = ((float)(i / WIDTH) + 0.5f) * scale;
    }
}

static void expect(const struct block *block, float first)
{
    for (unsigned i = 0; i < THREADS; i++)
        assert_true(block->out[i] == first + (float)i);
}

static void a_reference_is_bound_to_an_array_and_to_another(void **state)
{
    (void)state;
    struct rig rig = begin();
    struct block block = {0};
    CUtexref plane = NULL, again = NULL;
    CUarray told = NULL, other = array_of(-500);
    SUCCEEDS(cuModuleGetTexRef(&plane, rig.module, "plane"));
    SUCCEEDS(cuModuleGetTexRef(&again, rig.module, "plane"));
    assert_ptr_equal(plane, again);
    ANSWERS(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&again, rig.module, "sample"));
    ANSWERS(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&again, rig.module, "marks"));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuTexRefGetArray(&told, plane));
    SUCCEEDS(cuTexRefSetArray(plane, rig.array, OVERRIDE));
    SUCCEEDS(cuTexRefGetArray(&told, plane));
    assert_ptr_equal(told, rig.array);
    texels_in_turn(&block, 1);
    SUCCEEDS(launch(&rig, "sample", &block));
    expect(&block, 100);
    SUCCEEDS(cuTexRefSetArray(plane, other, OVERRIDE));
    SUCCEEDS(launch(&rig, "sample", &block));
    expect(&block, -500);
    SUCCEEDS(cuCtxDestroy_v2(rig.context));
}

/* Between the texels (0, 0) and (1, 1) stands their mean; coordinates from 0 to 1 name the same places. */
static void the_sampler_of_a_reference_can_be_changed(void **state)
{
    (void)state;
    struct rig rig = begin();
    struct block block = {.at = {{1, 1}, {-3, 0.5f}}};
    CUtexref plane = NULL;
    CUfilter_mode filter;
    CUaddress_mode mode;
    unsigned flags;
    SUCCEEDS(cuModuleGetTexRef(&plane, rig.module, "plane"));
    SUCCEEDS(cuTexRefSetFilterMode(plane, CU_TR_FILTER_MODE_LINEAR));
    SUCCEEDS(cuTexRefSetArray(plane, rig.array, OVERRIDE));
    SUCCEEDS(launch(&rig, "sample", &block));
    assert_true(block.out[0] == 100 + (0 + 1 + WIDTH + WIDTH + 1) / 4.0f);
    assert_true(block.out[1] == 100);
    SUCCEEDS(cuTexRefSetAddressMode(plane, 0, CU_TR_ADDRESS_MODE_BORDER));
    SUCCEEDS(launch(&rig, "sample", &block));
    assert_true(block.out[1] == 0);
    SUCCEEDS(cuTexRefSetFlags(plane, NORMALIZED));
    SUCCEEDS(cuTexRefSetFilterMode(plane, CU_TR_FILTER_MODE_POINT));
    texels_in_turn(&block, 1.0f / WIDTH);
    SUCCEEDS(launch(&rig, "sample", &block));
    expect(&block, 100);
    SUCCEEDS(cuTexRefGetFilterMode(&filter, plane));
    SUCCEEDS(cuTexRefGetAddressMode(&mode, plane, 0));
    SUCCEEDS(cuTexRefGetFlags(&flags, plane));
    assert_true(filter == CU_TR_FILTER_MODE_POINT && mode == CU_TR_ADDRESS_MODE_BORDER && flags == NORMALIZED);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddressMode(plane, 3, CU_TR_ADDRESS_MODE_CLAMP));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetFlags(plane, 0x80));
    SUCCEEDS(cuCtxDestroy_v2(rig.context));
}

static void a_reference_is_bound_to_linear_memory_and_to_a_plane(void **state)
{
    (void)state;
    enum { BYTES = 4096 };
    struct rig rig = begin();
    struct block block = {0};
    CUtexref row = NULL, plane = NULL;
    size_t offset = 1;
    float numbers[BYTES / 4];
    CUdeviceptr memory = device_bytes(BYTES), told = 0;
    const CUDA_ARRAY_DESCRIPTOR shape = {WIDTH, HEIGHT, CU_AD_FORMAT_FLOAT, 1};
    for (unsigned i = 0; i < BYTES / 4; i++)
        numbers[i] = (float)i;
    SUCCEEDS(cuMemcpyHtoD_v2(memory, numbers, BYTES));
    SUCCEEDS(cuModuleGetTexRef(&row, rig.module, "row"));
    SUCCEEDS(cuModuleGetTexRef(&plane, rig.module, "plane"));
    SUCCEEDS(cuTexRefSetFormat(row, CU_AD_FORMAT_FLOAT, 1));
    SUCCEEDS(cuTexRefSetAddress_v2(&offset, row, memory, BYTES));
    assert_int_equal(offset, 0);
    SUCCEEDS(launch(&rig, "fetch", &block));
    expect(&block, 0);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuTexRefSetAddress_v2(NULL, row, memory + 16, 256));
    SUCCEEDS(cuTexRefSetAddress_v2(&offset, row, memory + 16, 256)); /* the program would add four texels */
    assert_int_equal(offset, 16);
    SUCCEEDS(cuTexRefGetAddress_v2(&told, row));
    assert_int_equal(told, memory);
    SUCCEEDS(cuTexRefSetAddress2D_v3(plane, &shape, memory, WIDTH * sizeof(float)));
    texels_in_turn(&block, 1);
    SUCCEEDS(launch(&rig, "sample", &block));
    expect(&block, 0);
    SUCCEEDS(cuCtxDestroy_v2(rig.context));
}

static void a_reference_to_a_freed_array_can_be_changed_and_bound_again(void **state)
{
    (void)state;
    struct rig rig = begin();
    struct block block = {0};
    CUtexref plane = NULL;
    CUarray other = array_of(7), told = NULL;
    SUCCEEDS(cuModuleGetTexRef(&plane, rig.module, "plane"));
    SUCCEEDS(cuTexRefSetArray(plane, rig.array, OVERRIDE));
    SUCCEEDS(cuArrayDestroy(rig.array));
    SUCCEEDS(cuTexRefSetFilterMode(plane, CU_TR_FILTER_MODE_POINT));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuTexRefGetArray(&told, plane));
    SUCCEEDS(cuTexRefSetArray(plane, other, OVERRIDE));
    texels_in_turn(&block, 1);
    SUCCEEDS(launch(&rig, "sample", &block));
    expect(&block, 7);
    SUCCEEDS(cuTexRefSetAddress_v2(NULL, plane, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuTexRefGetArray(&told, plane));
    SUCCEEDS(cuCtxDestroy_v2(rig.context));
}

static void a_surface_reference_takes_stores(void **state)
{
    (void)state;
    struct rig rig = begin();
    struct block block = {0};
    unsigned marks[WIDTH * HEIGHT];
    CUsurfref surface = NULL;
    CUarray told = NULL;
    SUCCEEDS(cuModuleGetSurfRef(&surface, rig.module, "marks"));
    SUCCEEDS(cuSurfRefSetArray(surface, rig.array, 0));
    SUCCEEDS(cuSurfRefGetArray(&told, surface));
    assert_ptr_equal(told, rig.array);
    SUCCEEDS(launch(&rig, "mark", &block));
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = rig.array,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = marks,
                          .dstPitch = WIDTH * sizeof *marks,
                          .WidthInBytes = WIDTH * sizeof *marks,
                          .Height = HEIGHT};
    SUCCEEDS(cuMemcpy2D_v2(&copy));
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        assert_int_equal(marks[i], i);
    SUCCEEDS(cuCtxDestroy_v2(rig.context));
}

static void a_kernel_that_reads_a_reference_to_nothing_ends_in_an_error(void **state)
{
    (void)state;
    struct rig rig = begin();
    struct block block = {0};
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, launch(&rig, "sample", &block));
    SUCCEEDS(cuCtxDestroy_v2(rig.context));
}

UNIT_TESTS(UNIT(a_reference_to_a_freed_array_can_be_changed_and_bound_again),
           UNIT(a_reference_is_bound_to_an_array_and_to_another), UNIT(the_sampler_of_a_reference_can_be_changed),
           UNIT(a_reference_is_bound_to_linear_memory_and_to_a_plane), UNIT(a_surface_reference_takes_stores),
           UNIT(a_kernel_that_reads_a_reference_to_nothing_ends_in_an_error))
