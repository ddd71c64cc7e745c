/* Products of matrices and vectors in batches: lists of addresses, or matrices at equal distances. Each function has a
 * 32-bit and a 64-bit form. */
#include <stdio.h>

#include "blas/kernels/gemv_batched.h"
#include "blas/product.h"
#include "blas/structured.h"
#include "blas/vector.h"

/* A call with the program's numbers. `result` is the type of y. Scalars are FP32 if A is narrow. */
struct call {
    unsigned type, result;
    int operation;
    long long m, n, lda, incx, incy, batch;
    const void *alpha, *beta, *a, *x;
    void *y;
    bool list;
    long long stride_a, stride_x, stride_y;
};

static cublasStatus_t check(const struct blas *blas, const struct call *c)
{
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!operation_is(c->operation) || c->m < 0 || c->n < 0 || c->batch < 0 || c->lda < at_least_one(c->m) ||
        c->incx == 0 || c->incy == 0 || c->alpha == NULL || c->beta == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

static struct gemv_batch batch_of(const struct call *c, const void *data, long long stride)
{
    struct gemv_batch b = {.stride = stride};
    if (c->list)
        b.list = (void *const *)data;
    else
        b.data = (void *)(uintptr_t)data;
    return b;
}

/* A negative increment begins at the highest address. */
static struct gemv_batch vectors_of(const struct call *c, const void *data, long long stride, long long count,
                                    long long increment)
{
    struct gemv_batch b = batch_of(c, data, stride);
    b.start = increment < 0 ? (count - 1) * -increment : 0;
    b.step = increment;
    return b;
}

static struct gemv_arguments arguments_of(const struct blas *blas, const struct call *c)
{
    bool by_rows = c->operation == BLAS_N;
    bool narrow = c->type == GEMM_F16 || c->type == GEMM_BF16;
    struct gemv_arguments g = {
        .a = batch_of(c, c->a, c->stride_a),
        .x = vectors_of(c, c->x, c->stride_x, by_rows ? c->n : c->m, c->incx),
        .y = vectors_of(c, c->y, c->stride_y, by_rows ? c->m : c->n, c->incy),
        .rows = c->m,
        .columns = c->n,
        .batch = c->batch,
        .result_type = c->result,
        .conjugate = c->operation == BLAS_C,
    };
    g.a.step = c->lda;
    if (blas->pointer_mode == BLAS_DEVICE) {
        g.alpha_at = c->alpha;
        g.beta_at = c->beta;
    } else {
        product_scalar(g.alpha, c->alpha, narrow ? GEMM_F32 : c->type);
        product_scalar(g.beta, c->beta, narrow ? GEMM_F32 : c->type);
    }
    return g;
}

static cublasStatus_t run(struct blas *blas, const struct call *c)
{
    enum { MOST_BLOCKS = 65535 };
    char kernel[64];
    cublasStatus_t status = check(blas, c);
    if (status != CUBLAS_STATUS_SUCCESS || c->m == 0 || c->n == 0 || c->batch == 0)
        return status;
    struct gemv_arguments g = arguments_of(blas, c);
    bool by_rows = c->operation == BLAS_N, reads = g.alpha_at != NULL || g.alpha[0] != 0 || g.alpha[1] != 0;
    if (c->y == NULL || (reads && (c->a == NULL || c->x == NULL)))
        return CUBLAS_STATUS_INVALID_VALUE;
    long long count = by_rows ? c->m : c->n, each = by_rows ? GEMV_BATCHED_ROWS : GEMV_BATCHED_COLUMNS;
    if ((count - 1) / each >= INT32_MAX)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    struct blas_shape shape = {
        .grid = {(unsigned)((count + each - 1) / each), (unsigned)(c->batch < MOST_BLOCKS ? c->batch : MOST_BLOCKS), 1},
        .threads = GEMV_BATCHED_THREADS};
    snprintf(kernel, sizeof kernel, "subcore_gemv_batched_%s_%s", by_rows ? "rows" : "columns",
             vector_type_name(c->type));
    return blas_launch(blas, BLAS_GEMV_BATCHED, kernel, &shape, blas->stream, &g);
}

#define GEMV(letters, in, out)                                                                                         \
    LISTED(cublas##letters##gemvBatched, int, in, out)                                                                 \
    LISTED(cublas##letters##gemvBatched_64, int64_t, in, out)                                                          \
    STRIDED(cublas##letters##gemvStridedBatched, int, in, out)                                                         \
    STRIDED(cublas##letters##gemvStridedBatched_64, int64_t, in, out)
#define SHARED(in, out)                                                                                                \
    .type = (in), .result = (out), .operation = trans, .m = m, .n = n, .lda = lda, .incx = incx, .incy = incy,         \
    .batch = batch, .alpha = alpha, .beta = beta
#define LISTED(name, number, in, out)                                                                                  \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int trans, number m, number n, const void *alpha,            \
             const void *const A[], number lda, const void *const x[], number incx, const void *beta, void *const y[], \
             number incy, number batch)                                                                                \
    {                                                                                                                  \
        struct call c = {SHARED(in, out), .a = A, .x = x, .y = (void *)(uintptr_t)y, .list = true};                    \
        return run(handle, &c);                                                                                        \
    }
#define STRIDED(name, number, in, out)                                                                                 \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int trans, number m, number n, const void *alpha,            \
             const void *A, number lda, long long strideA, const void *x, number incx, long long stridex,              \
             const void *beta, void *y, number incy, long long stridey, number batch)                                  \
    {                                                                                                                  \
        struct call c = {SHARED(in, out),    .a = A, .x = x, .y = y, .stride_a = strideA, .stride_x = stridex,         \
                         .stride_y = stridey};                                                                         \
        return run(handle, &c);                                                                                        \
    }

GEMV(S, GEMM_F32, GEMM_F32)
GEMV(D, GEMM_F64, GEMM_F64)
GEMV(C, GEMM_C32, GEMM_C32)
GEMV(Z, GEMM_C64, GEMM_C64)
GEMV(HSH, GEMM_F16, GEMM_F16)
GEMV(HSS, GEMM_F16, GEMM_F32)
GEMV(TST, GEMM_BF16, GEMM_BF16)
GEMV(TSS, GEMM_BF16, GEMM_F32)
