/* Clusters and tensor maps by the runtime, on an H200. */
#include "driver/abi/enums.h"
#include "driver/abi/result.h"
#include "tests/runtime/rig.h"

static void begin(void)
{
    setenv("SUBCORE_GPU", "h200", 1);
    rig_program();
}

static cudaError_t launch(unsigned grid, dim3 cluster, void *out)
{
    void *arguments[] = {&out};
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension,
                                     .val.clusterDim = {cluster.x, cluster.y, cluster.z}};
    cudaLaunchConfig_t config = {
        .gridDim = {grid, 1, 1}, .blockDim = {64, 1, 1}, .dynamicSmemBytes = 256, .attrs = &attribute, .numAttrs = 1};
    return cudaLaunchKernelExC(&config, &host_dynamic_shared, arguments);
}

static void the_launch_attribute_is_checked_against_grid_and_device(void **state)
{
    (void)state;
    int out[64];
    void *device;
    begin();
    SUCCEEDS(cudaMalloc(&device, sizeof out));
    SUCCEEDS(cudaMemset(device, 0, sizeof out));
    SUCCEEDS(launch(8, (dim3){4, 1, 1}, device));
    SUCCEEDS(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[i], 63 - i);
    FAILS(cudaErrorInvalidClusterSize, launch(6, (dim3){4, 1, 1}, device));
    FAILS(cudaErrorInvalidClusterSize, launch(16, (dim3){16, 1, 1}, device));
    FAILS(cudaErrorInvalidValue, launch(16, (dim3){2, 1, 0}, device));
    SUCCEEDS(cudaFuncSetAttribute(&host_dynamic_shared, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    SUCCEEDS(launch(16, (dim3){16, 1, 1}, device));
    SUCCEEDS(cudaDeviceSynchronize());
    SUCCEEDS(cudaFree(device));
}

static void attributes_of_functions_reach_the_driver(void **state)
{
    (void)state;
    struct cudaFuncAttributes found;
    void *device;
    begin();
    SUCCEEDS(cudaMalloc(&device, 256));
    SUCCEEDS(cudaFuncSetAttribute(&host_dynamic_shared, cudaFuncAttributeRequiredClusterWidth, 2));
    SUCCEEDS(cudaFuncSetAttribute(&host_dynamic_shared, cudaFuncAttributeRequiredClusterHeight, 1));
    SUCCEEDS(cudaFuncSetAttribute(&host_dynamic_shared, cudaFuncAttributeRequiredClusterDepth, 1));
    SUCCEEDS(cudaFuncGetAttributes(&found, &host_dynamic_shared));
    assert_int_equal(found.requiredClusterWidth, 2);
    assert_int_equal(found.requiredClusterHeight, 1);
    assert_int_equal(found.requiredClusterDepth, 1);
    assert_int_equal(found.clusterDimMustBeSet, 0);
    FAILS(cudaErrorInvalidClusterSize, launch(8, (dim3){4, 1, 1}, device));
    for (int i = cudaFuncAttributeRequiredClusterWidth; i <= cudaFuncAttributeRequiredClusterDepth; i++)
        SUCCEEDS(cudaFuncSetAttribute(&host_dynamic_shared, (enum cudaFuncAttribute)i, 0));
    SUCCEEDS(launch(8, (dim3){4, 1, 1}, device));
    SUCCEEDS(cudaDeviceSynchronize());
    SUCCEEDS(cudaFree(device));
}

static void occupancy_is_told_in_clusters(void **state)
{
    (void)state;
    int clusters = 0, size = 0, launches = 0;
    begin();
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {2, 2, 1}};
    cudaLaunchConfig_t config = {.gridDim = {4, 4, 1}, .blockDim = {1024, 1, 1}, .attrs = &attribute, .numAttrs = 1};
    SUCCEEDS(cudaOccupancyMaxActiveClusters(&clusters, &host_add, &config));
    assert_int_equal(clusters, 2 * 132 / 4); /* two CTAs an SM, and each GPC a multiple of two SMs */
    SUCCEEDS(cudaOccupancyMaxPotentialClusterSize(&size, &host_add, &config));
    assert_int_equal(size, 8);
    config.numAttrs = 0;
    FAILS(cudaErrorInvalidClusterSize, cudaOccupancyMaxActiveClusters(&clusters, &host_add, &config));
    SUCCEEDS(cudaDeviceGetAttribute(&launches, cudaDevAttrClusterLaunch, 0));
    assert_int_equal(launches, 1);
}

static void the_encoders_of_tensor_maps_are_found_by_name_and_version(void **state)
{
    (void)state;
    static const char *const names[] = {"cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col",
                                        "cuTensorMapReplaceAddress"};
    begin();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *function = NULL;
        enum cudaDriverEntryPointQueryResult found;
        SUCCEEDS(cudaGetDriverEntryPoint(names[i], &function, 0, &found));
        assert_int_equal(found, cudaDriverEntryPointSuccess);
        assert_non_null(function);
        SUCCEEDS(cudaGetDriverEntryPointByVersion(names[i], &function, 12000, 0, &found));
        assert_int_equal(found, cudaDriverEntryPointSuccess);
        assert_non_null(function);
        SUCCEEDS(cudaGetDriverEntryPointByVersion(names[i], &function, 11080, 0, &found));
        assert_int_equal(found, cudaDriverEntryPointVersionNotSufficent);
    }
}

static void multicast_objects_are_refused_by_name(void **state)
{
    (void)state;
    CUresult (*create)(void *, const void *) = NULL;
    enum cudaDriverEntryPointQueryResult found;
    int supported = -1;
    begin();
    SUCCEEDS(cudaGetDriverEntryPoint("cuMulticastCreate", (void **)&create, 0, &found));
    assert_int_equal(found, cudaDriverEntryPointSuccess);
    assert_int_equal(create(NULL, NULL), CUDA_ERROR_NOT_SUPPORTED);
    SUCCEEDS(cudaDeviceGetAttribute(&supported, (enum cudaDeviceAttr)132 /* multicast */, 0));
    assert_int_equal(supported, 0);
}

UNIT_TESTS(UNIT(the_launch_attribute_is_checked_against_grid_and_device),
           UNIT(attributes_of_functions_reach_the_driver), UNIT(occupancy_is_told_in_clusters),
           UNIT(the_encoders_of_tensor_maps_are_found_by_name_and_version), UNIT(multicast_objects_are_refused_by_name))
