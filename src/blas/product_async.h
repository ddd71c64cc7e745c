/* Products by the asynchronous tensor cores of sm_90 (wgmma) and sm_100 (tcgen05), whose operands TMA copies. */
#ifndef SUBCORE_BLAS_PRODUCT_ASYNC_H
#define SUBCORE_BLAS_PRODUCT_ASYNC_H

#include "blas/kernels/gemm_async.h"
#include "blas/product.h"

/* One launch: the kernel's name, its shape, how many batches the grid has (one, where the kernel walks through all of
 * them), and its arguments, of which g.first and the batches of the grid are the caller's. */
struct product_async {
    char name[64];
    struct blas_shape shape;
    long long batches;
    struct gemm_async_arguments arguments;
};

/* Prepares a product of FP16 or BF16, `type` being f16 or bf16. Returns false where the architecture has no such tensor
 * cores, where the operands cannot be described to TMA, or where the product is too small to give half of the SMs
 * something to do. */
bool product_async_prepare(const struct blas *blas, const struct product *p, const struct gemm_arguments *g,
                           const char *type, struct product_async *out);

#endif
