/* Triangular systems of level 3, and the batched factorizations, solutions and inverses of small matrices. */
#include "blas/solve.h"

#include <stdio.h>

#include "blas/product.h"
#include "blas/vector.h"

enum { LEFT = 0, RIGHT = 1, NON_UNIT = 0, UNIT = 1, MOST_BLOCKS = 65535 };

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
    bool words = (p->side == LEFT || p->side == RIGHT) && (p->triangle == SOLVE_LOWER || p->triangle == SOLVE_UPPER) &&
                 (p->unit == NON_UNIT || p->unit == UNIT) && p->operation >= BLAS_N && p->operation <= BLAS_C;
    if (!words || p->m < 0 || p->n < 0 || p->batch < 0 || p->lda < (size > 1 ? size : 1) ||
        p->ldb < (p->m > 1 ? p->m : 1) || p->alpha == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    return p->m > INT32_MAX || p->n > INT32_MAX ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
}

/* Reads the scalar from its place: from host memory, or later on the device. */
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
                                .lower = p->triangle == SOLVE_LOWER,
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

/* ---- factors ----------------------------------------------------------------------------------------------------- */

static struct solve_arguments arguments_of(const struct solve_task *t)
{
    return (struct solve_arguments){.a = matrix_of(t->a, t->list, t->lda, 0),
                                    .b = matrix_of(t->b, t->list, t->ldb, 0),
                                    .alpha = {1, 0},
                                    .rows = (unsigned)t->rows,
                                    .columns = (unsigned)t->columns,
                                    .pivots = t->pivots,
                                    .info = t->info};
}

cublasStatus_t solve_lu(const struct blas *blas, const struct solve_task *task)
{
    struct solve_arguments g = arguments_of(task);
    return launch(blas, "getrf", task->type, (unsigned)task->batch, 1, &g);
}

cublasStatus_t solve_cholesky(const struct blas *blas, const struct solve_task *task, int triangle)
{
    struct solve_arguments g = arguments_of(task);
    g.lower = triangle == SOLVE_LOWER;
    return launch(blas, "potrf", task->type, (unsigned)task->batch, 1, &g);
}

/* Solves with one triangle. */
static cublasStatus_t with_triangle(const struct blas *blas, const struct solve_task *t, int triangle, int operation,
                                    bool unit)
{
    struct trsm system = {.m = t->rows,
                          .n = t->columns,
                          .lda = t->lda,
                          .ldb = t->ldb,
                          .batch = t->batch,
                          .a = t->a,
                          .b = (void *)(uintptr_t)t->b,
                          .list = t->list};
    struct solve_arguments g = arguments_of(t);
    g.lower = triangle == SOLVE_LOWER;
    g.unit = unit;
    g.transposed = operation != BLAS_N;
    g.conjugate = operation == BLAS_C;
    return solve_all(blas, t->type, &system, &g);
}

static cublasStatus_t exchange(const struct blas *blas, const struct solve_task *t, bool backwards)
{
    struct solve_arguments g = arguments_of(t);
    g.transposed = backwards;
    return t->pivots != NULL ? launch(blas, "laswp", t->type, (unsigned)t->batch, 1, &g) : CUBLAS_STATUS_SUCCESS;
}

/* A = P' L U: forward through P, L and U, or backward through their transposes. */
cublasStatus_t solve_with_lu(const struct blas *blas, const struct solve_task *task, int operation)
{
    bool backwards = operation != BLAS_N;
    cublasStatus_t status = backwards ? CUBLAS_STATUS_SUCCESS : exchange(blas, task, false);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = with_triangle(blas, task, backwards ? SOLVE_UPPER : SOLVE_LOWER, operation, !backwards);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = with_triangle(blas, task, backwards ? SOLVE_LOWER : SOLVE_UPPER, operation, backwards);
    return status == CUBLAS_STATUS_SUCCESS && backwards ? exchange(blas, task, true) : status;
}

