/* Singular values and eigenvalues: vectors are orthogonal, their products are the matrix, values are in order. */
#include "blas/solve.h"
#include "tests/blas/decomposition.h"

struct jacobi_settings;
cusolverStatus_t cusolverDnDestroy(struct blas *handle);
cusolverStatus_t cusolverDnCreateGesvdjInfo(struct jacobi_settings **);
cusolverStatus_t cusolverDnDestroyGesvdjInfo(struct jacobi_settings *);
cusolverStatus_t cusolverDnXgesvdjSetMaxSweeps(struct jacobi_settings *, int);
cusolverStatus_t cusolverDnXgesvdjSetTolerance(struct jacobi_settings *, double);
cusolverStatus_t cusolverDnXsyevd(struct blas *, void *, int, int, int64_t, int, void *, int64_t, int, void *, int,
                                  void *, size_t, void *, size_t, int *);
cusolverStatus_t cusolverDnXsyevd_bufferSize(struct blas *, void *, int, int, int64_t, int, const void *, int64_t, int,
                                             const void *, int, size_t *, size_t *);

typedef cusolverStatus_t svd_batched(struct blas *, int, int, int, void *, int, void *, void *, int, void *, int,
                                     void *, int, int *, struct jacobi_settings *, int);
typedef cusolverStatus_t svd_one(struct blas *, int, int, int, int, void *, int, void *, void *, int, void *, int,
                                 void *, int, int *, struct jacobi_settings *);
typedef cusolverStatus_t svd_words(struct blas *, signed char, signed char, int, int, void *, int, void *, void *, int,
                                   void *, int, void *, int, void *, int *);
typedef cusolverStatus_t svd_words_size(struct blas *, int, int, int *);
typedef cusolverStatus_t eigen_batched(struct blas *, int, int, int, void *, int, void *, void *, int, int *,
                                       struct jacobi_settings *, int);
typedef cusolverStatus_t eigen_size(struct blas *, int, int, int, const void *, int, const void *, int *,
                                    struct jacobi_settings *, int);
#define FUNCTIONS(letter, name)                                                                                        \
    svd_batched cusolverDn##letter##gesvdjBatched;                                                                     \
    svd_one cusolverDn##letter##gesvdj;                                                                                \
    svd_words cusolverDn##letter##gesvd;                                                                               \
    svd_words_size cusolverDn##letter##gesvd_bufferSize;                                                               \
    eigen_batched cusolverDn##letter##name##evjBatched;                                                                \
    eigen_size cusolverDn##letter##name##evjBatched_bufferSize;
FUNCTIONS(S, sy)
FUNCTIONS(D, sy)
FUNCTIONS(C, he)
FUNCTIONS(Z, he)

static const struct form {
    unsigned type, real;
    svd_batched *gesvdj_batched;
    svd_one *gesvdj;
    svd_words *gesvd;
    svd_words_size *gesvd_size;
    eigen_batched *evj;
    eigen_size *evj_size;
} forms[] = {
#define FORM(type, real, letter, name)                                                                                 \
    {                                                                                                                  \
        type, real, cusolverDn##letter##gesvdjBatched, cusolverDn##letter##gesvdj, cusolverDn##letter##gesvd,          \
            cusolverDn##letter##gesvd_bufferSize, cusolverDn##letter##name##evjBatched,                                \
            cusolverDn##letter##name##evjBatched_bufferSize                                                            \
    }
    FORM(GEMM_F32, GEMM_F32, S, sy),
    FORM(GEMM_F64, GEMM_F64, D, sy),
    FORM(GEMM_C32, GEMM_F32, C, he),
    FORM(GEMM_C64, GEMM_F64, Z, he),
};
enum { FORMS = sizeof forms / sizeof forms[0], MORE = 2, GOOD_STATUS = CUSOLVER_STATUS_SUCCESS };

static int least(int a, int b) { return a < b ? a : b; }

/* Values as a diagonal. They are not negative where they are singular values, and they fall; or they rise. */
static struct plain diagonal(const struct plain *values, int first, int n, bool falling)
{
    struct plain d = plain(n, n);
    for (int i = 0; i < n; i++) {
        double value = creal(values->at[first + i]), before = i > 0 ? creal(values->at[first + i - 1]) : value;
        assert_true(falling ? value >= 0 && value <= before : value >= before);
        *plain_at(&d, i, i) = value;
    }
    return d;
}

