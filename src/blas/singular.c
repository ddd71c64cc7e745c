/* cuSOLVER's functions for singular values and vectors. */
#include "blas/jacobi.h"
#include "blas/product.h"

struct svd {
    unsigned type;
    long long m, n, lda, ldu, ldv, batch, u_columns, v_columns;
    long long stride_a, stride_u, stride_v, stride_s; /* elements from one matrix of a batch to the next */
    const void *a;
    void *u, *v, *s, *work;
    long long work_elements;
    int *info;
    bool adjoint;
};

static cusolverStatus_t check_svd(const struct blas *blas, const struct svd *t)
{
    long long small = t->m < t->n ? t->m : t->n;
    if (!blas_lives(blas))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (t->m < 0 || t->n < 0 || t->batch < 0 || t->lda < jacobi_pitch(t->m) || t->info == NULL ||
        (t->u_columns > 0 && t->ldu < jacobi_pitch(t->m)) ||
        (t->v_columns > 0 && t->ldv < jacobi_pitch(t->adjoint ? t->v_columns : t->n)))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (small == 0 || t->batch == 0)
        return CUSOLVER_STATUS_SUCCESS;
    bool there = t->a != NULL && t->s != NULL && t->work != NULL && (t->u_columns == 0 || t->u != NULL) &&
                 (t->v_columns == 0 || t->v != NULL);
    return there && t->work_elements >= t->batch * jacobi_svd_work(t->m, t->n) ? CUSOLVER_STATUS_SUCCESS
                                                                               : CUSOLVER_STATUS_INVALID_VALUE;
}

static cusolverStatus_t svd(const struct blas *blas, const struct svd *t, const struct jacobi_settings *settings)
{
    cusolverStatus_t status = check_svd(blas, t);
    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    struct jacobi_arguments g = {.a = {(void *)(uintptr_t)t->a, t->lda, t->stride_a},
                                 .u = {t->u, t->ldu, t->stride_u},
                                 .v = {t->v, t->ldv, t->stride_v},
                                 .values = t->s,
                                 .values_stride = t->stride_s,
                                 .work = t->work,
                                 .work_stride = jacobi_svd_work(t->m, t->n),
                                 .rows = (unsigned)t->m,
                                 .columns = (unsigned)t->n,
                                 .u_columns = (unsigned)t->u_columns,
                                 .v_columns = (unsigned)t->v_columns,
                                 .adjoint = t->adjoint,
                                 .info = t->info};
    jacobi_set(&g, settings);
    return jacobi_launch(blas, "gesvd", t->type, t->m == 0 || t->n == 0 ? 0 : t->batch, &g);
}

/* Returns the columns that a letter of gesvd selects, or -1. Vectors in the place of A are refused. */
static long long wanted(signed char job, long long all, long long some)
{
    return job == 'A' ? all : job == 'S' ? some : job == 'N' ? 0 : -1;
}

static cusolverStatus_t gesvd(const struct blas *blas, struct svd *t, signed char job_u, signed char job_v,
                              const char *name)
{
    if (!blas_lives(blas))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (job_u == 'O' || job_v == 'O')
        return solver_refuse(name, "singular vectors in the place of the matrix");
    t->u_columns = wanted(job_u, t->m, t->n);
    t->v_columns = wanted(job_v, t->n, t->n);
    return t->m < t->n || t->u_columns < 0 || t->v_columns < 0 ? CUSOLVER_STATUS_INVALID_VALUE : svd(blas, t, NULL);
}

static cusolverStatus_t gesvdj(const struct blas *blas, struct svd *t, int vectors, bool few,
                               const struct jacobi_settings *settings)
{
    long long small = t->m < t->n ? t->m : t->n;
    if (!blas_lives(blas))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (vectors != JACOBI_NO_VECTORS && vectors != JACOBI_VECTORS)
        return CUSOLVER_STATUS_INVALID_VALUE;
    t->u_columns = !vectors ? 0 : few ? small : t->m;
    t->v_columns = !vectors ? 0 : few ? small : t->n;
    return svd(blas, t, settings);
}

/* Matrices of a batch that follow each other without gaps. */
static struct svd packed(enum gemm_type type, int m, int n, const void *a, int lda, void *s, void *u, int ldu, void *v,
                         int ldv, int batch, int *info)
{
    return (struct svd){.type = type,
                        .m = m,
                        .n = n,
                        .lda = lda,
                        .ldu = ldu,
                        .ldv = ldv,
                        .batch = batch,
                        .stride_a = (long long)lda * n,
                        .stride_u = (long long)ldu * m,
                        .stride_v = (long long)ldv * n,
                        .stride_s = m < n ? m : n,
                        .a = a,
                        .u = u,
                        .v = v,
                        .s = s,
                        .info = info};
}

