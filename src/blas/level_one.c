/* Level 1 by name: vectors, and pairs of vectors. Each function has a 32-bit and a 64-bit form. */
#include "blas/product.h"
#include "blas/vector.h"

static cublasStatus_t check(cublasHandle_t handle, const struct vector_arguments *g, bool pair)
{
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (g->count > 0 && (g->x.data == NULL || (pair && g->y.data == NULL)))
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t each(const char *name, cublasHandle_t handle, struct vector_arguments *g, unsigned type)
{
    cublasStatus_t status = check(handle, g, true);
    return status == CUBLAS_STATUS_SUCCESS ? vector_each(handle, name, type, g) : status;
}

static cublasStatus_t scaled(const char *name, cublasHandle_t handle, struct vector_arguments *g, unsigned type,
                             const void *alpha, unsigned alpha_type, bool pair)
{
    cublasStatus_t status = check(handle, g, pair);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = vector_alpha(handle, g, alpha, alpha_type);
    return status == CUBLAS_STATUS_SUCCESS ? vector_each(handle, name, type, g) : status;
}

static cublasStatus_t reduced(const char *name, cublasHandle_t handle, struct vector_arguments *g, unsigned type,
                              void *result, size_t size, bool pair)
{
    cublasStatus_t status = check(handle, g, pair);
    return status == CUBLAS_STATUS_SUCCESS ? vector_reduce(handle, name, type, g, result, size) : status;
}

/* A single vector has elements only if its increment is positive. */
static long long counted(long long n, long long increment) { return increment > 0 ? n : 0; }

#define ONE(type) .x = vector_of(x, type, n, incx), .count = counted(n, incx)
#define PAIR(type_x, type_y) .x = vector_of(x, type_x, n, incx), .y = vector_of(y, type_y, n, incy), .count = n
#define BOTH_SIZES(FUNCTION, name, ...)                                                                                \
    FUNCTION(name, int, __VA_ARGS__)                                                                                   \
    FUNCTION(name##_64, int64_t, __VA_ARGS__)

/* ---- elements ---------------------------------------------------------------------------------------------------- */

#define AXPY(name, number, type)                                                                                       \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, number n, const void *alpha, const void *x, number incx,     \
             void *y, number incy)                                                                                     \
    {                                                                                                                  \
        struct vector_arguments g = {PAIR(type, type)};                                                                \
        return scaled("axpy", handle, &g, type, alpha, type, true);                                                    \
    }
#define SCAL(name, number, kernel, type, alpha_type)                                                                   \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, number n, const void *alpha, void *x, number incx)           \
    {                                                                                                                  \
        struct vector_arguments g = {ONE(type)};                                                                       \
        return scaled(kernel, handle, &g, type, alpha, alpha_type, false);                                             \
    }
#define COPY(name, number, type)                                                                                       \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, number n, const void *x, number incx, void *y, number incy)  \
    {                                                                                                                  \
        struct vector_arguments g = {PAIR(type, type)};                                                                \
        return each("copy", handle, &g, type);                                                                         \
    }
#define SWAP(name, number, type)                                                                                       \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, number n, void *x, number incx, void *y, number incy)        \
    {                                                                                                                  \
        struct vector_arguments g = {PAIR(type, type)};                                                                \
        return each("swap", handle, &g, type);                                                                         \
    }

#define ELEMENTS(letter, type)                                                                                         \
    BOTH_SIZES(AXPY, cublas##letter##axpy_v2, type)                                                                    \
    BOTH_SIZES(SCAL, cublas##letter##scal_v2, "scal", type, type)                                                      \
    BOTH_SIZES(COPY, cublas##letter##copy_v2, type)                                                                    \
    BOTH_SIZES(SWAP, cublas##letter##swap_v2, type)

ELEMENTS(S, GEMM_F32)
ELEMENTS(D, GEMM_F64)
ELEMENTS(C, GEMM_C32)
ELEMENTS(Z, GEMM_C64)
BOTH_SIZES(SCAL, cublasCsscal_v2, "scal_real", GEMM_C32, GEMM_F32)
BOTH_SIZES(SCAL, cublasZdscal_v2, "scal_real", GEMM_C64, GEMM_F64)

/* ---- reductions -------------------------------------------------------------------------------------------------- */

#define DOT(name, number, type, conjugated, size)                                                                      \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, number n, const void *x, number incx, const void *y,         \
             number incy, void *result)                                                                                \
    {                                                                                                                  \
        struct vector_arguments g = {PAIR(type, type), .conjugate = (conjugated)};                                     \
        return reduced("dot", handle, &g, type, result, size, true);                                                   \
    }
#define REDUCE(name, number, kernel, type, size)                                                                       \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, number n, const void *x, number incx, void *result)          \
    {                                                                                                                  \
        struct vector_arguments g = {ONE(type)};                                                                       \
        return reduced(kernel, handle, &g, type, result, size, false);                                                 \
    }
#define SEARCH(name, number, kernel, type) REDUCE(name, number, kernel, type, sizeof(number))

BOTH_SIZES(DOT, cublasSdot_v2, GEMM_F32, 0, 4)
BOTH_SIZES(DOT, cublasDdot_v2, GEMM_F64, 0, 8)
BOTH_SIZES(DOT, cublasCdotu_v2, GEMM_C32, 0, 8)
BOTH_SIZES(DOT, cublasCdotc_v2, GEMM_C32, 1, 8)
BOTH_SIZES(DOT, cublasZdotu_v2, GEMM_C64, 0, 16)
BOTH_SIZES(DOT, cublasZdotc_v2, GEMM_C64, 1, 16)

BOTH_SIZES(REDUCE, cublasSasum_v2, "asum", GEMM_F32, 4)
BOTH_SIZES(REDUCE, cublasDasum_v2, "asum", GEMM_F64, 8)
BOTH_SIZES(REDUCE, cublasScasum_v2, "asum", GEMM_C32, 4)
BOTH_SIZES(REDUCE, cublasDzasum_v2, "asum", GEMM_C64, 8)
BOTH_SIZES(REDUCE, cublasSnrm2_v2, "nrm2", GEMM_F32, 4)
BOTH_SIZES(REDUCE, cublasDnrm2_v2, "nrm2", GEMM_F64, 8)
BOTH_SIZES(REDUCE, cublasScnrm2_v2, "nrm2", GEMM_C32, 4)
BOTH_SIZES(REDUCE, cublasDznrm2_v2, "nrm2", GEMM_C64, 8)

BOTH_SIZES(SEARCH, cublasIsamax_v2, "amax", GEMM_F32)
BOTH_SIZES(SEARCH, cublasIdamax_v2, "amax", GEMM_F64)
BOTH_SIZES(SEARCH, cublasIcamax_v2, "amax", GEMM_C32)
BOTH_SIZES(SEARCH, cublasIzamax_v2, "amax", GEMM_C64)
BOTH_SIZES(SEARCH, cublasIsamin_v2, "amin", GEMM_F32)
BOTH_SIZES(SEARCH, cublasIdamin_v2, "amin", GEMM_F64)
BOTH_SIZES(SEARCH, cublasIcamin_v2, "amin", GEMM_C32)
BOTH_SIZES(SEARCH, cublasIzamin_v2, "amin", GEMM_C64)

/* ---- with types as arguments ------------------------------------------------------------------------------------- */

static bool is_narrow(int type) { return type == GEMM_F16 || type == GEMM_BF16; }

/* Returns true if the documentation has vectors of this type, with such an execution. */
static bool vectors_possible(int type, int execution)
{
    if (is_narrow(type))
        return execution == GEMM_F32;
    return execution == type && (type == GEMM_F32 || type == GEMM_F64 || type == GEMM_C32 || type == GEMM_C64);
}

/* The same with a scalar, which is FP32 for narrow vectors. */
static bool scaled_possible(int type, int alpha_type, int execution)
{
    return vectors_possible(type, execution) && alpha_type == (is_narrow(type) ? GEMM_F32 : type);
}

/* The result of a norm is real. */
static bool norm_possible(int type, int result, int execution)
{
    int real = type == GEMM_C32 ? GEMM_F32 : type == GEMM_C64 ? GEMM_F64 : type;
    return result == real && vectors_possible(is_narrow(type) ? type : real, execution);
}

#define DOT_EX(name, number, conjugated)                                                                               \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, number n, const void *x, int type_x, number incx,            \
             const void *y, int type_y, number incy, void *result, int result_type, int execution)                     \
    {                                                                                                                  \
        struct vector_arguments g = {PAIR((unsigned)type_x, (unsigned)type_y), .conjugate = (conjugated),              \
                                     .result_type = (unsigned)result_type};                                            \
        if (!blas_lives(handle))                                                                                       \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                                      \
        if (type_y != type_x || result_type != type_x || !vectors_possible(type_x, execution))                         \
            return blas_refuse(#name, "these types");                                                                  \
        return reduced("dot", handle, &g, (unsigned)type_x, result, product_size((unsigned)result_type), true);        \
    }
BOTH_SIZES(DOT_EX, cublasDotEx, 0)
BOTH_SIZES(DOT_EX, cublasDotcEx, 1)

#define AXPY_EX(name, number, text)                                                                                    \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, number n, const void *alpha, int alpha_type, const void *x,  \
             int type_x, number incx, void *y, int type_y, number incy, int execution)                                 \
    {                                                                                                                  \
        struct vector_arguments g = {PAIR((unsigned)type_x, (unsigned)type_y)};                                        \
        if (!blas_lives(handle))                                                                                       \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                                      \
        if (type_y != type_x || !scaled_possible(type_x, alpha_type, execution))                                       \
            return blas_refuse(text, "these types");                                                                   \
        return scaled("axpy", handle, &g, (unsigned)type_x, alpha, (unsigned)alpha_type, true);                        \
    }
#define SCAL_EX(name, number, text)                                                                                    \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, number n, const void *alpha, int alpha_type, void *x,        \
             int type_x, number incx, int execution)                                                                   \
    {                                                                                                                  \
        struct vector_arguments g = {ONE((unsigned)type_x)};                                                           \
        if (!blas_lives(handle))                                                                                       \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                                      \
        if (!scaled_possible(type_x, alpha_type, execution))                                                           \
            return blas_refuse(text, "these types");                                                                   \
        return scaled("scal", handle, &g, (unsigned)type_x, alpha, (unsigned)alpha_type, false);                       \
    }
#define NRM2_EX(name, number, text)                                                                                    \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, number n, const void *x, int type_x, number incx,            \
             void *result, int result_type, int execution)                                                             \
    {                                                                                                                  \
        struct vector_arguments g = {ONE((unsigned)type_x), .result_type = (unsigned)result_type};                     \
        if (!blas_lives(handle))                                                                                       \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                                      \
        if (!norm_possible(type_x, result_type, execution))                                                            \
            return blas_refuse(text, "these types");                                                                   \
        return reduced("nrm2", handle, &g, (unsigned)type_x, result, product_size((unsigned)result_type), false);      \
    }
BOTH_SIZES(AXPY_EX, cublasAxpyEx, "cublasAxpyEx")
BOTH_SIZES(SCAL_EX, cublasScalEx, "cublasScalEx")
BOTH_SIZES(NRM2_EX, cublasNrm2Ex, "cublasNrm2Ex")
