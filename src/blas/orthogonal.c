/* QR for cuBLAS and cuSOLVER: factorization, products with Q, and batched least squares. */
#include <limits.h>

#include "blas/kernels/orthogonal.h"
#include "blas/product.h"
#include "blas/solve.h"
#include "blas/solver.h"
#include "blas/vector.h"

#include <stdio.h>

enum { LEFT = 0, RIGHT = 1 };

static cublasStatus_t launch(const struct blas *blas, const char *name, unsigned type, long long batch,
                             struct orthogonal_arguments *g)
{
    char kernel[48];
    struct blas_shape shape = {.grid = {(unsigned)batch, 1, 1}, .threads = ORTHOGONAL_THREADS};
    snprintf(kernel, sizeof kernel, "subcore_%s_%s", name, vector_type_name(type));
    return blas_launch(blas, BLAS_ORTHOGONAL, kernel, &shape, blas->stream, g);
}

static bool known(unsigned type)
{
    return type == GEMM_F32 || type == GEMM_F64 || type == GEMM_C32 || type == GEMM_C64;
}

static struct orthogonal_matrix one(const void *data, long long pitch)
{
    return (struct orthogonal_matrix){.data = (void *)(uintptr_t)data, .pitch = pitch};
}

static struct orthogonal_matrix several(const void *list, long long pitch)
{
    return (struct orthogonal_matrix){.list = list, .pitch = pitch};
}

static long long least(long long pitch) { return pitch > 1 ? pitch : 1; }

/* ---- of one matrix ----------------------------------------------------------------------------------------------- */

/* A matrix with its reflectors, and the matrix to multiply by them. */
struct task {
    unsigned type;
    long long m, n, k, lda, ldc;
    const void *a, *tau;
    void *c;
    int *info;
};

static cusolverStatus_t check(const struct blas *blas, const struct task *t, long long rows, long long columns)
{
    if (!blas_lives(blas))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (t->m < 0 || t->n < 0 || t->k < 0 || t->m > INT_MAX || t->n > INT_MAX || t->k > rows || t->k > columns ||
        t->lda < least(rows) || t->info == NULL)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (!known(t->type))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    bool nothing = t->m == 0 || t->n == 0;
    return nothing || (t->a != NULL && (t->k == 0 || t->tau != NULL)) ? CUSOLVER_STATUS_SUCCESS
                                                                      : CUSOLVER_STATUS_INVALID_VALUE;
}

static cusolverStatus_t factor(const struct blas *blas, struct task *t)
{
    t->k = t->m < t->n ? t->m : t->n;
    cusolverStatus_t status = check(blas, t, t->m, t->n);
    struct orthogonal_arguments g = {.a = one(t->a, t->lda),
                                     .tau = one(t->tau, 0),
                                     .rows = (unsigned)t->m,
                                     .columns = (unsigned)t->n,
                                     .reflectors = (unsigned)t->k,
                                     .info = t->info};
    return status != CUSOLVER_STATUS_SUCCESS ? status : solver_status(launch(blas, "geqrf", t->type, 1, &g));
}

static cusolverStatus_t generate(const struct blas *blas, const struct task *t)
{
    cusolverStatus_t status = check(blas, t, t->m, t->n);
    if (status == CUSOLVER_STATUS_SUCCESS && t->n > t->m)
        status = CUSOLVER_STATUS_INVALID_VALUE;
    struct orthogonal_arguments g = {.a = one(t->a, t->lda),
                                     .tau = one(t->tau, 0),
                                     .rows = (unsigned)t->m,
                                     .columns = (unsigned)t->n,
                                     .reflectors = (unsigned)t->k,
                                     .info = t->info};
    return status != CUSOLVER_STATUS_SUCCESS ? status : solver_status(launch(blas, "orgqr", t->type, 1, &g));
}

