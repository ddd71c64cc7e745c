/* Grouped products: groups with their own shapes, transposes and scalars, each of one or more products. All arrays are
 * in host memory, except those of the matrices' addresses. A group is one launch of a batch's kernel. */
#include "blas/product.h"

/* The arrays of a call. Numbers are `wide` (64 bits) or not. */
struct groups {
    const char *name;
    bool wide;
    const int *transa, *transb;
    const void *m, *n, *k, *lda, *ldb, *ldc, *sizes;
    const void *alpha, *beta;
    const void *a, *b, *c; /* arrays of addresses, in device memory */
    int type_a, type_b, type_c, compute;
    long long count;
};

static long long number(const struct groups *s, const void *array, long long i)
{
    return s->wide ? ((const int64_t *)array)[i] : ((const int *)array)[i];
}

/* The documented types. Scalars are FP32, or FP64 with sums in FP64. */
static bool types_are_listed(const struct groups *s)
{
    int type = s->type_a;
    if (s->type_b != type || s->type_c != type)
        return false;
    switch (s->compute) {
    case BLAS_COMPUTE_32F: return type == GEMM_F32 || type == GEMM_F16 || type == GEMM_BF16;
    case BLAS_COMPUTE_32F_PEDANTIC:
    case BLAS_COMPUTE_32F_FAST_TF32: return type == GEMM_F32;
    case BLAS_COMPUTE_64F:
    case BLAS_COMPUTE_64F_PEDANTIC: return type == GEMM_F64;
    default: return false;
    }
}

static struct product_matrix matrices(const void *list, int type, int operation, long long ld, long long first)
{
    return (struct product_matrix){
        .data = list != NULL ? (const void *const *)list + first : NULL,
        .list = true,
        .type = (unsigned)type,
        .operation = operation,
        .ld = ld,
    };
}

/* Returns group `i`, whose first product is number `first` of all. */
static struct product group(const struct groups *s, long long i, long long first)
{
    size_t scalar = s->type_a == GEMM_F64 ? sizeof(double) : sizeof(float), at = (size_t)i * scalar;
    struct product_matrix c = matrices(s->c, s->type_c, BLAS_N, number(s, s->ldc, i), first);
    return (struct product){
        .m = number(s, s->m, i),
        .n = number(s, s->n, i),
        .k = number(s, s->k, i),
        .batch = number(s, s->sizes, i),
        .a = matrices(s->a, s->type_a, s->transa[i], number(s, s->lda, i), first),
        .b = matrices(s->b, s->type_b, s->transb[i], number(s, s->ldb, i), first),
        .c = c,
        .d = c,
        .compute = (unsigned)s->compute,
        .alpha = (const char *)s->alpha + at,
        .beta = (const char *)s->beta + at,
    };
}

static bool array_is_missing(const struct groups *s)
{
    return s->transa == NULL || s->transb == NULL || s->m == NULL || s->n == NULL || s->k == NULL || s->lda == NULL ||
           s->ldb == NULL || s->ldc == NULL || s->sizes == NULL || s->alpha == NULL || s->beta == NULL;
}

/* Checks all groups before the first one is launched. */
static cublasStatus_t check(const struct blas *blas, const struct groups *s)
{
    long long first = 0;
    for (long long i = 0; i < s->count; i++) {
        struct product p = group(s, i, first);
        cublasStatus_t status = product_check(blas, &p);
        if (status != CUBLAS_STATUS_SUCCESS)
            return status;
        first += p.batch;
    }
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t run(struct blas *blas, const struct groups *s)
{
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (s->count < 0 || (s->count > 0 && array_is_missing(s)))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (blas->pointer_mode == BLAS_DEVICE)
        return blas_refuse(s->name, "scalars in device memory");
    if (!types_are_listed(s))
        return blas_refuse(s->name, "these types");
    cublasStatus_t status = check(blas, s);
    long long first = 0;
    for (long long i = 0; i < s->count && status == CUBLAS_STATUS_SUCCESS; i++) {
        struct product p = group(s, i, first);
        status = product_run(blas, &p, blas->stream);
        first += p.batch;
    }
    return status;
}

#define GROUPS(form, is_wide)                                                                                          \
    .wide = (is_wide), .transa = transa, .transb = transb, .m = m, .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc = ldc, \
    .sizes = sizes, .alpha = alpha, .beta = beta, .a = A, .b = B, .c = C, .count = count, form

#define GROUPED_OF(function, number, is_wide, type, sum)                                                               \
    BLAS_API(cublasStatus_t, function, cublasHandle_t handle, const int transa[], const int transb[],                  \
             const number m[], const number n[], const number k[], const void *alpha, const void *const A[],           \
             const number lda[], const void *const B[], const number ldb[], const void *beta, void *const C[],         \
             const number ldc[], number count, const number sizes[])                                                   \
    {                                                                                                                  \
        struct groups s = {.name = #function,                                                                          \
                           .type_a = (type),                                                                           \
                           .type_b = (type),                                                                           \
                           .type_c = (type),                                                                           \
                           GROUPS(.compute = (sum), is_wide)};                                                         \
        return run(handle, &s);                                                                                        \
    }
#define GROUPED(function, type, sum)                                                                                   \
    GROUPED_OF(function, int, false, type, sum)                                                                        \
    GROUPED_OF(function##_64, int64_t, true, type, sum)
GROUPED(cublasSgemmGroupedBatched, GEMM_F32, BLAS_COMPUTE_32F)
GROUPED(cublasDgemmGroupedBatched, GEMM_F64, BLAS_COMPUTE_64F)

#define GROUPED_EX(function, number, is_wide)                                                                          \
    BLAS_API(cublasStatus_t, function, cublasHandle_t handle, const int transa[], const int transb[],                  \
             const number m[], const number n[], const number k[], const void *alpha, const void *const A[],           \
             int type_a, const number lda[], const void *const B[], int type_b, const number ldb[], const void *beta,  \
             void *const C[], int type_c, const number ldc[], number count, const number sizes[], int sum)             \
    {                                                                                                                  \
        struct groups s = {                                                                                            \
            .name = #function, .type_a = type_a, .type_b = type_b, .type_c = type_c, GROUPS(.compute = sum, is_wide)}; \
        return run(handle, &s);                                                                                        \
    }
GROUPED_EX(cublasGemmGroupedBatchedEx, int, false)
GROUPED_EX(cublasGemmGroupedBatchedEx_64, int64_t, true)
