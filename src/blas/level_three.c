/* Level 3 by name for structured matrices: products with symmetric, Hermitian and triangular matrices, and updates of
 * one triangle. Each function has a 32-bit and a 64-bit form. */
#include "blas/product.h"
#include "blas/structured.h"
#include "driver/abi/api_memory.h"

/* A call, with the program's numbers. */
struct call {
    unsigned type;
    int side, uplo, trans, diag;
    long long m, n, k, lda, ldb, ldc;
    const void *alpha, *a, *b, *beta;
    void *c;
    enum structured_kind kind;             /* of A, in products */
    bool hermitian, real_alpha, real_beta; /* updates */
    bool both;                             /* an update has two products */
};

static struct structured_matrix general(const void *data, long long ld, long long rows, long long columns,
                                        int operation)
{
    return (struct structured_matrix){.data = (void *)(uintptr_t)data,
                                      .pitch = ld,
                                      .rows = rows,
                                      .columns = columns,
                                      .operation = (unsigned)operation};
}

static cublasStatus_t scalars(const struct blas *blas, const struct call *c, struct structured_product *g)
{
    unsigned real = structured_real(c->type);
    g->real_alpha = c->real_alpha;
    g->real_beta = c->real_beta;
    if (!structured_scalar(blas, c->alpha, c->real_alpha ? real : c->type, g->alpha, &g->alpha_at))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (c->beta == NULL && c->kind == STRUCTURED_TRIANGLE)
        return CUBLAS_STATUS_SUCCESS; /* such products have none, and it is zero */
    return structured_scalar(blas, c->beta, c->real_beta ? real : c->type, g->beta, &g->beta_at)
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_INVALID_VALUE;
}

static cublasStatus_t launch(const struct blas *blas, unsigned type, struct structured_product *g)
{
    enum { MOST_BLOCKS_Y = 65535 };
    long long across = (g->columns + STRUCTURED_TILE - 1) / STRUCTURED_TILE;
    struct blas_shape shape = {
        .grid = {(unsigned)((g->rows + STRUCTURED_TILE - 1) / STRUCTURED_TILE), (unsigned)across, 1},
        .threads = STRUCTURED_THREADS};
    return across > MOST_BLOCKS_Y ? CUBLAS_STATUS_NOT_SUPPORTED : structured_launch(blas, "mm", type, &shape, g);
}

/* Returns true if A or B is read, as far as the host knows. */
static bool reads(const struct structured_product *g)
{
    return g->alpha_at != NULL || g->alpha[0] != 0 || g->alpha[1] != 0;
}

/* ---- C = alpha A B + beta C, or B A ------------------------------------------------------------------------------ */

static cublasStatus_t check_product(const struct blas *blas, const struct call *c)
{
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if ((c->side != LEFT && c->side != RIGHT) || !triangle_is(c->uplo) || !operation_is(c->trans) ||
        !diagonal_is(c->diag) || c->m < 0 || c->n < 0 || c->lda < at_least_one(c->side == LEFT ? c->m : c->n) ||
        c->ldb < at_least_one(c->m) || c->ldc < at_least_one(c->m))
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

/* Copies B, which the result replaces, and runs the product with the copy. */
static cublasStatus_t from_copy(const struct blas *blas, const struct call *c, struct structured_product *g,
                                struct structured_matrix *b)
{
    CUdeviceptr copy;
    size_t size = product_size(c->type);
    if (cuMemAllocAsync(&copy, (size_t)c->m * (size_t)c->n * size, blas->stream) != CUDA_SUCCESS)
        return CUBLAS_STATUS_ALLOC_FAILED;
    CUDA_MEMCPY2D plan = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = (CUdeviceptr)(uintptr_t)c->b,
                          .srcPitch = (size_t)c->ldb * size,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = copy,
                          .dstPitch = (size_t)c->m * size,
                          .WidthInBytes = (size_t)c->m * size,
                          .Height = (size_t)c->n};
    *b = general((void *)(uintptr_t)copy, c->m, c->m, c->n, BLAS_N);
    cublasStatus_t status =
        cuMemcpy2DAsync_v2(&plan, blas->stream) == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
    if (status == CUBLAS_STATUS_SUCCESS)
        status = launch(blas, c->type, g);
    if (cuMemFreeAsync(copy, blas->stream) != CUDA_SUCCESS && status == CUBLAS_STATUS_SUCCESS)
        status = CUBLAS_STATUS_EXECUTION_FAILED;
    return status;
}

