#include "tests/runtime/rig.h"

static void a_registered_kernel_adds_vectors(void **state)
{
    (void)state;
    enum { N = 1000 };
    float a[N], b[N], sum[N];
    void *device_a, *device_b, *device_sum;
    int n = N;
    rig_program();
    for (int i = 0; i < N; i++)
        a[i] = (float)i, b[i] = (float)(3 * i);
    SUCCEEDS(cudaMalloc(&device_a, sizeof a));
    SUCCEEDS(cudaMalloc(&device_b, sizeof b));
    SUCCEEDS(cudaMalloc(&device_sum, sizeof sum));
    SUCCEEDS(cudaMemcpy(device_a, a, sizeof a, cudaMemcpyHostToDevice));
    SUCCEEDS(cudaMemcpy(device_b, b, sizeof b, cudaMemcpyHostToDevice));
    void *arguments[] = {&device_a, &device_b, &device_sum, &n};
    SUCCEEDS(rig_launch(&host_add, (N + 127) / 128, 128, arguments));
    SUCCEEDS(cudaMemcpy(sum, device_sum, sizeof sum, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        assert_true(sum[i] == (float)(4 * i));
    SUCCEEDS(cudaFree(device_a));
    SUCCEEDS(cudaFree(device_b));
    SUCCEEDS(cudaFree(device_sum));
}

static void variables_are_copied_by_the_address_of_their_host_twin(void **state)
{
    (void)state;
    int number = 0, out[32], table[4] = {0};
    void *device;
    size_t size;
    rig_program();
    SUCCEEDS(cudaMemcpyFromSymbol(&number, host_number, sizeof number, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(number, 7);
    SUCCEEDS(cudaMemcpyFromSymbol(table, host_table, sizeof table, 0, cudaMemcpyDefault));
    assert_int_equal(table[3], 4);
    SUCCEEDS(cudaGetSymbolSize(&size, host_table));
    assert_int_equal(size, 16);
    table[1] = 50;
    SUCCEEDS(cudaMemcpyToSymbol(host_table, &table[1], 4, 4, cudaMemcpyHostToDevice));
    SUCCEEDS(cudaMalloc(&device, sizeof out));
    void *arguments[] = {&device};
    SUCCEEDS(rig_launch(&host_use_variables, 1, 32, arguments));
    SUCCEEDS(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    int expected[4] = {1, 50, 3, 4};
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], 7 * expected[i & 3]);
    FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(host_table, table, 16, 4, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(host_table, table, 4, (size_t)-4, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(host_table, table, 4, 0, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpyFromSymbol(table, host_table, 4, 0, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(&number, table, 4, 0, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(&host_add, table, 4, 0, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&device, NULL));
    FAILS(cudaErrorInvalidSymbol, cudaGetSymbolSize(&size, out));
    SUCCEEDS(cudaFree(device));
}

static void a_managed_variable_is_at_one_address_for_host_and_kernel(void **state)
{
    (void)state;
    void *device, *address;
    assert_int_equal(__cudaInitModule(rig_program()->handle), 1);
    assert_non_null(host_shared_count);
    int before = *host_shared_count;
    SUCCEEDS(cudaMalloc(&device, 128));
    void *arguments[] = {&device};
    SUCCEEDS(rig_launch(&host_use_variables, 1, 32, arguments));
    SUCCEEDS(cudaDeviceSynchronize());
    assert_int_equal(*host_shared_count, before + 7);
    *host_shared_count = 100;
    SUCCEEDS(rig_launch(&host_use_variables, 1, 32, arguments));
    SUCCEEDS(cudaDeviceSynchronize());
    assert_int_equal(*host_shared_count, 107);
    SUCCEEDS(cudaGetSymbolAddress(&address, host_shared_count)); /* compiled code passes the variable's address */
    assert_ptr_equal(address, host_shared_count);
    SUCCEEDS(cudaGetSymbolAddress(&address, &host_shared_count));
    assert_ptr_equal(address, host_shared_count);
    SUCCEEDS(cudaFree(device));
}

static void a_kernel_that_is_not_registered_is_an_invalid_function(void **state)
{
    (void)state;
    cudaKernel_t kernel = NULL;
    char stranger;
    struct cudaFuncAttributes attributes;
    rig_program();
    FAILS(cudaErrorInvalidDeviceFunction, __cudaGetKernel(&kernel, &stranger));
    FAILS(cudaErrorInvalidDeviceFunction, __cudaGetKernel(&kernel, NULL));
    FAILS(cudaErrorInvalidDeviceFunction, __cudaGetKernel(&kernel, host_table));
    FAILS(cudaErrorInvalidDeviceFunction, __cudaGetKernel(&kernel, &host_absent));
    FAILS(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&attributes, &stranger));
    FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(&stranger, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
    FAILS(cudaErrorInvalidDeviceFunction, rig_launch(&host_absent, 1, 1, NULL));
}

static void an_image_for_another_gpu_is_no_image(void **state)
{
    (void)state;
    static char host;
    struct rig_image image = {.size = 0};
    cudaKernel_t kernel = NULL;
    rig_environment();
    rig_append(&image, "kernels", 90);
    rig_register(&image);
    rig_function(&image, &host, "small");
    __cudaRegisterFatBinaryEnd(image.handle);
    FAILS(cudaErrorNoKernelImageForDevice, __cudaGetKernel(&kernel, &host));
    FAILS(cudaErrorNoKernelImageForDevice, rig_launch(&host, 1, 1, NULL));
    __cudaUnregisterFatBinary(image.handle);
    FAILS(cudaErrorInvalidDeviceFunction, __cudaGetKernel(&kernel, &host));
    free(image.container);
}

static void an_image_that_left_takes_its_kernels_with_it(void **state)
{
    (void)state;
    static char host;
    void *device;
    struct rig_image image = {.size = 0};
    rig_program();
    rig_append(&image, "kernels", 86);
    rig_register(&image);
    rig_function(&image, &host, "small");
    __cudaRegisterFatBinaryEnd(image.handle);
    SUCCEEDS(cudaMalloc(&device, 4));
    void *arguments[] = {&device};
    SUCCEEDS(rig_launch(&host, 1, 1, arguments));
    __cudaUnregisterFatBinary(image.handle);
    __cudaUnregisterFatBinary(image.handle);
    FAILS(cudaErrorInvalidDeviceFunction,
          cudaLaunchKernel(&host, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, NULL));
    SUCCEEDS(rig_launch(&host_small, 1, 1, arguments));
    SUCCEEDS(cudaDeviceSynchronize());
    SUCCEEDS(cudaFree(device));
    free(image.container);
}

static void configurations_of_nested_launches_are_a_stack(void **state)
{
    (void)state;
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    rig_environment();
    for (unsigned i = 1; i <= 32; i++)
        assert_int_equal(
            __cudaPushCallConfiguration((dim3){i, 1, 1}, (dim3){2 * i, 1, 1}, i, (cudaStream_t)(uintptr_t)(i & 1)), 0);
    assert_int_not_equal(__cudaPushCallConfiguration((dim3){1, 1, 1}, (dim3){1, 1, 1}, 0, NULL), 0);
    assert_int_not_equal(cudaGetLastError(), cudaSuccess);
    for (unsigned i = 32; i >= 1; i--) {
        SUCCEEDS(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
        assert_int_equal(grid.x, i);
        assert_int_equal(block.x, 2 * i);
        assert_int_equal(shared, i);
        assert_ptr_equal(stream, (cudaStream_t)(uintptr_t)(i & 1));
    }
    FAILS(cudaErrorMissingConfiguration, __cudaPopCallConfiguration(&grid, &block, &shared, &stream));
}

UNIT_TESTS(UNIT(a_registered_kernel_adds_vectors), UNIT(variables_are_copied_by_the_address_of_their_host_twin),
           UNIT(a_managed_variable_is_at_one_address_for_host_and_kernel),
           UNIT(a_kernel_that_is_not_registered_is_an_invalid_function), UNIT(an_image_for_another_gpu_is_no_image),
           UNIT(an_image_that_left_takes_its_kernels_with_it), UNIT(configurations_of_nested_launches_are_a_stack))