/* Columns of a matrix. */
static struct plain columns_of(const struct plain *a, int first, int count)
{
    return (struct plain){a->rows, count, a->at + first * a->rows};
}

static void expect_product(const struct plain *a, const struct plain *u, const struct plain *values,
                           const struct plain *v, unsigned type)
{
    struct plain adjoint = plain_adjoint(v), left = plain_product(u, values);
    plain_expect(a, plain_product(&left, &adjoint), type, "U S V'");
    free(adjoint.at);
    free(left.at);
}

/* ---- singular values --------------------------------------------------------------------------------------------- */

/* One matrix with room for its factors, decomposed by gesvdj or, with words, by gesvd. */
struct decomposed {
    struct plain a, u, v, values;
};

static struct decomposed decomposed(struct blas *handle, const struct form *f, struct rig_matrix *a, int m, int n,
                                    bool few, bool words)
{
    int small = least(m, n), u_columns = few ? small : m, v_columns = few ? small : n, elements = 0;
    int *info = decomposition_infos(1), pitch = m + MORE;
    struct rig_matrix u = rig_matrix(f->type, (size_t)((m + MORE) * u_columns), 2);
    struct rig_matrix v = rig_matrix(f->type, (size_t)((n + MORE) * n), 3), s = rig_matrix(f->real, (size_t)small, 4);
    assert_int_equal(f->gesvd_size(handle, m, n, &elements), GOOD_STATUS);
    struct rig_matrix work = rig_matrix(f->type, (size_t)elements, 5);
    struct decomposed d = {.a = plain_result(a, m, n, pitch)};
    void *at = rig_at(a, 0), *us = rig_at(&u, 0), *vs = rig_at(&v, 0), *ss = rig_at(&s, 0), *room = rig_at(&work, 0);
    signed char job = few ? 'S' : 'A';
    assert_int_equal(
        words ? f->gesvd(handle, job, job, m, n, at, pitch, ss, us, m + MORE, vs, n + MORE, room, elements, NULL, info)
              : f->gesvdj(handle, 1, few, m, n, at, pitch, ss, us, m + MORE, vs, n + MORE, room, elements, info, NULL),
        GOOD_STATUS);
    assert_int_equal(decomposition_info(info, 0), 0);
    struct plain values = plain_result(&s, small, 1, small);
    d.u = plain_result(&u, m, u_columns, m + MORE);
    d.v = plain_result(&v, n, v_columns, n + MORE);
    d.values = diagonal(&values, 0, small, true);
    if (words) {
        struct plain right = plain_adjoint(&d.v);
        free(d.v.at);
        d.v = right;
    }
    free(values.at);
    rig_free(&u);
    rig_free(&v);
    rig_free(&s);
    rig_free(&work);
    return d;
}

static void expect_decomposed(struct decomposed *d, unsigned type)
{
    int small = d->values.rows;
    struct plain u = columns_of(&d->u, 0, small), v = columns_of(&d->v, 0, small);
    plain_expect_orthogonal(&d->u, type, "U");
    plain_expect_orthogonal(&d->v, type, "V");
    expect_product(&d->a, &u, &d->values, &v, type);
    free(d->a.at);
    free(d->u.at);
    free(d->v.at);
    free(d->values.at);
}

static void singular_vectors_of_any_shape_give_the_matrix(void **state)
{
    (void)state;
    static const int shapes[][2] = {{1, 1}, {1, 6}, {6, 1}, {2, 2}, {33, 33}, {50, 9}, {9, 50}};
    struct blas *handle = decomposition_handle();
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            for (int way = 0; way < 4; way++) {
                int m = shapes[s][0], n = shapes[s][1];
                if (way >= 2 && m < n)
                    continue; /* gesvd takes these only */
                struct rig_matrix a = rig_matrix(forms[f].type, (size_t)((m + MORE) * n), s + 1);
                struct decomposed d = decomposed(handle, &forms[f], &a, m, n, way % 2 != 0, way >= 2);
                expect_decomposed(&d, forms[f].type);
                rig_free(&a);
            }
    assert_int_equal(cusolverDnDestroy(handle), GOOD_STATUS);
}

/* A matrix whose columns repeat the first `rank` ones, or zero. */
static struct rig_matrix lacking(unsigned type, int m, int n, int rank)
{
    struct rig_matrix a = rig_matrix(type, (size_t)((m + MORE) * n), 6);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double x[2] = {0};
            if (rank > 0)
                rig_read(a.host, type, (size_t)(j % rank * (m + MORE) + i), x);
            rig_write(a.host, type, (size_t)(j * (m + MORE) + i), x);
        }
    assert_int_equal(cuMemcpyHtoD_v2(a.device, a.host, a.count * product_size(type)), CUDA_SUCCESS);
    return a;
}