static cublasStatus_t product(const struct blas *blas, const struct call *c)
{
    cublasStatus_t status = check_product(blas, c);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    bool left = c->side == LEFT;
    long long order = left ? c->m : c->n;
    struct structured_matrix a = general(c->a, c->lda, order, order, c->trans);
    a.kind = c->kind;
    a.lower = c->uplo == LOWER;
    a.unit = c->diag == UNIT;
    struct structured_matrix b = general(c->b, c->ldb, c->m, c->n, BLAS_N);
    struct structured_product g = {.a = left ? a : b,
                                   .b = left ? b : a,
                                   .c = c->c,
                                   .pitch = c->ldc,
                                   .rows = c->m,
                                   .columns = c->n,
                                   .depth = order};
    status = scalars(blas, c, &g);
    if (status != CUBLAS_STATUS_SUCCESS || c->m == 0 || c->n == 0)
        return status;
    if (c->c == NULL || (reads(&g) && (c->a == NULL || c->b == NULL)))
        return CUBLAS_STATUS_INVALID_VALUE;
    return c->b == c->c ? from_copy(blas, c, &g, left ? &g.b : &g.a) : launch(blas, c->type, &g);
}

/* ---- one triangle of C = alpha op(A) op(B)' + beta C, and with A and B exchanged besides ------------------------- */

static bool complex_is(unsigned type) { return type != structured_real(type); }

static cublasStatus_t check_update(const struct blas *blas, const struct call *c)
{
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    int wrong = c->hermitian ? BLAS_T : complex_is(c->type) ? BLAS_C : -1;
    long long rows = at_least_one(c->trans == BLAS_N ? c->n : c->k);
    if (!triangle_is(c->uplo) || !operation_is(c->trans) || c->trans == wrong || c->n < 0 || c->k < 0 ||
        c->lda < rows || c->ldb < rows || c->ldc < at_least_one(c->n))
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t update(const struct blas *blas, const struct call *c)
{
    cublasStatus_t status = check_update(blas, c);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    bool plain = c->trans == BLAS_N;
    long long rows = plain ? c->n : c->k, columns = plain ? c->k : c->n;
    int turned = c->hermitian ? BLAS_C : BLAS_T, one = plain ? BLAS_N : turned, other = plain ? turned : BLAS_N;
    struct structured_product g = {.a = general(c->a, c->lda, rows, columns, one),
                                   .b = general(c->b, c->ldb, rows, columns, other),
                                   .a2 = general(c->b, c->ldb, rows, columns, one),
                                   .b2 = general(c->a, c->lda, rows, columns, other),
                                   .c = c->c,
                                   .pitch = c->ldc,
                                   .rows = c->n,
                                   .columns = c->n,
                                   .depth = c->k,
                                   .both = c->both,
                                   .triangle = c->uplo == LOWER ? 1 : 2,
                                   .hermitian = c->hermitian};
    status = scalars(blas, c, &g);
    if (status != CUBLAS_STATUS_SUCCESS || c->n == 0)
        return status;
    if (c->c == NULL || (c->k > 0 && reads(&g) && (c->a == NULL || c->b == NULL)))
        return CUBLAS_STATUS_INVALID_VALUE;
    return launch(blas, c->type, &g);
}

/* ---- by name ----------------------------------------------------------------------------------------------------- */

#define BOTH_SIZES(FUNCTION, name, ...)                                                                                \
    FUNCTION(name, int, __VA_ARGS__)                                                                                   \
    FUNCTION(name##_64, int64_t, __VA_ARGS__)
#define MATRICES(of) .type = (of), .uplo = uplo, .n = n, .lda = lda, .ldc = ldc, .alpha = alpha, .a = A, .c = C

#define SYMM(name, number, of, is)                                                                                     \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int side, int uplo, number m, number n, const void *alpha,   \
             const void *A, number lda, const void *B, number ldb, const void *beta, void *C, number ldc)              \
    {                                                                                                                  \
        struct call c = {MATRICES(of), .side = side, .m = m, .b = B, .ldb = ldb, .beta = beta, .kind = (is)};          \
        return product(handle, &c);                                                                                    \
    }
#define TRMM(name, number, of)                                                                                         \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int side, int uplo, int trans, int diag, number m, number n, \
             const void *alpha, const void *A, number lda, const void *B, number ldb, void *C, number ldc)             \
    {                                                                                                                  \
        struct call c = {MATRICES(of), .side = side,   .m = m,       .b = B,                                           \
                         .ldb = ldb,   .trans = trans, .diag = diag, .kind = STRUCTURED_TRIANGLE};                     \
        return product(handle, &c);                                                                                    \
    }