/* A = L L', or U' U. */
cublasStatus_t solve_with_cholesky(const struct blas *blas, const struct solve_task *task, int triangle)
{
    bool lower = triangle == SOLVE_LOWER;
    cublasStatus_t status = with_triangle(blas, task, triangle, lower ? BLAS_N : BLAS_C, false);
    return status == CUBLAS_STATUS_SUCCESS ? with_triangle(blas, task, triangle, lower ? BLAS_C : BLAS_N, false)
                                           : status;
}

/* ---- batches of small matrices ----------------------------------------------------------------------------------- */

static cublasStatus_t check_task(const struct blas *blas, const struct solve_task *t, bool both)
{
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    long long least = t->rows > 1 ? t->rows : 1;
    if (t->rows < 0 || t->columns < 0 || t->batch < 0 || t->lda < least || (both && t->ldb < least) || t->info == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

static bool empty(const struct solve_task *t) { return t->rows == 0 || t->columns == 0 || t->batch == 0; }

static cublasStatus_t getrf(cublasHandle_t handle, const struct solve_task *t)
{
    cublasStatus_t status = check_task(handle, t, false);
    if (status != CUBLAS_STATUS_SUCCESS || empty(t))
        return status;
    return t->a != NULL ? solve_lu(handle, t) : CUBLAS_STATUS_INVALID_VALUE;
}

/* `info` is one number in host memory. */
static cublasStatus_t getrs(cublasHandle_t handle, const struct solve_task *t, int operation)
{
    cublasStatus_t status = check_task(handle, t, true);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    if (operation < BLAS_N || operation > BLAS_C)
        return CUBLAS_STATUS_INVALID_VALUE;
    *t->info = 0;
    if (empty(t))
        return status;
    return t->a != NULL && t->b != NULL ? solve_with_lu(handle, t, operation) : CUBLAS_STATUS_INVALID_VALUE;
}

static cublasStatus_t getri(cublasHandle_t handle, const struct solve_task *t)
{
    cublasStatus_t status = check_task(handle, t, true);
    if (status != CUBLAS_STATUS_SUCCESS || empty(t))
        return status;
    if (t->a == NULL || t->b == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    struct solve_arguments g = arguments_of(t);
    status = launch(handle, "identity", t->type, (unsigned)t->batch, 1, &g);
    return status == CUBLAS_STATUS_SUCCESS ? solve_with_lu(handle, t, BLAS_N) : status;
}

#define SMALL(letter, type)                                                                                            \
    BLAS_API(cublasStatus_t, cublas##letter##getrfBatched, cublasHandle_t handle, int n, void *const A[], int lda,     \
             int *P, int *info, int batch)                                                                             \
    {                                                                                                                  \
        struct solve_task t = {type, n, n, lda, 0, batch, true, A, NULL, P, info};                                     \
        return getrf(handle, &t);                                                                                      \
    }                                                                                                                  \
    BLAS_API(cublasStatus_t, cublas##letter##getrsBatched, cublasHandle_t handle, int trans, int n, int nrhs,          \
             const void *const A[], int lda, const int *P, void *const B[], int ldb, int *info, int batch)             \
    {                                                                                                                  \
        struct solve_task t = {type, n, nrhs, lda, ldb, batch, true, A, B, (int *)(uintptr_t)P, info};                 \
        return getrs(handle, &t, trans);                                                                               \
    }                                                                                                                  \
    BLAS_API(cublasStatus_t, cublas##letter##getriBatched, cublasHandle_t handle, int n, const void *const A[],        \
             int lda, const int *P, void *const C[], int ldc, int *info, int batch)                                    \
    {                                                                                                                  \
        struct solve_task t = {type, n, n, lda, ldc, batch, true, A, C, (int *)(uintptr_t)P, info};                    \
        return getri(handle, &t);                                                                                      \
    }

SMALL(S, GEMM_F32)
SMALL(D, GEMM_F64)
SMALL(C, GEMM_C32)
SMALL(Z, GEMM_C64)
