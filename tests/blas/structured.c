/* Level 2 with banded, packed, symmetric, Hermitian and triangular matrices, against sums in double. */
#include "tests/blas/structured_rig.h"

typedef cublasStatus_t (*symv_t)(cublasHandle_t, int, int, const void *, const void *, int, const void *, int,
                                 const void *, void *, int);
typedef cublasStatus_t (*sbmv_t)(cublasHandle_t, int, int, int, const void *, const void *, int, const void *, int,
                                 const void *, void *, int);
typedef cublasStatus_t (*spmv_t)(cublasHandle_t, int, int, const void *, const void *, const void *, int, const void *,
                                 void *, int);
typedef cublasStatus_t (*gbmv_t)(cublasHandle_t, int, int, int, int, int, const void *, const void *, int, const void *,
                                 int, const void *, void *, int);
typedef cublasStatus_t (*trmv_t)(cublasHandle_t, int, int, int, int, const void *, int, void *, int);
typedef cublasStatus_t (*tbmv_t)(cublasHandle_t, int, int, int, int, int, const void *, int, void *, int);
typedef cublasStatus_t (*tpmv_t)(cublasHandle_t, int, int, int, int, const void *, void *, int);
typedef cublasStatus_t (*syr_t)(cublasHandle_t, int, int, const void *, const void *, int, void *, int);
typedef cublasStatus_t (*spr_t)(cublasHandle_t, int, int, const void *, const void *, int, void *);
typedef cublasStatus_t (*syr2_t)(cublasHandle_t, int, int, const void *, const void *, int, const void *, int, void *,
                                 int);
typedef cublasStatus_t (*spr2_t)(cublasHandle_t, int, int, const void *, const void *, int, const void *, int, void *);