#define SYRK(name, number, of, is_hermitian)                                                                           \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int uplo, int trans, number n, number k, const void *alpha,  \
             const void *A, number lda, const void *beta, void *C, number ldc)                                         \
    {                                                                                                                  \
        struct call c = {MATRICES(of),                                                                                 \
                         .trans = trans,                                                                               \
                         .k = k,                                                                                       \
                         .b = A,                                                                                       \
                         .ldb = lda,                                                                                   \
                         .beta = beta,                                                                                 \
                         .hermitian = (is_hermitian),                                                                  \
                         .real_alpha = (is_hermitian),                                                                 \
                         .real_beta = (is_hermitian)};                                                                 \
        return update(handle, &c);                                                                                     \
    }
#define SYR2K(name, number, of, is_hermitian, twice)                                                                   \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int uplo, int trans, number n, number k, const void *alpha,  \
             const void *A, number lda, const void *B, number ldb, const void *beta, void *C, number ldc)              \
    {                                                                                                                  \
        struct call c = {MATRICES(of),                                                                                 \
                         .trans = trans,                                                                               \
                         .k = k,                                                                                       \
                         .b = B,                                                                                       \
                         .ldb = ldb,                                                                                   \
                         .beta = beta,                                                                                 \
                         .hermitian = (is_hermitian),                                                                  \
                         .real_beta = (is_hermitian),                                                                  \
                         .both = (twice)};                                                                             \
        return update(handle, &c);                                                                                     \
    }

#define OF_EVERY_TYPE(letter, of)                                                                                      \
    BOTH_SIZES(SYMM, cublas##letter##symm_v2, of, STRUCTURED_SYMMETRIC)                                                \
    BOTH_SIZES(TRMM, cublas##letter##trmm_v2, of)                                                                      \
    BOTH_SIZES(SYRK, cublas##letter##syrk_v2, of, false)                                                               \
    BOTH_SIZES(SYR2K, cublas##letter##syr2k_v2, of, false, true)                                                       \
    BOTH_SIZES(SYR2K, cublas##letter##syrkx, of, false, false)
#define OF_COMPLEX_TYPES(letter, of)                                                                                   \
    BOTH_SIZES(SYMM, cublas##letter##hemm_v2, of, STRUCTURED_HERMITIAN)                                                \
    BOTH_SIZES(SYRK, cublas##letter##herk_v2, of, true)                                                                \
    BOTH_SIZES(SYR2K, cublas##letter##her2k_v2, of, true, true)                                                        \
    BOTH_SIZES(SYR2K, cublas##letter##herkx, of, true, false)

OF_EVERY_TYPE(S, GEMM_F32)
OF_EVERY_TYPE(D, GEMM_F64)
OF_EVERY_TYPE(C, GEMM_C32)
OF_EVERY_TYPE(Z, GEMM_C64)
OF_COMPLEX_TYPES(C, GEMM_C32)
OF_COMPLEX_TYPES(Z, GEMM_C64)

/* ---- updates with types as arguments: FP32 only ------------------------------------------------------------------ */

#define SYRK_EX(name, number, plain)                                                                                   \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int uplo, int trans, number n, number k, const void *alpha,  \
             const void *A, int type_a, number lda, const void *beta, void *C, int type_c, number ldc)                 \
    {                                                                                                                  \
        if (!blas_lives(handle))                                                                                       \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                                      \
        if (type_a != GEMM_C32 || type_c != GEMM_C32)                                                                  \
            return blas_refuse(#name, "these types");                                                                  \
        return plain(handle, uplo, trans, n, k, alpha, A, lda, beta, C, ldc);                                          \
    }
SYRK_EX(cublasCsyrkEx, int, cublasCsyrk_v2)
SYRK_EX(cublasCsyrkEx_64, int64_t, cublasCsyrk_v2_64)
SYRK_EX(cublasCsyrk3mEx, int, cublasCsyrk_v2)
SYRK_EX(cublasCsyrk3mEx_64, int64_t, cublasCsyrk_v2_64)
SYRK_EX(cublasCherkEx, int, cublasCherk_v2)
SYRK_EX(cublasCherkEx_64, int64_t, cublasCherk_v2_64)
SYRK_EX(cublasCherk3mEx, int, cublasCherk_v2)
SYRK_EX(cublasCherk3mEx_64, int64_t, cublasCherk_v2_64)
