/* Products by the asynchronous tensor cores of sm_90 (wgmma) and sm_100 (tcgen05), whose operands TMA copies. */
#ifndef SUBCORE_BLAS_PRODUCT_ASYNC_H
#define SUBCORE_BLAS_PRODUCT_ASYNC_H

#include "blas/kernels/gemm_async.h"
#include "blas/product.h"

/* One launch: the kernel's name, its shape, the number of batches in the grid (one if the kernel loops over all of
 * them), and its arguments. The caller sets g.first and the batches of the grid. */
struct product_async {
    char name[64];
    struct blas_shape shape;
    long long batches;
    struct gemm_async_arguments arguments;
};

/* Prepares a product of FP16 or BF16, `type` being f16 or bf16. Returns false if the architecture has no such tensor
 * cores, if TMA cannot describe the operands, or if the product is too small to occupy half of the SMs. */
bool product_async_prepare(const struct blas *blas, const struct product *p, const struct gemm_arguments *g,
                           const char *type, struct product_async *out);

#endif
