/* Functions of level 1 with types as arguments against double, and updates of level 3 against those by name. */
#include "tests/blas/rig.h"

typedef cublasStatus_t axpy_32(cublasHandle_t, int, const void *, int, const void *, int, int, void *, int, int, int);
typedef cublasStatus_t axpy_64(cublasHandle_t, int64_t, const void *, int, const void *, int, int64_t, void *, int,
                               int64_t, int);
axpy_32 cublasAxpyEx;
axpy_64 cublasAxpyEx_64;
cublasStatus_t cublasScalEx(cublasHandle_t, int, const void *, int, void *, int, int, int);
cublasStatus_t cublasScalEx_64(cublasHandle_t, int64_t, const void *, int, void *, int, int64_t, int);
cublasStatus_t cublasNrm2Ex(cublasHandle_t, int, const void *, int, int, void *, int, int);
cublasStatus_t cublasNrm2Ex_64(cublasHandle_t, int64_t, const void *, int, int64_t, void *, int, int);
cublasStatus_t cublasRotEx(cublasHandle_t, int, void *, int, int, void *, int, int, const void *, const void *, int,
                           int);
cublasStatus_t cublasRotEx_64(cublasHandle_t, int64_t, void *, int, int64_t, void *, int, int64_t, const void *,
                              const void *, int, int);