static void vectors_of_singular_values_that_are_zero_complete_the_base(void **state)
{
    (void)state;
    enum { RANKS = 3 };
    struct blas *handle = decomposition_handle();
    for (size_t f = 0; f < FORMS; f++)
        for (int rank = 0; rank < RANKS; rank++)
            for (int way = 0; way < 2; way++) {
                int m = way ? 5 : 12, n = way ? 12 : 5;
                struct rig_matrix a = lacking(forms[f].type, m, n, rank);
                struct decomposed d = decomposed(handle, &forms[f], &a, m, n, false, false);
                double allowed = 8 * rig_precision(forms[f].type) * plain_size(&d.a);
                for (int i = rank; i < least(m, n); i++)
                    assert_true(creal(*plain_at(&d.values, i, i)) <= allowed);
                expect_decomposed(&d, forms[f].type);
                rig_free(&a);
            }
    assert_int_equal(cusolverDnDestroy(handle), GOOD_STATUS);
}

static void a_batch_has_the_singular_values_of_each_matrix(void **state)
{
    (void)state;
    enum { M = 7, N = 10, BATCH = 3 };
    struct blas *handle = decomposition_handle();
    for (size_t f = 0; f < FORMS; f++) {
        int *info = decomposition_infos(BATCH), elements = 0;
        struct rig_matrix a = rig_matrix(forms[f].type, M * N * BATCH, 1),
                          u = rig_matrix(forms[f].type, M * M * BATCH, 2),
                          v = rig_matrix(forms[f].type, N * N * BATCH, 3), s = rig_matrix(forms[f].real, M * BATCH, 4);
        assert_int_equal(forms[f].gesvd_size(handle, N, M, &elements), GOOD_STATUS);
        struct rig_matrix work = rig_matrix(forms[f].type, (size_t)elements * BATCH, 5);
        struct plain before = plain_result(&a, M, N * BATCH, M);
        assert_int_equal(forms[f].gesvdj_batched(handle, 1, M, N, rig_at(&a, 0), M, rig_at(&s, 0), rig_at(&u, 0), M,
                                                 rig_at(&v, 0), N, rig_at(&work, 0), elements * BATCH, info, NULL,
                                                 BATCH),
                         GOOD_STATUS);
        struct plain us = plain_result(&u, M, M * BATCH, M), vs = plain_result(&v, N, N * BATCH, N);
        struct plain values = plain_result(&s, M * BATCH, 1, M * BATCH);
        for (int b = 0; b < BATCH; b++) {
            struct plain one = columns_of(&before, b * N, N), left = columns_of(&us, b * M, M);
            struct plain right = columns_of(&vs, b * N, N), some = columns_of(&vs, b * N, M);
            struct plain d = diagonal(&values, b * M, M, true);
            plain_expect_orthogonal(&left, forms[f].type, "U of a batch");
            plain_expect_orthogonal(&right, forms[f].type, "V of a batch");
            expect_product(&one, &left, &d, &some, forms[f].type);
            free(d.at);
        }
        assert_int_equal(decomposition_info(info, BATCH - 1), 0);
        free(before.at);
        free(us.at);
        free(vs.at);
        free(values.at);
        rig_free(&a);
        rig_free(&u);
        rig_free(&v);
        rig_free(&s);
        rig_free(&work);
    }
    assert_int_equal(cusolverDnDestroy(handle), GOOD_STATUS);
}

/* ---- eigenvalues ------------------------------------------------------------------------------------------------- */

/* The Hermitian matrix whose triangle is given. */
static struct plain hermitian(const struct plain *a, int triangle)
{
    struct plain h = plain(a->rows, a->columns);
    for (int j = 0; j < a->columns; j++)
        for (int i = 0; i < a->rows; i++) {
            bool mirrored = triangle == SOLVE_LOWER ? i < j : i > j;
            double complex x = mirrored ? conj(*plain_at(a, j, i)) : *plain_at(a, i, j);
            *plain_at(&h, i, j) = i == j ? creal(x) : x;
        }
    return h;
}

