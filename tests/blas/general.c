/* Eigenvalues of general matrices: residuals in double, known eigenvalues, LAPACK's order of conjugate pairs, lengths
 * and phases of vectors, sizes, and wrong arguments. */
#include "tests/blas/decomposition.h"

enum { VECTORS = 1 };

#define GEEV_TYPES                                                                                                     \
    struct blas *, void *, int, int, int64_t, int, void *, int64_t, int, void *, int, void *, int64_t, int, void *,    \
        int64_t, int
cusolverStatus_t cusolverDnXgeev_bufferSize(GEEV_TYPES, size_t *, size_t *);
cusolverStatus_t cusolverDnXgeev(GEEV_TYPES, void *, size_t, void *, size_t, int *);

static const unsigned types[] = {GEMM_F32, GEMM_F64, GEMM_C32, GEMM_C64};
enum { TYPES = sizeof types / sizeof types[0] };

static bool is_complex(unsigned type) { return type == GEMM_C32 || type == GEMM_C64; }
static unsigned complex_of(unsigned type) { return type == GEMM_F32 ? GEMM_C32 : type == GEMM_F64 ? GEMM_C64 : type; }

/* A matrix with its eigenvalues and vectors, which tests compare. */
struct result {
    unsigned type;
    int n;
    struct plain a, left, right; /* vectors stand in columns, complex ones too */
    double complex *values;
};

/* Columns as complex vectors. A pair's two columns in a real matrix are the real and the imaginary part. */
static struct plain vectors_of(const struct rig_matrix *m, const struct result *r, int pitch)
{
    struct plain v = plain_result(m, r->n, r->n, pitch);
    for (int j = 0; j < r->n && !is_complex(r->type); j++)
        if (cimag(r->values[j]) > 0) {
            assert_true(j + 1 < r->n);
            for (int i = 0; i < r->n; i++) {
                double complex re = *plain_at(&v, i, j), im = *plain_at(&v, i, j + 1);
                *plain_at(&v, i, j) = re + I * im;
                *plain_at(&v, i, j + 1) = re - I * im;
            }
            j++;
        }
    return v;
}

static double complex *values_of(const struct rig_matrix *w, const struct result *r, bool apart)
{
    double complex *values = calloc((size_t)r->n + 1, sizeof *values);
    void *host = rig_result(w);
    assert_non_null(values);
    for (int j = 0; j < r->n; j++) {
        double x[2], y[2] = {0, 0};
        rig_read(host, w->type, (size_t)j, x);
        if (apart)
            rig_read(host, w->type, (size_t)(r->n + j), y);
        values[j] = x[0] + I * (apart ? y[0] : x[1]);
    }
    free(host);
    return values;
}

/* Runs the function on a matrix that `put` fills. `apart`: real and imaginary parts stand in two vectors. */
static struct result run(unsigned type, int n, double complex (*put)(int i, int j, int n, uint64_t *seed), bool left,
                         bool right, bool apart)
{
    struct blas *handle = decomposition_handle();
    struct result r = {.type = type, .n = n};
    int lda = n + 2, ldl = n + 1, ldr = n + 3;
    struct rig_matrix a = rig_matrix(type, (size_t)(lda * n), 1), l = rig_matrix(type, (size_t)(ldl * n), 2);
    struct rig_matrix v = rig_matrix(type, (size_t)(ldr * n), 3);
    struct rig_matrix w = rig_matrix(apart ? type : complex_of(type), (size_t)(2 * n), 4);
    uint64_t seed = (uint64_t)n + type;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double complex x = put(i, j, n, &seed);
            rig_write(a.host, type, (size_t)(j * lda + i), (double[]){creal(x), cimag(x)});
        }
    r.a = plain_read(a.host, type, n, n, lda);
    assert_int_equal(cuMemcpyHtoD_v2(a.device, a.host, a.count * product_size(type)), CUDA_SUCCESS);
    size_t bytes, host_bytes;
    assert_int_equal(cusolverDnXgeev_bufferSize(handle, NULL, left, right, n, (int)type, rig_at(&a, 0), lda,
                                                (int)w.type, rig_at(&w, 0), (int)type, rig_at(&l, 0), ldl, (int)type,
                                                rig_at(&v, 0), ldr, (int)type, &bytes, &host_bytes),
                     CUSOLVER_STATUS_SUCCESS);
    CUdeviceptr work;
    assert_int_equal(cuMemAlloc_v2(&work, bytes + 1), CUDA_SUCCESS);
    int *info = decomposition_infos(1);
    assert_int_equal(cusolverDnXgeev(handle, NULL, left, right, n, (int)type, rig_at(&a, 0), lda, (int)w.type,
                                     rig_at(&w, 0), (int)type, left ? rig_at(&l, 0) : NULL, ldl, (int)type,
                                     right ? rig_at(&v, 0) : NULL, ldr, (int)type, (void *)(uintptr_t)work, bytes, NULL,
                                     0, info),
                     CUSOLVER_STATUS_SUCCESS);
    assert_int_equal(decomposition_info(info, 0), 0);
    r.values = values_of(&w, &r, apart);
    r.left = vectors_of(&l, &r, ldl);
    r.right = vectors_of(&v, &r, ldr);
    assert_int_equal(cuMemFree_v2(work), CUDA_SUCCESS);
    rig_free(&a), rig_free(&l), rig_free(&v), rig_free(&w);
    cublasDestroy_v2(handle);
    return r;
}