/* A type of vectors, with those of its scalars, its norm and the execution, and of a rotation's numbers. */
static const struct form {
    int type, alpha, norm, execution, numbers;
} forms[] = {
    {GEMM_F16, GEMM_F32, GEMM_F16, GEMM_F32, GEMM_F16}, {GEMM_BF16, GEMM_F32, GEMM_BF16, GEMM_F32, GEMM_BF16},
    {GEMM_F32, GEMM_F32, GEMM_F32, GEMM_F32, GEMM_F32}, {GEMM_F64, GEMM_F64, GEMM_F64, GEMM_F64, GEMM_F64},
    {GEMM_C32, GEMM_C32, GEMM_F32, GEMM_C32, GEMM_F32}, {GEMM_C32, GEMM_C32, GEMM_F32, GEMM_C32, GEMM_C32},
    {GEMM_C64, GEMM_C64, GEMM_F64, GEMM_C64, GEMM_F64}, {GEMM_C64, GEMM_C64, GEMM_F64, GEMM_C64, GEMM_C64},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const char *const gpu = "rtx-a6000";

static const struct shape {
    int n, incx, incy;
} shapes[] = {{1, 1, 1}, {257, 3, 1}, {100, -1, 2}, {64, 2, -3}, {3000, 1, 1}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static size_t place(int i, int n, int increment)
{
    return (size_t)(increment > 0 ? i * increment : (n - 1 - i) * -increment);
}

static bool is_complex(int type) { return type == GEMM_C32 || type == GEMM_C64; }

static struct rig_matrix vector(int type, int n, int increment, uint64_t seed)
{
    rig_handle(gpu);
    return rig_matrix((unsigned)type, (size_t)(n * abs(increment) + 2), seed);
}

static void put(char bytes[16], int type, double re, double im, double x[2])
{
    rig_write(bytes, (unsigned)type, 0, (double[]){re, im});
    rig_read(bytes, (unsigned)type, 0, x);
}

/* Compares element i with `right` and puts it into the host's copy, so that the rest can be compared afterwards. */
static void check(const struct rig_matrix *m, const void *found, size_t at, const double right[2], double allowed)
{
    double got[2];
    rig_read(found, m->type, at, got);
    allowed += hypot(right[0], right[1]) * rig_precision(m->type) * 1.01 + (m->type == GEMM_F16 ? 0x1p-25 : 0);
    if (!(fabs(got[0] - right[0]) <= allowed) || !(fabs(got[1] - right[1]) <= allowed))
        fail_msg("type %u: %.17g %.17g instead of %.17g %.17g", m->type, got[0], got[1], right[0], right[1]);
    rig_write(m->host, m->type, at, got);
}

static void finish(struct rig_matrix *m, void *found)
{
    assert_memory_equal(found, m->host, m->count * product_size(m->type));
    free(found);
    rig_free(m);
}

static double precision(const struct form *f) { return rig_precision((unsigned)f->execution); }

static void sums_with_typed_scalars_agree_with_double(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    for (size_t k = 0; k < FORMS * SHAPES; k++) {
        const struct form *f = &forms[k / SHAPES];
        const struct shape *s = &shapes[k % SHAPES];
        struct rig_matrix x = vector(f->type, s->n, s->incx, 1), y = vector(f->type, s->n, s->incy, 2);
        double alpha[2], a[2], b[2];
        char bytes[16];
        put(bytes, f->alpha, 1.3, is_complex(f->alpha) ? -0.4 : 0, alpha);
        if (k % 2)
            GOOD(cublasAxpyEx(handle, s->n, bytes, f->alpha, rig_at(&x, 0), f->type, s->incx, rig_at(&y, 0), f->type,
                              s->incy, f->execution));
        else
            GOOD(cublasAxpyEx_64(handle, s->n, bytes, f->alpha, rig_at(&x, 0), f->type, s->incx, rig_at(&y, 0), f->type,
                                 s->incy, f->execution));
        void *found = rig_result(&y);
        for (int i = 0; i < s->n; i++) {
            rig_read(x.host, x.type, place(i, s->n, s->incx), a);
            rig_read(y.host, y.type, place(i, s->n, s->incy), b);
            double right[2] = {b[0] + alpha[0] * a[0] - alpha[1] * a[1], b[1] + alpha[0] * a[1] + alpha[1] * a[0]};
            check(&y, found, place(i, s->n, s->incy), right, 16 * precision(f));
        }
        rig_free(&x);
        finish(&y, found);
    }
}

static void vectors_times_typed_scalars_agree_with_double(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    for (size_t k = 0; k < FORMS * SHAPES; k++) {
        const struct form *f = &forms[k / SHAPES];
        int n = shapes[k % SHAPES].n, increment = abs(shapes[k % SHAPES].incx);
        struct rig_matrix x = vector(f->type, n, increment, 1);
        double alpha[2], a[2];
        char bytes[16];
        put(bytes, f->alpha, -0.7, is_complex(f->alpha) ? 1.1 : 0, alpha);
        if (k % 2)
            GOOD(cublasScalEx(handle, n, bytes, f->alpha, rig_at(&x, 0), f->type, increment, f->execution));
        else
            GOOD(cublasScalEx_64(handle, n, bytes, f->alpha, rig_at(&x, 0), f->type, increment, f->execution));
        void *found = rig_result(&x);
        for (int i = 0; i < n; i++) {
            rig_read(x.host, x.type, (size_t)(i * increment), a);
            double right[2] = {alpha[0] * a[0] - alpha[1] * a[1], alpha[0] * a[1] + alpha[1] * a[0]};
            check(&x, found, (size_t)(i * increment), right, 8 * precision(f));
        }
        finish(&x, found);
    }
}

static void typed_norms_agree_with_double(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    for (size_t k = 0; k < FORMS * SHAPES; k++) {
        const struct form *f = &forms[k / SHAPES];
        int n = shapes[k % SHAPES].n, increment = abs(shapes[k % SHAPES].incx);
        /* Complex vectors have the execution of their real parts. */
        int execution = is_complex(f->type) ? f->norm : f->execution;
        struct rig_matrix x = vector(f->type, n, increment, 1);
        double sum = 0, a[2], norm[2];
        char result[16] = {0};
        if (k % 2)
            GOOD(cublasNrm2Ex(handle, n, rig_at(&x, 0), f->type, increment, result, f->norm, execution));
        else
            GOOD(cublasNrm2Ex_64(handle, n, rig_at(&x, 0), f->type, increment, result, f->norm, execution));
        for (int i = 0; i < n; i++) {
            rig_read(x.host, x.type, (size_t)(i * increment), a);
            sum += a[0] * a[0] + a[1] * a[1];
        }
        rig_read(result, (unsigned)f->norm, 0, norm);
        double allowed = sqrt(sum) * (rig_precision((unsigned)f->norm) * 1.01 + 100 * precision(f));
        assert_true(fabs(norm[0] - sqrt(sum)) <= allowed);
        rig_free(&x);
    }
}

/* Squares of such numbers do not fit FP32. */
static void a_norm_of_large_narrow_numbers_does_not_overflow(void **state)
{
    (void)state;
    const uint16_t large = 0x7e80; /* 2^126 in BF16 */
    uint16_t result, four[4] = {large, large, large, large};
    struct rig_matrix x = vector(GEMM_BF16, 4, 1, 1);
    assert_int_equal(cuMemcpyHtoD_v2(x.device, four, sizeof four), CUDA_SUCCESS);
    GOOD(cublasNrm2Ex(rig_handle(gpu), 4, rig_at(&x, 0), GEMM_BF16, 1, &result, GEMM_BF16, GEMM_F32));
    assert_int_equal(result, 0x7f00); /* 2^127 */
    rig_free(&x);
}

static void typed_rotations_agree_with_double(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    for (size_t k = 0; k < FORMS * SHAPES; k++) {
        const struct form *f = &forms[k / SHAPES];
        const struct shape *t = &shapes[k % SHAPES];
        struct rig_matrix x = vector(f->type, t->n, t->incx, 1), y = vector(f->type, t->n, t->incy, 2);
        double c[2], s[2], a[2], b[2];
        char bytes[2][16];
        put(bytes[0], f->numbers, 0.6, 0, c);
        put(bytes[1], f->numbers, 0.7, is_complex(f->numbers) ? 0.2 : 0, s);
        if (k % 2)
            GOOD(cublasRotEx(handle, t->n, rig_at(&x, 0), f->type, t->incx, rig_at(&y, 0), f->type, t->incy, bytes[0],
                             bytes[1], f->numbers, f->execution));
        else
            GOOD(cublasRotEx_64(handle, t->n, rig_at(&x, 0), f->type, t->incx, rig_at(&y, 0), f->type, t->incy,
                                bytes[0], bytes[1], f->numbers, f->execution));
        void *found_x = rig_result(&x), *found_y = rig_result(&y);
        for (int i = 0; i < t->n; i++) {
            rig_read(x.host, x.type, place(i, t->n, t->incx), a);
            rig_read(y.host, y.type, place(i, t->n, t->incy), b);
            double first[2] = {c[0] * a[0] + s[0] * b[0] - s[1] * b[1], c[0] * a[1] + s[0] * b[1] + s[1] * b[0]};
            double second[2] = {c[0] * b[0] - s[0] * a[0] - s[1] * a[1], c[0] * b[1] - s[0] * a[1] + s[1] * a[0]};
            check(&x, found_x, place(i, t->n, t->incx), first, 16 * precision(f));
            check(&y, found_y, place(i, t->n, t->incy), second, 16 * precision(f));
        }
        finish(&x, found_x);
        finish(&y, found_y);
    }
}

static void typed_scalars_may_lie_on_the_device(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct rig_matrix x = vector(GEMM_BF16, 4, 1, 1), y = vector(GEMM_BF16, 4, 1, 2),
                      scalars = vector(GEMM_F32, 4, 1, 3);
    const float half = 0.5f;
    const uint16_t numbers[2] = {0x3f00, 0x3f80}; /* 0.5 and 1 in BF16 */
    assert_int_equal(cuMemcpyHtoD_v2(scalars.device, &half, 4), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD_v2(scalars.device + 4, numbers, 4), CUDA_SUCCESS);
    char *at = rig_at(&scalars, 0);
    GOOD(cublasSetPointerMode_v2(handle, BLAS_DEVICE));
    GOOD(cublasScalEx(handle, 4, at, GEMM_F32, rig_at(&x, 0), GEMM_BF16, 1, GEMM_F32));
    GOOD(cublasRotEx(handle, 4, rig_at(&x, 0), GEMM_BF16, 1, rig_at(&y, 0), GEMM_BF16, 1, at + 4, at + 6, GEMM_BF16,
                     GEMM_F32));
    GOOD(cublasNrm2Ex(handle, 4, rig_at(&x, 0), GEMM_BF16, 1, at + 8, GEMM_BF16, GEMM_F32));
    GOOD(cublasSetPointerMode_v2(handle, BLAS_HOST));
    void *found = rig_result(&x), *stored = rig_result(&scalars);
    double sum = 0, a[2], b[2], norm[2];
    for (int i = 0; i < 4; i++) {
        rig_read(x.host, GEMM_BF16, (size_t)i, a);
        rig_read(y.host, GEMM_BF16, (size_t)i, b);
        rig_read(found, GEMM_BF16, (size_t)i, norm);
        assert_true(fabs(norm[0] - (0.25 * a[0] + b[0])) <= 0x1p-7);
        sum += norm[0] * norm[0];
    }
    rig_read((char *)stored + 8, GEMM_BF16, 0, norm);
    assert_true(fabs(norm[0] - sqrt(sum)) <= sqrt(sum) * 0x1p-7);
    free(found), free(stored);
    rig_free(&x);
    rig_free(&y);
    rig_free(&scalars);
}

static void other_types_are_refused(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct rig_matrix v = vector(GEMM_F64, 8, 1, 1);
    void *x = rig_at(&v, 0), *y = rig_at(&v, 4);
    double one = 1, result = 5;
    const int no = CUBLAS_STATUS_NOT_SUPPORTED, invalid = CUBLAS_STATUS_INVALID_VALUE;
    assert_int_equal(cublasAxpyEx(NULL, 2, &one, 0, x, 0, 1, y, 0, 1, 0), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasAxpyEx(handle, 2, &one, 0, x, 0, 1, y, 1, 1, 0), no);
    assert_int_equal(cublasAxpyEx(handle, 2, &one, 1, x, 0, 1, y, 0, 1, 0), no);
    assert_int_equal(cublasAxpyEx(handle, 2, &one, 0, x, GEMM_F16, 1, y, GEMM_F16, 1, GEMM_F16), no);
    assert_int_equal(cublasAxpyEx(handle, 2, &one, 3, x, 3, 1, y, 3, 1, 3), no);
    assert_int_equal(cublasAxpyEx(handle, 2, NULL, 0, x, 0, 1, y, 0, 1, 0), invalid);
    assert_int_equal(cublasAxpyEx(handle, 2, &one, 0, NULL, 0, 1, y, 0, 1, 0), invalid);
    assert_int_equal(cublasScalEx(NULL, 2, &one, 0, x, 0, 1, 0), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasScalEx(handle, 2, &one, GEMM_F16, x, GEMM_F16, 1, GEMM_F32), no);
    assert_int_equal(cublasScalEx(handle, 2, &one, 0, x, 99, 1, 0), no);
    assert_int_equal(cublasScalEx(handle, 2, &one, 0, NULL, 0, 1, 0), invalid);
    assert_int_equal(cublasNrm2Ex(NULL, 2, x, 0, 1, &result, 0, 0), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasNrm2Ex(handle, 2, x, 0, 1, &result, 1, 0), no);
    assert_int_equal(cublasNrm2Ex(handle, 2, x, GEMM_C32, 1, &result, GEMM_C32, 0), no);
    assert_int_equal(cublasNrm2Ex(handle, 2, x, 0, 1, NULL, 0, 0), invalid);
    assert_int_equal(cublasRotEx(NULL, 2, x, 0, 1, y, 0, 1, &one, &one, 0, 0), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasRotEx(handle, 2, x, 0, 1, y, 1, 1, &one, &one, 0, 0), no);
    assert_int_equal(cublasRotEx(handle, 2, x, GEMM_F16, 1, y, GEMM_F16, 1, &one, &one, 0, 0), no);
    assert_int_equal(cublasRotEx(handle, 2, x, 0, 1, y, 0, 1, &one, &one, 0, 1), no);
    assert_int_equal(cublasRotEx(handle, 2, x, 0, 1, y, 0, 1, NULL, &one, 0, 0), invalid);
    GOOD(cublasScalEx(handle, 0, &one, 0, NULL, 0, 1, 0));
    assert_true(result == 5);
    void *found = rig_result(&v);
    assert_memory_equal(found, v.host, v.count * 8);
    free(found);
    rig_free(&v);
}

/* ---- level 3 ----------------------------------------------------------------------------------------------------- */

typedef cublasStatus_t update_of(cublasHandle_t, int, int, int, int, const void *, const void *, int, const void *,
                                 void *, int);
typedef cublasStatus_t typed_update(cublasHandle_t, int, int, int, int, const void *, const void *, int, int,
                                    const void *, void *, int, int);
update_of cublasCsyrk_v2, cublasCherk_v2;
typed_update cublasCsyrkEx, cublasCsyrk3mEx, cublasCherkEx, cublasCherk3mEx;

static void typed_updates_are_those_by_name(void **state)
{
    (void)state;
    static const struct {
        update_of *plain;
        typed_update *typed;
    } pairs[] = {{cublasCsyrk_v2, cublasCsyrkEx},
                 {cublasCsyrk_v2, cublasCsyrk3mEx},
                 {cublasCherk_v2, cublasCherkEx},
                 {cublasCherk_v2, cublasCherk3mEx}};
    cublasHandle_t handle = rig_handle(gpu);
    const float alpha[2] = {1.5f, 0}, beta[2] = {-0.5f, 0};
    enum { N = 9, K = 5 };
    for (int k = 0; k < 4; k++) {
        struct rig_matrix a = rig_matrix(GEMM_C32, N * K, 1), c = rig_matrix(GEMM_C32, N * N, 2);
        struct rig_matrix d = rig_matrix(GEMM_C32, N * N, 2);
        GOOD(pairs[k].plain(handle, 1, BLAS_N, N, K, alpha, rig_at(&a, 0), N, beta, rig_at(&c, 0), N));
        GOOD(pairs[k].typed(handle, 1, BLAS_N, N, K, alpha, rig_at(&a, 0), GEMM_C32, N, beta, rig_at(&d, 0), GEMM_C32,
                            N));
        void *right = rig_result(&c), *found = rig_result(&d);
        assert_memory_equal(found, right, N * N * 8);
        assert_memory_not_equal(found, d.host, N * N * 8);
        assert_int_equal(
            pairs[k].typed(handle, 1, BLAS_N, N, K, alpha, rig_at(&a, 0), 7, N, beta, rig_at(&d, 0), GEMM_C32, N),
            CUBLAS_STATUS_NOT_SUPPORTED);
        assert_int_equal(
            pairs[k].typed(NULL, 1, BLAS_N, N, K, alpha, rig_at(&a, 0), GEMM_C32, N, beta, rig_at(&d, 0), GEMM_C32, N),
            CUBLAS_STATUS_NOT_INITIALIZED);
        free(right), free(found);
        rig_free(&a);
        rig_free(&c);
        rig_free(&d);
    }
}

UNIT_TESTS(UNIT(sums_with_typed_scalars_agree_with_double), UNIT(vectors_times_typed_scalars_agree_with_double),
           UNIT(typed_norms_agree_with_double), UNIT(a_norm_of_large_narrow_numbers_does_not_overflow),
           UNIT(typed_rotations_agree_with_double), UNIT(typed_scalars_may_lie_on_the_device),
           UNIT(other_types_are_refused), UNIT(typed_updates_are_those_by_name))
