/* Attributes of functions, and occupancy, against numbers from elsewhere: ptxas -v, NVIDIA's occupancy calculator. */
#include "tests/driver/kernels.h"

static int get(CUfunction f, CUfunction_attribute attribute)
{
    int value = -12345;
    SUCCEEDS(cuFuncGetAttribute(&value, attribute, f));
    return value;
}

static void attributes_are_those_of_the_code(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction f = kernels_get(&k, "fixed_shared"), bounded = kernels_get(&k, "bounded");
    assert_int_equal(get(f, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
    assert_int_equal(get(f, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 4096);
    assert_int_equal(get(f, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES), 256);
    assert_int_equal(get(f, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), 0);
    assert_int_equal(get(kernels_get(&k, "local_array"), CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), 800);
    assert_int_equal(get(f, CU_FUNC_ATTRIBUTE_PTX_VERSION), 80);
    assert_int_equal(get(f, CU_FUNC_ATTRIBUTE_BINARY_VERSION), 80);
    assert_int_equal(get(f, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA), 0);
    assert_int_equal(get(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), (48 << 10) - 4096);
    assert_int_equal(get(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT), -1);
    assert_int_equal(get(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH), 0);
    assert_int_equal(get(bounded, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 128);
    kernels_unload(&k);
}

static void only_what_can_be_set_is_set(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction f = kernels_get(&k, "fixed_shared");
    int value;
    for (int a = CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK; a <= CU_FUNC_ATTRIBUTE_CACHE_MODE_CA; a++)
        ANSWERS(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, (CUfunction_attribute)a, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX, f));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL));
    SUCCEEDS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 100));
    assert_int_equal(get(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT), 100);
    SUCCEEDS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -2));
    SUCCEEDS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (99 << 10) - 4096));
    ANSWERS(CUDA_ERROR_INVALID_VALUE,
            cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (99 << 10) - 4095));
    SUCCEEDS(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_L1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuFuncSetCacheConfig(f, (CUfunc_cache)4));
    SUCCEEDS(cuFuncSetSharedMemConfig(f, CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuFuncSetSharedMemConfig(f, (CUsharedconfig)3));
    kernels_unload(&k);
}

/* GA102: 1536 threads, 16 CTAs and 100 KiB of shared memory an SM; 1 KiB of each CTA is the system's. */
static void occupancy_follows_threads_ctas_and_shared_memory(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction nothing = kernels_get(&k, "nothing"), shared = kernels_get(&k, "fixed_shared");
    static const struct {
        int threads;
        size_t dynamic;
        int blocks, blocks_shared;
    } cases[] = {
        {32, 0, 16, 16},       {96, 0, 16, 16},      {128, 0, 12, 12},
        {512, 0, 3, 3},        {1024, 0, 1, 1},      {128, 16 << 10, 5, 4},
        {128, 24 << 10, 4, 3}, {64, 48 << 10, 2, 0}, {64, (48 << 10) + 4, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int blocks = -1;
        SUCCEEDS(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, cases[i].threads, cases[i].dynamic));
        assert_int_equal(blocks, cases[i].blocks);
        SUCCEEDS(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, shared, cases[i].threads,
                                                                      cases[i].dynamic, 1));
        assert_int_equal(blocks, cases[i].blocks_shared);
    }
    int blocks;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, nothing, 32, 0));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, NULL, 32, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, nothing, 32, 0, 2));
    kernels_unload(&k);
}

/* Functions of programs may call CUDA. */
static size_t half_kilobyte_a_thread(int threads)
{
    int count = 0;
    SUCCEEDS(cuDeviceGetCount(&count));
    SUCCEEDS(cuCtxSynchronize());
    return (size_t)(threads * count) * 512;
}

static void the_best_block_fills_an_sm(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction nothing = kernels_get(&k, "nothing"), bounded = kernels_get(&k, "bounded");
    int grid = 0, block = 0;
    SUCCEEDS(cuOccupancyMaxPotentialBlockSize(&grid, &block, nothing, NULL, 0, 0));
    assert_int_equal(block, 768);
    assert_int_equal(grid, 2 * 84);
    SUCCEEDS(cuOccupancyMaxPotentialBlockSize(&grid, &block, nothing, NULL, 0, 500));
    assert_int_equal(block, 384);
    assert_int_equal(grid, 4 * 84);
    SUCCEEDS(cuOccupancyMaxPotentialBlockSize(&grid, &block, bounded, NULL, 0, 0));
    assert_int_equal(block, 128);
    assert_int_equal(grid, 12 * 84);
    SUCCEEDS(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, nothing, half_kilobyte_a_thread, 0, 0, 0));
    assert_int_equal(block, 96); /* two CTAs of 96 threads, 48 KiB each: of 192 threads at most */
    assert_int_equal(grid, 2 * 84);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxPotentialBlockSize(NULL, &block, nothing, NULL, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxPotentialBlockSize(&grid, &block, nothing, NULL, 0, -1));
    kernels_unload(&k);
}

static void shared_memory_is_shared_out_among_ctas(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction nothing = kernels_get(&k, "nothing"), shared = kernels_get(&k, "fixed_shared");
    size_t bytes = 0;
    SUCCEEDS(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, nothing, 1, 128));
    assert_int_equal(bytes, 99 << 10);
    SUCCEEDS(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, nothing, 4, 128));
    assert_int_equal(bytes, 24 << 10);
    SUCCEEDS(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, shared, 4, 128));
    assert_int_equal(bytes, 20 << 10);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuOccupancyAvailableDynamicSMemPerBlock(&bytes, nothing, 2, 1024));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuOccupancyAvailableDynamicSMemPerBlock(&bytes, nothing, 0, 128));
    kernels_unload(&k);
}

UNIT_TESTS(UNIT(attributes_are_those_of_the_code), UNIT(only_what_can_be_set_is_set),
           UNIT(occupancy_follows_threads_ctas_and_shared_memory), UNIT(the_best_block_fills_an_sm),
           UNIT(shared_memory_is_shared_out_among_ctas))
