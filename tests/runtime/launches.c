#include "driver/abi/device.h"
#include "driver/abi/result.h"
#include "tests/runtime/rig.h"

static void a_cooperative_grid_meets_at_its_barrier(void **state)
{
    (void)state;
    void *partial, *out;
    int blocks = 8, sum = 0, per_sm = 0, sms = 0;
    rig_program();
    SUCCEEDS(cudaMalloc(&partial, sizeof(int) * (size_t)blocks));
    SUCCEEDS(cudaMalloc(&out, sizeof(int)));
    void *arguments[] = {&partial, &out};
    SUCCEEDS(cudaLaunchCooperativeKernel(&host_all_blocks, (dim3){(unsigned)blocks, 1, 1}, (dim3){1, 1, 1}, arguments,
                                         0, NULL));
    SUCCEEDS(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    assert_int_equal(sum, 36);
    SUCCEEDS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, &host_all_blocks, 32, 0));
    SUCCEEDS(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    assert_true(per_sm > 0 && sms > 0);
    FAILS(cudaErrorCooperativeLaunchTooLarge,
          cudaLaunchCooperativeKernel(&host_all_blocks, (dim3){(unsigned)(per_sm * sms + 1), 1, 1}, (dim3){32, 1, 1},
                                      arguments, 0, NULL));
    SUCCEEDS(cudaFree(partial));
    SUCCEEDS(cudaFree(out));
}

static void an_extended_launch_takes_attributes(void **state)
{
    (void)state;
    int out[64];
    void *device;
    rig_program();
    SUCCEEDS(cudaMalloc(&device, sizeof out));
    void *arguments[] = {&device};
    cudaLaunchAttribute attributes[] = {{.id = cudaLaunchAttributePriority, .val.priority = 0},
                                        {.id = cudaLaunchAttributeCooperative, .val.cooperative = 0}};
    cudaLaunchConfig_t config = {.gridDim = {1, 1, 1},
                                 .blockDim = {64, 1, 1},
                                 .dynamicSmemBytes = sizeof out,
                                 .attrs = attributes,
                                 .numAttrs = 2};
    SUCCEEDS(cudaLaunchKernelExC(&config, &host_dynamic_shared, arguments));
    SUCCEEDS(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[i], 63 - i);
    SUCCEEDS(cudaMemset(device, 0, sizeof out));
    SUCCEEDS(cudaLaunchKernelExC_ptsz(&config, &host_dynamic_shared, arguments));
    SUCCEEDS(cudaMemcpy_ptds(out, device, sizeof out, cudaMemcpyDeviceToHost));
    assert_int_equal(out[0], 63);
    SUCCEEDS(cudaFree(device));
}

