#include "blas/vector.h"

#include <stdio.h>
#include <string.h>

#include "blas/product.h"
#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"

enum { THREADS = 256, BLOCKS_EACH = 4, NAME = 64 };

struct vector_of vector_of(const void *data, unsigned type, long long count, long long increment)
{
    uintptr_t first = (uintptr_t)data;
    if (increment < 0 && count > 0)
        first += (uintptr_t)((count - 1) * -increment) * product_size(type);
    return (struct vector_of){.data = (void *)first, .step = increment};
}

static cublasStatus_t scalar(const struct blas *blas, double value[2], const void **at, const void *given,
                             unsigned type)
{
    if (given == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (blas->pointer_mode == BLAS_DEVICE)
        *at = given;
    else
        product_scalar(value, given, type);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t vector_alpha(const struct blas *blas, struct vector_arguments *g, const void *alpha, unsigned type)
{
    return scalar(blas, g->alpha, &g->alpha_at, alpha, type);
}

cublasStatus_t vector_beta(const struct blas *blas, struct vector_arguments *g, const void *beta, unsigned type)
{
    return scalar(blas, g->beta, &g->beta_at, beta, type);
}

const char *vector_type_name(unsigned type)
{
    switch (type) {
    case GEMM_F32: return "f32";
    case GEMM_F64: return "f64";
    case GEMM_C32: return "c32";
    case GEMM_C64: return "c64";
    case GEMM_F16: return "f16";
    case GEMM_BF16: return "bf16";
    default: return NULL;
    }
}

static struct blas_shape shape_of(const struct blas *blas, long long count, unsigned most)
{
    long long blocks = (count + THREADS - 1) / THREADS;
    if (blocks > most)
        blocks = most;
    if (blocks > BLOCKS_EACH * (long long)blas->processors)
        blocks = BLOCKS_EACH * (long long)blas->processors;
    return (struct blas_shape){.grid = {(unsigned)blocks, 1, 1}, .threads = THREADS};
}

cublasStatus_t vector_each(const struct blas *blas, const char *name, unsigned type, struct vector_arguments *g)
{
    char kernel[NAME];
    if (g->count <= 0)
        return CUBLAS_STATUS_SUCCESS;
    struct blas_shape shape = shape_of(blas, g->count, UINT32_MAX);
    snprintf(kernel, sizeof kernel, "subcore_%s_%s", name, vector_type_name(type));
    return blas_launch(blas, BLAS_VECTOR, kernel, &shape, blas->stream, g);
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

static cublasStatus_t launch(const struct blas *blas, const char *name, unsigned type, struct vector_arguments *g)
{
    char kernel[NAME];
    struct blas_shape shape = shape_of(blas, g->count, VECTOR_BLOCKS), one = {.grid = {1, 1, 1}, .threads = THREADS};
    g->parts = shape.grid[0];
    snprintf(kernel, sizeof kernel, "subcore_%s_%s", name, vector_type_name(type));
    cublasStatus_t status = blas_launch(blas, BLAS_VECTOR, kernel, &shape, blas->stream, g);
    if (status != CUBLAS_STATUS_SUCCESS || g->parts == 1)
        return status;
    snprintf(kernel, sizeof kernel, "subcore_%s_%s_join", name, vector_type_name(type));
    g->count = g->parts;
    g->parts = 1;
    return blas_launch(blas, BLAS_VECTOR, kernel, &one, blas->stream, g);
}

static cublasStatus_t deliver(const struct blas *blas, CUdeviceptr from, void *result, size_t size)
{
    CUresult copied;
    if (blas->pointer_mode == BLAS_DEVICE) {
        copied = cuMemcpyDtoDAsync_v2((CUdeviceptr)(uintptr_t)result, from, size, blas->stream);
    } else {
        copied = cuMemcpyDtoHAsync_v2(result, from, size, blas->stream);
        if (copied == CUDA_SUCCESS)
            copied = cuStreamSynchronize(blas->stream);
    }
    return copied == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

static cublasStatus_t deliver_zero(const struct blas *blas, void *result, size_t size)
{
    if (blas->pointer_mode == BLAS_HOST)
        memset(result, 0, size);
    else if (cuMemsetD8Async((CUdeviceptr)(uintptr_t)result, 0, size, blas->stream) != CUDA_SUCCESS)
        return CUBLAS_STATUS_EXECUTION_FAILED;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t vector_reduce(const struct blas *blas, const char *name, unsigned type, struct vector_arguments *g,
                             void *result, size_t size)
{
    enum { RESULT = 32 }; /* bytes before the partials, for any result */
    CUdeviceptr room;
    if (result == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (g->count <= 0)
        return deliver_zero(blas, result, size);
    /* In stream order, so that calls in other streams have their own. */
    if (cuMemAllocAsync(&room, RESULT + VECTOR_BLOCKS * VECTOR_PARTIAL, blas->stream) != CUDA_SUCCESS)
        return CUBLAS_STATUS_ALLOC_FAILED;
    g->result = (void *)(uintptr_t)room;
    g->partials = (void *)(uintptr_t)(room + RESULT);
    cublasStatus_t status = launch(blas, name, type, g);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = deliver(blas, room, result, size);
    if (cuMemFreeAsync(room, blas->stream) != CUDA_SUCCESS && status == CUBLAS_STATUS_SUCCESS)
        status = CUBLAS_STATUS_EXECUTION_FAILED;
    return status;
}
