/* The shape of the kernels in gemm_single.cu, as host and device see it. */
#ifndef SUBCORE_BLAS_KERNELS_GEMM_SINGLE_H
#define SUBCORE_BLAS_KERNELS_GEMM_SINGLE_H

/* A block makes ROWS x COLUMNS results. Each of its four warps makes a quarter, from its own STAGES pairs of tiles,
 * DEPTH deep. Rows of a tile are PAD floats longer than they need. */
enum { GEMM_SINGLE_ROWS = 64, GEMM_SINGLE_COLUMNS = 128, GEMM_SINGLE_DEPTH = 8, GEMM_SINGLE_STAGES = 2 };
enum { GEMM_SINGLE_THREADS = 128, GEMM_SINGLE_PAD = 8 };
enum {
    GEMM_SINGLE_BYTES = 4 * GEMM_SINGLE_STAGES * GEMM_SINGLE_DEPTH *
                        (GEMM_SINGLE_ROWS / 2 + GEMM_SINGLE_COLUMNS / 2 + 2 * GEMM_SINGLE_PAD) * 4
};

#endif
