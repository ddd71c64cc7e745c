/* Level 2 against sums in double on the host: shapes, transposes, leading dimensions, increments, scalars. */
#include "tests/blas/rig.h"

#define LEVEL_TWO(letter, ger, gerc)                                                                                   \
    cublasStatus_t cublas##letter##gemv_v2(cublasHandle_t, int, int, int, const void *, const void *, int,             \
                                           const void *, int, const void *, void *, int);                              \
    cublasStatus_t cublas##letter##ger##_v2(cublasHandle_t, int, int, const void *, const void *, int, const void *,   \
                                            int, void *, int);
LEVEL_TWO(S, ger, ger)
LEVEL_TWO(D, ger, ger)
LEVEL_TWO(C, geru, gerc)
LEVEL_TWO(Z, geru, gerc)
cublasStatus_t cublasCgerc_v2(cublasHandle_t, int, int, const void *, const void *, int, const void *, int, void *,
                              int);
cublasStatus_t cublasZgerc_v2(cublasHandle_t, int, int, const void *, const void *, int, const void *, int, void *,
                              int);

static const struct form {
    unsigned type;
    cublasStatus_t (*gemv)(cublasHandle_t, int, int, int, const void *, const void *, int, const void *, int,
                           const void *, void *, int);
    cublasStatus_t (*ger[2])(cublasHandle_t, int, int, const void *, const void *, int, const void *, int, void *, int);
} forms[] = {
    {GEMM_F32, cublasSgemv_v2, {cublasSger_v2, cublasSger_v2}},
    {GEMM_F64, cublasDgemv_v2, {cublasDger_v2, cublasDger_v2}},
    {GEMM_C32, cublasCgemv_v2, {cublasCgeru_v2, cublasCgerc_v2}},
    {GEMM_C64, cublasZgemv_v2, {cublasZgeru_v2, cublasZgerc_v2}},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const char *const gpu = "rtx-a6000";

static const struct shape {
    int m, n, more, incx, incy;
} shapes[] = {{1, 1, 0, 1, 1},    {33, 17, 0, 1, 1},   {64, 70, 3, 1, 1}, {5, 300, 1, 2, -1},
              {300, 5, 0, -3, 2}, {257, 9, 7, -1, -2}, {7, 1, 0, 1, 1},   {1, 40, 2, 1, 3}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static size_t place(int i, int n, int increment)
{
    return (size_t)(increment > 0 ? i * increment : (n - 1 - i) * -increment);
}

static bool is_complex(unsigned type) { return type == GEMM_C32 || type == GEMM_C64; }

static void put(char bytes[16], unsigned type, double re, double x[2])
{
    x[0] = re;
    x[1] = is_complex(type) && re != 0 ? 0.25 : 0;
    rig_write(bytes, type, 0, x);
}

static void times(const double a[2], const double b[2], double product[2])
{
    product[0] = a[0] * b[0] - a[1] * b[1];
    product[1] = a[0] * b[1] + a[1] * b[0];
}

static void expect(const double found[2], const double right[2], double allowed, const char *what)
{
    if (!(fabs(found[0] - right[0]) <= allowed) || !(fabs(found[1] - right[1]) <= allowed))
        fail_msg("%s: %.17g %.17g instead of %.17g %.17g, which may differ by %g", what, found[0], found[1], right[0],
                 right[1], allowed);
}

static void try_gemv(const struct form *f, const struct shape *s, int op, double alpha_re, double beta_re)
{
    cublasHandle_t handle = rig_handle(gpu);
    int inner = op == BLAS_N ? s->n : s->m, outer = op == BLAS_N ? s->m : s->n, lda = s->m + s->more;
    double alpha[2], beta[2];
    char scalars[2][16];
    struct rig_matrix a = rig_matrix(f->type, (size_t)(lda * s->n), 1);
    struct rig_matrix x = rig_matrix(f->type, (size_t)(inner * abs(s->incx)), 2);
    struct rig_matrix y = rig_matrix(f->type, (size_t)(outer * abs(s->incy) + 3), 3);
    put(scalars[0], f->type, alpha_re, alpha);
    put(scalars[1], f->type, beta_re, beta);
    GOOD(f->gemv(handle, op, s->m, s->n, scalars[0], rig_at(&a, 0), lda, rig_at(&x, 0), s->incx, scalars[1],
                 rig_at(&y, 0), s->incy));
    void *found = rig_result(&y);
    for (int i = 0; i < outer; i++) {
        struct rig_sum sum = {0};
        double e[2], v[2], old[2], scaled[2], kept[2], got[2];
        for (int l = 0; l < inner; l++) {
            rig_read(a.host, f->type, (size_t)(op == BLAS_N ? i + l * lda : l + i * lda), e);
            rig_read(x.host, f->type, place(l, inner, s->incx), v);
            rig_add(&sum, e, v, op == BLAS_C, 0);
        }
        rig_read(y.host, f->type, place(i, outer, s->incy), old);
        times(alpha, (double[]){sum.re, sum.im}, scaled);
        times(beta, old, kept);
        double right[2] = {scaled[0] + kept[0], scaled[1] + kept[1]};
        rig_read(found, f->type, place(i, outer, s->incy), got);
        expect(got, right, (2 * sum.size + 4) * (inner + 4) * rig_precision(f->type), "gemv");
        rig_write(y.host, f->type, place(i, outer, s->incy), got);
    }
    /* Between the elements nothing is written. */
    assert_memory_equal(found, y.host, y.count * product_size(f->type));
    free(found);
    rig_free(&a);
    rig_free(&x);
    rig_free(&y);
}

static void products_with_a_vector_agree_with_sums_in_double(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < SHAPES; s++)
            for (int op = BLAS_N; op <= BLAS_C; op++)
                try_gemv(&forms[f], &shapes[s], op, 1.5, s % 2 ? -0.5 : 0);
}

static void outer_products_agree_with_products_in_double(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < 2 * SHAPES; s++) {
            const struct shape *shape = &shapes[s / 2];
            unsigned type = forms[f].type;
            int lda = shape->m + shape->more, conjugate = s % 2;
            double alpha[2];
            char scalar[16];
            struct rig_matrix a = rig_matrix(type, (size_t)(lda * shape->n), 1);
            struct rig_matrix x = rig_matrix(type, (size_t)(shape->m * abs(shape->incx)), 2);
            struct rig_matrix y = rig_matrix(type, (size_t)(shape->n * abs(shape->incy)), 3);
            put(scalar, type, -2, alpha);
            GOOD(forms[f].ger[conjugate](handle, shape->m, shape->n, scalar, rig_at(&x, 0), shape->incx, rig_at(&y, 0),
                                         shape->incy, rig_at(&a, 0), lda));
            void *found = rig_result(&a);
            for (int i = 0; i < lda * shape->n; i++) {
                double u[2] = {0}, v[2] = {0}, product[2], scaled[2], right[2], got[2];
                rig_read(a.host, type, (size_t)i, right);
                if (i % lda < shape->m) {
                    rig_read(x.host, type, place(i % lda, shape->m, shape->incx), u);
                    rig_read(y.host, type, place(i / lda, shape->n, shape->incy), v);
                    v[1] = conjugate ? -v[1] : v[1];
                }
                times(u, v, product);
                times(alpha, product, scaled);
                right[0] += scaled[0], right[1] += scaled[1];
                rig_read(found, type, (size_t)i, got);
                expect(got, right, i % lda < shape->m ? 24 * rig_precision(type) : 0, "ger");
            }
            free(found);
            rig_free(&a);
            rig_free(&x);
            rig_free(&y);
        }
}