static void dynamic_shared_memory_above_48_kb_must_be_asked_for(void **state)
{
    (void)state;
    enum { MUCH = 64 * 1024 };
    struct cudaFuncAttributes found;
    void *device;
    rig_program();
    SUCCEEDS(cudaMalloc(&device, 4096));
    void *arguments[] = {&device};
    FAILS(cudaErrorInvalidValue,
          rig_launch_in(&host_dynamic_shared, (dim3){1, 1, 1}, (dim3){32, 1, 1}, arguments, MUCH, NULL));
    SUCCEEDS(cudaFuncSetAttribute(&host_dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, MUCH));
    SUCCEEDS(rig_launch_in(&host_dynamic_shared, (dim3){1, 1, 1}, (dim3){32, 1, 1}, arguments, MUCH, NULL));
    SUCCEEDS(cudaDeviceSynchronize());
    SUCCEEDS(cudaFuncGetAttributes(&found, &host_dynamic_shared));
    assert_int_equal(found.maxDynamicSharedSizeBytes, MUCH);
    FAILS(cudaErrorInvalidValue,
          cudaFuncSetAttribute(&host_dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    SUCCEEDS(cudaFree(device));
}

static void a_kernel_says_what_it_needs(void **state)
{
    (void)state;
    struct cudaFuncAttributes found;
    const char *name;
    cudaKernel_t kernel, same;
    cudaFunction_t function;
    size_t offset, size;
    rig_program();
    SUCCEEDS(cudaFuncGetAttributes(&found, &host_add));
    assert_int_equal(found.binaryVersion, 86);
    assert_int_equal(found.ptxVersion, 86);
    assert_int_equal(found.maxThreadsPerBlock, 1024);
    assert_true(found.numRegs > 0 && found.numRegs <= 255);
    assert_int_equal(found.sharedSizeBytes, 0);
    SUCCEEDS(cudaFuncGetAttributes(&found, &host_small));
    assert_int_equal(found.maxThreadsPerBlock, 64);
    SUCCEEDS(cudaFuncGetName(&name, &host_small));
    assert_string_equal(name, "small");
    SUCCEEDS(cudaGetKernel(&kernel, &host_small));
    SUCCEEDS(cudaGetKernel(&same, kernel)); /* a kernel stands for itself */
    assert_ptr_equal(kernel, same);
    SUCCEEDS(cudaGetFuncBySymbol(&function, &host_small));
    assert_non_null(function);
    SUCCEEDS(cudaFuncGetParamInfo(&host_add, 3, &offset, &size));
    assert_int_equal(offset, 24);
    assert_int_equal(size, 4);
    FAILS(cudaErrorInvalidValue, cudaFuncGetParamInfo(&host_add, 4, &offset, &size));
    SUCCEEDS(cudaFuncSetCacheConfig(&host_add, cudaFuncCachePreferL1));
}

static void properties_are_the_attributes_of_the_device(void **state)
{
    (void)state;
    struct cudaDeviceProp found;
    int value, count;
    rig_program();
    SUCCEEDS(cudaGetDeviceCount(&count));
    assert_int_equal(count, 1);
    memset(&found, 0xff, sizeof found);
    SUCCEEDS(cudaGetDeviceProperties(&found, 0));
    assert_string_equal(found.name, "NVIDIA RTX A6000");
    assert_int_equal(found.major, 8);
    assert_int_equal(found.minor, 6);
    assert_int_equal(found.multiProcessorCount, 84);
    assert_int_equal(found.warpSize, 32);
    assert_int_equal(found.sharedMemPerBlock, 48 * 1024);
    assert_int_equal(found.sharedMemPerBlockOptin, 99 * 1024);
    assert_int_equal(found.maxThreadsDim[2], 64);
    assert_int_equal(found.maxGridSize[0], 0x7fffffff);
    assert_int_equal(found.maxThreadsPerMultiProcessor, 1536);
    assert_int_equal(found.totalConstMem, 65536);
    assert_true(found.totalGlobalMem > (size_t)40 << 30);
#define SIZE(field, attribute)                                                                                         \
    SUCCEEDS(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)attribute, 0));                                       \
    assert_int_equal(found.field, value);
#define NUMBER(field, attribute) SIZE(field, attribute)
#define NEWER(field, attribute) SIZE(field, attribute)
#include "runtime/properties.def"
#undef SIZE
#undef NUMBER
#undef NEWER
    SUCCEEDS(cudaRuntimeGetVersion(&value));
    assert_int_equal(value, 13000);
    SUCCEEDS(cudaDriverGetVersion(&value));
    assert_int_equal(value, 13000);
}

static void entry_points_of_the_driver_can_be_had_by_name(void **state)
{
    (void)state;
    CUresult (*get_count)(int *) = NULL;
    enum cudaDriverEntryPointQueryResult found;
    int count = 0;
    rig_program();
    SUCCEEDS(cudaGetDriverEntryPoint("cuDeviceGetCount", (void **)&get_count, 0, &found));
    assert_int_equal(found, cudaDriverEntryPointSuccess);
    assert_non_null(get_count);
    assert_int_equal(get_count(&count), CUDA_SUCCESS);
    assert_int_equal(count, 1);
    CUresult (*get_handle)(void *, unsigned long long) = NULL;
    SUCCEEDS(cudaGetDriverEntryPoint("cuIpcGetMemHandle", (void **)&get_handle, 0, &found));
    assert_int_equal(found, cudaDriverEntryPointSuccess);
    assert_int_equal(get_handle(NULL, 0), CUDA_ERROR_NOT_SUPPORTED);
    SUCCEEDS(cudaGetDriverEntryPoint("cuNothing", (void **)&get_count, 0, &found));
    assert_int_equal(found, cudaDriverEntryPointSymbolNotFound);
    SUCCEEDS(cudaGetDriverEntryPointByVersion("cuGraphAddNode", (void **)&get_count, 11000, 0, &found));
    assert_int_equal(found, cudaDriverEntryPointVersionNotSufficent);
    FAILS(cudaErrorInvalidValue, cudaGetDriverEntryPoint(NULL, (void **)&get_count, 0, &found));
}

UNIT_TESTS(UNIT(a_cooperative_grid_meets_at_its_barrier), UNIT(an_extended_launch_takes_attributes),
           UNIT(dynamic_shared_memory_above_48_kb_must_be_asked_for), UNIT(a_kernel_says_what_it_needs),
           UNIT(properties_are_the_attributes_of_the_device), UNIT(entry_points_of_the_driver_can_be_had_by_name))