static cusolverStatus_t multiply(const struct blas *blas, const struct task *t, int side, int operation)
{
    bool right = side == RIGHT, complex = t->type == GEMM_C32 || t->type == GEMM_C64;
    long long size = right ? t->n : t->m;
    cusolverStatus_t status = check(blas, t, size, size);
    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    if ((side != LEFT && side != RIGHT) || t->ldc < least(t->m) || (t->m > 0 && t->n > 0 && t->c == NULL) ||
        operation < BLAS_N || operation > BLAS_C || (complex && operation == BLAS_T))
        return CUSOLVER_STATUS_INVALID_VALUE;
    struct orthogonal_arguments g = {.a = one(t->a, t->lda),
                                     .tau = one(t->tau, 0),
                                     .c = one(t->c, t->ldc),
                                     .rows = (unsigned)t->m,
                                     .columns = (unsigned)t->n,
                                     .reflectors = t->m > 0 && t->n > 0 ? (unsigned)t->k : 0,
                                     .right = right,
                                     .conjugate = operation != BLAS_N,
                                     .info = t->info};
    return solver_status(launch(blas, "ormqr", t->type, 1, &g));
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

#define OF_TYPE(letter, type, name)                                                                                    \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##geqrf_bufferSize, struct blas *handle, int m, int n, void *A,       \
             int lda, int *elements)                                                                                   \
    {                                                                                                                  \
        (void)m, (void)n, (void)A, (void)lda;                                                                          \
        return one_element(handle, elements);                                                                          \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##geqrf, struct blas *handle, int m, int n, void *A, int lda,         \
             void *tau, void *workspace, int elements, int *info)                                                      \
    {                                                                                                                  \
        struct task t = {type, m, n, 0, lda, 0, A, tau, NULL, info};                                                   \
        (void)workspace, (void)elements;                                                                               \
        return factor(handle, &t);                                                                                     \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##name##gqr_bufferSize, struct blas *handle, int m, int n, int k,     \
             const void *A, int lda, const void *tau, int *elements)                                                   \
    {                                                                                                                  \
        (void)m, (void)n, (void)k, (void)A, (void)lda, (void)tau;                                                      \
        return one_element(handle, elements);                                                                          \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##name##gqr, struct blas *handle, int m, int n, int k, void *A,       \
             int lda, const void *tau, void *workspace, int elements, int *info)                                       \
    {                                                                                                                  \
        struct task t = {type, m, n, k, lda, 0, A, tau, NULL, info};                                                   \
        (void)workspace, (void)elements;                                                                               \
        return generate(handle, &t);                                                                                   \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##name##mqr_bufferSize, struct blas *handle, int side, int trans,     \
             int m, int n, int k, const void *A, int lda, const void *tau, const void *C, int ldc, int *elements)      \
    {                                                                                                                  \
        (void)side, (void)trans, (void)m, (void)n, (void)k, (void)A, (void)lda, (void)tau, (void)C, (void)ldc;         \
        return one_element(handle, elements);                                                                          \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##name##mqr, struct blas *handle, int side, int trans, int m, int n,  \
             int k, const void *A, int lda, const void *tau, void *C, int ldc, void *workspace, int elements,          \
             int *info)                                                                                                \
    {                                                                                                                  \
        struct task t = {type, m, n, k, lda, ldc, A, tau, C, info};                                                    \
        (void)workspace, (void)elements;                                                                               \
        return multiply(handle, &t, side, trans);                                                                      \
    }

OF_TYPE(S, GEMM_F32, or)
OF_TYPE(D, GEMM_F64, or)
OF_TYPE(C, GEMM_C32, un)
OF_TYPE(Z, GEMM_C64, un)

BLAS_API(cusolverStatus_t, cusolverDnXgeqrf_bufferSize, struct blas *handle, void *parameters, int64_t m, int64_t n,
         int type, const void *A, int64_t lda, int type_tau, const void *tau, int computed, size_t *device_bytes,
         size_t *host_bytes)
{
    (void)parameters, (void)m, (void)n, (void)type, (void)A, (void)lda, (void)type_tau, (void)tau, (void)computed;
    return solver_tell_bytes(handle, device_bytes, host_bytes);
}