static void free_result(struct result *r) { free(r->a.at), free(r->left.at), free(r->right.at), free(r->values); }

/* The imaginary part of the largest element, or the least one of those that are as large but for rounding. */
static double turned(const struct plain *v, int n, int column, double precision)
{
    double largest = 0, least = HUGE_VAL;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, cabs(*plain_at(v, i, column)));
    for (int i = 0; i < n; i++)
        if (cabs(*plain_at(v, i, column)) >= largest * (1 - 100 * precision))
            least = fmin(least, fabs(cimag(*plain_at(v, i, column))));
    return least;
}

/* Expects vectors of length 1, whose largest element is real and which the matrix multiplies by their values. */
static void expect_vectors(const struct result *r, const struct plain *a, const struct plain *v, bool left)
{
    double allowed = 6 * (r->n + 4) * rig_precision(r->type) * (plain_size(a) + 1e-300);
    for (int j = 0; j < r->n; j++) {
        double complex value = left ? conj(r->values[j]) : r->values[j];
        double error = 0, length = 0, phase = turned(v, r->n, j, rig_precision(r->type));
        for (int i = 0; i < r->n; i++) {
            double complex sum = 0, x = *plain_at(v, i, j);
            for (int k = 0; k < r->n; k++)
                sum += *plain_at(a, i, k) * *plain_at(v, k, j);
            error += pow(cabs(sum - value * x), 2);
            length += pow(cabs(x), 2);
        }
        if (!(sqrt(error) <= allowed) || !(fabs(length - 1) <= 8 * (r->n + 4) * rig_precision(r->type)) ||
            !(phase <= 4 * rig_precision(r->type)))
            fail_msg("type %u, n %d, %s vector %d of %g + %gi: residual %g (allowed %g), length %.9g, phase %g",
                     r->type, r->n, left ? "left" : "right", j, creal(value), cimag(value), sqrt(error), allowed,
                     sqrt(length), phase);
    }
}

static void expect_residuals(const struct result *r)
{
    struct plain adjoint = plain_adjoint(&r->a);
    expect_vectors(r, &r->a, &r->right, false);
    expect_vectors(r, &adjoint, &r->left, true);
    free(adjoint.at);
}

/* Conjugate pairs stand together, exactly, with the positive imaginary part first. */
static void expect_pairs(const struct result *r)
{
    for (int j = 0; j < r->n && !is_complex(r->type); j++)
        if (cimag(r->values[j]) != 0) {
            assert_true(cimag(r->values[j]) > 0 && j + 1 < r->n);
            assert_true(r->values[j + 1] == conj(r->values[j]));
            j++;
        }
}

static double complex uniform(int i, int j, int n, uint64_t *seed)
{
    (void)i, (void)j, (void)n;
    double re = rig_random(seed);
    return re + I * rig_random(seed);
}

