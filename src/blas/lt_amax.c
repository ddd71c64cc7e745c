#include "blas/lt_amax.h"

#include "blas/kernels/amax.h"
#include "driver/abi/api_memory.h"

cublasStatus_t lt_amax_take(struct lt_amax *amax, struct product *p, void *at)
{
    *amax = (struct lt_amax){.amax = at, .d = p->d, .scale = p->scale_d};
    if (at == NULL)
        return CUBLAS_STATUS_SUCCESS;
    if ((p->d.type != GEMM_E4M3 && p->d.type != GEMM_E5M2) || p->d.list || p->widened)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    p->d = (struct product_matrix){
        .type = GEMM_F32, .operation = BLAS_N, .ld = p->m > 1 ? p->m : 1, .stride = p->m * p->n};
    p->scale_d = NULL;
    p->wide_result = true;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t lt_amax_begin(const struct lt_amax *amax, struct product *p, CUstream stream)
{
    CUdeviceptr room;
    if (amax->amax == NULL)
        return CUBLAS_STATUS_SUCCESS;
    size_t count = (size_t)(p->m * p->n * p->batch);
    if (amax->d.ld < p->d.ld || (count > 0 && amax->d.data == NULL))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (cuMemsetD32Async((CUdeviceptr)(uintptr_t)amax->amax, 0, 1, stream) != CUDA_SUCCESS)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (cuMemAllocAsync(&room, count * sizeof(float) + 1, stream) != CUDA_SUCCESS)
        return CUBLAS_STATUS_ALLOC_FAILED;
    p->d.data = (const void *)(uintptr_t)room;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t store(const struct blas *blas, const struct lt_amax *amax, const struct product *p,
                            CUstream stream)
{
    struct amax_arguments g = {
        .from = p->d.data,
        .scale = amax->scale,
        .to = (void *)(uintptr_t)amax->d.data,
        .amax = amax->amax,
        .rows = p->m,
        .columns = p->n,
        .batch = p->batch,
        .pitch = amax->d.ld,
        .stride = amax->d.stride,
        .type = amax->d.type,
    };
    long long columns = p->n * p->batch, most = 8ll * blas->processors;
    struct blas_shape shape = {.grid = {(unsigned)(columns < most ? columns : most), 1, 1}, .threads = AMAX_THREADS};
    return columns > 0 && p->m > 0 ? blas_launch(blas, BLAS_AMAX, "subcore_amax", &shape, stream, &g)
                                   : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t lt_amax_end(const struct blas *blas, const struct lt_amax *amax, const struct product *p, bool stores,
                           CUstream stream)
{
    if (amax->amax == NULL)
        return CUBLAS_STATUS_SUCCESS;
    cublasStatus_t status = stores ? store(blas, amax, p, stream) : CUBLAS_STATUS_SUCCESS;
    bool freed = cuMemFreeAsync((CUdeviceptr)(uintptr_t)p->d.data, stream) == CUDA_SUCCESS;
    return status == CUBLAS_STATUS_SUCCESS && !freed ? CUBLAS_STATUS_EXECUTION_FAILED : status;
}
