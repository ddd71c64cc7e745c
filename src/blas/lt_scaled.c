#include "blas/lt_scaled.h"

#include "driver/abi/api_memory.h"

enum { E2M1 = 33 }; /* cudaDataType of FP4 */

static bool is_fp8(unsigned type) { return type == GEMM_E4M3 || type == GEMM_E5M2; }

/* Returns true if the documentation has the mode for elements of this type on this architecture. */
static bool mode_fits(const struct blas *blas, int mode, unsigned type)
{
    switch (mode) {
    case SCALED_16_UE4M3: return type == E2M1 && blas->architecture >= 100;
    case SCALED_32_UE8M0: return is_fp8(type) && blas->architecture >= 100;
    case SCALED_VECTOR:
    case SCALED_128:
    case SCALED_SQUARE: return is_fp8(type) && blas->architecture >= 90;
    default: return false;
    }
}

/* Modes that go together: the same, or 128 elements along the sum with a square. */
static bool modes_fit(int a, int b)
{
    return a == b || (a == SCALED_128 && b == SCALED_SQUARE) || (a == SCALED_SQUARE && b == SCALED_128);
}

static struct product_matrix widened(const struct product_matrix *m, long long depth)
{
    return (struct product_matrix){.data = m->data, .type = GEMM_F32, .operation = m->operation, .ld = depth};
}

cublasStatus_t lt_scaled_take(const struct blas *blas, struct lt_scaled *scaled, struct product *p, int mode_a,
                              int mode_b)
{
    *scaled = (struct lt_scaled){.used = mode_a != SCALED_WHOLE || mode_b != SCALED_WHOLE};
    if (!scaled->used)
        return CUBLAS_STATUS_SUCCESS;
    bool odd = p->k % 2 != 0 || p->a.ld % 2 != 0 || p->b.ld % 2 != 0;
    if (!mode_fits(blas, mode_a, p->a.type) || !mode_fits(blas, mode_b, p->b.type) || !modes_fit(mode_a, mode_b) ||
        p->a.operation == BLAS_N || p->b.operation != BLAS_N || p->batch != 1 || p->a.list || p->b.list ||
        p->compute != BLAS_COMPUTE_32F || p->scale_c != NULL || p->scale_d != NULL || (p->a.type == E2M1 && odd))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    scaled->a = p->a;
    scaled->b = p->b;
    scaled->scale_a = p->scale_a;
    scaled->scale_b = p->scale_b;
    scaled->mode_a = mode_a;
    scaled->mode_b = mode_b;
    p->a = widened(&p->a, p->k > 1 ? p->k : 1);
    p->b = widened(&p->b, p->k > 1 ? p->k : 1);
    p->scale_a = p->scale_b = NULL;
    p->widened = true;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t widen(const struct blas *blas, const struct product_matrix *m, const void *scales, int mode,
                            const struct product *p, long long vectors, CUdeviceptr to, CUstream stream)
{
    struct scaled_arguments g = {
        .data = m->data,
        .scales = scales,
        .result = (float *)(uintptr_t)to,
        .pitch = m->ld,
        .vectors = vectors,
        .depth = p->k,
        .type = m->type == E2M1        ? SCALED_E2M1
                : m->type == GEMM_E5M2 ? SCALED_E5M2
                                       : SCALED_E4M3,
        .mode = (unsigned)mode,
    };
    long long most = 16ll * blas->processors;
    struct blas_shape shape = {.grid = {(unsigned)(vectors < most ? vectors : most), 1, 1}, .threads = SCALED_THREADS};
    return vectors > 0 && p->k > 0 ? blas_launch(blas, BLAS_SCALED, "subcore_widen_scaled", &shape, stream, &g)
                                   : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t lt_scaled_begin(const struct blas *blas, const struct lt_scaled *scaled, struct product *p,
                               CUstream stream)
{
    CUdeviceptr room;
    if (!scaled->used)
        return CUBLAS_STATUS_SUCCESS;
    bool reads = p->m > 0 && p->n > 0 && p->k > 0;
    if (reads && (scaled->a.data == NULL || scaled->b.data == NULL || scaled->scale_a == NULL ||
                  scaled->scale_b == NULL || scaled->a.ld < p->k || scaled->b.ld < p->k))
        return CUBLAS_STATUS_INVALID_VALUE;
    size_t a_bytes = (size_t)(p->m * p->k) * sizeof(float), b_bytes = (size_t)(p->n * p->k) * sizeof(float);
    if (cuMemAllocAsync(&room, a_bytes + b_bytes + 1, stream) != CUDA_SUCCESS)
        return CUBLAS_STATUS_ALLOC_FAILED;
    p->a.data = (const void *)(uintptr_t)room;
    p->b.data = (const void *)(uintptr_t)(room + a_bytes);
    cublasStatus_t status = widen(blas, &scaled->a, scaled->scale_a, scaled->mode_a, p, p->m, room, stream);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = widen(blas, &scaled->b, scaled->scale_b, scaled->mode_b, p, p->n, room + a_bytes, stream);
    if (status != CUBLAS_STATUS_SUCCESS)
        cuMemFreeAsync(room, stream);
    return status;
}

cublasStatus_t lt_scaled_end(const struct lt_scaled *scaled, const struct product *p, CUstream stream)
{
    if (scaled->used && cuMemFreeAsync((CUdeviceptr)(uintptr_t)p->a.data, stream) != CUDA_SUCCESS)
        return CUBLAS_STATUS_EXECUTION_FAILED;
    return CUBLAS_STATUS_SUCCESS;
}
