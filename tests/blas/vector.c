/* Level 1 against loops in double on the host, over types, lengths, increments of both signs, and numbers at the ends
 * of their range. */
#include <float.h>

#include "tests/blas/rig.h"

#define LEVEL_ONE(letter, real, search)                                                                                \
    cublasStatus_t cublas##letter##axpy_v2(cublasHandle_t, int, const void *, const void *, int, void *, int);         \
    cublasStatus_t cublas##letter##scal_v2(cublasHandle_t, int, const void *, void *, int);                            \
    cublasStatus_t cublas##letter##copy_v2(cublasHandle_t, int, const void *, int, void *, int);                       \
    cublasStatus_t cublas##letter##swap_v2(cublasHandle_t, int, void *, int, void *, int);                             \
    cublasStatus_t cublas##real##nrm2_v2(cublasHandle_t, int, const void *, int, void *);                              \
    cublasStatus_t cublas##real##asum_v2(cublasHandle_t, int, const void *, int, void *);                              \
    cublasStatus_t cublasI##search##amax_v2(cublasHandle_t, int, const void *, int, void *);                           \
    cublasStatus_t cublasI##search##amin_v2(cublasHandle_t, int, const void *, int, void *);
LEVEL_ONE(S, S, s)
LEVEL_ONE(D, D, d)
LEVEL_ONE(C, Sc, c)
LEVEL_ONE(Z, Dz, z)
#define DOT(name) cublasStatus_t cublas##name##_v2(cublasHandle_t, int, const void *, int, const void *, int, void *);
DOT(Sdot)
DOT(Ddot)
DOT(Cdotu)
DOT(Zdotu)
DOT(Cdotc)
DOT(Zdotc)
cublasStatus_t cublasCsscal_v2(cublasHandle_t, int, const void *, void *, int);
cublasStatus_t cublasIsamax_v2_64(cublasHandle_t, int64_t, const void *, int64_t, void *);
cublasStatus_t cublasDotEx(cublasHandle_t, int, const void *, int, int, const void *, int, int, void *, int, int);

