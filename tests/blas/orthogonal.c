/* QR: Q is orthogonal, and Q R is the matrix. Products with Q are those of the Q that is written out. */
#include "tests/blas/decomposition.h"

cusolverStatus_t cusolverDnDestroy(struct blas *handle);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(struct blas *, void *, int64_t, int64_t, int, const void *, int64_t, int,
                                             const void *, int, size_t *, size_t *);
cusolverStatus_t cusolverDnXgeqrf(struct blas *, void *, int64_t, int64_t, int, void *, int64_t, int, void *, int,
                                  void *, size_t, void *, size_t, int *);
#define QR(letter, name)                                                                                               \
    cusolverStatus_t cusolverDn##letter##geqrf(struct blas *, int, int, void *, int, void *, void *, int, int *);      \
    cusolverStatus_t cusolverDn##letter##name##gqr(struct blas *, int, int, int, void *, int, const void *, void *,    \
                                                   int, int *);                                                        \
    cusolverStatus_t cusolverDn##letter##name##mqr(struct blas *, int, int, int, int, int, const void *, int,          \
                                                   const void *, void *, int, void *, int, int *);                     \
    cublasStatus_t cublas##letter##geqrfBatched(cublasHandle_t, int, int, void *const[], int, void *const[], int *,    \
                                                int);                                                                  \
    cublasStatus_t cublas##letter##gelsBatched(cublasHandle_t, int, int, int, int, void *const[], int, void *const[],  \
                                               int, int *, int *, int);
QR(S, or)
QR(D, or)
QR(C, un)
QR(Z, un)

static const struct form {
    unsigned type;
    cusolverStatus_t (*geqrf)(struct blas *, int, int, void *, int, void *, void *, int, int *);
    cusolverStatus_t (*orgqr)(struct blas *, int, int, int, void *, int, const void *, void *, int, int *);
    cusolverStatus_t (*ormqr)(struct blas *, int, int, int, int, int, const void *, int, const void *, void *, int,
                              void *, int, int *);
    cublasStatus_t (*geqrf_batched)(cublasHandle_t, int, int, void *const[], int, void *const[], int *, int);
    cublasStatus_t (*gels_batched)(cublasHandle_t, int, int, int, int, void *const[], int, void *const[], int, int *,
                                   int *, int);
} forms[] = {
#define FORM(type, letter, name)                                                                                       \
    {                                                                                                                  \
        type, cusolverDn##letter##geqrf, cusolverDn##letter##name##gqr, cusolverDn##letter##name##mqr,                 \
            cublas##letter##geqrfBatched, cublas##letter##gelsBatched                                                  \
    }
    FORM(GEMM_F32, S, or),
    FORM(GEMM_F64, D, or),
    FORM(GEMM_C32, C, un),
    FORM(GEMM_C64, Z, un),
};
enum { FORMS = sizeof forms / sizeof forms[0], MORE = 3, LEFT = 0, RIGHT = 1, GOOD_STATUS = CUSOLVER_STATUS_SUCCESS };

static int least(int a, int b) { return a < b ? a : b; }

/* R of a factored matrix. */
static struct plain upper(const struct plain *factors)
{
    struct plain r = plain(least(factors->rows, factors->columns), factors->columns);
    for (int j = 0; j < r.columns; j++)
        for (int i = 0; i < r.rows && i <= j; i++)
            *plain_at(&r, i, j) = *plain_at(factors, i, j);
    return r;
}

static bool complex_type(const struct form *f) { return f->type == GEMM_C32 || f->type == GEMM_C64; }

/* A factored matrix: its factors, scalars, and the whole Q with `columns` columns. */
struct factored {
    struct rig_matrix a, tau;
    struct plain before, q;
};

