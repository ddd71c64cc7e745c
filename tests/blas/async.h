/* Products of many tiles by the kernels that copy tensors and multiply asynchronously (blas/kernels/gemm_async.cu). */
#ifndef SUBCORE_TESTS_BLAS_ASYNC_H
#define SUBCORE_TESTS_BLAS_ASYNC_H

#include "tests/blas/trial.h"

/* FP16 and BF16, each transpose, tiles and chunks at the end of a matrix, sums of several rounds of the ring, and whole
 * tiles of each type of result. The shapes have tiles for half of a B200's SMs, below which other kernels multiply. */
static inline void async_products_agree(const char *gpu)
{
    static const struct shape wide = {257, 9, 65, 7, 7, 7, 37, 8, 0}, high = {9, 137, 65, 7, 7, 7, 37, 8, 0};
    static const struct shape deep = {8, 136, 328, 0, 0, 0, 37, 8, 0}, whole = {256, 160, 40, 0, 0, 0, 37, 8, 0};
    for (int op = 0; op < 4; op++) {
        try(gpu, &forms[op % 2 ? 4 : 3], &wide, op % 2, op / 2, 1.5, op == 1 ? -0.5 : 0);
        try(gpu, &forms[op % 2 ? 6 : 5], &high, op / 2, op % 2, 1.5, op == 1 ? -0.5 : 0);
    }
    try(gpu, &forms[3], &deep, BLAS_N, BLAS_T, 1, 0);
    try(gpu, &forms[5], &deep, BLAS_T, BLAS_N, 1, 0);
    for (int form = 3; form < 7; form++)
        try(gpu, &forms[form], &whole, BLAS_N, BLAS_N, 1.5, 0);
}

#endif