static const struct form {
    unsigned type;
    cublasStatus_t (*axpy)(cublasHandle_t, int, const void *, const void *, int, void *, int);
    cublasStatus_t (*scal)(cublasHandle_t, int, const void *, void *, int);
    cublasStatus_t (*copy)(cublasHandle_t, int, const void *, int, void *, int);
    cublasStatus_t (*swap)(cublasHandle_t, int, void *, int, void *, int);
    cublasStatus_t (*nrm2)(cublasHandle_t, int, const void *, int, void *);
    cublasStatus_t (*asum)(cublasHandle_t, int, const void *, int, void *);
    cublasStatus_t (*amax)(cublasHandle_t, int, const void *, int, void *);
    cublasStatus_t (*amin)(cublasHandle_t, int, const void *, int, void *);
    cublasStatus_t (*dot[2])(cublasHandle_t, int, const void *, int, const void *, int, void *); /* [1]: conjugated */
} forms[] = {
#define FORM(type, letter, real, search, dot, dotc)                                                                    \
    {type,                                                                                                             \
     cublas##letter##axpy_v2,                                                                                          \
     cublas##letter##scal_v2,                                                                                          \
     cublas##letter##copy_v2,                                                                                          \
     cublas##letter##swap_v2,                                                                                          \
     cublas##real##nrm2_v2,                                                                                            \
     cublas##real##asum_v2,                                                                                            \
     cublasI##search##amax_v2,                                                                                         \
     cublasI##search##amin_v2,                                                                                         \
     {cublas##dot##_v2, cublas##dotc##_v2}},
    FORM(GEMM_F32, S, S, s, Sdot, Sdot) FORM(GEMM_F64, D, D, d, Ddot, Ddot) FORM(GEMM_C32, C, Sc, c, Cdotu, Cdotc)
        FORM(GEMM_C64, Z, Dz, z, Zdotu, Zdotc)};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const char *const gpu = "rtx-a6000";

static const struct shape {
    int n, incx, incy;
} shapes[] = {{1, 1, 1}, {33, 1, 1}, {257, 3, 1}, {100, -1, 2}, {64, 2, -3}, {50, -2, -1}, {5000, 1, 1}, {0, 1, 1}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Where element i of n lies, as the interface documents it. */
static size_t place(int i, int n, int increment)
{
    return (size_t)(increment > 0 ? i * increment : (n - 1 - i) * -increment);
}

static struct rig_matrix vector(unsigned type, int n, int increment, uint64_t seed)
{
    return rig_matrix(type, (size_t)(n * abs(increment) + 5), seed);
}

static void get(const struct rig_matrix *m, const struct shape *s, int i, int increment, double x[2])
{
    rig_read(m->host, m->type, place(i, s->n, increment), x);
}

static bool is_complex(unsigned type) { return type == GEMM_C32 || type == GEMM_C64; }

static unsigned real_type(unsigned type) { return type == GEMM_F32 || type == GEMM_C32 ? GEMM_F32 : GEMM_F64; }

/* Fails if an element of the device's vector is not the host's, which holds the expected values, within `ulps`. */
static void expect_vector(const struct rig_matrix *m, double ulps)
{
    void *found = rig_result(m);
    for (size_t i = 0; i < m->count; i++) {
        double x[2], y[2];
        rig_read(found, m->type, i, x);
        rig_read(m->host, m->type, i, y);
        double allowed = ulps * rig_precision(m->type);
        if (!(fabs(x[0] - y[0]) <= allowed) || !(fabs(x[1] - y[1]) <= allowed))
            fail_msg("element %zu of type %u: %.17g %.17g instead of %.17g %.17g", i, m->type, x[0], x[1], y[0], y[1]);
    }
    free(found);
}

static void elements_are_scaled_and_added_where_the_increments_say(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < SHAPES; s++) {
            const struct shape *shape = &shapes[s];
            double alpha[2] = {-1.5, is_complex(forms[f].type) ? 0.25 : 0};
            char scalar[16];
            rig_write(scalar, forms[f].type, 0, alpha);
            struct rig_matrix x = vector(forms[f].type, shape->n, shape->incx, 1);
            struct rig_matrix y = vector(forms[f].type, shape->n, shape->incy, 2);
            GOOD(forms[f].axpy(handle, shape->n, scalar, rig_at(&x, 0), shape->incx, rig_at(&y, 0), shape->incy));
            GOOD(forms[f].scal(handle, shape->n, scalar, rig_at(&x, 0), shape->incx));
            for (int i = 0; i < shape->n; i++) {
                double a[2], b[2];
                get(&x, shape, i, shape->incx, a);
                get(&y, shape, i, shape->incy, b);
                double scaled[2] = {alpha[0] * a[0] - alpha[1] * a[1], alpha[0] * a[1] + alpha[1] * a[0]};
                double sum[2] = {b[0] + scaled[0], b[1] + scaled[1]};
                rig_write(y.host, y.type, place(i, shape->n, shape->incy), sum);
                if (shape->incx > 0) /* else the vector of scal has no elements */
                    rig_write(x.host, x.type, place(i, shape->n, shape->incx), scaled);
            }
            expect_vector(&x, 6);
            expect_vector(&y, 8);
            rig_free(&x);
            rig_free(&y);
        }
}

static void copies_and_swaps_are_exact(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < SHAPES; s++) {
            const struct shape *shape = &shapes[s];
            struct rig_matrix x = vector(forms[f].type, shape->n, shape->incx, 1);
            struct rig_matrix y = vector(forms[f].type, shape->n, shape->incy, 2);
            struct rig_matrix z = vector(forms[f].type, shape->n, 1, 3);
            GOOD(forms[f].swap(handle, shape->n, rig_at(&x, 0), shape->incx, rig_at(&y, 0), shape->incy));
            GOOD(forms[f].copy(handle, shape->n, rig_at(&y, 0), shape->incy, rig_at(&z, 0), 1));
            for (int i = 0; i < shape->n; i++) {
                double a[2], b[2];
                get(&x, shape, i, shape->incx, a);
                get(&y, shape, i, shape->incy, b);
                rig_write(x.host, x.type, place(i, shape->n, shape->incx), b);
                rig_write(y.host, y.type, place(i, shape->n, shape->incy), a);
                rig_write(z.host, z.type, (size_t)i, a);
            }
            expect_vector(&x, 0);
            expect_vector(&y, 0);
            expect_vector(&z, 0);
            rig_free(&x);
            rig_free(&y);
            rig_free(&z);
        }
}

static void expect_number(const void *bytes, unsigned type, double re, double im, double allowed)
{
    double found[2];
    rig_read(bytes, type, 0, found);
    if (!(fabs(found[0] - re) <= allowed) || !(fabs(found[1] - im) <= allowed))
        fail_msg("type %u: %.17g %.17g instead of %.17g %.17g, which may differ by %g", type, found[0], found[1], re,
                 im, allowed);
}

static void sums_agree_with_sums_in_double(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < SHAPES; s++) {
            const struct shape *shape = &shapes[s];
            unsigned type = forms[f].type, real = real_type(type);
            double precision = rig_precision(type) * (shape->n + 4), squares = 0, sizes = 0;
            struct rig_matrix x = vector(type, shape->n, shape->incx, 1);
            struct rig_matrix y = vector(type, shape->n, shape->incy, 2);
            struct rig_sum sums[2] = {{0, 0, 0}, {0, 0, 0}};
            char result[16];
            for (int i = 0; i < shape->n; i++) {
                double a[2], b[2];
                get(&x, shape, i, shape->incx, a);
                get(&y, shape, i, shape->incy, b);
                for (int c = 0; c < 2; c++)
                    rig_add(&sums[c], a, b, c, 0);
                squares += shape->incx > 0 ? a[0] * a[0] + a[1] * a[1] : 0;
                sizes += shape->incx > 0 ? fabs(a[0]) + fabs(a[1]) : 0;
            }
            for (int c = 0; c < 2; c++) {
                memset(result, 0x55, sizeof result);
                GOOD(forms[f].dot[c](handle, shape->n, rig_at(&x, 0), shape->incx, rig_at(&y, 0), shape->incy, result));
                expect_number(result, type, sums[c].re, sums[c].im, sums[c].size * precision);
            }
            GOOD(forms[f].nrm2(handle, shape->n, rig_at(&x, 0), shape->incx, result));
            expect_number(result, real, sqrt(squares), 0, sqrt(squares) * precision);
            GOOD(forms[f].asum(handle, shape->n, rig_at(&x, 0), shape->incx, result));
            expect_number(result, real, sizes, 0, sizes * precision);
            rig_free(&x);
            rig_free(&y);
        }
}