static struct factored factored(struct blas *handle, const struct form *f, int m, int n, int columns)
{
    int pitch = m + MORE, k = least(m, n), *info = decomposition_infos(1);
    struct factored d = {.a = rig_matrix(f->type, (size_t)(pitch * n), (uint64_t)(m * 50 + n)),
                         .tau = rig_matrix(f->type, (size_t)k, 7)};
    d.before = plain_result(&d.a, m, n, pitch);
    assert_int_equal(f->geqrf(handle, m, n, rig_at(&d.a, 0), pitch, rig_at(&d.tau, 0), NULL, 0, info), GOOD_STATUS);
    assert_int_equal(decomposition_info(info, 0), 0);
    struct rig_matrix q = rig_matrix(f->type, (size_t)(pitch * columns), 8);
    size_t bytes = (size_t)(pitch * least(n, columns)) * product_size(f->type);
    assert_int_equal(cuMemcpyDtoD_v2(q.device, d.a.device, bytes), CUDA_SUCCESS);
    info = decomposition_infos(1);
    assert_int_equal(f->orgqr(handle, m, columns, k, rig_at(&q, 0), pitch, rig_at(&d.tau, 0), NULL, 0, info),
                     GOOD_STATUS);
    assert_int_equal(decomposition_info(info, 0), 0);
    d.q = plain_result(&q, m, columns, pitch);
    rig_free(&q);
    return d;
}

static void free_factored(struct factored *d)
{
    rig_free(&d->a);
    rig_free(&d->tau);
    free(d->before.at);
    free(d->q.at);
}

static void q_is_orthogonal_and_q_times_r_is_the_matrix(void **state)
{
    (void)state;
    static const int shapes[][2] = {{1, 1}, {5, 1}, {1, 5}, {8, 8}, {40, 17}, {17, 40}, {150, 6}};
    struct blas *handle = decomposition_handle();
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            int m = shapes[s][0], n = shapes[s][1];
            struct factored d = factored(handle, &forms[f], m, n, least(m, n));
            struct plain factors = plain_result(&d.a, m, n, m + MORE), r = upper(&factors);
            plain_expect_orthogonal(&d.q, forms[f].type, "Q");
            plain_expect(&d.before, plain_product(&d.q, &r), forms[f].type, "Q R");
            free(factors.at);
            free(r.at);
            free_factored(&d);
        }
    assert_int_equal(cusolverDnDestroy(handle), GOOD_STATUS);
}

static void a_whole_q_has_as_many_columns_as_rows(void **state)
{
    (void)state;
    struct blas *handle = decomposition_handle();
    for (size_t f = 0; f < FORMS; f++) {
        struct factored d = factored(handle, &forms[f], 19, 5, 19);
        plain_expect_orthogonal(&d.q, forms[f].type, "whole Q");
        free_factored(&d);
    }
    assert_int_equal(cusolverDnDestroy(handle), GOOD_STATUS);
}

static void products_with_q_from_both_sides_are_those_of_q_written_out(void **state)
{
    (void)state;
    enum { M = 13, N = 4, OTHER = 6 };
    struct blas *handle = decomposition_handle();
    for (size_t f = 0; f < FORMS; f++)
        for (int way = 0; way < 4; way++) {
            int side = way % 2, adjoint = way / 2, rows = side == LEFT ? M : OTHER, columns = side == LEFT ? OTHER : M;
            int operation = !adjoint ? BLAS_N : complex_type(&forms[f]) ? BLAS_C : BLAS_T;
            struct factored d = factored(handle, &forms[f], M, N, M);
            struct rig_matrix c = rig_matrix(forms[f].type, (size_t)((rows + 1) * columns), 9);
            struct plain before = plain_result(&c, rows, columns, rows + 1), q = d.q;
            int *info = decomposition_infos(1);
            assert_int_equal(forms[f].ormqr(handle, side, operation, rows, columns, N, rig_at(&d.a, 0), M + MORE,
                                            rig_at(&d.tau, 0), rig_at(&c, 0), rows + 1, NULL, 0, info),
                             GOOD_STATUS);
            assert_int_equal(decomposition_info(info, 0), 0);
            struct plain found = plain_result(&c, rows, columns, rows + 1);
            q = adjoint ? plain_adjoint(&d.q) : q;
            plain_expect(&found, side == LEFT ? plain_product(&q, &before) : plain_product(&before, &q), forms[f].type,
                         "a product with Q");
            if (adjoint)
                free(q.at);
            free(before.at);
            free(found.at);
            rig_free(&c);
            free_factored(&d);
        }
    assert_int_equal(cusolverDnDestroy(handle), GOOD_STATUS);
}

