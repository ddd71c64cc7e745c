/* FP8 results with their largest size against double: types, orders, batches, scales, epilogues, and other types. */
#include "tests/blas/lt_rig.h"

enum { AMAX = 21, BIAS_TYPE = 26, LD = 4 };

static const struct amax_case {
    unsigned a, b, c, d; /* types */
    int m, n, k, batch;
    bool by_rows;
    unsigned epilogue;
    float beta;
} cases[] = {
    {GEMM_E4M3, GEMM_E4M3, GEMM_BF16, GEMM_E4M3, 5, 7, 16, 1, false, GEMM_NO_STEP, 0},
    {GEMM_E4M3, GEMM_E5M2, GEMM_F16, GEMM_E5M2, 40, 33, 32, 3, false, GEMM_NO_STEP, 0.5f},
    {GEMM_E5M2, GEMM_E4M3, GEMM_BF16, GEMM_E4M3, 16, 300, 16, 1, true, GEMM_NO_STEP, -1},
    {GEMM_E4M3, GEMM_E4M3, GEMM_F32, GEMM_E4M3, 300, 16, 64, 1, false, GEMM_RELU, 1},
    {GEMM_E4M3, GEMM_E4M3, GEMM_BF16, GEMM_E4M3, 32, 48, 16, 2, false, GEMM_BIAS, 0},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* The operands of a call. factors: scales of A, B and D, and the largest size. */
struct rigged {
    const struct amax_case *c;
    struct stored a, b, addend, d;
    struct rig_matrix factors, bias;
    operation_t operation;
};

static const float scales[4] = {0.5f, 0.25f, 4, -7};

static struct stored sized(unsigned type, int rows, int columns, const struct amax_case *c, bool by_rows, uint64_t seed)
{
    const struct lt_case shape = {.more = 16, .batch = c->batch};
    return stored(type, rows, columns, &shape, by_rows, seed);
}

static void set(operation_t op, int attribute, const void *value, size_t size)
{
    GOOD(cublasLtMatmulDescSetAttribute(op, attribute, value, size));
}

static struct rigged rigged(const struct amax_case *c)
{
    struct rigged r = {.c = c};
    int32_t transposed = BLAS_T, bias_type = GEMM_BF16;
    rig_handle(gpu);
    r.a = sized(c->a, c->k, c->m, c, false, 1);
    r.b = sized(c->b, c->k, c->n, c, false, 2);
    r.addend = sized(c->c, c->m, c->n, c, c->by_rows, 3);
    r.d = sized(c->d, c->m, c->n, c, c->by_rows, 4);
    r.factors = rig_matrix(GEMM_F32, 4, 5);
    r.bias = rig_matrix(GEMM_BF16, (size_t)c->m, 6);
    assert_int_equal(cuMemcpyHtoD_v2(r.factors.device, scales, sizeof scales), CUDA_SUCCESS);
    GOOD(cublasLtMatmulDescCreate(&r.operation, BLAS_COMPUTE_32F, GEMM_F32));
    void *places[] = {rig_at(&r.factors, 0), rig_at(&r.factors, 1), rig_at(&r.factors, 2), rig_at(&r.factors, 3),
                      rig_at(&r.bias, 0)};
    set(r.operation, TRANSA, &transposed, sizeof transposed);
    set(r.operation, SCALE_A, &places[0], sizeof places[0]);
    set(r.operation, SCALE_B, &places[1], sizeof places[0]);
    set(r.operation, SCALE_D, &places[2], sizeof places[0]);
    set(r.operation, AMAX, &places[3], sizeof places[0]);
    set(r.operation, EPILOGUE, &c->epilogue, sizeof c->epilogue);
    set(r.operation, BIAS, &places[4], sizeof places[0]);
    set(r.operation, BIAS_TYPE, &bias_type, sizeof bias_type);
    return r;
}

static cublasStatus_t run(const struct rigged *r)
{
    const float alpha = 0.75f;
    return cublasLtMatmul(rig_handle(gpu), r->operation, &alpha, rig_at(&r->a.data, 0), r->a.layout,
                          rig_at(&r->b.data, 0), r->b.layout, &r->c->beta, rig_at(&r->addend.data, 0), r->addend.layout,
                          rig_at(&r->d.data, 0), r->d.layout, NULL, NULL, 0, NULL);
}

/* Returns an element before its scale, and an upper limit of its error. */
static double element(const struct rigged *r, int z, int i, int j, double *error)
{
    const struct amax_case *c = r->c;
    struct rig_sum sum = rig_product(&r->a.data, (size_t)(z * r->a.stride), r->a.ld, BLAS_T, &r->b.data,
                                     (size_t)(z * r->b.stride), r->b.ld, BLAS_N, (size_t)i, (size_t)j, (size_t)c->k);
    double factor = 0.75 * (double)(scales[0] * scales[1]);
    double x =
        factor * sum.re + (double)c->beta * read_one(&r->addend.data, r->addend.data.host, place(&r->addend, z, i, j));
    if (c->epilogue == GEMM_BIAS)
        x += read_one(&r->bias, r->bias.host, (size_t)i);
    *error = (factor * sum.size + 4) * (2 * c->k + 8) * 0x1p-24;
    return c->epilogue == GEMM_RELU && x < 0 ? 0 : x;
}

static void compare(const struct rigged *r)
{
    void *found = rig_result(&r->d.data);
    float *factors = rig_result(&r->factors);
    double largest = 0, error = 0, most = r->c->d == GEMM_E4M3 ? 448 : 57344;
    for (int z = 0; z < r->c->batch; z++)
        for (int j = 0; j < r->c->n; j++)
            for (int i = 0; i < r->c->m; i++) {
                size_t at = place(&r->d, z, i, j);
                double x = element(r, z, i, j, &error), right = fmax(-most, fmin(most, x * (double)scales[2]));
                double got = read_one(&r->d.data, found, at);
                if (!(fabs(got - right) <= 4 * error + fabs(right) * rig_precision(r->c->d) * 1.01 + 0x1p-10))
                    fail_msg("(%d, %d) of %d: %.9g instead of %.9g", i, j, z, got, right);
                largest = fmax(largest, fabs(x));
                ((uint8_t *)r->d.data.host)[at] = ((uint8_t *)found)[at];
            }
    assert_memory_equal(found, r->d.data.host, r->d.data.count); /* nothing else is written */
    assert_true(fabs((double)factors[3] - largest) <= 2 * error + largest * 0x1p-20);
    assert_memory_equal(factors, scales, 3 * sizeof scales[0]);
    free(found);
    free(factors);
}

static void let_go(struct rigged *r)
{
    GOOD(cublasLtMatmulDescDestroy(r->operation));
    release(&r->a);
    release(&r->b);
    release(&r->addend);
    release(&r->d);
    rig_free(&r->factors);
    rig_free(&r->bias);
}

static void the_largest_size_is_that_before_the_scale(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        struct rigged r = rigged(&cases[k]);
        GOOD(run(&r));
        compare(&r);
        let_go(&r);
    }
}

static void a_largest_size_of_other_types_is_refused(void **state)
{
    (void)state;
    struct rigged r = rigged(&cases[0]);
    int32_t type = GEMM_BF16;
    int64_t small = 4, old = r.d.ld;
    GOOD(cublasLtMatrixLayoutSetAttribute(r.d.layout, LD, &small, sizeof small));
    assert_int_equal(run(&r), CUBLAS_STATUS_INVALID_VALUE);
    GOOD(cublasLtMatrixLayoutSetAttribute(r.d.layout, LD, &old, sizeof old));
    GOOD(cublasLtMatrixLayoutSetAttribute(r.d.layout, 0, &type, sizeof type));
    assert_int_equal(run(&r), CUBLAS_STATUS_NOT_SUPPORTED);
    void *found = rig_result(&r.d.data);
    assert_memory_equal(found, r.d.data.host, r.d.data.count);
    free(found);
    let_go(&r);
}

UNIT_TESTS(UNIT(the_largest_size_is_that_before_the_scale), UNIT(a_largest_size_of_other_types_is_refused))
