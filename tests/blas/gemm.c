/* Matrix products against sums in double, over types, transposes, shapes, leading dimensions and batches. */
#include "tests/blas/rig.h"

/* The scalars of a product, and how they are stored. */
struct scalars {
    double alpha[2], beta[2];
    char bytes[2][16];
};

static void put_scalar(char *bytes, unsigned sum, const double x[2])
{
    if (sum == GEMM_S32)
        *(int32_t *)(void *)bytes = (int32_t)x[0];
    else
        rig_write(bytes, sum, 0, x);
}

struct form {
    const char *name;
    unsigned a, b, c, compute, sum;
};

static const struct form forms[] = {
    {"f32", GEMM_F32, GEMM_F32, GEMM_F32, BLAS_COMPUTE_32F, GEMM_F32},
    {"tf32", GEMM_F32, GEMM_F32, GEMM_F32, BLAS_COMPUTE_32F_FAST_TF32, GEMM_F32},
    {"f64", GEMM_F64, GEMM_F64, GEMM_F64, BLAS_COMPUTE_64F, GEMM_F64},
    {"f16", GEMM_F16, GEMM_F16, GEMM_F16, BLAS_COMPUTE_32F, GEMM_F32},
    {"f16 to f32", GEMM_F16, GEMM_F16, GEMM_F32, BLAS_COMPUTE_32F, GEMM_F32},
    {"bf16", GEMM_BF16, GEMM_BF16, GEMM_BF16, BLAS_COMPUTE_32F, GEMM_F32},
    {"bf16 to f32", GEMM_BF16, GEMM_BF16, GEMM_F32, BLAS_COMPUTE_32F, GEMM_F32},
    {"f16 in f16", GEMM_F16, GEMM_F16, GEMM_F16, BLAS_COMPUTE_16F, GEMM_F16},
    {"c32", GEMM_C32, GEMM_C32, GEMM_C32, BLAS_COMPUTE_32F, GEMM_C32},
    {"c64", GEMM_C64, GEMM_C64, GEMM_C64, BLAS_COMPUTE_64F, GEMM_C64},
    {"s8", GEMM_S8, GEMM_S8, GEMM_S32, BLAS_COMPUTE_32I, GEMM_S32},
    {"s8 to f32", GEMM_S8, GEMM_S8, GEMM_F32, BLAS_COMPUTE_32F, GEMM_F32},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

struct shape {
    int m, n, k, more_a, more_b, more_c; /* by how much leading dimensions are larger than they need be */
    int batch;
    long long gap; /* elements between the matrices of a batch */
    int offset;    /* elements before the first matrix */
};

static struct scalars scalars_of(unsigned sum, double alpha, double beta)
{
    struct scalars s = {.alpha = {alpha, sum == GEMM_C32 || sum == GEMM_C64 ? 0.25 : 0}, .beta = {beta, 0}};
    if (sum == GEMM_S32)
        s.alpha[0] = trunc(alpha), s.beta[0] = trunc(beta);
    put_scalar(s.bytes[0], sum, s.alpha);
    put_scalar(s.bytes[1], sum, s.beta);
    return s;
}

/* The value that D(i, j) has to have, and how far it may be from it. */
static void expect(const struct form *f, const struct scalars *s, const struct rig_sum *sum, const double c[2],
                   size_t k, const double found[2])
{
    bool adds = s->beta[0] != 0;
    double re = s->alpha[0] * sum->re - s->alpha[1] * sum->im + (adds ? s->beta[0] * c[0] : 0);
    double im = s->alpha[0] * sum->im + s->alpha[1] * sum->re + (adds ? s->beta[0] * c[1] : 0);
    double sizes = hypot(s->alpha[0], s->alpha[1]) * sum->size + (adds ? fabs(s->beta[0]) * hypot(c[0], c[1]) : 0);
    double allowed = sizes * (double)(2 * k + 8) * rig_precision(f->sum) + hypot(re, im) * rig_precision(f->c) * 1.01;
    if (f->sum == GEMM_F16)
        allowed += 0x1p-24 * (double)k;
    if (f->c == GEMM_F16)
        allowed += 0x1p-25;
    if (!(fabs(found[0] - re) <= allowed) || !(fabs(found[1] - im) <= allowed))
        fail_msg("%s: %.17g %.17g instead of %.17g %.17g, which may differ by %g", f->name, found[0], found[1], re, im,
                 allowed);
}

static long long rows_of(int op, int rows, int columns) { return op == BLAS_N ? rows : columns; }

static void try(const char *gpu, const struct form *f, const struct shape *s, int op_a, int op_b, double alpha,
                double beta)
{
    cublasHandle_t handle = rig_handle(gpu);
    long long lda = rows_of(op_a, s->m, s->k) + s->more_a, ldb = rows_of(op_b, s->k, s->n) + s->more_b;
    long long ldc = s->m + s->more_c;
    lda += lda == 0, ldb += ldb == 0, ldc += ldc == 0;
    long long stride_a = lda * rows_of(op_a, s->k, s->m) + s->gap, stride_b = ldb * rows_of(op_b, s->n, s->k) + s->gap;
    long long stride_c = ldc * s->n + s->gap;
    size_t offset = (size_t)s->offset;
    struct rig_matrix a = rig_matrix(f->a, offset + (size_t)(stride_a * s->batch), 1);
    struct rig_matrix b = rig_matrix(f->b, offset + (size_t)(stride_b * s->batch), 2);
    struct rig_matrix c = rig_matrix(f->c, offset + (size_t)(stride_c * s->batch), 3);
    struct scalars scalars = scalars_of(f->sum, alpha, beta);
    GOOD(cublasGemmStridedBatchedEx(handle, op_a, op_b, s->m, s->n, s->k, scalars.bytes[0], rig_at(&a, offset),
                                    (int)f->a, (int)lda, stride_a, rig_at(&b, offset), (int)f->b, (int)ldb, stride_b,
                                    scalars.bytes[1], rig_at(&c, offset), (int)f->c, (int)ldc, stride_c, s->batch,
                                    (int)f->compute, 99));
    void *found = rig_result(&c);
    for (size_t i = 0; i < offset; i++)
        assert_memory_equal((char *)found + i * product_size(f->c), (char *)c.host + i * product_size(f->c),
                            product_size(f->c));
    for (size_t z = 0; z < (size_t)s->batch; z++)
        for (size_t j = 0; j < (size_t)s->n; j++)
            for (size_t i = 0; i < (size_t)ldc; i++) {
                double x[2], old[2];
                size_t at = offset + z * (size_t)stride_c + j * (size_t)ldc + i;
                rig_read(found, f->c, at, x);
                rig_read(c.host, f->c, at, old);
                if (i >= (size_t)s->m) {
                    assert_true(x[0] == old[0] && x[1] == old[1]); /* between columns nothing is written */
                    continue;
                }
                struct rig_sum sum = rig_product(&a, offset + z * (size_t)stride_a, lda, op_a, &b,
                                                 offset + z * (size_t)stride_b, ldb, op_b, i, j, (size_t)s->k);
                expect(f, &scalars, &sum, old, (size_t)s->k, x);
            }
    free(found);
    rig_free(&a);
    rig_free(&b);
    rig_free(&c);
}

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
           UNIT(nothing_is_read_where_a_scalar_is_zero), UNIT(scalars_in_device_memory_count_when_the_kernel_runs),
           UNIT(wrong_arguments_have_the_documented_status), UNIT(a_handle_that_was_destroyed_is_refused))