/* Addresses of a batch's matrices, in device memory. */
static void **list_of(const struct rig_matrix *m, size_t each, size_t count)
{
    CUdeviceptr list, addresses[4] = {0};
    for (size_t i = 0; i < count; i++)
        addresses[i] = m->device + i * each * product_size(m->type);
    assert_int_equal(cuMemAlloc_v2(&list, sizeof addresses), CUDA_SUCCESS);
    assert_int_equal(cuMemcpyHtoD_v2(list, addresses, sizeof addresses), CUDA_SUCCESS);
    return (void **)(uintptr_t)list;
}

static void free_list(void **list) { assert_int_equal(cuMemFree_v2((CUdeviceptr)(uintptr_t)list), CUDA_SUCCESS); }

static void a_batch_has_the_factors_of_each_matrix(void **state)
{
    (void)state;
    enum { M = 9, N = 5, BATCH = 3 };
    struct blas *handle = decomposition_handle();
    for (size_t f = 0; f < FORMS; f++) {
        int info = 99;
        struct rig_matrix a = rig_matrix(forms[f].type, M * N * BATCH, 3),
                          tau = rig_matrix(forms[f].type, N * BATCH, 1);
        void **as = list_of(&a, M * N, BATCH), **taus = list_of(&tau, N, BATCH);
        struct plain before = plain_result(&a, M, N * BATCH, M);
        assert_int_equal(forms[f].geqrf_batched(handle, M, N, as, M, taus, &info, BATCH), CUBLAS_STATUS_SUCCESS);
        assert_int_equal(info, 0);
        struct plain factors = plain_result(&a, M, N * BATCH, M);
        for (int b = 0; b < BATCH; b++) {
            int *infos = decomposition_infos(1);
            void *q = rig_at(&a, (size_t)(b * M * N));
            assert_int_equal(forms[f].orgqr(handle, M, N, N, q, M, rig_at(&tau, (size_t)(b * N)), NULL, 0, infos),
                             GOOD_STATUS);
            assert_int_equal(decomposition_info(infos, 0), 0);
        }
        struct plain qs = plain_result(&a, M, N * BATCH, M);
        for (int b = 0; b < BATCH; b++) {
            struct plain q = {M, N, qs.at + b * M * N}, was = {M, N, before.at + b * M * N},
                         both = {M, N, factors.at + b * M * N}, r = upper(&both);
            plain_expect_orthogonal(&q, forms[f].type, "Q of a batch");
            plain_expect(&was, plain_product(&q, &r), forms[f].type, "Q R of a batch");
            free(r.at);
        }
        free(before.at);
        free(factors.at);
        free(qs.at);
        free_list(as);
        free_list(taus);
        rig_free(&a);
        rig_free(&tau);
    }
    assert_int_equal(cusolverDnDestroy(handle), GOOD_STATUS);
}

static void what_least_squares_leave_is_orthogonal_to_the_matrix(void **state)
{
    (void)state;
    enum { M = 11, N = 4, SIDES = 3, BATCH = 2 };
    struct blas *handle = decomposition_handle();
    for (size_t f = 0; f < FORMS; f++) {
        int info = 99, *infos = decomposition_infos(BATCH);
        struct rig_matrix a = rig_matrix(forms[f].type, M * N * BATCH, 3),
                          c = rig_matrix(forms[f].type, M * SIDES * BATCH, 4);
        void **as = list_of(&a, M * N, BATCH), **cs = list_of(&c, M * SIDES, BATCH);
        struct plain before = plain_result(&a, M, N * BATCH, M), sides = plain_result(&c, M, SIDES * BATCH, M);
        assert_int_equal(forms[f].gels_batched(handle, BLAS_N, M, N, SIDES, as, M, cs, M, &info, infos, BATCH),
                         CUBLAS_STATUS_SUCCESS);
        assert_int_equal(info, 0);
        struct plain x = plain_result(&c, M, SIDES * BATCH, M);
        for (int b = 0; b < BATCH; b++) {
            struct plain of = {M, N, before.at + b * M * N}, adjoint = plain_adjoint(&of), some = plain(N, SIDES);
            struct plain right = {M, SIDES, sides.at + b * M * SIDES};
            for (int j = 0; j < SIDES; j++)
                for (int i = 0; i < N; i++)
                    *plain_at(&some, i, j) = x.at[(b * SIDES + j) * M + i];
            struct plain wanted = plain_product(&adjoint, &right), product = plain_product(&of, &some);
            plain_expect(&wanted, plain_product(&adjoint, &product), forms[f].type, "A' A X = A' C");
            free(adjoint.at);
            free(some.at);
            free(wanted.at);
            free(product.at);
        }
        assert_int_equal(decomposition_info(infos, 1), 0);
        free(before.at);
        free(sides.at);
        free(x.at);
        free_list(as);
        free_list(cs);
        rig_free(&a);
        rig_free(&c);
    }
    assert_int_equal(cusolverDnDestroy(handle), GOOD_STATUS);
}

