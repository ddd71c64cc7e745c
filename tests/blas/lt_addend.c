/* cublasLt's C apart from D: one vector for all columns or rows, and a matrix with D's layout. */
#include "tests/blas/lt_rig.h"

/* A product with a C that has its own layout, or none. */
struct apart {
    struct lt_case shape;
    struct stored a, b, c, d;
    operation_t operation;
};

static struct apart apart(unsigned type, int m, int n, int k, bool by_rows, int batch)
{
    struct apart t = {.shape = {.type = type,
                                .result = type,
                                .m = m,
                                .n = n,
                                .k = k,
                                .more = 8,
                                .batch = batch,
                                .alpha = 1.5f,
                                .beta = -0.5f}};
    rig_handle(gpu);
    t.a = stored(type, m, k, &t.shape, false, 1);
    t.b = stored(type, k, n, &t.shape, false, 2);
    t.c = stored(type, m, n, &t.shape, by_rows, 3);
    t.d = stored(type, m, n, &t.shape, by_rows, 4);
    GOOD(cublasLtMatmulDescCreate(&t.operation, BLAS_COMPUTE_32F, GEMM_F32));
    return t;
}

static cublasStatus_t run(const struct apart *t, layout_t c)
{
    return cublasLtMatmul(rig_handle(gpu), t->operation, &t->shape.alpha, rig_at(&t->a.data, 0), t->a.layout,
                          rig_at(&t->b.data, 0), t->b.layout, &t->shape.beta, rig_at(&t->c.data, 0), c,
                          rig_at(&t->d.data, 0), t->d.layout, NULL, NULL, 0, NULL);
}

/* Compares D with the sum. `ld` is the leading dimension of C. */
static void finish(struct apart *t, long long ld)
{
    const struct lt_case *s = &t->shape;
    void *found = rig_result(&t->d.data);
    for (int z = 0; z < s->batch; z++)
        for (int j = 0; j < s->n; j++)
            for (int i = 0; i < s->m; i++) {
                struct rig_sum sum =
                    rig_product(&t->a.data, (size_t)(z * t->a.stride), t->a.ld, BLAS_N, &t->b.data,
                                (size_t)(z * t->b.stride), t->b.ld, BLAS_N, (size_t)i, (size_t)j, (size_t)s->k);
                size_t at = (size_t)(z * t->c.stride + (t->c.by_rows ? i * ld + j : j * ld + i));
                double right = (double)s->alpha * sum.re + (double)s->beta * read_one(&t->c.data, t->c.data.host, at);
                double allowed =
                    (2 * sum.size + 2) * (2 * s->k + 8) * 0x1p-24 + fabs(right) * rig_precision(s->type) * 1.01;
                double got = read_one(&t->d.data, found, place(&t->d, z, i, j));
                if (!(fabs(got - right) <= allowed))
                    fail_msg("(%d, %d) of %d: %.9g instead of %.9g", i, j, z, got, right);
            }
    free(found);
    GOOD(cublasLtMatmulDescDestroy(t->operation));
    release(&t->a);
    release(&t->b);
    release(&t->c);
    release(&t->d);
}

/* Sizes for small tiles, and for the tiles that TMA fills. */
static const struct {
    unsigned type;
    int m, n, k, batch;
} cases[] = {
    {GEMM_F32, 5, 7, 3, 2}, {GEMM_F16, 40, 24, 16, 1}, {GEMM_BF16, 256, 256, 64, 2}, {GEMM_F32, 256, 130, 8, 1}};
enum { CASES = sizeof cases / sizeof cases[0], LD = 4 };

static void a_leading_dimension_of_zero_adds_one_vector_everywhere(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * CASES; k++) {
        struct apart t =
            apart(cases[k / 2].type, cases[k / 2].m, cases[k / 2].n, cases[k / 2].k, k % 2, cases[k / 2].batch);
        int64_t zero = 0;
        GOOD(cublasLtMatrixLayoutSetAttribute(t.c.layout, LD, &zero, sizeof zero));
        GOOD(run(&t, t.c.layout));
        finish(&t, 0);
    }
}

static void without_a_layout_the_addend_has_that_of_the_result(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * CASES; k++) {
        struct apart t =
            apart(cases[k / 2].type, cases[k / 2].m, cases[k / 2].n, cases[k / 2].k, k % 2, cases[k / 2].batch);
        GOOD(run(&t, NULL));
        finish(&t, t.d.ld);
    }
}

static void other_leading_dimensions_have_to_be_large_enough(void **state)
{
    (void)state;
    struct apart t = apart(GEMM_F32, 5, 7, 3, false, 1);
    const int64_t given[] = {-1, 1, 4};
    int64_t zero = 0;
    for (int k = 0; k < 3; k++) {
        GOOD(cublasLtMatrixLayoutSetAttribute(t.c.layout, LD, &given[k], sizeof given[k]));
        assert_int_equal(run(&t, t.c.layout), CUBLAS_STATUS_INVALID_VALUE);
    }
    GOOD(cublasLtMatrixLayoutSetAttribute(t.c.layout, LD, &t.c.ld, sizeof t.c.ld));
    GOOD(cublasLtMatrixLayoutSetAttribute(t.d.layout, LD, &zero, sizeof zero));
    assert_int_equal(run(&t, t.c.layout), CUBLAS_STATUS_INVALID_VALUE);
    GOOD(cublasLtMatrixLayoutSetAttribute(t.d.layout, LD, &t.d.ld, sizeof t.d.ld));
    GOOD(run(&t, t.c.layout));
    finish(&t, t.c.ld);
}

UNIT_TESTS(UNIT(a_leading_dimension_of_zero_adds_one_vector_everywhere),
           UNIT(without_a_layout_the_addend_has_that_of_the_result),
           UNIT(other_leading_dimensions_have_to_be_large_enough))
