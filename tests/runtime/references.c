/* Texture and surface references of programs that were compiled by CUDA 11 and before. */
#include "runtime/references.h"

#include <limits.h>

#include "tests/runtime/rig.h"

enum { WIDTH = 8, HEIGHT = 8, THREADS = 64, BYTES = 4096, SURFACE = 2 };

/* As tests/driver/references.ptx has it. */
struct block {
    float out[THREADS], at[THREADS][2];
};

static char host_sample, host_fetch, host_mark;
static struct textureReference plane, row, unknown;
static struct surfaceReference marks;

static const struct cudaChannelFormatDesc floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};

static void program(void)
{
    static struct rig_image image;
    rig_environment();
    if (image.handle != NULL)
        return;
    rig_append_from(&image, "tests/driver/cubin", "references", 80);
    rig_register(&image);
    rig_function(&image, &host_sample, "sample");
    rig_function(&image, &host_fetch, "fetch");
    rig_function(&image, &host_mark, "mark");
    __cudaRegisterTexture(image.handle, &plane, NULL, "plane", 2, 0, 0);
    __cudaRegisterTexture(image.handle, &row, NULL, "row", 1, 0, 0);
    __cudaRegisterSurface(image.handle, &marks, NULL, "marks", 2, 0);
    __cudaRegisterFatBinaryEnd(image.handle);
    for (int i = 0; i < 3; i++)
        plane.addressMode[i] = row.addressMode[i] = cudaAddressModeClamp;
    plane.channelDesc = row.channelDesc = floats;
}

static void launch(char *kernel, struct block *block)
{
    void *device, *arguments[] = {&device};
    SUCCEEDS(cudaMalloc(&device, sizeof *block));
    SUCCEEDS(cudaMemcpy(device, block, sizeof *block, cudaMemcpyHostToDevice));
    SUCCEEDS(rig_launch(kernel, 1, THREADS, arguments));
    SUCCEEDS(cudaMemcpy(block, device, sizeof *block, cudaMemcpyDeviceToHost));
    SUCCEEDS(cudaFree(device));
}

static cudaArray_t array_of(float first)
{
    cudaArray_t array;
    float texels[WIDTH * HEIGHT];
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        texels[i] = first + (float)i;
    SUCCEEDS(cudaMallocArray(&array, &floats, WIDTH, HEIGHT, SURFACE));
    SUCCEEDS(cudaMemcpy2DToArray(array, 0, 0, texels, WIDTH * 4, WIDTH * 4, HEIGHT, cudaMemcpyHostToDevice));
    return array;
}

static void expect(const struct block *block, float first)
{
    for (unsigned i = 0; i < THREADS; i++)
        assert_true(block->out[i] == first + (float)i);
}

static void texels_in_turn(struct block *block)
{
    for (unsigned i = 0; i < THREADS; i++) {
        block->at[i][0] = (float)(i % WIDTH) + 0.5f;
        block->at[i][1] = (float)(i / WIDTH) + 0.5f;
    }
}

static void attributes_count_from_the_next_binding_on(void **state)
{
    (void)state;
    struct block block = {0};
    program();
    cudaArray_t array = array_of(100), other = array_of(-500);
    texels_in_turn(&block);
    SUCCEEDS(cudaBindTextureToArray(&plane, array, &floats));
    launch(&host_sample, &block);
    expect(&block, 100);
    SUCCEEDS(cudaBindTextureToArray(&plane, other, &floats));
    block.at[0][0] = block.at[0][1] = 1; /* between four texels */
    plane.filterMode = cudaFilterModeLinear;
    launch(&host_sample, &block);
    assert_true(block.out[0] == -500 + WIDTH + 1);
    SUCCEEDS(cudaBindTextureToArray(&plane, other, &floats));
    launch(&host_sample, &block);
    assert_true(block.out[0] == -500 + (0 + 1 + WIDTH + WIDTH + 1) / 4.0f);
    plane.filterMode = cudaFilterModePoint;
    SUCCEEDS(cudaUnbindTexture(&plane));
    SUCCEEDS(cudaFreeArray(array));
    SUCCEEDS(cudaFreeArray(other));
}