/* The types above have parameters only, so that a declaration needs them by name. */
#define DECLARE(name, ...) cublasStatus_t name(cublasHandle_t, __VA_ARGS__);
#define CV const void *
#define EVERY(L)                                                                                                       \
    DECLARE(cublas##L##gbmv_v2, int, int, int, int, int, CV, CV, int, CV, int, CV, void *, int)                        \
    DECLARE(cublas##L##symv_v2, int, int, CV, CV, int, CV, int, CV, void *, int)                                       \
    DECLARE(cublas##L##trmv_v2, int, int, int, int, CV, int, void *, int)                                              \
    DECLARE(cublas##L##trsv_v2, int, int, int, int, CV, int, void *, int)                                              \
    DECLARE(cublas##L##tbmv_v2, int, int, int, int, int, CV, int, void *, int)                                         \
    DECLARE(cublas##L##tbsv_v2, int, int, int, int, int, CV, int, void *, int)                                         \
    DECLARE(cublas##L##tpmv_v2, int, int, int, int, CV, void *, int)                                                   \
    DECLARE(cublas##L##tpsv_v2, int, int, int, int, CV, void *, int)                                                   \
    DECLARE(cublas##L##syr_v2, int, int, CV, CV, int, void *, int)                                                     \
    DECLARE(cublas##L##syr2_v2, int, int, CV, CV, int, CV, int, void *, int)
#define PACKED_AND_BAND(sbmv, spmv, spr, spr2)                                                                         \
    DECLARE(sbmv, int, int, int, CV, CV, int, CV, int, CV, void *, int)                                                \
    DECLARE(spmv, int, int, CV, CV, CV, int, CV, void *, int)                                                          \
    DECLARE(spr, int, int, CV, CV, int, void *)                                                                        \
    DECLARE(spr2, int, int, CV, CV, int, CV, int, void *)
EVERY(S)
EVERY(D)
EVERY(C)
EVERY(Z)
PACKED_AND_BAND(cublasSsbmv_v2, cublasSspmv_v2, cublasSspr_v2, cublasSspr2_v2)
PACKED_AND_BAND(cublasDsbmv_v2, cublasDspmv_v2, cublasDspr_v2, cublasDspr2_v2)
PACKED_AND_BAND(cublasChbmv_v2, cublasChpmv_v2, cublasChpr_v2, cublasChpr2_v2)
PACKED_AND_BAND(cublasZhbmv_v2, cublasZhpmv_v2, cublasZhpr_v2, cublasZhpr2_v2)
DECLARE(cublasChemv_v2, int, int, CV, CV, int, CV, int, CV, void *, int)
DECLARE(cublasZhemv_v2, int, int, CV, CV, int, CV, int, CV, void *, int)
DECLARE(cublasCher_v2, int, int, CV, CV, int, void *, int)
DECLARE(cublasZher_v2, int, int, CV, CV, int, void *, int)
DECLARE(cublasCher2_v2, int, int, CV, CV, int, CV, int, void *, int)
DECLARE(cublasZher2_v2, int, int, CV, CV, int, CV, int, void *, int)

/* Functions of a type and a kind: symmetric and Hermitian ones of complex types are apart. Null where there is none. */
static const struct form {
    unsigned type;
    enum structured_kind kind;
    gbmv_t gbmv;
    symv_t symv;
    sbmv_t sbmv;
    spmv_t spmv;
    trmv_t trmv, trsv;
    tbmv_t tbmv, tbsv;
    tpmv_t tpmv, tpsv;
    syr_t syr;
    spr_t spr;
    syr2_t syr2;
    spr2_t spr2;
} forms[] = {
#define TRIANGLES(L)                                                                                                   \
    .gbmv = cublas##L##gbmv_v2, .trmv = cublas##L##trmv_v2, .trsv = cublas##L##trsv_v2, .tbmv = cublas##L##tbmv_v2,    \
    .tbsv = cublas##L##tbsv_v2, .tpmv = cublas##L##tpmv_v2, .tpsv = cublas##L##tpsv_v2
#define FULL_ONES(L, s) .symv = cublas##L##s##mv_v2, .syr = cublas##L##s##r_v2, .syr2 = cublas##L##s##r2_v2
#define OTHERS(L, s)                                                                                                   \
    .sbmv = cublas##L##s##bmv_v2, .spmv = cublas##L##s##pmv_v2, .spr = cublas##L##s##pr_v2, .spr2 = cublas##L##s##pr2_v2
    {GEMM_F32, STRUCTURED_SYMMETRIC, TRIANGLES(S), FULL_ONES(S, sy), OTHERS(S, s)},
    {GEMM_F64, STRUCTURED_SYMMETRIC, TRIANGLES(D), FULL_ONES(D, sy), OTHERS(D, s)},
    {GEMM_C32, STRUCTURED_SYMMETRIC, TRIANGLES(C), FULL_ONES(C, sy)},
    {GEMM_C64, STRUCTURED_SYMMETRIC, TRIANGLES(Z), FULL_ONES(Z, sy)},
    {GEMM_C32, STRUCTURED_HERMITIAN, FULL_ONES(C, he), OTHERS(C, h)},
    {GEMM_C64, STRUCTURED_HERMITIAN, FULL_ONES(Z, he), OTHERS(Z, h)},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const char *const gpu = "a100";

static const struct shape {
    int n, more, band, incx, incy;
} shapes[] = {{1, 0, 0, 1, 1}, {33, 0, 3, 1, 1}, {70, 2, 0, 2, -1}, {5, 1, 9, -3, 2}, {280, 0, 40, -1, -2}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static size_t place(int i, int n, int increment)
{
    return (size_t)(increment > 0 ? i * increment : (n - 1 - i) * -increment);
}

static struct rig_matrix vector(unsigned type, int n, int increment, uint64_t seed)
{
    return rig_matrix(type, (size_t)(n * abs(increment)), seed);
}

/* Sum i of A x, with the sum of its addends' sizes. */
static double complex sum_of(const struct plain *a, const struct rig_matrix *x, int incx, int i, double *size)
{
    double complex sum = 0;
    *size = 0;
    for (int j = 0; j < a->columns; j++) {
        double complex product = *plain_at(a, i, j) * read_complex(x->host, x->type, place(j, a->columns, incx));
        sum += product;
        *size += cabs(product);
    }
    return sum;
}

/* Compares y with alpha A x + beta y, and expects that nothing else of it has changed. Frees A. */
static void compare(struct plain a, const struct rig_matrix *x, struct rig_matrix *y, const struct shape *s,
                    double complex alpha, double complex beta, const char *what)
{
    void *found = rig_result(y);
    for (int i = 0; i < a.rows; i++) {
        double size;
        size_t at = place(i, a.rows, s->incy);
        double complex sum = sum_of(&a, x, s->incx, i, &size), got = read_complex(found, y->type, at);
        double complex right = alpha * sum + beta * read_complex(y->host, y->type, at);
        expect_near(got, right, (2 * size + 4) * (a.columns + 4) * rig_precision(y->type), what);
        rig_write(y->host, y->type, at, (double[]){creal(got), cimag(got)});
    }
    assert_memory_equal(found, y->host, y->count * product_size(y->type));
    free(found);
    free(a.at);
}

static struct layout square(const struct form *f, const struct shape *s, enum storage storage, int uplo)
{
    struct layout l = {f->kind, storage, s->n, s->n, s->n + s->more, 0, 0, uplo, NON_UNIT};
    if (storage == BAND) {
        l.lda = s->band + 1 + s->more;
        l.below = uplo == LOWER ? s->band : 0;
        l.above = uplo == UPPER ? s->band : 0;
    }
    return l;
}

static void try_product(const struct form *f, const struct shape *s, enum storage storage, int uplo, double by)
{
    cublasHandle_t handle = rig_handle(gpu);
    struct layout l = square(f, s, storage, uplo);
    struct rig_matrix a = rig_matrix(f->type, layout_count(&l), 1), x = vector(f->type, s->n, s->incx, 2);
    struct rig_matrix y = vector(f->type, s->n, s->incy, 3);
    struct given alpha = given(1.5, f->type, false), beta = given(by, f->type, false);
    if (storage == FULL)
        GOOD(f->symv(handle, uplo, s->n, alpha.bytes, rig_at(&a, 0), l.lda, rig_at(&x, 0), s->incx, beta.bytes,
                     rig_at(&y, 0), s->incy));
    else if (storage == BAND)
        GOOD(f->sbmv(handle, uplo, s->n, s->band, alpha.bytes, rig_at(&a, 0), l.lda, rig_at(&x, 0), s->incx, beta.bytes,
                     rig_at(&y, 0), s->incy));
    else
        GOOD(f->spmv(handle, uplo, s->n, alpha.bytes, rig_at(&a, 0), rig_at(&x, 0), s->incx, beta.bytes, rig_at(&y, 0),
                     s->incy));
    compare(layout_plain(&l, a.host, f->type), &x, &y, s, alpha.value, beta.value, "product");
    rig_free(&a), rig_free(&x), rig_free(&y);
}

static void products_of_symmetric_and_hermitian_matrices_agree(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < SHAPES; s++)
            for (int uplo = LOWER; uplo <= UPPER; uplo++)
                for (int storage = FULL; storage <= PACKED; storage++)
                    if (storage == FULL || forms[f].sbmv != NULL)
                        try_product(&forms[f], &shapes[s], (enum storage)storage, uplo, s % 2 ? -0.5 : 0);
}

static void products_of_general_bands_agree(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    static const struct {
        int m, n, below, above;
    } bands[] = {{1, 1, 0, 0}, {40, 30, 2, 5}, {30, 40, 6, 0}, {7, 90, 3, 70}, {90, 7, 95, 2}};
    for (size_t f = 0; f < 4; f++)
        for (size_t b = 0; b < sizeof bands / sizeof bands[0]; b++)
            for (int op = BLAS_N; op <= BLAS_C; op++) {
                unsigned type = forms[f].type;
                const struct shape *s = &shapes[b];
                int m = bands[b].m, n = bands[b].n, below = bands[b].below, above = bands[b].above;
                struct layout l = {STRUCTURED_GENERAL, BAND, m, n, below + above + 1 + s->more, below, above, 0, 0};
                struct rig_matrix a = rig_matrix(type, layout_count(&l), 1);
                struct rig_matrix x = vector(type, op == BLAS_N ? n : m, s->incx, 2);
                struct rig_matrix y = vector(type, op == BLAS_N ? m : n, s->incy, 3);
                struct given alpha = given(1.5, type, false), beta = given(b % 2 ? -0.5 : 0, type, false);
                GOOD(forms[f].gbmv(handle, op, m, n, below, above, alpha.bytes, rig_at(&a, 0), l.lda, rig_at(&x, 0),
                                   s->incx, beta.bytes, rig_at(&y, 0), s->incy));
                compare(turned(layout_plain(&l, a.host, type), op), &x, &y, s, alpha.value, beta.value, "gbmv");
                rig_free(&a), rig_free(&x), rig_free(&y);
            }
}

/* A triangle times x, or the system with x: the residual is compared, which substitution keeps small. */
static void try_triangle(const struct form *f, const struct shape *s, enum storage storage, int uplo, int op, int diag,
                         bool solves)
{
    cublasHandle_t handle = rig_handle(gpu);
    struct form triangle = {.kind = STRUCTURED_TRIANGLE};
    struct layout l = square(&triangle, s, storage, uplo);
    l.diag = diag;
    struct rig_matrix a = rig_matrix(f->type, layout_count(&l), 1), x = vector(f->type, s->n, s->incx, 2);
    void *A = rig_at(&a, 0), *X = rig_at(&x, 0);
    if (storage == FULL)
        GOOD((solves ? f->trsv : f->trmv)(handle, uplo, op, diag, s->n, A, l.lda, X, s->incx));
    else if (storage == BAND)
        GOOD((solves ? f->tbsv : f->tbmv)(handle, uplo, op, diag, s->n, s->band, A, l.lda, X, s->incx));
    else
        GOOD((solves ? f->tpsv : f->tpmv)(handle, uplo, op, diag, s->n, A, X, s->incx));
    struct plain p = turned(layout_plain(&l, a.host, f->type), op);
    struct rig_matrix after = x;
    after.host = rig_result(&x);
    /* The product of A and the old vector is the new one. Systems turn the two round. */
    for (int i = 0; i < s->n; i++) {
        double size;
        double complex sum = sum_of(&p, solves ? &after : &x, s->incx, i, &size);
        double complex other = read_complex(solves ? x.host : after.host, f->type, place(i, s->n, s->incx));
        expect_near(other, sum, (2 * size + 2) * (s->n + 4) * rig_precision(f->type), solves ? "system" : "triangle");
    }
    free(after.host);
    free(p.at);
    rig_free(&a), rig_free(&x);
}

static void triangles_agree_with_sums_in_double(void **state)
{
    (void)state;
    for (size_t f = 0; f < 4; f++)
        for (size_t s = 0; s < SHAPES - 1; s++) /* larger systems have solutions that no float holds */
            for (int way = 0; way < 72; way++)
                try_triangle(&forms[f], &shapes[s], (enum storage)(way % 3), way / 3 % 2, way / 6 % 3, way / 18 % 2,
                             way / 36);
}

/* x x' or x y' + y x', times the scalars, at (i, j). */
static double complex added(const struct form *f, const struct shape *s, const struct rig_matrix *x,
                            const struct rig_matrix *y, double complex alpha, int i, int j)
{
    bool hermitian = f->kind == STRUCTURED_HERMITIAN;
    double complex xi = read_complex(x->host, f->type, place(i, s->n, s->incx));
    double complex xj = read_complex(x->host, f->type, place(j, s->n, s->incx));
    if (y == NULL)
        return alpha * xi * (hermitian ? conj(xj) : xj);
    double complex yi = read_complex(y->host, f->type, place(i, s->n, s->incy));
    double complex yj = read_complex(y->host, f->type, place(j, s->n, s->incy));
    return alpha * xi * (hermitian ? conj(yj) : yj) +
           (hermitian ? conj(alpha) : alpha) * yi * (hermitian ? conj(xj) : xj);
}

static void try_update(const struct form *f, const struct shape *s, enum storage storage, int uplo, bool both)
{
    cublasHandle_t handle = rig_handle(gpu);
    bool hermitian = f->kind == STRUCTURED_HERMITIAN;
    struct layout l = square(f, s, storage, uplo);
    struct rig_matrix a = rig_matrix(f->type, layout_count(&l), 1), x = vector(f->type, s->n, s->incx, 2);
    struct rig_matrix y = vector(f->type, s->n, s->incy, 3);
    struct given alpha = given(1.5, f->type, hermitian && !both);
    void *A = rig_at(&a, 0), *X = rig_at(&x, 0), *Y = rig_at(&y, 0);
    if (storage == FULL && both)
        GOOD(f->syr2(handle, uplo, s->n, alpha.bytes, X, s->incx, Y, s->incy, A, l.lda));
    else if (storage == FULL)
        GOOD(f->syr(handle, uplo, s->n, alpha.bytes, X, s->incx, A, l.lda));
    else if (both)
        GOOD(f->spr2(handle, uplo, s->n, alpha.bytes, X, s->incx, Y, s->incy, A));
    else
        GOOD(f->spr(handle, uplo, s->n, alpha.bytes, X, s->incx, A));
    void *found = rig_result(&a);
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < s->n; i++) {
            long long at = layout_place(&l, i, j);
            if (at < 0)
                continue;
            double complex old = read_complex(a.host, f->type, (size_t)at);
            double complex got = read_complex(found, f->type, (size_t)at);
            double complex right = old + added(f, s, &x, both ? &y : NULL, alpha.value, i, j);
            if (hermitian && i == j)
                right = creal(right);
            expect_near(got, right, 40 * rig_precision(f->type), "update");
            assert_true(!hermitian || i != j || cimag(got) == 0);
            rig_write(a.host, f->type, (size_t)at, (double[]){creal(got), cimag(got)});
        }
    assert_memory_equal(found, a.host, a.count * product_size(f->type)); /* of the other triangle nothing is written */
    free(found);
    rig_free(&a), rig_free(&x), rig_free(&y);
}

static void updates_of_one_triangle_agree(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < SHAPES; s++)
            for (int way = 0; way < 8; way++)
                if (way % 2 == 0 || forms[f].spr != NULL)
                    try_update(&forms[f], &shapes[s], way % 2 ? PACKED : FULL, way / 2 % 2, way / 4);
}

static void scalars_in_device_memory_count(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    double numbers[] = {2, 3};
    struct rig_matrix a = rig_matrix(GEMM_F64, 1, 1), x = rig_matrix(GEMM_F64, 1, 2), y = rig_matrix(GEMM_F64, 1, 3);
    struct rig_matrix c = rig_matrix(GEMM_F64, 2, 4);
    assert_int_equal(cuMemcpyHtoD_v2(c.device, numbers, sizeof numbers), CUDA_SUCCESS);
    GOOD(cublasSetPointerMode_v2(handle, BLAS_DEVICE));
    GOOD(cublasDsymv_v2(handle, LOWER, 1, rig_at(&c, 0), rig_at(&a, 0), 1, rig_at(&x, 0), 1, rig_at(&c, 1),
                        rig_at(&y, 0), 1));
    GOOD(cublasDsyr_v2(handle, LOWER, 1, rig_at(&c, 0), rig_at(&x, 0), 1, rig_at(&a, 0), 1));
    GOOD(cublasSetPointerMode_v2(handle, BLAS_HOST));
    double *got = rig_result(&y), *updated = rig_result(&a), A = *(double *)a.host, X = *(double *)x.host;
    assert_true(fabs(*got - (2 * A * X + 3 * *(double *)y.host)) <= 1e-14);
    assert_true(fabs(*updated - (A + 2 * X * X)) <= 1e-14);
    free(got), free(updated);
    rig_free(&a), rig_free(&x), rig_free(&y), rig_free(&c);
}

static void wrong_arguments_have_the_documented_status(void **state)
{
    (void)state;
    cublasHandle_t handle = rig_handle(gpu);
    struct rig_matrix m = rig_matrix(GEMM_F32, 64, 1);
    void *p = rig_at(&m, 0);
    float one = 1;
#define WRONG(status, call) assert_int_equal(call, CUBLAS_STATUS_##status)
    WRONG(NOT_INITIALIZED, cublasSsymv_v2(NULL, 0, 4, &one, p, 4, p, 1, &one, p, 1));
    WRONG(INVALID_VALUE, cublasSsymv_v2(handle, 2, 4, &one, p, 4, p, 1, &one, p, 1));
    WRONG(INVALID_VALUE, cublasSsymv_v2(handle, 0, -1, &one, p, 4, p, 1, &one, p, 1));
    WRONG(INVALID_VALUE, cublasSsymv_v2(handle, 0, 4, NULL, p, 4, p, 1, &one, p, 1));
    WRONG(INVALID_VALUE, cublasSsymv_v2(handle, 0, 4, &one, p, 3, p, 1, &one, p, 1));
    WRONG(INVALID_VALUE, cublasSsymv_v2(handle, 0, 4, &one, p, 4, p, 0, &one, p, 1));
    WRONG(INVALID_VALUE, cublasSsymv_v2(handle, 0, 4, &one, p, 4, p, 1, &one, p, 0));
    WRONG(INVALID_VALUE, cublasSsymv_v2(handle, 0, 4, &one, NULL, 4, p, 1, &one, p, 1));
    WRONG(INVALID_VALUE, cublasSsymv_v2(handle, 0, 4, &one, p, 4, p, 1, &one, NULL, 1));
    WRONG(INVALID_VALUE, cublasSsbmv_v2(handle, 0, 4, -1, &one, p, 4, p, 1, &one, p, 1));
    WRONG(INVALID_VALUE, cublasSsbmv_v2(handle, 0, 4, 2, &one, p, 2, p, 1, &one, p, 1));
    WRONG(INVALID_VALUE, cublasSgbmv_v2(handle, 3, 4, 4, 1, 1, &one, p, 3, p, 1, &one, p, 1));
    WRONG(INVALID_VALUE, cublasSgbmv_v2(handle, 0, 4, 4, 1, 1, &one, p, 2, p, 1, &one, p, 1));
    WRONG(INVALID_VALUE, cublasStrsv_v2(handle, 0, 3, 0, 4, p, 4, p, 1));
    WRONG(INVALID_VALUE, cublasStrsv_v2(handle, 0, 0, 2, 4, p, 4, p, 1));
    WRONG(INVALID_VALUE, cublasStrmv_v2(handle, 0, 0, 0, 4, p, 4, NULL, 1));
    WRONG(INVALID_VALUE, cublasStpsv_v2(handle, 0, 0, 0, 4, p, p, 0));
    WRONG(INVALID_VALUE, cublasSsyr_v2(handle, 0, 4, &one, p, 1, p, 3));
    WRONG(INVALID_VALUE, cublasSsyr2_v2(handle, 0, 4, &one, p, 1, p, 0, p, 4));
    WRONG(INVALID_VALUE, cublasSspr_v2(handle, 0, 4, NULL, p, 1, p));
    WRONG(SUCCESS, cublasSsyr_v2(handle, 0, 0, &one, NULL, 1, NULL, 1));
    WRONG(SUCCESS, cublasStrsv_v2(handle, 0, 0, 0, 0, NULL, 1, NULL, 1));
    void *found = rig_result(&m);
    assert_memory_equal(found, m.host, 64 * sizeof(float));
    free(found);
    rig_free(&m);
}

UNIT_TESTS(UNIT(products_of_symmetric_and_hermitian_matrices_agree), UNIT(products_of_general_bands_agree),
           UNIT(triangles_agree_with_sums_in_double), UNIT(updates_of_one_triangle_agree),
           UNIT(scalars_in_device_memory_count), UNIT(wrong_arguments_have_the_documented_status))
