/* Matrix products against sums in double, over types, transposes, shapes, leading dimensions and batches. */
#include "tests/blas/trial.h"

static const char *gpu(void)
{
    const char *named = getenv("SUBCORE_GPU");
    return named ? named : "rtx-a6000";
}

static void every_type_and_transpose_agrees_with_sums_in_double(void **state)
{
    (void)state;
    static const struct shape shapes[] = {
        {33, 17, 40, 0, 0, 0, 1, 0, 0},
        {64, 72, 32, 8, 8, 2, 1, 0, 0},
    };
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            for (int op_a = BLAS_N; op_a <= BLAS_C; op_a++)
                for (int op_b = BLAS_N; op_b <= BLAS_C; op_b++)
                    try(gpu(), &forms[f], &shapes[s], op_a, op_b, 1.5, s == 0 ? 0 : -0.5);
}

static void edges_of_shapes_and_addresses_agree(void **state)
{
    (void)state;
    static const struct shape shapes[] = {
        {1, 1, 1, 0, 0, 0, 1, 0, 0},    {1, 70, 9, 0, 0, 0, 1, 0, 1},  {70, 1, 9, 3, 1, 1, 1, 0, 0},
        {65, 63, 33, 7, 1, 0, 1, 0, 3}, {8, 8, 200, 0, 0, 0, 1, 0, 0}, {129, 130, 7, 1, 0, 0, 1, 0, 0},
        {16, 24, 16, 0, 0, 0, 3, 8, 0}, {15, 9, 31, 0, 0, 0, 3, 1, 1}, {5, 5, 0, 0, 0, 0, 2, 0, 0},
        {0, 4, 4, 0, 0, 0, 1, 0, 0},    {4, 0, 4, 0, 0, 0, 1, 0, 0},
    };
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            for (int op_a = BLAS_N; op_a <= BLAS_T; op_a++)
                for (int op_b = BLAS_N; op_b <= BLAS_T; op_b++)
                    try(gpu(), &forms[f], &shapes[s], op_a, op_b, 1, op_a ? 2 : 0);
}

/* 84 SMs: half of them have a large tile. */
static void large_tiles_agree(void **state)
{
    (void)state;
    static const struct shape shape = {260, 200, 72, 4, 0, 0, 11, 8, 0};
    for (size_t f = 0; f < FORMS; f++)
        if (forms[f].a == GEMM_F32 || forms[f].sum == GEMM_F32)
            try(gpu(), &forms[f], &shape, f % 2 ? BLAS_T : BLAS_N, f / 2 % 2 ? BLAS_T : BLAS_N, 1, 0);
    static const struct form *half = &forms[3];
    for (int op = 0; op < 4; op++)
        try(gpu(), half, &shape, op % 2, op / 2, 1, 1);
}

/* Tiles and chunks at the end of a matrix, of which it has a part; and sums that are several rounds of a ring long. */
static void large_tiles_agree_at_the_ends_of_matrices(void **state)
{
    (void)state;
    static const struct shape ends = {257, 201, 65, 7, 7, 7, 7, 8, 0}, deep = {256, 200, 296, 0, 0, 0, 11, 8, 0};
    static const int chosen[] = {0, 3, 5}; /* FP32, FP16, BF16 */
    for (int i = 0; i < 3; i++) {
        const struct form *f = &forms[chosen[i]];
        for (int op = 0; op < 4; op++)
            try(gpu(), f, &ends, op % 2, op / 2, 1.5, op == 1 ? -0.5 : 0);
        if (unit_full() || i < 2)
            try(gpu(), f, &deep, i == 1, BLAS_N, 1, 0);
    }
}

/* A B200 multiplies pairs of FP32 numbers. */
static void large_tiles_of_fp32_agree_on_a_b200(void **state)
{
    (void)state;
    static const struct shape ends = {257, 201, 65, 7, 7, 7, 13, 8, 0}, whole = {256, 256, 96, 0, 0, 0, 19, 0, 0};
    for (int op = 0; op < 4; op++) {
        try("b200", &forms[0], &ends, op % 2, op / 2, 1.5, op == 1 ? -0.5 : 0);
        try("b200", &forms[0], &whole, op % 2, op / 2, 1, op == 2 ? 1 : 0);
    }
}

