/* cuSOLVER's functions for eigenvalues and eigenvectors of Hermitian matrices. */
#include <limits.h>

#include "blas/jacobi.h"
#include "blas/product.h"
#include "blas/solve.h"

static bool known(unsigned type)
{
    return type == GEMM_F32 || type == GEMM_F64 || type == GEMM_C32 || type == GEMM_C64;
}

struct eigen {
    unsigned type;
    int vectors, triangle;
    long long n, lda, batch;
    void *a, *w, *work;
    long long work_elements;
    int *info;
};

static cusolverStatus_t eigen(const struct blas *blas, const struct eigen *t, const struct jacobi_settings *settings)
{
    if (!blas_lives(blas))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (t->n < 0 || t->n > INT_MAX || t->batch < 0 || t->lda < jacobi_pitch(t->n) || t->info == NULL ||
        (t->vectors != JACOBI_NO_VECTORS && t->vectors != JACOBI_VECTORS) ||
        (t->triangle != SOLVE_LOWER && t->triangle != SOLVE_UPPER))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (t->n == 0 || t->batch == 0)
        return CUSOLVER_STATUS_SUCCESS;
    if (t->a == NULL || t->w == NULL || t->work == NULL || t->work_elements < t->batch * jacobi_eigen_work(t->n))
        return CUSOLVER_STATUS_INVALID_VALUE;
    struct jacobi_arguments g = {.a = {t->a, t->lda, t->lda * t->n},
                                 .values = t->w,
                                 .values_stride = t->n,
                                 .work = t->work,
                                 .work_stride = jacobi_eigen_work(t->n),
                                 .rows = (unsigned)t->n,
                                 .columns = (unsigned)t->n,
                                 .vectors = t->vectors == JACOBI_VECTORS,
                                 .lower = t->triangle == SOLVE_LOWER,
                                 .info = t->info};
    jacobi_set(&g, settings);
    return jacobi_launch(blas, "syev", t->type, t->batch, &g);
}

#define EIGEN(letter, type, name)                                                                                      \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##name##evd_bufferSize, struct blas *handle, int jobz, int uplo,      \
             int n, const void *A, int lda, const void *W, int *elements)                                              \
    {                                                                                                                  \
        (void)jobz, (void)uplo, (void)A, (void)lda, (void)W;                                                           \
        return jacobi_tell(handle, n, n, 1, true, elements);                                                           \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##name##evd, struct blas *handle, int jobz, int uplo, int n, void *A, \
             int lda, void *W, void *work, int elements, int *info)                                                    \
    {                                                                                                                  \
        struct eigen t = {type, jobz, uplo, n, lda, 1, A, W, work, elements, info};                                    \
        return eigen(handle, &t, NULL);                                                                                \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##name##evj_bufferSize, struct blas *handle, int jobz, int uplo,      \
             int n, const void *A, int lda, const void *W, int *elements, struct jacobi_settings *params)              \
    {                                                                                                                  \
        (void)jobz, (void)uplo, (void)A, (void)lda, (void)W, (void)params;                                             \
        return jacobi_tell(handle, n, n, 1, true, elements);                                                           \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##name##evj, struct blas *handle, int jobz, int uplo, int n, void *A, \
             int lda, void *W, void *work, int elements, int *info, struct jacobi_settings *params)                    \
    {                                                                                                                  \
        struct eigen t = {type, jobz, uplo, n, lda, 1, A, W, work, elements, info};                                    \
        return eigen(handle, &t, params);                                                                              \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##name##evjBatched_bufferSize, struct blas *handle, int jobz,         \
             int uplo, int n, const void *A, int lda, const void *W, int *elements, struct jacobi_settings *params,    \
             int batch)                                                                                                \
    {                                                                                                                  \
        (void)jobz, (void)uplo, (void)A, (void)lda, (void)W, (void)params;                                             \
        return jacobi_tell(handle, n, n, batch, true, elements);                                                       \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##name##evjBatched, struct blas *handle, int jobz, int uplo, int n,   \
             void *A, int lda, void *W, void *work, int elements, int *info, struct jacobi_settings *params,           \
             int batch)                                                                                                \
    {                                                                                                                  \
        struct eigen t = {type, jobz, uplo, n, lda, batch, A, W, work, elements, info};                                \
        return eigen(handle, &t, params);                                                                              \
    }

EIGEN(S, GEMM_F32, sy)
EIGEN(D, GEMM_F64, sy)
EIGEN(C, GEMM_C32, he)
EIGEN(Z, GEMM_C64, he)

/* ---- with types as arguments ------------------------------------------------------------------------------------- */

static bool types_fit(unsigned type, int values, int computed)
{
    unsigned real = type == GEMM_C32 ? GEMM_F32 : type == GEMM_C64 ? GEMM_F64 : type;
    return known(type) && (unsigned)values == real && (unsigned)computed == type;
}

static cusolverStatus_t tell_bytes(const struct blas *blas, unsigned type, long long n, long long batch,
                                   size_t *device_bytes, size_t *host_bytes)
{
    if (!blas_lives(blas))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (n < 0 || batch < 0 || device_bytes == NULL || host_bytes == NULL)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *device_bytes = (size_t)(batch * jacobi_eigen_work(n)) * product_size(type);
    *host_bytes = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

BLAS_API(cusolverStatus_t, cusolverDnXsyevBatched_bufferSize, struct blas *handle, void *parameters, int jobz, int uplo,
         int64_t n, int type, const void *A, int64_t lda, int type_w, const void *W, int computed, size_t *device_bytes,
         size_t *host_bytes, int64_t batch)
{
    (void)parameters, (void)jobz, (void)uplo, (void)A, (void)lda, (void)type_w, (void)W, (void)computed;
    return tell_bytes(handle, (unsigned)type, n, batch, device_bytes, host_bytes);
}

BLAS_API(cusolverStatus_t, cusolverDnXsyevBatched, struct blas *handle, void *parameters, int jobz, int uplo, int64_t n,
         int type, void *A, int64_t lda, int type_w, void *W, int computed, void *on_device, size_t device_bytes,
         void *on_host, size_t host_bytes, int *info, int64_t batch)
{
    (void)parameters, (void)on_host, (void)host_bytes;
    if (!types_fit((unsigned)type, type_w, computed))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    struct eigen t = {(unsigned)type,
                      jobz,
                      uplo,
                      n,
                      lda,
                      batch,
                      A,
                      W,
                      on_device,
                      (long long)(device_bytes / product_size((unsigned)type)),
                      info};
    return eigen(handle, &t, NULL);
}

BLAS_API(cusolverStatus_t, cusolverDnXsyevd_bufferSize, struct blas *handle, void *parameters, int jobz, int uplo,
         int64_t n, int type, const void *A, int64_t lda, int type_w, const void *W, int computed, size_t *device_bytes,
         size_t *host_bytes)
{
    (void)parameters, (void)jobz, (void)uplo, (void)A, (void)lda, (void)type_w, (void)W, (void)computed;
    return tell_bytes(handle, (unsigned)type, n, 1, device_bytes, host_bytes);
}

BLAS_API(cusolverStatus_t, cusolverDnXsyevd, struct blas *handle, void *parameters, int jobz, int uplo, int64_t n,
         int type, void *A, int64_t lda, int type_w, void *W, int computed, void *on_device, size_t device_bytes,
         void *on_host, size_t host_bytes, int *info)
{
    return cusolverDnXsyevBatched(handle, parameters, jobz, uplo, n, type, A, lda, type_w, W, computed, on_device,
                                  device_bytes, on_host, host_bytes, info, 1);
}
