/* Triangular systems of level 3, and the batched functions for factors, solutions and inverses of small matrices. */
#include <stdio.h>

#include "blas/kernels/solve.h"
#include "blas/product.h"
#include "blas/vector.h"

enum { LEFT = 0, RIGHT = 1, LOWER = 0, UPPER = 1, NON_UNIT = 0, UNIT = 1, MOST_BLOCKS = 65535 };

static cublasStatus_t launch(const struct blas *blas, const char *name, unsigned type, unsigned blocks, unsigned batch,
                             struct solve_arguments *g)
{
    char kernel[48];
    struct blas_shape shape = {.grid = {blocks, batch, 1}, .threads = SOLVE_THREADS};
    snprintf(kernel, sizeof kernel, "subcore_%s_%s", name, vector_type_name(type));
    return blas_launch(blas, BLAS_SOLVE, kernel, &shape, blas->stream, g);
}

/* ---- triangular systems ------------------------------------------------------------------------------------------ */

struct trsm {
    int side, triangle, operation, unit;
    long long m, n, lda, ldb, batch;
    const void *alpha, *a;
    void *b;
    bool list;
};

static cublasStatus_t check_trsm(const struct blas *blas, const struct trsm *p)
{
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    long long size = p->side == LEFT ? p->m : p->n;
    bool words = (p->side == LEFT || p->side == RIGHT) && (p->triangle == LOWER || p->triangle == UPPER) &&
                 (p->unit == NON_UNIT || p->unit == UNIT) && p->operation >= BLAS_N && p->operation <= BLAS_C;
    if (!words || p->m < 0 || p->n < 0 || p->batch < 0 || p->lda < (size > 1 ? size : 1) ||
        p->ldb < (p->m > 1 ? p->m : 1) || p->alpha == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    return p->m > INT32_MAX || p->n > INT32_MAX ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
}

/* Reads the scalar where it stands: in host memory, or later on the device. */
static void set_alpha(const struct blas *blas, struct solve_arguments *g, const void *alpha, unsigned type)
{
    if (blas->pointer_mode == BLAS_DEVICE)
        g->alpha_at = alpha;
    else
        product_scalar(g->alpha, alpha, type);
}

static struct solve_matrix matrix_of(const void *data, bool list, long long pitch, long long first)
{
    struct solve_matrix m = {.pitch = pitch};
    if (list)
        m.list = (void *const *)data + first;
    else
        m.data = (void *)(uintptr_t)data;
    return m;
}

static cublasStatus_t solve_all(const struct blas *blas, unsigned type, const struct trsm *p, struct solve_arguments *g)
{
    long long lines = p->side == LEFT ? p->n : p->m;
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (long long first = 0; first < p->batch && status == CUBLAS_STATUS_SUCCESS; first += MOST_BLOCKS) {
        long long batch = p->batch - first < MOST_BLOCKS ? p->batch - first : MOST_BLOCKS;
        g->a = matrix_of(p->a, p->list, p->lda, first);
        g->b = matrix_of(p->b, p->list, p->ldb, first);
        status = launch(blas, "trsm", type, (unsigned)(lines < MOST_BLOCKS ? lines : MOST_BLOCKS), (unsigned)batch, g);
    }
    return status;
}

static cublasStatus_t trsm(cublasHandle_t handle, unsigned type, const struct trsm *p)
{
    cublasStatus_t status = check_trsm(handle, p);
    if (status != CUBLAS_STATUS_SUCCESS || p->m == 0 || p->n == 0 || p->batch == 0)
        return status;
    if (p->a == NULL || p->b == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    struct solve_arguments g = {.rows = (unsigned)p->m,
                                .columns = (unsigned)p->n,
                                .right = p->side == RIGHT,
                                .lower = p->triangle == LOWER,
                                .transposed = p->operation != BLAS_N,
                                .conjugate = p->operation == BLAS_C,
                                .unit = p->unit == UNIT};
    set_alpha(handle, &g, p->alpha, type);
    return solve_all(handle, type, p, &g);
}

#define TRSM(letter, type)                                                                                             \
    TRSM_OF(cublas##letter##trsm_v2, int, type)                                                                        \
    TRSM_OF(cublas##letter##trsm_v2_64, int64_t, type)                                                                 \
    TRSM_BATCHED(cublas##letter##trsmBatched, int, type)                                                               \
    TRSM_BATCHED(cublas##letter##trsmBatched_64, int64_t, type)
#define TRSM_OF(name, number, type)                                                                                    \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int side, int uplo, int trans, int diag, number m, number n, \
             const void *alpha, const void *A, number lda, void *B, number ldb)                                        \
    {                                                                                                                  \
        struct trsm p = {side, uplo, trans, diag, m, n, lda, ldb, 1, alpha, A, B, false};                              \
        return trsm(handle, type, &p);                                                                                 \
    }
#define TRSM_BATCHED(name, number, type)                                                                               \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int side, int uplo, int trans, int diag, number m, number n, \
             const void *alpha, const void *const A[], number lda, void *const B[], number ldb, number batch)          \
    {                                                                                                                  \
        struct trsm p = {side, uplo, trans, diag, m, n, lda, ldb, batch, alpha, A, (void *)(uintptr_t)B, true};        \
        return trsm(handle, type, &p);                                                                                 \
    }

TRSM(S, GEMM_F32)
TRSM(D, GEMM_F64)
TRSM(C, GEMM_C32)
TRSM(Z, GEMM_C64)

/* ---- batches of small matrices ----------------------------------------------------------------------------------- */

struct square {
    long long n, columns, lda, ldb, batch; /* columns: right sides */
    const void *a, *b;
    int *pivots, *info;
};

static cublasStatus_t check_square(const struct blas *blas, const struct square *p, bool both)
{
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    long long least = p->n > 1 ? p->n : 1;
    if (p->n < 0 || p->columns < 0 || p->batch < 0 || p->lda < least || (both && p->ldb < least) || p->info == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

static bool empty(const struct square *p) { return p->n == 0 || p->columns == 0 || p->batch == 0; }

static struct solve_arguments arguments_of(const struct square *p)
{
    return (struct solve_arguments){.a = matrix_of(p->a, true, p->lda, 0),
                                    .b = matrix_of(p->b, true, p->ldb, 0),
                                    .alpha = {1, 0},
                                    .rows = (unsigned)p->n,
                                    .columns = (unsigned)p->columns,
                                    .pivots = p->pivots,
                                    .info = p->info};
}

static cublasStatus_t getrf(cublasHandle_t handle, unsigned type, const struct square *p)
{
    cublasStatus_t status = check_square(handle, p, false);
    if (status != CUBLAS_STATUS_SUCCESS || empty(p))
        return status;
    struct solve_arguments g = arguments_of(p);
    return p->a != NULL ? launch(handle, "getrf", type, (unsigned)p->batch, 1, &g) : CUBLAS_STATUS_INVALID_VALUE;
}

/* Solves with one of the two factors. */
static cublasStatus_t with_factor(const struct blas *blas, unsigned type, const struct square *p, int triangle,
                                  int operation)
{
    struct trsm system = {.m = p->n,
                          .n = p->columns,
                          .lda = p->lda,
                          .ldb = p->ldb,
                          .batch = p->batch,
                          .a = p->a,
                          .b = (void *)(uintptr_t)p->b,
                          .list = true};
    struct solve_arguments g = arguments_of(p);
    g.lower = triangle == LOWER;
    g.unit = triangle == LOWER;
    g.transposed = operation != BLAS_N;
    g.conjugate = operation == BLAS_C;
    return solve_all(blas, type, &system, &g);
}

static cublasStatus_t exchange(const struct blas *blas, unsigned type, const struct square *p, bool backwards)
{
    struct solve_arguments g = arguments_of(p);
    g.transposed = backwards;
    return p->pivots != NULL ? launch(blas, "laswp", type, (unsigned)p->batch, 1, &g) : CUBLAS_STATUS_SUCCESS;
}

/* A = P' L U: forward through P, L and U, or backward through their transposes. */
static cublasStatus_t with_factors(const struct blas *blas, unsigned type, const struct square *p, int operation)
{
    bool backwards = operation != BLAS_N;
    cublasStatus_t status = backwards ? CUBLAS_STATUS_SUCCESS : exchange(blas, type, p, false);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = with_factor(blas, type, p, backwards ? UPPER : LOWER, operation);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = with_factor(blas, type, p, backwards ? LOWER : UPPER, operation);
    return status == CUBLAS_STATUS_SUCCESS && backwards ? exchange(blas, type, p, true) : status;
}

/* `info` is one number in host memory. */
static cublasStatus_t getrs(cublasHandle_t handle, unsigned type, const struct square *p, int operation)
{
    cublasStatus_t status = check_square(handle, p, true);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    if (operation < BLAS_N || operation > BLAS_C)
        return CUBLAS_STATUS_INVALID_VALUE;
    *p->info = 0;
    if (empty(p))
        return status;
    return p->a != NULL && p->b != NULL ? with_factors(handle, type, p, operation) : CUBLAS_STATUS_INVALID_VALUE;
}

static cublasStatus_t getri(cublasHandle_t handle, unsigned type, const struct square *p)
{
    cublasStatus_t status = check_square(handle, p, true);
    if (status != CUBLAS_STATUS_SUCCESS || empty(p))
        return status;
    if (p->a == NULL || p->b == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    struct solve_arguments g = arguments_of(p);
    status = launch(handle, "identity", type, (unsigned)p->batch, 1, &g);
    return status == CUBLAS_STATUS_SUCCESS ? with_factors(handle, type, p, BLAS_N) : status;
}

#define SMALL(letter, type)                                                                                            \
    BLAS_API(cublasStatus_t, cublas##letter##getrfBatched, cublasHandle_t handle, int n, void *const A[], int lda,     \
             int *P, int *info, int batch)                                                                             \
    {                                                                                                                  \
        struct square p = {n, n, lda, 0, batch, A, NULL, P, info};                                                     \
        return getrf(handle, type, &p);                                                                                \
    }                                                                                                                  \
    BLAS_API(cublasStatus_t, cublas##letter##getrsBatched, cublasHandle_t handle, int trans, int n, int nrhs,          \
             const void *const A[], int lda, const int *P, void *const B[], int ldb, int *info, int batch)             \
    {                                                                                                                  \
        struct square p = {n, nrhs, lda, ldb, batch, A, B, (int *)(uintptr_t)P, info};                                 \
        return getrs(handle, type, &p, trans);                                                                         \
    }                                                                                                                  \
    BLAS_API(cublasStatus_t, cublas##letter##getriBatched, cublasHandle_t handle, int n, const void *const A[],        \
             int lda, const int *P, void *const C[], int ldc, int *info, int batch)                                    \
    {                                                                                                                  \
        struct square p = {n, n, lda, ldc, batch, A, C, (int *)(uintptr_t)P, info};                                    \
        return getri(handle, type, &p);                                                                                \
    }

SMALL(S, GEMM_F32)
SMALL(D, GEMM_F64)
SMALL(C, GEMM_C32)
SMALL(Z, GEMM_C64)