static void expect_eigen(struct blas *handle, const struct form *f, int n, int triangle, int batch)
{
    int pitch = n + MORE, elements = 0, *info = decomposition_infos((size_t)batch);
    struct rig_matrix a = rig_matrix(f->type, (size_t)(pitch * n * batch), (uint64_t)n);
    struct rig_matrix w = rig_matrix(f->real, (size_t)(n * batch), 2);
    assert_int_equal(f->evj_size(handle, 1, triangle, n, rig_at(&a, 0), pitch, rig_at(&w, 0), &elements, NULL, batch),
                     GOOD_STATUS);
    struct rig_matrix work = rig_matrix(f->type, (size_t)elements, 3);
    struct plain before = plain_result(&a, n, n * batch, pitch);
    assert_int_equal(f->evj(handle, 1, triangle, n, rig_at(&a, 0), pitch, rig_at(&w, 0), rig_at(&work, 0), elements,
                            info, NULL, batch),
                     GOOD_STATUS);
    struct plain vectors = plain_result(&a, n, n * batch, pitch), values = plain_result(&w, n * batch, 1, n * batch);
    for (int b = 0; b < batch; b++) {
        struct plain given = columns_of(&before, b * n, n), h = hermitian(&given, triangle);
        struct plain v = columns_of(&vectors, b * n, n), d = diagonal(&values, b * n, n, false);
        plain_expect_orthogonal(&v, f->type, "eigenvectors");
        expect_product(&h, &v, &d, &v, f->type);
        free(h.at);
        free(d.at);
    }
    assert_int_equal(decomposition_info(info, (size_t)batch - 1), 0);
    free(before.at);
    free(vectors.at);
    free(values.at);
    rig_free(&a);
    rig_free(&w);
    rig_free(&work);
}

static void eigenvectors_of_either_triangle_give_the_matrix(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 8, 45};
    struct blas *handle = decomposition_handle();
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            expect_eigen(handle, &forms[f], sizes[s], SOLVE_LOWER, 1);
            expect_eigen(handle, &forms[f], sizes[s], SOLVE_UPPER, 2);
        }
    assert_int_equal(cusolverDnDestroy(handle), GOOD_STATUS);
}

static void eigenvalues_alone_leave_known_numbers(void **state)
{
    (void)state;
    enum { N = 4 };
    struct blas *handle = decomposition_handle();
    size_t device_bytes = 0, host_bytes = 99;
    double host[N * N] = {0}, found[N], pi = acos(-1);
    int *info = decomposition_infos(1);
    for (int i = 0; i < N; i++) { /* the second difference, whose eigenvalues are 2 - 2 cos(k pi / 5) */
        host[i * N + i] = 2;
        if (i > 0)
            host[i * N + i - 1] = host[(i - 1) * N + i] = -1;
    }
    struct rig_matrix a = rig_matrix(GEMM_F64, N * N, 1), w = rig_matrix(GEMM_F64, N, 1);
    assert_int_equal(cuMemcpyHtoD_v2(a.device, host, sizeof host), CUDA_SUCCESS);
    assert_int_equal(cusolverDnXsyevd_bufferSize(handle, NULL, 0, SOLVE_LOWER, N, GEMM_F64, rig_at(&a, 0), N, GEMM_F64,
                                                 rig_at(&w, 0), GEMM_F64, &device_bytes, &host_bytes),
                     GOOD_STATUS);
    struct rig_matrix work = rig_matrix(GEMM_F64, device_bytes / sizeof(double), 1);
    assert_int_equal(cusolverDnXsyevd(handle, NULL, 0, SOLVE_LOWER, N, GEMM_F64, rig_at(&a, 0), N, GEMM_F64,
                                      rig_at(&w, 0), GEMM_F64, rig_at(&work, 0), device_bytes, NULL, 0, info),
                     GOOD_STATUS);
    assert_int_equal(decomposition_info(info, 0), 0);
    assert_int_equal(host_bytes, 0);
    assert_int_equal(cuMemcpyDtoH_v2(found, w.device, sizeof found), CUDA_SUCCESS);
    for (int k = 0; k < N; k++)
        assert_true(fabs(found[k] - (2 - 2 * cos((k + 1) * pi / (N + 1)))) < 1e-14);
    rig_free(&a);
    rig_free(&w);
    rig_free(&work);
    assert_int_equal(cusolverDnDestroy(handle), GOOD_STATUS);
}

/* ---- bad input --------------------------------------------------------------------------------------------------- */

