/* Plane rotations by name: their application to two vectors, and their computation from two numbers, which has a 32-bit
 * form only. */
#include <stdio.h>
#include <string.h>

#include "blas/kernels/rotation.h"
#include "blas/product.h"
#include "blas/structured.h"
#include "blas/vector.h"
#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"

static cublasStatus_t launch(const struct blas *blas, const char *name, unsigned type, unsigned blocks,
                             unsigned threads, struct rotation_arguments *g)
{
    char kernel[48];
    struct blas_shape shape = {.grid = {blocks, 1, 1}, .threads = threads};
    snprintf(kernel, sizeof kernel, "subcore_%s_%s", name, vector_type_name(type));
    return blas_launch(blas, BLAS_ROTATION, kernel, &shape, blas->stream, g);
}

static cublasStatus_t apply(const struct blas *blas, const char *name, unsigned type, struct rotation_arguments *g)
{
    if (g->count <= 0)
        return CUBLAS_STATUS_SUCCESS;
    if (g->x == NULL || g->y == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    long long blocks = (g->count + ROTATION_THREADS - 1) / ROTATION_THREADS, most = 4ll * blas->processors;
    return launch(blas, name, type, (unsigned)(blocks < most ? blocks : most), ROTATION_THREADS, g);
}

static cublasStatus_t rotate(const struct blas *blas, unsigned type, struct rotation_arguments *g, const void *c,
                             const void *s, unsigned type_s)
{
    double real[2] = {0};
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    g->real_s = type_s != type;
    if (!structured_scalar(blas, c, structured_real(type), real, &g->c_at) ||
        !structured_scalar(blas, s, type_s, g->s, &g->s_at))
        return CUBLAS_STATUS_INVALID_VALUE;
    g->c = real[0];
    return apply(blas, "rot", type, g);
}

static cublasStatus_t rotate_modified(const struct blas *blas, unsigned type, struct rotation_arguments *g,
                                      const void *parameters)
{
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (parameters == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (blas->pointer_mode == BLAS_DEVICE)
        g->parameters_at = parameters;
    for (int i = 0; i < 5 && blas->pointer_mode == BLAS_HOST; i++) {
        double value[2];
        product_scalar(value, (const char *)parameters + (size_t)i * product_size(type), type);
        g->parameters[i] = value[0];
    }
    return apply(blas, "rotm", type, g);
}

/* ---- making one -------------------------------------------------------------------------------------------------- */

enum { MOST_SCALARS = 5, ROOM = 64 };

/* The inputs of a rotation, and its numbers. */
struct numbers {
    void *at[MOST_SCALARS];
    size_t size[MOST_SCALARS];
    int count;
};

/* Copies them to or from the device, a place of ROOM bytes each. */
static bool transfer(const struct blas *blas, const struct numbers *n, CUdeviceptr room, bool to_device)
{
    for (int i = 0; i < n->count; i++) {
        CUdeviceptr at = room + (CUdeviceptr)i * ROOM;
        CUresult result = to_device ? cuMemcpyHtoDAsync_v2(at, n->at[i], n->size[i], blas->stream)
                                    : cuMemcpyDtoHAsync_v2(n->at[i], at, n->size[i], blas->stream);
        if (result != CUDA_SUCCESS)
            return false;
    }
    return cuStreamSynchronize(blas->stream) == CUDA_SUCCESS;
}

static cublasStatus_t make_from_host(const struct blas *blas, const char *name, unsigned type, const struct numbers *n)
{
    CUdeviceptr room;
    struct rotation_arguments g = {0};
    if (cuMemAllocAsync(&room, MOST_SCALARS * ROOM, blas->stream) != CUDA_SUCCESS)
        return CUBLAS_STATUS_ALLOC_FAILED;
    for (int i = 0; i < n->count; i++)
        g.scalars[i] = (void *)(uintptr_t)(room + (CUdeviceptr)i * ROOM);
    cublasStatus_t status =
        transfer(blas, n, room, true) ? launch(blas, name, type, 1, 1, &g) : CUBLAS_STATUS_MAPPING_ERROR;
    if (status == CUBLAS_STATUS_SUCCESS && !transfer(blas, n, room, false))
        status = CUBLAS_STATUS_EXECUTION_FAILED;
    if (cuMemFreeAsync(room, blas->stream) != CUDA_SUCCESS && status == CUBLAS_STATUS_SUCCESS)
        status = CUBLAS_STATUS_EXECUTION_FAILED;
    return status;
}

static cublasStatus_t make(const struct blas *blas, const char *name, unsigned type, const struct numbers *n)
{
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    for (int i = 0; i < n->count; i++)
        if (n->at[i] == NULL)
            return CUBLAS_STATUS_INVALID_VALUE;
    if (blas->pointer_mode == BLAS_HOST)
        return make_from_host(blas, name, type, n);
    struct rotation_arguments g = {0};
    memcpy(g.scalars, n->at, sizeof g.scalars);
    return launch(blas, name, type, 1, 1, &g);
}

/* ---- by name ----------------------------------------------------------------------------------------------------- */

#define BOTH_SIZES(FUNCTION, name, ...)                                                                                \
    FUNCTION(name, int, __VA_ARGS__)                                                                                   \
    FUNCTION(name##_64, int64_t, __VA_ARGS__)
#define VECTORS(of)                                                                                                    \
    .x = vector_of(x, of, n, incx).data, .y = vector_of(y, of, n, incy).data, .x_step = incx, .y_step = incy, .count = n

#define ROT(name, number, of, of_s)                                                                                    \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, number n, void *x, number incx, void *y, number incy,        \
             const void *c, const void *s)                                                                             \
    {                                                                                                                  \
        struct rotation_arguments g = {VECTORS(of)};                                                                   \
        return rotate(handle, of, &g, c, s, of_s);                                                                     \
    }
#define ROTM(name, number, of)                                                                                         \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, number n, void *x, number incx, void *y, number incy,        \
             const void *parameters)                                                                                   \
    {                                                                                                                  \
        struct rotation_arguments g = {VECTORS(of)};                                                                   \
        return rotate_modified(handle, of, &g, parameters);                                                            \
    }
#define ROTG(letter, of, size, real)                                                                                   \
    BLAS_API(cublasStatus_t, cublas##letter##rotg_v2, cublasHandle_t handle, void *a, void *b, void *c, void *s)       \
    {                                                                                                                  \
        struct numbers numbers = {{a, b, c, s}, {size, size, real, size}, 4};                                          \
        return make(handle, "rotg", of, &numbers);                                                                     \
    }
#define ROTMG(letter, of, size)                                                                                        \
    BLAS_API(cublasStatus_t, cublas##letter##rotmg_v2, cublasHandle_t handle, void *d1, void *d2, void *x1,            \
             const void *y1, void *parameters)                                                                         \
    {                                                                                                                  \
        struct numbers numbers = {                                                                                     \
            {d1, d2, x1, (void *)(uintptr_t)y1, parameters}, {size, size, size, size, 5 * size}, 5};                   \
        return make(handle, "rotmg", of, &numbers);                                                                    \
    }

BOTH_SIZES(ROT, cublasSrot_v2, GEMM_F32, GEMM_F32)
BOTH_SIZES(ROT, cublasDrot_v2, GEMM_F64, GEMM_F64)
BOTH_SIZES(ROT, cublasCrot_v2, GEMM_C32, GEMM_C32)
BOTH_SIZES(ROT, cublasCsrot_v2, GEMM_C32, GEMM_F32)
BOTH_SIZES(ROT, cublasZrot_v2, GEMM_C64, GEMM_C64)
BOTH_SIZES(ROT, cublasZdrot_v2, GEMM_C64, GEMM_F64)
BOTH_SIZES(ROTM, cublasSrotm_v2, GEMM_F32)
BOTH_SIZES(ROTM, cublasDrotm_v2, GEMM_F64)
ROTG(S, GEMM_F32, 4, 4)
ROTG(D, GEMM_F64, 8, 8)
ROTG(C, GEMM_C32, 8, 4)
ROTG(Z, GEMM_C64, 16, 8)
ROTMG(S, GEMM_F32, 4)
ROTMG(D, GEMM_F64, 8)

/* ---- with types as arguments ------------------------------------------------------------------------------------- */

/* Returns true if the documentation has a rotation of these types. */
static bool rotation_possible(int type, int type_cs, int execution)
{
    switch (type) {
    case GEMM_F16:
    case GEMM_BF16: return type_cs == type && execution == GEMM_F32;
    case GEMM_F32:
    case GEMM_F64: return type_cs == type && execution == type;
    case GEMM_C32:
    case GEMM_C64: return execution == type && (type_cs == type || type_cs == (int)structured_real((unsigned)type));
    default: return false;
    }
}

/* The real part of c counts, so that it may be complex. */
#define ROT_EX(name, number, text)                                                                                     \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, number n, void *x, int type_x, number incx, void *y,         \
             int type_y, number incy, const void *c, const void *s, int type_cs, int execution)                        \
    {                                                                                                                  \
        struct rotation_arguments g = {VECTORS((unsigned)type_x)};                                                     \
        if (!blas_lives(handle))                                                                                       \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                                      \
        if (type_y != type_x || !rotation_possible(type_x, type_cs, execution))                                        \
            return blas_refuse(text, "these types");                                                                   \
        return rotate(handle, (unsigned)type_x, &g, c, s, (unsigned)type_cs);                                          \
    }
BOTH_SIZES(ROT_EX, cublasRotEx, "cublasRotEx")
