/* cuSOLVER's LU and Cholesky factorizations. cusolverDn handles are those of cuBLAS. */
#include <stdlib.h>

#include "blas/product.h"
#include "blas/solve.h"
#include "blas/solver.h"
#include "driver/abi/api_memory.h"

cusolverStatus_t solver_status(cublasStatus_t status)
{
    switch (status) {
    case CUBLAS_STATUS_SUCCESS: return CUSOLVER_STATUS_SUCCESS;
    case CUBLAS_STATUS_NOT_INITIALIZED: return CUSOLVER_STATUS_NOT_INITIALIZED;
    case CUBLAS_STATUS_ALLOC_FAILED: return CUSOLVER_STATUS_ALLOC_FAILED;
    case CUBLAS_STATUS_ARCH_MISMATCH: return CUSOLVER_STATUS_ARCH_MISMATCH;
    case CUBLAS_STATUS_NOT_SUPPORTED: return CUSOLVER_STATUS_NOT_SUPPORTED;
    case CUBLAS_STATUS_EXECUTION_FAILED: return CUSOLVER_STATUS_EXECUTION_FAILED;
    default: return CUSOLVER_STATUS_INVALID_VALUE;
    }
}

/* ---- handles ----------------------------------------------------------------------------------------------------- */

BLAS_API(cusolverStatus_t, cusolverDnCreate, struct blas **handle) { return solver_status(blas_create(handle)); }
BLAS_API(cusolverStatus_t, cusolverDnDestroy, struct blas *handle) { return solver_status(blas_destroy(handle)); }