static void bad_arguments_have_the_documented_status(void **state)
{
    (void)state;
    struct blas *handle = decomposition_handle();
    struct rig_matrix a = rig_matrix(GEMM_F64, 12, 1), tau = rig_matrix(GEMM_F64, 4, 1);
    void *at = rig_at(&a, 0), *scalars = rig_at(&tau, 0);
    int *info = decomposition_infos(1), host = 0, bad = CUSOLVER_STATUS_INVALID_VALUE;
    size_t device_bytes = 99, host_bytes = 99;
    assert_int_equal(cusolverDnDgeqrf(NULL, 4, 3, at, 4, scalars, NULL, 0, info), CUSOLVER_STATUS_NOT_INITIALIZED);
    assert_int_equal(cusolverDnDgeqrf(handle, -1, 3, at, 4, scalars, NULL, 0, info), bad);
    assert_int_equal(cusolverDnDgeqrf(handle, 4, 3, at, 3, scalars, NULL, 0, info), bad);
    assert_int_equal(cusolverDnDgeqrf(handle, 4, 3, NULL, 4, scalars, NULL, 0, info), bad);
    assert_int_equal(cusolverDnDgeqrf(handle, 4, 3, at, 4, NULL, NULL, 0, info), bad);
    assert_int_equal(cusolverDnDgeqrf(handle, 4, 3, at, 4, scalars, NULL, 0, NULL), bad);
    assert_int_equal(cusolverDnDorgqr(handle, 3, 4, 3, at, 3, scalars, NULL, 0, info), bad);
    assert_int_equal(cusolverDnDorgqr(handle, 4, 3, 4, at, 4, scalars, NULL, 0, info), bad);
    assert_int_equal(cusolverDnZunmqr(handle, LEFT, BLAS_T, 2, 2, 1, at, 2, scalars, at, 2, NULL, 0, info), bad);
    assert_int_equal(cusolverDnDormqr(handle, RIGHT, BLAS_T, 2, 3, 1, at, 2, scalars, at, 2, NULL, 0, info), bad);
    assert_int_equal(
        cusolverDnXgeqrf(handle, NULL, 4, 3, GEMM_F16, at, 4, GEMM_F16, scalars, GEMM_F16, NULL, 0, NULL, 0, info),
        CUSOLVER_STATUS_NOT_SUPPORTED);
    assert_int_equal(cusolverDnXgeqrf_bufferSize(handle, NULL, 4, 3, GEMM_F64, at, 4, GEMM_F64, scalars, GEMM_F64,
                                                 &device_bytes, &host_bytes),
                     GOOD_STATUS);
    assert_int_equal(device_bytes, 1);
    assert_int_equal(host_bytes, 0);
    assert_int_equal(cublasDgeqrfBatched(handle, 4, 3, NULL, 3, NULL, &host, 1), CUBLAS_STATUS_INVALID_VALUE);
    assert_int_equal(host, -4);
    assert_int_equal(cublasDgelsBatched(handle, BLAS_T, 4, 3, 1, (void **)at, 4, (void **)at, 4, &host, NULL, 1),
                     CUBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(decomposition_info(info, 0), 99);
    rig_free(&a);
    rig_free(&tau);
    assert_int_equal(cusolverDnDestroy(handle), GOOD_STATUS);
}

UNIT_TESTS(UNIT(q_is_orthogonal_and_q_times_r_is_the_matrix), UNIT(a_whole_q_has_as_many_columns_as_rows),
           UNIT(products_with_q_from_both_sides_are_those_of_q_written_out),
           UNIT(a_batch_has_the_factors_of_each_matrix), UNIT(what_least_squares_leave_is_orthogonal_to_the_matrix),
           UNIT(bad_arguments_have_the_documented_status))