static void random_matrices_have_small_residuals_on_both_sides(void **state)
{
    (void)state;
    static const int sizes[] = {0, 1, 2, 3, 4, 5, 8, 17, 33, 70};
    for (size_t t = 0; t < TYPES; t++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (int apart = 0; apart <= !is_complex(types[t]); apart++) {
                struct result r = run(types[t], sizes[s], uniform, true, true, apart);
                double complex trace = 0, sum = 0;
                expect_residuals(&r);
                expect_pairs(&r);
                for (int i = 0; i < r.n; i++)
                    trace += *plain_at(&r.a, i, i), sum += r.values[i];
                assert_true(cabs(trace - sum) <= 8 * (r.n + 4) * rig_precision(r.type) * (plain_size(&r.a) + 1e-300));
                free_result(&r);
            }
}

static double complex rotation(int i, int j, int n, uint64_t *seed)
{
    (void)seed;
    double angle = 6.283185307179586 / n; /* a cyclic shift, then a block that turns */
    if (n > 2)
        return (i + 1) % n == j;
    return i == j ? cos(angle / 3) : i < j ? -sin(angle / 3) : sin(angle / 3);
}

static double complex jordan(int i, int j, int n, uint64_t *seed)
{
    (void)n, (void)seed;
    return i == j ? 3 : i + 1 == j;
}

static double complex zero(int i, int j, int n, uint64_t *seed)
{
    (void)i, (void)j, (void)n, (void)seed;
    return 0;
}

static double complex one(int i, int j, int n, uint64_t *seed)
{
    (void)n, (void)seed;
    return i == j;
}

/* Elements from 1e-12 to 1e12. */
static double complex uneven(int i, int j, int n, uint64_t *seed)
{
    return rig_random(seed) * pow(10, 24.0 * (i - j) / (2 * n));
}

static double complex huge(int i, int j, int n, uint64_t *seed) { return 1e30 * uniform(i, j, n, seed); }
static double complex tiny(int i, int j, int n, uint64_t *seed) { return 1e-30 * uniform(i, j, n, seed); }

static void special_matrices_have_small_residuals(void **state)
{
    (void)state;
    double complex (*const puts[])(int, int, int, uint64_t *) = {rotation, jordan, zero, one, uneven, huge, tiny};
    static const int sizes[] = {2, 3, 6, 15};
    for (size_t t = 0; t < TYPES; t++)
        for (size_t p = 0; p < sizeof puts / sizeof puts[0]; p++)
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
                struct result r = run(types[t], sizes[s], puts[p], true, true, false);
                expect_residuals(&r);
                expect_pairs(&r);
                free_result(&r);
            }
}

static void known_eigenvalues_are_found(void **state)
{
    (void)state;
    for (size_t t = 0; t < TYPES; t++) {
        double unit = rig_precision(types[t]);
        struct result r = run(types[t], 12, rotation, false, true, false);
        for (int k = 0; k < 12; k++) { /* the roots of one, each once */
            double nearest = 2;
            for (int j = 0; j < 12; j++)
                nearest = fmin(nearest, cabs(r.values[j] - cexp(I * 6.283185307179586 * k / 12)));
            assert_true(nearest <= 40 * unit);
        }
        free_result(&r);
        r = run(types[t], 5, jordan, true, false, false); /* a triangle: nothing changes */
        for (int j = 0; j < 5; j++)
            assert_true(r.values[j] == 3);
        free_result(&r);
        r = run(types[t], 2, rotation, false, false, false);
        assert_true(fabs(fabs(cimag(r.values[0])) - sin(3.141592653589793 / 3)) <= 8 * unit);
        assert_true(fabs(creal(r.values[0]) - 0.5) <= 8 * unit);
        free_result(&r);
    }
}

static void values_are_the_same_without_vectors(void **state)
{
    (void)state;
    for (size_t t = 0; t < TYPES; t++) {
        struct result with = run(types[t], 21, uniform, true, true, false);
        struct result without = run(types[t], 21, uniform, false, false, false);
        for (int j = 0; j < 21; j++)
            assert_true(with.values[j] == without.values[j]);
        free_result(&with), free_result(&without);
    }
}

static double complex nothing(int i, int j, int n, uint64_t *seed)
{
    return i == 1 && j == 0 ? (double complex)NAN : uniform(i, j, n, seed);
}

