/* cuBLAS's named forms of GEMM: one product, batches by stride and by list, with one type and with several. */
#include "blas/product.h"

struct form {
    unsigned type_a, type_b, type_c, compute;
};

static cublasStatus_t run(const char *name, cublasHandle_t handle, struct product *p)
{
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    p->device_scalars = handle->pointer_mode == BLAS_DEVICE;
    cublasStatus_t status = product_run(handle, p, handle->stream);
    return status == CUBLAS_STATUS_NOT_SUPPORTED ? blas_refuse(name, "these types") : status;
}

/* The types of a function with a type letter in its name. */
#define REAL(type, compute) ((struct form){type, type, type, compute})

#define MATRICES(form, list_, sa, sb, sc)                                                                              \
    .m = m, .n = n, .k = k, .compute = form.compute, .alpha = alpha, .beta = beta,                                     \
    .a = {.data = A, .list = list_, .type = form.type_a, .operation = transa, .ld = lda, .stride = sa},                \
    .b = {.data = B, .list = list_, .type = form.type_b, .operation = transb, .ld = ldb, .stride = sb},                \
    .c = {.data = C, .list = list_, .type = form.type_c, .ld = ldc, .stride = sc},                                     \
    .d = {.data = C, .list = list_, .type = form.type_c, .ld = ldc, .stride = sc}

