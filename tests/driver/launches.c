/* Launches: the arguments of kernels, in every way. */
#include "driver/launch/kernel_make.h"
#include "tests/driver/kernels.h"

enum { COUNT = 1000 };

struct triple {
    float x, y, z;
};

static void fill(CUdeviceptr a, CUdeviceptr b)
{
    float x[COUNT], y[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)i;
        y[i] = 0.5f * (float)i;
    }
    SUCCEEDS(cuMemcpyHtoD_v2(a, x, sizeof x));
    SUCCEEDS(cuMemcpyHtoD_v2(b, y, sizeof y));
}

static void check_and_clear(CUdeviceptr c)
{
    float z[COUNT];
    SUCCEEDS(cuMemcpyDtoH_v2(z, c, sizeof z));
    for (int i = 0; i < COUNT; i++)
        assert_float_equal(z[i], 1.5f * (float)i, 0);
    SUCCEEDS(cuMemsetD8_v2(c, 0, sizeof z));
}

static void parameters_come_as_pointers_or_as_a_buffer(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction f = kernels_get(&k, "vecadd");
    CUdeviceptr a = device_bytes(4 * COUNT), b = device_bytes(4 * COUNT), c = device_bytes(4 * COUNT);
    int n = COUNT;
    fill(a, b);
    SUCCEEDS(run(f, 8, 128, (void *[]){&a, &b, &c, &n}));
    check_and_clear(c);
    struct {
        CUdeviceptr a, b, c;
        int n;
    } packed = {a, b, c, n};
    size_t size = 28; /* without the padding behind n */
    void *extra[] = {(void *)1, &packed, (void *)2, &size, (void *)0};
    SUCCEEDS(cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
    check_and_clear(c);
    size = 27;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
    size = sizeof packed;
    ANSWERS(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, cuLaunchKernel(f, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
    kernels_unload(&k);
}

static void the_functions_of_old_launch_the_same(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction f = kernels_get(&k, "vecadd");
    CUdeviceptr a = device_bytes(4 * COUNT), b = device_bytes(4 * COUNT), c = device_bytes(4 * COUNT);
    fill(a, b);
    SUCCEEDS(cuFuncSetBlockShape(f, 64, 2, 1));
    SUCCEEDS(cuFuncSetBlockShape(f, 128, 1, 1));
    SUCCEEDS(cuFuncSetSharedSize(f, 0));
    SUCCEEDS(cuParamSetv(f, 0, &a, 8));
    SUCCEEDS(cuParamSetv(f, 8, &b, 8));
    SUCCEEDS(cuParamSetv(f, 16, &c, 8));
    SUCCEEDS(cuParamSeti(f, 24, COUNT));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLaunchGrid(f, 8, 1)); /* its parameters have no size yet */
    SUCCEEDS(cuParamSetSize(f, 28));
    SUCCEEDS(cuLaunchGrid(f, 8, 1));
    check_and_clear(c);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLaunchGrid(f, 0, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuParamSetv(f, 4092, &a, 8));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuFuncSetBlockShape(f, 0, 1, 1));
    kernels_unload(&k);
}

static void parameters_of_mixed_sizes_lie_where_the_compiler_put_them(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction f = kernels_get(&k, "mixed");
    CUdeviceptr out = device_bytes(32);
    signed char a = -3;
    short b = -300;
    struct triple c = {1, 2, 3};
    double d = 0.125, seen[4];
    static const size_t expected[][2] = {{0, 1}, {2, 2}, {4, 12}, {16, 8}, {24, 8}};
    for (size_t i = 0; i < 5; i++) {
        size_t offset = 0, size = 0;
        SUCCEEDS(cuFuncGetParamInfo(f, i, &offset, &size));
        assert_int_equal(offset, expected[i][0]);
        assert_int_equal(size, expected[i][1]);
        SUCCEEDS(cuFuncGetParamInfo(f, i, &offset, NULL));
    }
    size_t offset;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(f, 5, &offset, NULL));
    SUCCEEDS(run(f, 1, 1, (void *[]){&a, &b, &c, &d, &out}));
    SUCCEEDS(cuMemcpyDtoH_v2(seen, out, sizeof seen));
    assert_float_equal(seen[0], -3, 0);
    assert_float_equal(seen[1], -300, 0);
    assert_float_equal(seen[2], 321, 0);
    assert_float_equal(seen[3], 0.125, 0);
    kernels_unload(&k);
}

static void eight_kilobytes_of_parameters_arrive(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction f = kernels_get(&k, "large");
    CUdeviceptr out = device_bytes(8);
    int words[2048];
    long long expected = 0, sum = 0;
    for (int i = 0; i < 2048; i++) {
        words[i] = 1000 * (i % 1000) - 77;
        expected += (long long)(words[i] * (i + 1));
    }
    SUCCEEDS(run(f, 1, 1, (void *[]){words, &out}));
    SUCCEEDS(cuMemcpyDtoH_v2(&sum, out, sizeof sum));
    assert_int_equal(sum, expected);
    kernels_unload(&k);
}