BLAS_API(cusolverStatus_t, cusolverDnSetStream, struct blas *handle, CUstream stream)
{
    if (!blas_lives(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}

BLAS_API(cusolverStatus_t, cusolverDnGetStream, struct blas *handle, CUstream *stream)
{
    if (!blas_lives(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (stream == NULL)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *stream = handle->stream;
    return CUSOLVER_STATUS_SUCCESS;
}

/* Results are the same in each run, in either mode. */
BLAS_API(cusolverStatus_t, cusolverDnSetDeterministicMode, struct blas *handle, int mode)
{
    (void)mode;
    return blas_lives(handle) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_NOT_INITIALIZED;
}

/* Parameters choose algorithms, and there is only one. */
BLAS_API(cusolverStatus_t, cusolverDnCreateParams, void **parameters)
{
    if (parameters == NULL)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *parameters = malloc(1);
    return *parameters != NULL ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

BLAS_API(cusolverStatus_t, cusolverDnDestroyParams, void *parameters)
{
    free(parameters);
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static cusolverStatus_t check(const struct blas *blas, const struct solve_task *t, bool both)
{
    long long least = t->rows > 1 ? t->rows : 1;
    if (!blas_lives(blas))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (t->rows < 0 || t->columns < 0 || t->batch < 0 || t->lda < least || (both && t->ldb < least) ||
        t->rows > INT32_MAX || t->columns > INT32_MAX || t->info == NULL)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (t->type != GEMM_F32 && t->type != GEMM_F64 && t->type != GEMM_C32 && t->type != GEMM_C64)
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    bool nothing = t->rows == 0 || t->columns == 0 || t->batch == 0;
    return nothing || (t->a != NULL && (!both || t->b != NULL)) ? CUSOLVER_STATUS_SUCCESS
                                                                : CUSOLVER_STATUS_INVALID_VALUE;
}

static bool empty(const struct solve_task *t) { return t->rows == 0 || t->columns == 0 || t->batch == 0; }

/* Sets the failure number to zero if no kernel writes it. */
static cusolverStatus_t good_info(const struct blas *blas, const struct solve_task *t)
{
    CUdeviceptr info = (CUdeviceptr)(uintptr_t)t->info;
    bool good = cuMemsetD32Async(info, 0, (size_t)t->batch, blas->stream) == CUDA_SUCCESS;
    return good ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_EXECUTION_FAILED;
}

static cusolverStatus_t factor(struct blas *blas, const struct solve_task *t, bool lu, int triangle)
{
    cusolverStatus_t status = check(blas, t, false);
    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    if (!lu && triangle != SOLVE_LOWER && triangle != SOLVE_UPPER)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (empty(t))
        return t->batch > 0 ? good_info(blas, t) : status;
    return solver_status(lu ? solve_lu(blas, t) : solve_cholesky(blas, t, triangle));
}

static cusolverStatus_t solve(struct blas *blas, const struct solve_task *t, bool lu, int how)
{
    cusolverStatus_t status = check(blas, t, true);
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = t->batch > 0 ? good_info(blas, t) : status;
    if (status != CUSOLVER_STATUS_SUCCESS || empty(t))
        return status;
    if (how < 0 || how > (lu ? BLAS_C : SOLVE_UPPER))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_status(lu ? solve_with_lu(blas, t, how) : solve_with_cholesky(blas, t, how));
}

/* No function needs a workspace. Programs reserve the reported size, so it is one element. */
static cusolverStatus_t one_element(const struct blas *blas, int *elements)
{
    if (!blas_lives(blas))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (elements == NULL)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *elements = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- by type ----------------------------------------------------------------------------------------------------- */

#define OF_TYPE(letter, type)                                                                                          \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##getrf_bufferSize, struct blas *handle, int m, int n, void *A,       \
             int lda, int *elements)                                                                                   \
    {                                                                                                                  \
        (void)m, (void)n, (void)A, (void)lda;                                                                          \
        return one_element(handle, elements);                                                                          \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##getrf, struct blas *handle, int m, int n, void *A, int lda,         \
             void *workspace, int *pivots, int *info)                                                                  \
    {                                                                                                                  \
        struct solve_task t = {type, m, n, lda, 0, 1, false, A, NULL, pivots, info};                                   \
        (void)workspace;                                                                                               \
        return factor(handle, &t, true, 0);                                                                            \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##getrs, struct blas *handle, int operation, int n, int columns,      \
             const void *A, int lda, const int *pivots, void *B, int ldb, int *info)                                   \
    {                                                                                                                  \
        struct solve_task t = {type, n, columns, lda, ldb, 1, false, A, B, (int *)(uintptr_t)pivots, info};            \
        return solve(handle, &t, true, operation);                                                                     \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##potrf_bufferSize, struct blas *handle, int triangle, int n,         \
             void *A, int lda, int *elements)                                                                          \
    {                                                                                                                  \
        (void)triangle, (void)n, (void)A, (void)lda;                                                                   \
        return one_element(handle, elements);                                                                          \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##potrf, struct blas *handle, int triangle, int n, void *A, int lda,  \
             void *workspace, int elements, int *info)                                                                 \
    {                                                                                                                  \
        struct solve_task t = {type, n, n, lda, 0, 1, false, A, NULL, NULL, info};                                     \
        (void)workspace, (void)elements;                                                                               \
        return factor(handle, &t, false, triangle);                                                                    \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##potrfBatched, struct blas *handle, int triangle, int n, void *A[],  \
             int lda, int *info, int batch)                                                                            \
    {                                                                                                                  \
        struct solve_task t = {type, n, n, lda, 0, batch, true, A, NULL, NULL, info};                                  \
        return factor(handle, &t, false, triangle);                                                                    \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##potrs, struct blas *handle, int triangle, int n, int columns,       \
             const void *A, int lda, void *B, int ldb, int *info)                                                      \
    {                                                                                                                  \
        struct solve_task t = {type, n, columns, lda, ldb, 1, false, A, B, NULL, info};                                \
        return solve(handle, &t, false, triangle);                                                                     \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##potrsBatched, struct blas *handle, int triangle, int n,             \
             int columns, void *A[], int lda, void *B[], int ldb, int *info, int batch)                                \
    {                                                                                                                  \
        struct solve_task t = {type, n, columns, lda, ldb, batch, true, A, B, NULL, info};                             \
        return solve(handle, &t, false, triangle);                                                                     \
    }

OF_TYPE(S, GEMM_F32)
OF_TYPE(D, GEMM_F64)
OF_TYPE(C, GEMM_C32)
OF_TYPE(Z, GEMM_C64)

cusolverStatus_t solver_tell_bytes(const struct blas *handle, size_t *device_bytes, size_t *host_bytes)
{
    if (!blas_lives(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (device_bytes == NULL || host_bytes == NULL)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *device_bytes = 1;
    *host_bytes = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- with types as arguments ------------------------------------------------------------------------------------- */

BLAS_API(cusolverStatus_t, cusolverDnXpotrf_bufferSize, struct blas *handle, void *parameters, int triangle, int64_t n,
         int type, const void *A, int64_t lda, int computed, size_t *device_bytes, size_t *host_bytes)
{
    (void)parameters, (void)triangle, (void)n, (void)type, (void)A, (void)lda, (void)computed;
    return solver_tell_bytes(handle, device_bytes, host_bytes);
}

BLAS_API(cusolverStatus_t, cusolverDnXpotrf, struct blas *handle, void *parameters, int triangle, int64_t n, int type,
         void *A, int64_t lda, int computed, void *on_device, size_t device_bytes, void *on_host, size_t host_bytes,
         int *info)
{
    struct solve_task t = {(unsigned)type, n, n, lda, 0, 1, false, A, NULL, NULL, info};
    (void)parameters, (void)on_device, (void)device_bytes, (void)on_host, (void)host_bytes;
    return type == computed ? factor(handle, &t, false, triangle) : CUSOLVER_STATUS_NOT_SUPPORTED;
}

BLAS_API(cusolverStatus_t, cusolverDnXpotrs, struct blas *handle, void *parameters, int triangle, int64_t n,
         int64_t columns, int type_a, const void *A, int64_t lda, int type_b, void *B, int64_t ldb, int *info)
{
    struct solve_task t = {(unsigned)type_a, n, columns, lda, ldb, 1, false, A, B, NULL, info};
    (void)parameters;
    return type_a == type_b ? solve(handle, &t, false, triangle) : CUSOLVER_STATUS_NOT_SUPPORTED;
}