BLAS_API(cusolverStatus_t, cusolverDnXgeqrf, struct blas *handle, void *parameters, int64_t m, int64_t n, int type,
         void *A, int64_t lda, int type_tau, void *tau, int computed, void *on_device, size_t device_bytes,
         void *on_host, size_t host_bytes, int *info)
{
    struct task t = {(unsigned)type, m, n, 0, lda, 0, A, tau, NULL, info};
    (void)parameters, (void)on_device, (void)device_bytes, (void)on_host, (void)host_bytes;
    return type == type_tau && type == computed ? factor(handle, &t) : CUSOLVER_STATUS_NOT_SUPPORTED;
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

struct batch {
    unsigned type;
    long long m, n, sides, lda, ldc, count;
    void *const *a, *const *second; /* in device memory: the matrices, and scalars of reflectors or right-hand sides */
    int *info;                      /* in host memory */
};

static cublasStatus_t check_batch(const struct blas *blas, const struct batch *b)
{
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (b->info == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    /* As documented: minus the number of the wrong argument. */
    *b->info = b->m < 0 ? -1 : b->n < 0 ? -2 : b->lda < least(b->m) ? -4 : b->count < 0 ? -7 : 0;
    bool nothing = b->m == 0 || b->n == 0 || b->count == 0;
    return *b->info == 0 && (nothing || (b->a != NULL && b->second != NULL)) ? CUBLAS_STATUS_SUCCESS
                                                                             : CUBLAS_STATUS_INVALID_VALUE;
}

static cublasStatus_t factor_batch(const struct blas *blas, const struct batch *b)
{
    cublasStatus_t status = check_batch(blas, b);
    if (status != CUBLAS_STATUS_SUCCESS || b->m == 0 || b->n == 0 || b->count == 0)
        return status;
    struct orthogonal_arguments g = {.a = several(b->a, b->lda),
                                     .tau = several(b->second, 0),
                                     .rows = (unsigned)b->m,
                                     .columns = (unsigned)b->n,
                                     .reflectors = (unsigned)(b->m < b->n ? b->m : b->n)};
    return launch(blas, "geqrf", b->type, b->count, &g);
}

/* Matrices with fewer rows than columns, and transposed ones, have no kernel. */
static cublasStatus_t solve_batch(const struct blas *blas, const struct batch *b, int operation, const char *name,
                                  int *infos)
{
    cublasStatus_t status = check_batch(blas, b);
    if (b->info != NULL && status == CUBLAS_STATUS_SUCCESS)
        *b->info = b->sides < 0 ? -4 : b->ldc < least(b->m) ? -8 : 0;
    if (status != CUBLAS_STATUS_SUCCESS || *b->info != 0)
        return status != CUBLAS_STATUS_SUCCESS ? status : CUBLAS_STATUS_INVALID_VALUE;
    if (operation != BLAS_N || b->m < b->n)
        return blas_refuse(name, operation != BLAS_N ? "transposed matrices" : "fewer rows than columns");
    if (b->m == 0 || b->n == 0 || b->count == 0)
        return status;
    struct orthogonal_arguments g = {.a = several(b->a, b->lda),
                                     .c = several(b->second, b->ldc),
                                     .rows = (unsigned)b->m,
                                     .columns = (unsigned)b->sides,
                                     .reflectors = (unsigned)b->n,
                                     .info = infos};
    return launch(blas, "gels", b->type, b->count, &g);
}

#define BATCHED(letter, type)                                                                                          \
    BLAS_API(cublasStatus_t, cublas##letter##gelsBatched, cublasHandle_t handle, int trans, int m, int n, int nrhs,    \
             void *const A[], int lda, void *const C[], int ldc, int *info, int *infos, int batch)                     \
    {                                                                                                                  \
        struct batch b = {type, m, n, nrhs, lda, ldc, batch, A, C, info};                                              \
        return solve_batch(handle, &b, trans, "cublas" #letter "gelsBatched", infos);                                  \
    }                                                                                                                  \
    GEQRF_BATCHED(letter, type)
#define GEQRF_BATCHED(letter, type)                                                                                    \
    BLAS_API(cublasStatus_t, cublas##letter##geqrfBatched, cublasHandle_t handle, int m, int n, void *const A[],       \
             int lda, void *const tau[], int *info, int batch)                                                         \
    {                                                                                                                  \
        struct batch b = {type, m, n, 0, lda, 0, batch, A, tau, info};                                                 \
        return factor_batch(handle, &b);                                                                               \
    }

BATCHED(S, GEMM_F32)
BATCHED(D, GEMM_F64)
BATCHED(C, GEMM_C32)
BATCHED(Z, GEMM_C64)
