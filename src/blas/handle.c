#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "blas/blas.h"
#include "driver/abi/api_device.h"
#include "driver/abi/api_module.h"
#include "driver/abi/enter.h"

static int attribute(CUdevice device, CUdevice_attribute which)
{
    int value = 0;
    return cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
}

static cublasStatus_t load(struct blas *blas)
{
    static const char *const names[BLAS_IMAGES] = {
        "gemm_plain", "gemm_tensor", "gemm_stream",  "gemm_single", "gemm_async", "vector",     "solve",
        "orthogonal", "jacobi",      "symmetric",    "general",     "epilogue",   "structured", "rotation",
        "scaled",     "transform",   "gemv_batched", "inverse",     "amax"};
    size_t count;
    const struct embedded *files = embedded_blas(&count);
    for (size_t i = 0; i < count; i++)
        for (int image = 0; image < BLAS_IMAGES; image++) {
            if (strcmp(files[i].name, names[image]) != 0)
                continue;
            CUresult result = cuLibraryLoadData(&blas->images[image], files[i].data, NULL, NULL, 0, NULL, NULL, 0);
            if (result == CUDA_ERROR_NO_BINARY_FOR_GPU && image == BLAS_ASYNC)
                continue; /* few architectures have these tensor cores */
            if (result != CUDA_SUCCESS)
                return result == CUDA_ERROR_NO_BINARY_FOR_GPU ? CUBLAS_STATUS_ARCH_MISMATCH
                                                              : CUBLAS_STATUS_NOT_INITIALIZED;
        }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t blas_create(struct blas **out)
{
    CUdevice device;
    if (out == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *out = NULL;
    if (!abi_enter(&device))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    struct blas *blas = calloc(1, sizeof *blas);
    if (blas == NULL)
        return CUBLAS_STATUS_ALLOC_FAILED;
    blas->magic = BLAS_MAGIC;
    blas->device = device;
    blas->architecture = 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                         attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    blas->special_values = BLAS_SPECIAL_VALUES;
    blas->processors = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    cublasStatus_t status = load(blas);
    if (status == CUBLAS_STATUS_SUCCESS)
        *out = blas;
    else
        blas_destroy(blas);
    return status;
}

cublasStatus_t blas_destroy(struct blas *blas)
{
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    for (int image = 0; image < BLAS_IMAGES; image++)
        if (blas->images[image] != NULL)
            cuLibraryUnload(blas->images[image]);
    blas->magic = 0;
    free(blas);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t blas_launch(const struct blas *blas, enum blas_image image, const char *name,
                           const struct blas_shape *shape, CUstream stream, void *argument)
{
    enum { STATIC_LIMIT = 48 * 1024 };
    CUkernel kernel;
    if (cuLibraryGetKernel(&kernel, blas->images[image], name) != CUDA_SUCCESS)
        return CUBLAS_STATUS_ARCH_MISMATCH;
    if (shape->shared > STATIC_LIMIT && cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                             (int)shape->shared, kernel, blas->device) != CUDA_SUCCESS)
        return CUBLAS_STATUS_ARCH_MISMATCH;
    void *arguments[] = {argument};
    /* The driver takes kernels for functions here. */
    CUresult result = cuLaunchKernel((CUfunction)(void *)kernel, shape->grid[0], shape->grid[1], shape->grid[2],
                                     shape->threads, 1, 1, shape->shared, stream, arguments, NULL);
    return result == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