static void bad_arguments_have_the_documented_status(void **state)
{
    (void)state;
    enum { N = 3, ROOM = 100 };
    struct blas *handle = decomposition_handle();
    struct rig_matrix a = rig_matrix(GEMM_F64, N * N, 1), u = rig_matrix(GEMM_F64, N * N, 1),
                      s = rig_matrix(GEMM_F64, N, 1), work = rig_matrix(GEMM_F64, ROOM, 1);
    void *at = rig_at(&a, 0), *us = rig_at(&u, 0), *ss = rig_at(&s, 0), *room = rig_at(&work, 0);
    int *info = decomposition_infos(1), elements = 0, bad = CUSOLVER_STATUS_INVALID_VALUE;
    struct jacobi_settings *settings = NULL;
    assert_int_equal(cusolverDnCreateGesvdjInfo(&settings), GOOD_STATUS);
    assert_int_equal(cusolverDnXgesvdjSetTolerance(NULL, 0), bad);
    assert_int_equal(cusolverDnXgesvdjSetMaxSweeps(settings, -1), bad);
    assert_int_equal(cusolverDnDgesvd_bufferSize(NULL, N, N, &elements), CUSOLVER_STATUS_NOT_INITIALIZED);
    assert_int_equal(cusolverDnDgesvd_bufferSize(handle, N, N, NULL), bad);
    assert_int_equal(cusolverDnDgesvd_bufferSize(handle, 100000, 100000, &elements), CUSOLVER_STATUS_NOT_SUPPORTED);
    assert_int_equal(cusolverDnDgesvd(handle, 'A', 'A', 2, N, at, N, ss, us, N, us, N, room, ROOM, NULL, info), bad);
    assert_int_equal(cusolverDnDgesvd(handle, 'X', 'A', N, N, at, N, ss, us, N, us, N, room, ROOM, NULL, info), bad);
    assert_int_equal(cusolverDnDgesvd(handle, 'O', 'A', N, N, at, N, ss, us, N, us, N, room, ROOM, NULL, info),
                     CUSOLVER_STATUS_NOT_SUPPORTED);
    assert_int_equal(cusolverDnDgesvdj(handle, 2, 0, N, N, at, N, ss, us, N, us, N, room, ROOM, info, settings), bad);
    assert_int_equal(cusolverDnDgesvdj(handle, 1, 0, N, N, at, N, ss, us, N, us, N, room, 5, info, settings), bad);
    assert_int_equal(cusolverDnDgesvdj(handle, 1, 0, N, N, at, N, ss, NULL, N, us, N, room, ROOM, info, settings), bad);
    assert_int_equal(cusolverDnDgesvdj(handle, 1, 0, N, N, at, 2, ss, us, N, us, N, room, ROOM, info, settings), bad);
    assert_int_equal(cusolverDnDsyevjBatched(handle, 1, 7, N, at, N, ss, room, ROOM, info, NULL, 1), bad);
    assert_int_equal(cusolverDnDsyevjBatched(handle, 1, 0, N, at, N, NULL, room, ROOM, info, NULL, 1), bad);
    assert_int_equal(
        cusolverDnXsyevd(handle, NULL, 0, 0, N, GEMM_F64, at, N, GEMM_F32, ss, GEMM_F64, room, ROOM, NULL, 0, info),
        CUSOLVER_STATUS_NOT_SUPPORTED);
    /* Without a sweep nothing is known to be orthogonal. */
    assert_int_equal(cusolverDnXgesvdjSetMaxSweeps(settings, 0), GOOD_STATUS);
    assert_int_equal(cusolverDnDgesvdj(handle, 0, 0, N, N, at, N, ss, NULL, N, NULL, N, room, ROOM, info, settings),
                     GOOD_STATUS);
    assert_int_equal(decomposition_info(info, 0), N + 1);
    assert_int_equal(cusolverDnDestroyGesvdjInfo(settings), GOOD_STATUS);
    rig_free(&a);
    rig_free(&u);
    rig_free(&s);
    rig_free(&work);
    assert_int_equal(cusolverDnDestroy(handle), GOOD_STATUS);
}

UNIT_TESTS(UNIT(singular_vectors_of_any_shape_give_the_matrix),
           UNIT(vectors_of_singular_values_that_are_zero_complete_the_base),
           UNIT(a_batch_has_the_singular_values_of_each_matrix), UNIT(eigenvectors_of_either_triangle_give_the_matrix),
           UNIT(eigenvalues_alone_leave_known_numbers), UNIT(bad_arguments_have_the_documented_status))
