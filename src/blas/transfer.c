/* Copies of vectors and matrices between host and device, with increments and pitches. */
#include "blas/blas.h"
#include "driver/abi/api_memory.h"

/* One side of a copy: rows of `width` bytes with a pitch. */
struct rows {
    const void *at;
    long long pitch;
};

/* Copies in the stream, or at once if `later` is false. */
static cublasStatus_t copy(bool to_device, struct rows from, struct rows to, long long width, long long height,
                           CUstream stream, bool later)
{
    if (width < 0 || height < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (width == 0 || height == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (from.at == NULL || to.at == NULL || from.pitch < width || to.pitch < width)
        return CUBLAS_STATUS_INVALID_VALUE;
    CUDA_MEMCPY2D plan = {.srcMemoryType = to_device ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                          .srcPitch = (size_t)from.pitch,
                          .dstMemoryType = to_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
                          .dstPitch = (size_t)to.pitch,
                          .WidthInBytes = (size_t)width,
                          .Height = (size_t)height};
    if (to_device) {
        plan.srcHost = from.at;
        plan.dstDevice = (CUdeviceptr)(uintptr_t)to.at;
    } else {
        plan.srcDevice = (CUdeviceptr)(uintptr_t)from.at;
        plan.dstHost = (void *)(uintptr_t)to.at;
    }
    CUresult result = later ? cuMemcpy2DAsync_v2(&plan, stream) : cuMemcpy2DUnaligned_v2(&plan);
    return result == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

static cublasStatus_t matrix(bool to_device, long long rows, long long columns, long long size, struct rows from,
                             struct rows to, CUstream stream, bool later)
{
    if (rows < 0 || columns < 0 || size <= 0 || from.pitch <= 0 || to.pitch <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    from.pitch *= size;
    to.pitch *= size;
    return copy(to_device, from, to, rows * size, columns, stream, later);
}

static cublasStatus_t vector(bool to_device, long long count, long long size, struct rows from, struct rows to,
                             CUstream stream, bool later)
{
    if (count < 0 || size <= 0 || from.pitch <= 0 || to.pitch <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    from.pitch *= size;
    to.pitch *= size;
    return copy(to_device, from, to, size, count, stream, later);
}

#define TRANSFER(Way, to_device, suffix, number)                                                                       \
    BLAS_API(cublasStatus_t, cublas##Way##Matrix##suffix, number rows, number columns, number size, const void *from,  \
             number lda, void *to, number ldb)                                                                         \
    {                                                                                                                  \
        return matrix(to_device, rows, columns, size, (struct rows){from, lda}, (struct rows){to, ldb}, NULL, false);  \
    }                                                                                                                  \
    BLAS_API(cublasStatus_t, cublas##Way##MatrixAsync##suffix, number rows, number columns, number size,               \
             const void *from, number lda, void *to, number ldb, CUstream stream)                                      \
    {                                                                                                                  \
        return matrix(to_device, rows, columns, size, (struct rows){from, lda}, (struct rows){to, ldb}, stream, true); \
    }                                                                                                                  \
    BLAS_API(cublasStatus_t, cublas##Way##Vector##suffix, number n, number size, const void *from, number incx,        \
             void *to, number incy)                                                                                    \
    {                                                                                                                  \
        return vector(to_device, n, size, (struct rows){from, incx}, (struct rows){to, incy}, NULL, false);            \
    }                                                                                                                  \
    BLAS_API(cublasStatus_t, cublas##Way##VectorAsync##suffix, number n, number size, const void *from, number incx,   \
             void *to, number incy, CUstream stream)                                                                   \
    {                                                                                                                  \
        return vector(to_device, n, size, (struct rows){from, incx}, (struct rows){to, incy}, stream, true);           \
    }
TRANSFER(Set, true, , int)
TRANSFER(Set, true, _64, int64_t)
TRANSFER(Get, false, , int)
TRANSFER(Get, false, _64, int64_t)