/* `value` at some places, and `other` everywhere else. */
static struct rig_matrix pattern(unsigned type, int n, double other, double value, const int *places, int count)
{
    struct rig_matrix m = rig_matrix(type, (size_t)n, 1);
    double x[2] = {other, 0};
    for (int i = 0; i < n; i++)
        rig_write(m.host, type, (size_t)i, x);
    x[0] = value;
    for (int i = 0; i < count; i++)
        rig_write(m.host, type, (size_t)places[i], x);
    assert_int_equal(cuMemcpyHtoD_v2(m.device, m.host, (size_t)n * product_size(type)), CUDA_SUCCESS);
    return m;
}

static void searches_find_the_first_of_equal_elements_counted_from_one(void **state)
{
    (void)state;
    enum { N = 3000 };
    static const int places[] = {2999, 1234, 700, 1800};
    cublasHandle_t handle = rig_handle(gpu);
    for (size_t f = 0; f < FORMS; f++) {
        int at = -1;
        struct rig_matrix x = pattern(forms[f].type, N, 1, -2, places, 4);
        struct rig_matrix y = pattern(forms[f].type, N, -1, 0.5, places, 4);
        GOOD(forms[f].amax(handle, N, rig_at(&x, 0), 1, &at));
        assert_int_equal(at, 701);
        GOOD(forms[f].amin(handle, N, rig_at(&y, 0), 1, &at));
        assert_int_equal(at, 701);
        GOOD(forms[f].amax(handle, N / 100, rig_at(&x, 0), 100, &at)); /* elements 7 and 18 */
        assert_int_equal(at, 8);
        GOOD(forms[f].amax(handle, 0, rig_at(&x, 0), 1, &at));
        assert_int_equal(at, 0);
        at = 5;
        GOOD(forms[f].amax(handle, N, rig_at(&x, 0), 0, &at));
        assert_int_equal(at, 0);
        rig_free(&x);
        rig_free(&y);
    }
    int64_t far = -1;
    struct rig_matrix x = pattern(GEMM_F32, N, 1, 2, places, 1);
    GOOD(cublasIsamax_v2_64(handle, N, rig_at(&x, 0), 1, &far));
    assert_true(far == 3000);
    rig_free(&x);
}