static void programs_see_and_change_the_variables_of_a_module(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction f = kernels_get(&k, "variables");
    CUdeviceptr out = device_bytes(16), table, counter, zeros, managed, array;
    size_t bytes = 0;
    int seen[4], value = 9;
    SUCCEEDS(cuModuleGetGlobal_v2(&table, &bytes, k.module, "table"));
    assert_int_equal(bytes, 256);
    SUCCEEDS(cuModuleGetGlobal_v2(&counter, &bytes, k.module, "counter"));
    assert_int_equal(bytes, 4);
    SUCCEEDS(cuModuleGetGlobal_v2(&zeros, &bytes, k.module, "zeros"));
    assert_int_equal(bytes, 4000);
    SUCCEEDS(cuModuleGetGlobal_v2(&managed, NULL, k.module, "shared_with_host"));
    SUCCEEDS(cuModuleGetGlobal_v2(&array, &bytes, k.module, "managed_array"));
    assert_int_equal(bytes, 1200);
    SUCCEEDS(cuModuleGetGlobal_v2(NULL, &bytes, k.module, "counter"));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuModuleGetGlobal_v2(NULL, NULL, k.module, "counter"));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuModuleGetGlobal_v2(&table, NULL, k.module, NULL));

    SUCCEEDS(run(f, 1, 1, (void *[]){&out}));
    SUCCEEDS(cuMemcpyDtoH_v2(seen, out, sizeof seen));
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[1], 5);
    assert_int_equal(seen[2], 0);
    assert_int_equal(seen[3], 7);
    assert_int_equal(*(int *)(uintptr_t)managed, 8); /* the host looks at the same memory */
    assert_float_equal(((float *)(uintptr_t)array)[299], 0.5f, 0);

    *(int *)(uintptr_t)managed = 100;
    SUCCEEDS(cuMemcpyHtoD_v2(table + 63 * 4, &value, 4));
    SUCCEEDS(cuMemcpyHtoD_v2(zeros + 999 * 4, &value, 4));
    SUCCEEDS(run(f, 1, 1, (void *[]){&out}));
    SUCCEEDS(cuMemcpyDtoH_v2(seen, out, sizeof seen));
    assert_int_equal(seen[0], 91);
    assert_int_equal(seen[1], 6);
    assert_int_equal(seen[2], 9);
    assert_int_equal(seen[3], 100);
    kernels_unload(&k);
}

static void each_load_of_a_module_has_its_own_variables(void **state)
{
    (void)state;
    char path[4096];
    struct kernels k = kernels_load("rtx-a6000"), other = k;
    SUCCEEDS(cuModuleLoad(&other.module, unit_path(path, "tests/driver/cubin/kernels.sm_80.cubin")));
    CUdeviceptr out = device_bytes(16), first, second;
    int seen[4];
    SUCCEEDS(cuModuleGetGlobal_v2(&first, NULL, k.module, "counter"));
    SUCCEEDS(cuModuleGetGlobal_v2(&second, NULL, other.module, "counter"));
    assert_int_not_equal(first, second);
    SUCCEEDS(run(kernels_get(&k, "variables"), 1, 1, (void *[]){&out}));
    SUCCEEDS(run(kernels_get(&k, "variables"), 1, 1, (void *[]){&out}));
    SUCCEEDS(run(kernels_get(&other, "variables"), 1, 1, (void *[]){&out}));
    SUCCEEDS(cuMemcpyDtoH_v2(seen, out, sizeof seen));
    assert_int_equal(seen[1], 5);
    kernels_unload(&k);
}

static void dynamic_shared_memory_above_48_kilobytes_has_to_be_asked_for(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction f = kernels_get(&k, "dynamic");
    CUdeviceptr out = device_bytes(4);
    void *parameters[] = {&out};
    enum { MOST = 99 << 10, DEFAULT = 48 << 10 };
    unsigned seen = 0;
    int value = 0;
    SUCCEEDS(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
    assert_int_equal(value, DEFAULT);
    SUCCEEDS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, DEFAULT, NULL, parameters, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, DEFAULT + 4, NULL, parameters, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, MOST + 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));
    SUCCEEDS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, MOST));
    SUCCEEDS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, MOST, NULL, parameters, NULL));
    SUCCEEDS(cuMemcpyDtoH_v2(&seen, out, sizeof seen));
    assert_int_equal(seen, MOST);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, MOST + 4, NULL, parameters, NULL));
    kernels_unload(&k);
}