#define SVD(letter, element)                                                                                           \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##gesvd_bufferSize, struct blas *handle, int m, int n, int *elements) \
    {                                                                                                                  \
        return jacobi_tell(handle, m, n, 1, false, elements);                                                          \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##gesvd, struct blas *handle, signed char jobu, signed char jobvt,    \
             int m, int n, void *A, int lda, void *S, void *U, int ldu, void *VT, int ldvt, void *work, int elements,  \
             void *real_work, int *info)                                                                               \
    {                                                                                                                  \
        struct svd t = packed(element, m, n, A, lda, S, U, ldu, VT, ldvt, 1, info);                                    \
        t.work = work;                                                                                                 \
        t.work_elements = elements;                                                                                    \
        t.adjoint = true;                                                                                              \
        (void)real_work;                                                                                               \
        return gesvd(handle, &t, jobu, jobvt, "cusolverDn" #letter "gesvd");                                           \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##gesvdj_bufferSize, struct blas *handle, int jobz, int econ, int m,  \
             int n, const void *A, int lda, const void *S, const void *U, int ldu, const void *V, int ldv,             \
             int *elements, struct jacobi_settings *params)                                                            \
    {                                                                                                                  \
        (void)jobz, (void)econ, (void)A, (void)lda, (void)S, (void)U, (void)ldu, (void)V, (void)ldv, (void)params;     \
        return jacobi_tell(handle, m, n, 1, false, elements);                                                          \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##gesvdj, struct blas *handle, int jobz, int econ, int m, int n,      \
             void *A, int lda, void *S, void *U, int ldu, void *V, int ldv, void *work, int elements, int *info,       \
             struct jacobi_settings *params)                                                                           \
    {                                                                                                                  \
        struct svd t = packed(element, m, n, A, lda, S, U, ldu, V, ldv, 1, info);                                      \
        t.work = work;                                                                                                 \
        t.work_elements = elements;                                                                                    \
        return gesvdj(handle, &t, jobz, econ != 0, params);                                                            \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##gesvdjBatched_bufferSize, struct blas *handle, int jobz, int m,     \
             int n, const void *A, int lda, const void *S, const void *U, int ldu, const void *V, int ldv,             \
             int *elements, struct jacobi_settings *params, int batch)                                                 \
    {                                                                                                                  \
        (void)jobz, (void)A, (void)lda, (void)S, (void)U, (void)ldu, (void)V, (void)ldv, (void)params;                 \
        return jacobi_tell(handle, m, n, batch, false, elements);                                                      \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##gesvdjBatched, struct blas *handle, int jobz, int m, int n,         \
             void *A, int lda, void *S, void *U, int ldu, void *V, int ldv, void *work, int elements, int *info,       \
             struct jacobi_settings *params, int batch)                                                                \
    {                                                                                                                  \
        struct svd t = packed(element, m, n, A, lda, S, U, ldu, V, ldv, batch, info);                                  \
        t.work = work;                                                                                                 \
        t.work_elements = elements;                                                                                    \
        return gesvdj(handle, &t, jobz, false, params);                                                                \
    }                                                                                                                  \
    SVD_STRIDED(letter, element)

/* The caller wants `rank` singular values and vectors of these. */
#define SVD_STRIDED(letter, element)                                                                                   \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##gesvdaStridedBatched_bufferSize, struct blas *handle, int jobz,     \
             int rank, int m, int n, const void *A, int lda, long long strideA, const void *S, long long strideS,      \
             const void *U, int ldu, long long strideU, const void *V, int ldv, long long strideV, int *elements,      \
             int batch)                                                                                                \
    {                                                                                                                  \
        (void)jobz, (void)rank, (void)A, (void)lda, (void)strideA, (void)S, (void)strideS, (void)U, (void)ldu;         \
        (void)strideU, (void)V, (void)ldv, (void)strideV;                                                              \
        return jacobi_tell(handle, m, n, batch, false, elements);                                                      \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##gesvdaStridedBatched, struct blas *handle, int jobz, int rank,      \
             int m, int n, const void *A, int lda, long long strideA, void *S, long long strideS, void *U, int ldu,    \
             long long strideU, void *V, int ldv, long long strideV, void *work, int elements, int *info,              \
             double *residuals, int batch)                                                                             \
    {                                                                                                                  \
        struct svd t = packed(element, m, n, A, lda, S, U, ldu, V, ldv, batch, info);                                  \
        t.work = work;                                                                                                 \
        t.work_elements = elements;                                                                                    \
        t.stride_a = strideA;                                                                                          \
        t.stride_u = strideU;                                                                                          \
        t.stride_v = strideV;                                                                                          \
        t.stride_s = strideS;                                                                                          \
        return gesvda(handle, &t, jobz, rank, residuals, "cusolverDn" #letter "gesvdaStridedBatched");                 \
    }

static cusolverStatus_t gesvda(const struct blas *blas, struct svd *t, int vectors, int rank, const double *residuals,
                               const char *name)
{
    if (blas_lives(blas) && rank != (t->m < t->n ? t->m : t->n))
        return solver_refuse(name, "fewer singular values than there are");
    if (blas_lives(blas) && residuals != NULL && vectors == JACOBI_VECTORS)
        return solver_refuse(name, "norms of residuals");
    return gesvdj(blas, t, vectors, true, NULL);
}

SVD(S, GEMM_F32)
SVD(D, GEMM_F64)
SVD(C, GEMM_C32)
SVD(Z, GEMM_C64)