static void linear_memory_is_bound_whole_or_from_an_offset_on(void **state)
{
    (void)state;
    struct block block = {0};
    float numbers[BYTES / 4];
    char *memory;
    size_t offset = 1;
    program();
    for (unsigned i = 0; i < BYTES / 4; i++)
        numbers[i] = (float)i;
    SUCCEEDS(cudaMalloc((void **)&memory, BYTES));
    SUCCEEDS(cudaMemcpy(memory, numbers, BYTES, cudaMemcpyHostToDevice));
    SUCCEEDS(cudaBindTexture(NULL, &row, memory, &floats, UINT_MAX)); /* the size of programs that give none */
    launch(&host_fetch, &block);
    expect(&block, 0);
    SUCCEEDS(cudaBindTexture(&offset, &row, memory + 2048, NULL, 1024));
    assert_int_equal(offset, 0);
    launch(&host_fetch, &block);
    expect(&block, 512);
    FAILS(cudaErrorInvalidValue, cudaBindTexture(NULL, &row, memory + 16, &floats, 64));
    SUCCEEDS(cudaBindTexture(&offset, &row, memory + 16, &floats, 1024));
    assert_int_equal(offset, 16);
    SUCCEEDS(cudaGetTextureAlignmentOffset(&offset, &row));
    assert_int_equal(offset, 16);
    SUCCEEDS(cudaBindTexture2D(&offset, &plane, memory, &floats, WIDTH, HEIGHT, 4 * WIDTH));
    assert_int_equal(offset, 0);
    texels_in_turn(&block);
    launch(&host_sample, &block);
    expect(&block, 0);
    SUCCEEDS(cudaFree(memory));
}

static void a_surface_reference_takes_stores(void **state)
{
    (void)state;
    struct block block = {0};
    unsigned stored[WIDTH * HEIGHT];
    program();
    cudaArray_t array = array_of(0);
    SUCCEEDS(cudaBindSurfaceToArray(&marks, array, &floats));
    launch(&host_mark, &block);
    SUCCEEDS(cudaMemcpy2DFromArray(stored, WIDTH * 4, array, 0, 0, WIDTH * 4, HEIGHT, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        assert_int_equal(stored[i], i);
    SUCCEEDS(cudaFreeArray(array));
}

static void a_reference_is_known_by_its_address_and_kind(void **state)
{
    (void)state;
    const struct textureReference *texture = NULL;
    const struct surfaceReference *surface = NULL;
    size_t offset;
    program();
    cudaArray_t array = array_of(0);
    SUCCEEDS(cudaGetTextureReference(&texture, &plane));
    assert_ptr_equal(texture, &plane);
    SUCCEEDS(cudaGetSurfaceReference(&surface, &marks));
    assert_ptr_equal(surface, &marks);
    FAILS(cudaErrorInvalidTexture, cudaGetTextureReference(&texture, &marks));
    FAILS(cudaErrorInvalidSurface, cudaGetSurfaceReference(&surface, &plane));
    FAILS(cudaErrorInvalidTexture, cudaBindTextureToArray(&unknown, array, &floats));
    FAILS(cudaErrorInvalidTexture, cudaUnbindTexture(&unknown));
    FAILS(cudaErrorInvalidTexture, cudaGetTextureAlignmentOffset(&offset, &unknown));
    FAILS(cudaErrorInvalidSymbol, cudaGetSymbolSize(&offset, &plane));
    SUCCEEDS(cudaFreeArray(array));
}

UNIT_TESTS(UNIT(attributes_count_from_the_next_binding_on), UNIT(linear_memory_is_bound_whole_or_from_an_offset_on),
           UNIT(a_surface_reference_takes_stores), UNIT(a_reference_is_known_by_its_address_and_kind))