static void fill(const struct rig_matrix *m, float value)
{
    for (unsigned i = 0; i < m->count; i++)
        assert_int_equal(cuMemcpyHtoD_v2(m->device + 4 * i, &value, 4), CUDA_SUCCESS);
}

static void nothing_is_read_where_a_scalar_is_zero(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    float one = 1, zero = 0;
    for (int op = BLAS_N; op <= BLAS_T; op++) {
        struct rig_matrix a = rig_matrix(GEMM_F32, 9, 1), x = rig_matrix(GEMM_F32, 3, 2),
                          y = rig_matrix(GEMM_F32, 3, 3);
        fill(&y, NAN);
        GOOD(cublasSgemv_v2(handle, op, 3, 3, &one, rig_at(&a, 0), 3, rig_at(&x, 0), 1, &zero, rig_at(&y, 0), 1));
        float *found = rig_result(&y);
        assert_true(found[0] == found[0] && found[2] == found[2]);
        free(found);
        fill(&a, NAN);
        GOOD(cublasSgemv_v2(handle, op, 3, 3, &zero, rig_at(&a, 0), 3, rig_at(&x, 0), 1, &zero, rig_at(&y, 0), 1));
        found = rig_result(&y);
        assert_true(found[0] == 0 && found[1] == 0 && found[2] == 0);
        free(found);
        rig_free(&a);
        rig_free(&x);
        rig_free(&y);
    }
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct rig_matrix a = rig_matrix(GEMM_F32, 64, 1);
    void *p = rig_at(&a, 0);
    float one = 1;
#define GEMV(h, op, m, n, al, lda, incx, incy) cublasSgemv_v2(h, op, m, n, al, p, lda, p, incx, &one, p, incy)
#define GER(h, m, n, al, incx, incy, lda) cublasSger_v2(h, m, n, al, p, incx, p, incy, p, lda)
    assert_int_equal(GEMV(NULL, 0, 2, 2, &one, 2, 1, 1), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(GEMV(handle, 3, 2, 2, &one, 2, 1, 1), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(GEMV(handle, 0, -1, 2, &one, 2, 1, 1), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(GEMV(handle, 0, 2, -1, &one, 2, 1, 1), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(GEMV(handle, 0, 3, 2, &one, 2, 1, 1), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(GEMV(handle, 0, 2, 2, &one, 2, 0, 1), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(GEMV(handle, 0, 2, 2, &one, 2, 1, 0), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(GEMV(handle, 0, 2, 2, NULL, 2, 1, 1), CUBLAS_STATUS_INVALID_VALUE);
    GOOD(GEMV(handle, 0, 0, 2, &one, 1, 1, 1));
    assert_int_equal(GER(NULL, 2, 2, &one, 1, 1, 2), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(GER(handle, -2, 2, &one, 1, 1, 2), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(GER(handle, 2, 2, &one, 0, 1, 2), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(GER(handle, 2, 2, &one, 1, 0, 2), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(GER(handle, 2, 2, &one, 1, 1, 1), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(GER(handle, 2, 2, NULL, 1, 1, 2), CUBLAS_STATUS_INVALID_VALUE);
    GOOD(GER(handle, 2, 0, &one, 1, 1, 2));
    p = NULL;
    assert_int_equal(GEMV(handle, 0, 2, 2, &one, 2, 1, 1), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(GER(handle, 2, 2, &one, 1, 1, 2), CUBLAS_STATUS_INVALID_VALUE);
    rig_free(&a);
}

UNIT_TESTS(UNIT(products_with_a_vector_agree_with_sums_in_double), UNIT(outer_products_agree_with_products_in_double),
           UNIT(nothing_is_read_where_a_scalar_is_zero), UNIT(wrong_arguments_have_the_documented_status))