/* Each with 32-bit and with 64-bit dimensions. */
#define GEMM(name, form)                                                                                               \
    GEMM_OF(name, int, form)                                                                                           \
    GEMM_OF(name##_64, int64_t, form)
#define GEMM_OF(name, number, form)                                                                                    \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int transa, int transb, number m, number n, number k,        \
             const void *alpha, const void *A, number lda, const void *B, number ldb, const void *beta, void *C,       \
             number ldc)                                                                                               \
    {                                                                                                                  \
        struct product p = {.batch = 1, MATRICES(form, false, 0, 0, 0)};                                               \
        return run(#name, handle, &p);                                                                                 \
    }
#define STRIDED(name, form)                                                                                            \
    STRIDED_OF(name, int, form)                                                                                        \
    STRIDED_OF(name##_64, int64_t, form)
#define STRIDED_OF(name, number, form)                                                                                 \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int transa, int transb, number m, number n, number k,        \
             const void *alpha, const void *A, number lda, long long strideA, const void *B, number ldb,               \
             long long strideB, const void *beta, void *C, number ldc, long long strideC, number batch)                \
    {                                                                                                                  \
        struct product p = {.batch = batch, MATRICES(form, false, strideA, strideB, strideC)};                         \
        return run(#name, handle, &p);                                                                                 \
    }
#define BATCHED(name, form)                                                                                            \
    BATCHED_OF(name, int, form)                                                                                        \
    BATCHED_OF(name##_64, int64_t, form)
#define BATCHED_OF(name, number, form)                                                                                 \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int transa, int transb, number m, number n, number k,        \
             const void *alpha, const void *const A[], number lda, const void *const B[], number ldb,                  \
             const void *beta, void *const C[], number ldc, number batch)                                              \
    {                                                                                                                  \
        struct product p = {.batch = batch, MATRICES(form, true, 0, 0, 0)};                                            \
        return run(#name, handle, &p);                                                                                 \
    }

#define F32 REAL(GEMM_F32, BLAS_COMPUTE_32F)
#define F64 REAL(GEMM_F64, BLAS_COMPUTE_64F)
#define C32 REAL(GEMM_C32, BLAS_COMPUTE_32F)
#define C64 REAL(GEMM_C64, BLAS_COMPUTE_64F)
#define F16 REAL(GEMM_F16, BLAS_COMPUTE_16F)

GEMM(cublasSgemm_v2, F32)
GEMM(cublasDgemm_v2, F64)
GEMM(cublasCgemm_v2, C32)
GEMM(cublasZgemm_v2, C64)
GEMM(cublasCgemm3m, C32)
GEMM(cublasZgemm3m, C64)
GEMM(cublasHgemm, F16)
STRIDED(cublasSgemmStridedBatched, F32)
STRIDED(cublasDgemmStridedBatched, F64)
STRIDED(cublasCgemmStridedBatched, C32)
STRIDED(cublasZgemmStridedBatched, C64)
STRIDED(cublasCgemm3mStridedBatched, C32)
STRIDED(cublasHgemmStridedBatched, F16)
BATCHED(cublasSgemmBatched, F32)
BATCHED(cublasDgemmBatched, F64)
BATCHED(cublasCgemmBatched, C32)
BATCHED(cublasZgemmBatched, C64)
BATCHED(cublasCgemm3mBatched, C32)
BATCHED(cublasHgemmBatched, F16)

/* ---- with types as arguments ------------------------------------------------------------------------------------- */

#define MIXED(type_c_, compute_)                                                                                       \
    ((struct form){(unsigned)type_a, (unsigned)type_b, (unsigned)type_c_, (unsigned)compute_})

#define SGEMM_EX(name, number, compute)                                                                                \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int transa, int transb, number m, number n, number k,        \
             const void *alpha, const void *A, int type_a, number lda, const void *B, int type_b, number ldb,          \
             const void *beta, void *C, int type_c, number ldc)                                                        \
    {                                                                                                                  \
        struct product p = {.batch = 1, MATRICES(MIXED(type_c, compute), false, 0, 0, 0)};                             \
        return run(#name, handle, &p);                                                                                 \
    }
SGEMM_EX(cublasSgemmEx, int, BLAS_COMPUTE_32F)
SGEMM_EX(cublasSgemmEx_64, int64_t, BLAS_COMPUTE_32F)
SGEMM_EX(cublasCgemmEx, int, BLAS_COMPUTE_32F)
SGEMM_EX(cublasCgemmEx_64, int64_t, BLAS_COMPUTE_32F)

#define GEMM_EX(name, number)                                                                                          \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int transa, int transb, number m, number n, number k,        \
             const void *alpha, const void *A, int type_a, number lda, const void *B, int type_b, number ldb,          \
             const void *beta, void *C, int type_c, number ldc, int compute, int algorithm)                            \
    {                                                                                                                  \
        struct product p = {.batch = 1, MATRICES(MIXED(type_c, compute), false, 0, 0, 0)};                             \
        (void)algorithm; /* a hint */                                                                                  \
        return run(#name, handle, &p);                                                                                 \
    }
GEMM_EX(cublasGemmEx, int)
GEMM_EX(cublasGemmEx_64, int64_t)

#define GEMM_STRIDED_EX(name, number)                                                                                  \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int transa, int transb, number m, number n, number k,        \
             const void *alpha, const void *A, int type_a, number lda, long long strideA, const void *B, int type_b,   \
             number ldb, long long strideB, const void *beta, void *C, int type_c, number ldc, long long strideC,      \
             number batch, int compute, int algorithm)                                                                 \
    {                                                                                                                  \
        struct product p = {.batch = batch, MATRICES(MIXED(type_c, compute), false, strideA, strideB, strideC)};       \
        (void)algorithm;                                                                                               \
        return run(#name, handle, &p);                                                                                 \
    }
GEMM_STRIDED_EX(cublasGemmStridedBatchedEx, int)
GEMM_STRIDED_EX(cublasGemmStridedBatchedEx_64, int64_t)

#define GEMM_BATCHED_EX(name, number)                                                                                  \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int transa, int transb, number m, number n, number k,        \
             const void *alpha, const void *const A[], int type_a, number lda, const void *const B[], int type_b,      \
             number ldb, const void *beta, void *const C[], int type_c, number ldc, number batch, int compute,         \
             int algorithm)                                                                                            \
    {                                                                                                                  \
        struct product p = {.batch = batch, MATRICES(MIXED(type_c, compute), true, 0, 0, 0)};                          \
        (void)algorithm;                                                                                               \
        return run(#name, handle, &p);                                                                                 \
    }
GEMM_BATCHED_EX(cublasGemmBatchedEx, int)
GEMM_BATCHED_EX(cublasGemmBatchedEx_64, int64_t)