static void numbers_that_are_none_do_not_hang_the_kernel(void **state)
{
    (void)state;
    struct blas *handle = decomposition_handle();
    int *info = decomposition_infos(1);
    struct rig_matrix a = rig_matrix(GEMM_F64, 36, 1), w = rig_matrix(GEMM_C64, 6, 1), work;
    uint64_t seed = 1;
    for (int i = 0; i < 36; i++) {
        double complex x = nothing(i % 6, i / 6, 6, &seed);
        ((double *)a.host)[i] = creal(x);
    }
    assert_int_equal(cuMemcpyHtoD_v2(a.device, a.host, 36 * sizeof(double)), CUDA_SUCCESS);
    size_t bytes, host_bytes;
    assert_int_equal(cusolverDnXgeev_bufferSize(handle, NULL, 0, 0, 6, 1, rig_at(&a, 0), 6, 5, rig_at(&w, 0), 1, NULL,
                                                1, 1, NULL, 1, 1, &bytes, &host_bytes),
                     CUSOLVER_STATUS_SUCCESS);
    work = rig_matrix(GEMM_S8, bytes, 1);
    assert_int_equal(cusolverDnXgeev(handle, NULL, 0, 0, 6, 1, rig_at(&a, 0), 6, 5, rig_at(&w, 0), 1, NULL, 1, 1, NULL,
                                     1, 1, rig_at(&work, 0), bytes, NULL, 0, info),
                     CUSOLVER_STATUS_SUCCESS);
    int unfound = decomposition_info(info, 0);
    assert_true(unfound >= 0 && unfound <= 6);
    rig_free(&a), rig_free(&w), rig_free(&work);
    cublasDestroy_v2(handle);
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    struct blas *handle = decomposition_handle();
    int *info = decomposition_infos(1);
    struct rig_matrix m = rig_matrix(GEMM_F32, 4096, 1);
    void *p = rig_at(&m, 0), *none = NULL;
    size_t bytes = 0, host = 0;
#define CALL(h, jl, jr, n, ta, a, lda, tw, w, tl, l, ldl, tr, r, ldr, tc, room, size, info)                            \
    cusolverDnXgeev(h, NULL, jl, jr, n, ta, a, lda, tw, w, tl, l, ldl, tr, r, ldr, tc, room, size, NULL, 0, info)
#define WRONG(status, ...) assert_int_equal(CALL(__VA_ARGS__), CUSOLVER_STATUS_##status)
    WRONG(NOT_INITIALIZED, NULL, 0, 1, 4, 0, p, 4, 0, p, 0, p, 4, 0, p, 4, 0, p, 9000, info);
    WRONG(INVALID_VALUE, handle, 2, 1, 4, 0, p, 4, 0, p, 0, p, 4, 0, p, 4, 0, p, 9000, info);
    WRONG(INVALID_VALUE, handle, 0, -1, 4, 0, p, 4, 0, p, 0, p, 4, 0, p, 4, 0, p, 9000, info);
    WRONG(INVALID_VALUE, handle, 0, 1, -1, 0, p, 4, 0, p, 0, p, 4, 0, p, 4, 0, p, 9000, info);
    WRONG(INVALID_VALUE, handle, 0, 1, 4, 0, p, 3, 0, p, 0, p, 4, 0, p, 4, 0, p, 9000, info);
    WRONG(INVALID_VALUE, handle, 0, 1, 4, 0, p, 4, 0, p, 0, p, 4, 0, p, 3, 0, p, 9000, info);
    WRONG(INVALID_VALUE, handle, 1, 0, 4, 0, p, 4, 0, p, 0, p, 3, 0, p, 4, 0, p, 9000, info);
    WRONG(INVALID_VALUE, handle, 0, 1, 4, 0, none, 4, 0, p, 0, p, 4, 0, p, 4, 0, p, 9000, info);
    WRONG(INVALID_VALUE, handle, 0, 1, 4, 0, p, 4, 0, none, 0, p, 4, 0, p, 4, 0, p, 9000, info);
    WRONG(INVALID_VALUE, handle, 0, 1, 4, 0, p, 4, 0, p, 0, p, 4, 0, none, 4, 0, p, 9000, info);
    WRONG(INVALID_VALUE, handle, 0, 1, 4, 0, p, 4, 0, p, 0, p, 4, 0, p, 4, 0, none, 9000, info);
    WRONG(INVALID_VALUE, handle, 0, 1, 4, 0, p, 4, 0, p, 0, p, 4, 0, p, 4, 0, p, 10, info);
    WRONG(INVALID_VALUE, handle, 0, 1, 4, 0, p, 4, 0, p, 0, p, 4, 0, p, 4, 0, p, 9000, NULL);
    WRONG(NOT_SUPPORTED, handle, 0, 1, 4, 0, p, 4, 1, p, 0, p, 4, 0, p, 4, 0, p, 9000, info);
    WRONG(NOT_SUPPORTED, handle, 0, 1, 4, 0, p, 4, 0, p, 0, p, 4, 4, p, 4, 0, p, 9000, info);
    WRONG(NOT_SUPPORTED, handle, 0, 1, 4, 2, p, 4, 2, p, 2, p, 4, 2, p, 4, 2, p, 9000, info);
    WRONG(NOT_SUPPORTED, handle, 0, 1, 4, 0, p, 4, 0, p, 0, p, 4, 0, p, 4, 1, p, 9000, info);
    assert_int_equal(cusolverDnXgeev_bufferSize(handle, NULL, 0, 1, 4, 0, p, 4, 0, p, 0, p, 4, 0, p, 4, 0, NULL, &host),
                     CUSOLVER_STATUS_INVALID_VALUE);
    assert_int_equal(
        cusolverDnXgeev_bufferSize(handle, NULL, 0, 1, 4, 0, p, 4, 0, p, 0, p, 4, 0, p, 4, 7, &bytes, &host),
        CUSOLVER_STATUS_NOT_SUPPORTED);
    assert_int_equal(decomposition_info(info, 0), 99);
    rig_free(&m);
    cublasDestroy_v2(handle);
}

UNIT_TESTS(UNIT(random_matrices_have_small_residuals_on_both_sides), UNIT(special_matrices_have_small_residuals),
           UNIT(known_eigenvalues_are_found), UNIT(values_are_the_same_without_vectors),
           UNIT(numbers_that_are_none_do_not_hang_the_kernel), UNIT(wrong_arguments_have_the_documented_status))
