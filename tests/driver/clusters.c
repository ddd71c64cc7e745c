/* Clusters: the sizes that a program and its code may ask for, the errors for sizes that do not fit, and occupancy. */
#include "tests/driver/clusters.h"

static void a_cluster_has_to_divide_the_grid_and_to_fit(void **state)
{
    (void)state;
    struct rig rig = rig_open();
    CUfunction f = function_of(&rig, "open_cluster");
    CUlaunchAttribute two[2] = {cluster_of(2, 2, 1), {0}};
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch_cluster(&rig, f, 9, 2));
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(&rig, f, 8, two, 1)); /* the grid has one row */
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch_cluster(&rig, f, 9, 9));
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch_cluster(&rig, f, 16, 16));
    two[0] = cluster_of(2, 0, 1);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, launch(&rig, f, 8, two, 1));
    SUCCEEDS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch_cluster(&rig, f, 17, 17));
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch_cluster(&rig, f, 32, 32));
    rig_close(&rig);
}

static void what_the_code_fixes_cannot_be_changed(void **state)
{
    (void)state;
    struct rig rig = rig_open();
    CUfunction pair = function_of(&rig, "pair"), four = function_of(&rig, "at_most_four");
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(&rig, pair, 3, NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch_cluster(&rig, pair, 8, 4));
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch_cluster(&rig, pair, 8, 1));
    ANSWERS(CUDA_ERROR_NOT_PERMITTED, cuFuncSetAttribute(pair, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2));
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch_cluster(&rig, four, 8, 8));
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(&rig, function_of(&rig, "named"), 4, NULL, 0));
    rig_close(&rig);
}

static int get(CUfunction f, CUfunction_attribute attribute)
{
    int value = -12345;
    SUCCEEDS(cuFuncGetAttribute(&value, attribute, f));
    return value;
}

static void attributes_tell_the_cluster_of_the_code_and_of_the_program(void **state)
{
    (void)state;
    struct rig rig = rig_open();
    CUfunction pair = function_of(&rig, "pair"), open = function_of(&rig, "open_cluster");
    assert_int_equal(get(pair, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH), 2);
    assert_int_equal(get(pair, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT), 1);
    assert_int_equal(get(pair, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH), 1);
    assert_int_equal(get(pair, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET), 1);
    assert_int_equal(get(open, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET), 0);
    assert_int_equal(get(function_of(&rig, "named"), CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET), 1);
    assert_int_equal(get(open, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH), 0);
    SUCCEEDS(cuFuncSetAttribute(open, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 4));
    assert_int_equal(get(open, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH), 4);
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(&rig, open, 8, NULL, 0)); /* height and depth are missing */
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(open, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, -1));
    SUCCEEDS(cuFuncSetAttribute(open, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 1));
    SUCCEEDS(cuFuncSetAttribute(open, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 1));
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch_cluster(&rig, open, 8, 2));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(open, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 2));
    ANSWERS(CUDA_ERROR_INVALID_VALUE,
            cuFuncSetAttribute(open, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 3));
    SUCCEEDS(cuFuncSetAttribute(open, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 1));
    assert_int_equal(get(open, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE), 1);
    rig_close(&rig);
}

static void a_preferred_cluster_is_a_multiple_of_the_cluster(void **state)
{
    (void)state;
    struct rig rig = rig_open();
    CUfunction f = function_of(&rig, "open_cluster"), four = function_of(&rig, "at_most_four");
    CUlaunchAttribute attributes[2] = {
        cluster_of(2, 1, 1),
        {.id = CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION, .value = {.preferredClusterDim = {3, 1, 1}}}};
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(&rig, f, 12, attributes, 2));
    attributes[1].value.preferredClusterDim.x = 8;
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(&rig, f, 12, attributes, 2)); /* does not divide the grid */
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, launch(&rig, four, 16, attributes, 2));
    attributes[1].value.preferredClusterDim.x = 0;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, launch(&rig, f, 16, attributes, 2));
    rig_close(&rig);
}

/* CTAs of one a SM that fit when a GPC is filled by whole clusters: from the configuration's text, by hand. */
static int clusters_of(const char *gpcs, int size)
{
    int clusters = 0;
    for (char *end; *gpcs; gpcs = end) {
        clusters += (int)strtol(gpcs, &end, 10) / size;
        while (*end == ' ')
            end++;
    }
    return clusters;
}

static CUresult active(const struct rig *rig, int *clusters, CUfunction f, unsigned shared, unsigned size)
{
    (void)rig;
    CUlaunchAttribute attribute = cluster_of(size, 1, 1);
    CUlaunchConfig config = {.gridDimX = size,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 64,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = shared,
                             .attrs = &attribute,
                             .numAttrs = size ? 1 : 0};
    return cuOccupancyMaxActiveClusters(clusters, f, &config);
}

static void occupancy_fills_every_gpc_with_whole_clusters(void **state)
{
    (void)state;
    static const char gpcs[] = "18 18 16 16 16 16 16 16"; /* configs/h200.toml */
    enum { SHARED = 200 << 10 };
    struct rig rig = rig_open();
    CUfunction f = function_of(&rig, "open_cluster"), pair = function_of(&rig, "pair");
    int clusters = -1;
    SUCCEEDS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, SHARED));
    for (unsigned size = 1; size <= 8; size++) {
        SUCCEEDS(active(&rig, &clusters, f, SHARED, size));
        assert_int_equal(clusters, clusters_of(gpcs, (int)size));
    }
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, active(&rig, &clusters, f, SHARED, 16));
    SUCCEEDS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    SUCCEEDS(active(&rig, &clusters, f, SHARED, 16));
    assert_int_equal(clusters, clusters_of(gpcs, 16));
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, active(&rig, &clusters, f, SHARED, 0)); /* no size at all */
    SUCCEEDS(active(&rig, &clusters, pair, 0, 0));                                   /* the code has one */
    assert_int_equal(clusters, 32 * 132 / 2);
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE, active(&rig, &clusters, pair, 0, 4));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, active(&rig, NULL, f, SHARED, 2));
    SUCCEEDS(active(&rig, &clusters, f, SHARED + 1, 2)); /* more than the function may have: none */
    assert_int_equal(clusters, 0);
    rig_close(&rig);
}

static int potential(CUfunction f, unsigned shared)
{
    int size = -1;
    CUlaunchConfig config = {.gridDimX = 1,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 64,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = shared};
    SUCCEEDS(cuOccupancyMaxPotentialClusterSize(&size, f, &config));
    return size;
}

static void the_largest_cluster_follows_code_and_permission(void **state)
{
    (void)state;
    struct rig rig = rig_open();
    CUfunction f = function_of(&rig, "open_cluster");
    assert_int_equal(potential(f, 0), 8);
    SUCCEEDS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    assert_int_equal(potential(f, 0), 16);
    assert_int_equal(potential(f, 49 << 10), 0); /* no CTA fits the function's limits */
    assert_int_equal(potential(function_of(&rig, "pair"), 0), 2);
    assert_int_equal(potential(function_of(&rig, "at_most_four"), 0), 4);
    rig_close(&rig);
}

UNIT_TESTS(UNIT(a_cluster_has_to_divide_the_grid_and_to_fit), UNIT(what_the_code_fixes_cannot_be_changed),
           UNIT(attributes_tell_the_cluster_of_the_code_and_of_the_program),
           UNIT(a_preferred_cluster_is_a_multiple_of_the_cluster), UNIT(occupancy_fills_every_gpc_with_whole_clusters),
           UNIT(the_largest_cluster_follows_code_and_permission))