static void a_search_takes_a_number_before_nan(void **state)
{
    (void)state;
    static const int places[] = {0, 3};
    cublasHandle_t handle = rig_handle(gpu);
    int at = -1;
    struct rig_matrix x = pattern(GEMM_F32, 600, -3, NAN, places, 2);
    GOOD(forms[0].amax(handle, 600, rig_at(&x, 0), 1, &at));
    assert_int_equal(at, 2);
    GOOD(forms[0].amin(handle, 600, rig_at(&x, 0), 1, &at));
    assert_int_equal(at, 2);
    GOOD(forms[0].amax(handle, 2, rig_at(&x, 0), 3, &at)); /* nothing but NaN */
    assert_int_equal(at, 1);
    rig_free(&x);
}

static void a_norm_is_right_where_its_square_is_out_of_range(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    static const int places[] = {5, 6};
    const struct {
        double other, value, norm;
    } cases[2][4] = {
        {{0, 1e30, 1.4142135623730951e30},
         {1e-30, 1e-30, 1.7320508075688772e-29},
         {1, 1e25, 1.4142135623730951e25},
         {1e-25, 1, 1.4142135623730951}},
        {{0, 1e300, 1.4142135623730951e300},
         {1e-300, 1e-300, 1.7320508075688772e-299},
         {1, 1e200, 1.4142135623730951e200},
         {1e-200, 1, 1.4142135623730951}},
    };
    for (size_t f = 0; f < FORMS; f++)
        for (int i = 0; i < 4; i++) {
            char result[16];
            unsigned real = real_type(forms[f].type);
            double norm = cases[real == GEMM_F64][i].norm;
            struct rig_matrix x = pattern(forms[f].type, 300, cases[real == GEMM_F64][i].other,
                                          cases[real == GEMM_F64][i].value, places, 2);
            GOOD(forms[f].nrm2(handle, 300, rig_at(&x, 0), 1, result));
            expect_number(result, real, norm, 0, norm * 300 * rig_precision(real));
            rig_free(&x);
        }
    float result;
    struct rig_matrix x = pattern(GEMM_F32, 300, 1, INFINITY, places, 2);
    GOOD(forms[0].nrm2(handle, 300, rig_at(&x, 0), 1, &result));
    assert_true(result == INFINITY);
    rig_free(&x);
    x = pattern(GEMM_F32, 300, 1e30, NAN, places, 2);
    GOOD(forms[0].nrm2(handle, 300, rig_at(&x, 0), 1, &result));
    assert_true(result != result);
    rig_free(&x);
}

static void narrow_vectors_are_multiplied_with_sums_in_fp32(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    for (int i = 0; i < 2; i++) {
        unsigned type = i ? GEMM_BF16 : GEMM_F16;
        struct shape shape = {700, 1, 2};
        struct rig_matrix x = vector(type, shape.n, shape.incx, 1), y = vector(type, shape.n, shape.incy, 2);
        struct rig_sum sum = {0};
        for (int k = 0; k < shape.n; k++) {
            double a[2], b[2];
            get(&x, &shape, k, shape.incx, a);
            get(&y, &shape, k, shape.incy, b);
            rig_add(&sum, a, b, 0, 0);
        }
        uint16_t result;
        GOOD(cublasDotEx(handle, shape.n, rig_at(&x, 0), (int)type, shape.incx, rig_at(&y, 0), (int)type, shape.incy,
                         &result, (int)type, GEMM_F32));
        expect_number(&result, type, sum.re, 0, sum.size * 700 * 0x1p-24 + fabs(sum.re) * rig_precision(type) * 1.01);
        assert_int_equal(cublasDotEx(handle, 1, rig_at(&x, 0), (int)type, 1, rig_at(&y, 0), (int)type, 1, &result,
                                     (int)type, GEMM_F64),
                         CUBLAS_STATUS_NOT_SUPPORTED);
        rig_free(&x);
        rig_free(&y);
    }
}