static void a_cooperative_grid_waits_for_itself(void **state)
{
    (void)state;
    enum { CTAS = 84, THREADS = 64, N = 20000 };
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction f = kernels_get(&k, "grid_sum");
    CUdeviceptr in = device_bytes(4 * N), partial = device_bytes(4 * CTAS * THREADS), out = device_bytes(4);
    static int numbers[N];
    int n = N, sum = 0, expected = 0, blocks = 0;
    void *parameters[] = {&in, &partial, &out, &n};
    for (int i = 0; i < N; i++) {
        numbers[i] = i % 37;
        expected += numbers[i];
    }
    SUCCEEDS(cuMemcpyHtoD_v2(in, numbers, sizeof numbers));
    SUCCEEDS(cuLaunchCooperativeKernel(f, CTAS, 1, 1, THREADS, 1, 1, 0, NULL, parameters));
    SUCCEEDS(cuMemcpyDtoH_v2(&sum, out, sizeof sum));
    assert_int_equal(sum, expected);
    SUCCEEDS(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 1024, 0));
    assert_in_range(blocks, 1, 2);
    ANSWERS(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
            cuLaunchCooperativeKernel(f, (unsigned)blocks * 84 + 1, 1, 1, 1024, 1, 1, 0, NULL, parameters));
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = {.cooperative = 1}};
    CUlaunchConfig config = {.gridDimX = CTAS,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = THREADS,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .attrs = &attribute,
                             .numAttrs = 1};
    SUCCEEDS(cuMemsetD8_v2(out, 0, 4));
    SUCCEEDS(cuLaunchKernelEx(&config, f, parameters, NULL));
    SUCCEEDS(cuMemcpyDtoH_v2(&sum, out, sizeof sum));
    assert_int_equal(sum, expected);
    config.gridDimX = (unsigned)blocks * 84 + 1;
    config.blockDimX = 1024;
    ANSWERS(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, cuLaunchKernelEx(&config, f, parameters, NULL));
    kernels_unload(&k);
}

static void attributes_that_are_hints_change_nothing(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction f = kernels_get(&k, "nothing");
    CUlaunchAttribute attributes[4] = {
        {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY, .value = {.priority = -3}},
        {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
         .value = {.programmaticStreamSerializationAllowed = 1}},
        {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value = {.clusterDim = {1, 1, 1}}},
        {.id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, .value = {.sharedMemCarveout = 50}},
    };
    CUlaunchConfig config = {.gridDimX = 2,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 32,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .attrs = attributes,
                             .numAttrs = 4};
    SUCCEEDS(cuLaunchKernelEx(&config, f, NULL, NULL));
    SUCCEEDS(cuCtxSynchronize());
    attributes[2].value.clusterDim.x = 2;
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, cuLaunchKernelEx(&config, f, NULL, NULL));
    config.gridDimX = 3;
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, cuLaunchKernelEx(&config, f, NULL, NULL));
    attributes[2].value.clusterDim.x = 0;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(&config, f, NULL, NULL));
    attributes[2] = (CUlaunchAttribute){.id = (CUlaunchAttributeID)17};
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(&config, f, NULL, NULL));
    config.attrs = NULL;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(&config, f, NULL, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(NULL, f, NULL, NULL));
    kernels_unload(&k);
}

/* The size that an SM's shared memory is asked to have, of a launch that is made and not run. */
static uint32_t preferred(CUfunction f, struct launch_shape shape)
{
    struct call call;
    struct command command;
    SUCCEEDS(call_begin(&call, __func__, CALL_CONTEXT));
    CUresult result = kernel_make(&call, f, &shape, NULL, NULL, &command);
    uint32_t bytes = command.kernel.shared_preferred;
    command_clear(&command);
    SUCCEEDS(call_end(&call, result));
    return bytes;
}

static void a_preferred_carveout_is_handed_on(void **state)
{
    (void)state;
    enum { MOST = 100 << 10 };
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction f = kernels_get(&k, "nothing");
    struct launch_shape shape = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    assert_int_equal(preferred(f, shape), 0);
    SUCCEEDS(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_SHARED));
    assert_int_equal(preferred(f, shape), MOST);
    SUCCEEDS(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_L1));
    assert_int_equal(preferred(f, shape), 0);
    SUCCEEDS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    assert_int_equal(preferred(f, shape), MOST / 2);
    shape.has_carveout = true;
    shape.carveout = 25;
    assert_int_equal(preferred(f, shape), MOST / 4);
    kernels_unload(&k);
}

static void the_global_timer_goes_on_from_launch_to_launch(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUdeviceptr out = device_bytes(16), second = out + 8;
    uint64_t times[2];
    SUCCEEDS(run(kernels_get(&k, "time_now"), 1, 1, (void *[]){&out}));
    SUCCEEDS(run(kernels_get(&k, "time_now"), 1, 1, (void *[]){&second}));
    SUCCEEDS(cuMemcpyDtoH_v2(times, out, sizeof times));
    assert_true(times[1] > times[0]);
    kernels_unload(&k);
}

UNIT_TESTS(UNIT(parameters_come_as_pointers_or_as_a_buffer), UNIT(the_functions_of_old_launch_the_same),
           UNIT(parameters_of_mixed_sizes_lie_where_the_compiler_put_them), UNIT(eight_kilobytes_of_parameters_arrive),
           UNIT(programs_see_and_change_the_variables_of_a_module), UNIT(each_load_of_a_module_has_its_own_variables),
           UNIT(dynamic_shared_memory_above_48_kilobytes_has_to_be_asked_for),
           UNIT(a_cooperative_grid_waits_for_itself), UNIT(attributes_that_are_hints_change_nothing),
           UNIT(a_preferred_carveout_is_handed_on), UNIT(the_global_timer_goes_on_from_launch_to_launch))