static void nothing_is_read_where_a_scalar_is_zero(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu());
    float nan = NAN, one = 1, zero = 0;
    struct rig_matrix a = rig_matrix(GEMM_F32, 4, 1), c = rig_matrix(GEMM_F32, 4, 1);
    for (int i = 0; i < 4; i++)
        assert_int_equal(cuMemcpyHtoD_v2(c.device + 4u * (unsigned)i, &nan, 4), CUDA_SUCCESS);
    GOOD(cublasGemmEx(handle, 0, 0, 2, 2, 2, &one, rig_at(&a, 0), 0, 2, rig_at(&a, 0), 0, 2, &zero, rig_at(&c, 0), 0, 2,
                      BLAS_COMPUTE_32F, -1));
    float *found = rig_result(&c);
    for (int i = 0; i < 4; i++)
        assert_true(found[i] == found[i]);
    free(found);
    for (int i = 0; i < 4; i++)
        assert_int_equal(cuMemcpyHtoD_v2(a.device + 4u * (unsigned)i, &nan, 4), CUDA_SUCCESS);
    GOOD(cublasGemmEx(handle, 0, 0, 2, 2, 2, &zero, rig_at(&a, 0), 0, 2, rig_at(&a, 0), 0, 2, &zero, rig_at(&c, 0), 0,
                      2, BLAS_COMPUTE_32F, -1));
    found = rig_result(&c);
    for (int i = 0; i < 4; i++)
        assert_true(found[i] == 0);
    free(found);
    rig_free(&a);
    rig_free(&c);
}

static void scalars_in_device_memory_count_when_the_kernel_runs(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu());
    float scalars[2] = {2, 3}, one = 1, zero = 0;
    struct rig_matrix a = rig_matrix(GEMM_F32, 1, 1), c = rig_matrix(GEMM_F32, 1, 2), s = rig_matrix(GEMM_F32, 2, 3);
    assert_int_equal(cuMemcpyHtoD_v2(s.device, scalars, sizeof scalars), CUDA_SUCCESS);
    GOOD(cublasSetPointerMode_v2(handle, BLAS_DEVICE));
    GOOD(cublasGemmEx(handle, 0, 0, 1, 1, 1, rig_at(&s, 0), rig_at(&a, 0), 0, 1, rig_at(&a, 0), 0, 1, rig_at(&s, 1),
                      rig_at(&c, 0), 0, 1, BLAS_COMPUTE_32F, -1));
    GOOD(cublasSetPointerMode_v2(handle, BLAS_HOST));
    float *found = rig_result(&c), x = *(float *)a.host;
    assert_true(fabsf(*found - (2 * (x * x) + 3 * *(float *)c.host)) <= 1e-6f);
    free(found);
    (void)one, (void)zero;
    rig_free(&a);
    rig_free(&c);
    rig_free(&s);
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu());
    float one = 1;
    struct rig_matrix a = rig_matrix(GEMM_F32, 64, 1);
    void *p = rig_at(&a, 0);
#define CALL(h, ta, tb, m, n, k, al, type, lda, ldb, ldc, compute)                                                     \
    cublasGemmEx(h, ta, tb, m, n, k, al, p, type, lda, p, type, ldb, &one, p, type, ldc, compute, -1)
    assert_int_equal(CALL(NULL, 0, 0, 2, 2, 2, &one, 0, 2, 2, 2, 68), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(CALL(handle, 3, 0, 2, 2, 2, &one, 0, 2, 2, 2, 68), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(CALL(handle, 0, 0, -1, 2, 2, &one, 0, 2, 2, 2, 68), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(CALL(handle, 0, 0, 2, 2, 2, NULL, 0, 2, 2, 2, 68), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(CALL(handle, 0, 0, 4, 2, 2, &one, 0, 3, 2, 4, 68), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(CALL(handle, 1, 0, 4, 2, 3, &one, 0, 2, 3, 4, 68), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(CALL(handle, 0, 0, 4, 2, 3, &one, 0, 4, 2, 4, 68), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(CALL(handle, 0, 0, 4, 2, 3, &one, 0, 4, 3, 3, 68), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(CALL(handle, 0, 0, 2, 2, 2, &one, 1, 2, 2, 2, 68), CUBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(CALL(handle, 0, 0, 2, 2, 2, &one, 77, 2, 2, 2, 68), CUBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(CALL(handle, 0, 0, 2, 2, 2, &one, 0, 2, 2, 2, 5), CUBLAS_STATUS_NOT_SUPPORTED);
    p = NULL;
    assert_int_equal(CALL(handle, 0, 0, 2, 2, 2, &one, 0, 2, 2, 2, 68), CUBLAS_STATUS_INVALID_VALUE);
    rig_free(&a);
}

static void a_handle_that_was_destroyed_is_refused(void **state)
{
    (void)state;
    rig_handle(gpu());
    cublasHandle_t other;
    GOOD(cublasCreate_v2(&other));
    GOOD(cublasDestroy_v2(other));
    assert_int_equal(cublasDestroy_v2(NULL), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasCreate_v2(NULL), CUBLAS_STATUS_INVALID_VALUE);
}

UNIT_TESTS(UNIT(every_type_and_transpose_agrees_with_sums_in_double), UNIT(edges_of_shapes_and_addresses_agree),
           UNIT(large_tiles_agree), UNIT(large_tiles_agree_at_the_ends_of_matrices),
           UNIT(large_tiles_of_fp32_agree_on_a_b200), UNIT(nothing_is_read_where_a_scalar_is_zero),
           UNIT(scalars_in_device_memory_count_when_the_kernel_runs), UNIT(wrong_arguments_have_the_documented_status),
           UNIT(a_handle_that_was_destroyed_is_refused))