static void results_and_scalars_can_be_in_device_memory(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct rig_matrix x = vector(GEMM_F32, 1000, 1, 1), out = vector(GEMM_F32, 4, 1, 2);
    float two = 2, sum = 0;
    assert_int_equal(cuMemcpyHtoD_v2(out.device, &two, 4), CUDA_SUCCESS);
    GOOD(cublasSetPointerMode_v2(handle, BLAS_DEVICE));
    GOOD(cublasSscal_v2(handle, 1000, rig_at(&out, 0), rig_at(&x, 0), 1));
    GOOD(cublasSasum_v2(handle, 1000, rig_at(&x, 0), 1, rig_at(&out, 1)));
    GOOD(cublasSasum_v2(handle, 0, rig_at(&x, 0), 1, rig_at(&out, 2)));
    GOOD(cublasSetPointerMode_v2(handle, BLAS_HOST));
    for (int i = 0; i < 1000; i++)
        sum += 2 * fabsf(((float *)x.host)[i]);
    float *found = rig_result(&out);
    assert_true(fabsf(found[1] - sum) <= sum * 1e-5f);
    assert_true(found[2] == 0 && found[3] == ((float *)out.host)[3]);
    free(found);
    rig_free(&x);
    rig_free(&out);
}

static void nothing_is_read_when_alpha_is_zero(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    static const int places[] = {1};
    struct rig_matrix x = pattern(GEMM_F32, 4, 1, NAN, places, 1), y = vector(GEMM_F32, 4, 1, 2);
    float zero = 0;
    GOOD(cublasSaxpy_v2(handle, 4, &zero, rig_at(&x, 0), 1, rig_at(&y, 0), 1));
    expect_vector(&y, 0);
    rig_free(&x);
    rig_free(&y);
}

static void a_real_number_scales_both_parts(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct rig_matrix x = vector(GEMM_C32, 40, 1, 1);
    float half = 0.5f;
    GOOD(cublasCsscal_v2(handle, 40, &half, rig_at(&x, 0), 1));
    for (int i = 0; i < 80; i++)
        ((float *)x.host)[i] *= 0.5f;
    for (int i = 80; i < 90; i++)
        assert_true(((float *)x.host)[i] == ((float *)x.host)[i]);
    expect_vector(&x, 0);
    rig_free(&x);
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct rig_matrix x = vector(GEMM_F32, 8, 1, 1);
    void *p = rig_at(&x, 0);
    float one = 1;
    assert_int_equal(cublasSaxpy_v2(NULL, 8, &one, p, 1, p, 1), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasSaxpy_v2(handle, 8, NULL, p, 1, p, 1), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasSaxpy_v2(handle, 8, &one, NULL, 1, p, 1), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasSaxpy_v2(handle, 8, &one, p, 1, NULL, 1), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasSdot_v2(NULL, 8, p, 1, p, 1, &one), CUBLAS_STATUS_NOT_INITIALIZED);
    assert_int_equal(cublasSdot_v2(handle, 8, p, 1, p, 1, NULL), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasSnrm2_v2(handle, 8, p, 1, NULL), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(cublasIsamax_v2(handle, 8, NULL, 1, &one), CUBLAS_STATUS_INVALID_VALUE);
    GOOD(cublasSaxpy_v2(handle, -1, &one, NULL, 1, NULL, 1));
    GOOD(cublasSdot_v2(handle, -1, NULL, 1, NULL, 1, &one));
    assert_true(one == 0);
    rig_free(&x);
}

UNIT_TESTS(UNIT(elements_are_scaled_and_added_where_the_increments_say), UNIT(copies_and_swaps_are_exact),
           UNIT(sums_agree_with_sums_in_double), UNIT(searches_find_the_first_of_equal_elements_counted_from_one),
           UNIT(a_search_takes_a_number_before_nan), UNIT(a_norm_is_right_where_its_square_is_out_of_range),
           UNIT(narrow_vectors_are_multiplied_with_sums_in_fp32), UNIT(results_and_scalars_can_be_in_device_memory),
           UNIT(nothing_is_read_when_alpha_is_zero), UNIT(a_real_number_scales_both_parts),
           UNIT(wrong_arguments_have_the_documented_status))
