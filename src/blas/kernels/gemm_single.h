/* The shape of the kernels in gemm_single.cu, as host and device see it. */
#ifndef SUBCORE_BLAS_KERNELS_GEMM_SINGLE_H
#define SUBCORE_BLAS_KERNELS_GEMM_SINGLE_H

/* A block makes SIZE x SIZE results from STAGES pairs of tiles, DEPTH deep. Rows of a tile are PITCH floats apart. */
enum { GEMM_SINGLE_SIZE = 128, GEMM_SINGLE_DEPTH = 16, GEMM_SINGLE_STAGES = 2, GEMM_SINGLE_PITCH = 132 };
enum { GEMM_SINGLE_THREADS = 128 };
enum { GEMM_SINGLE_BYTES = 4 * GEMM_SINGLE_STAGES * GEMM_SINGLE_DEPTH * 2 * GEMM_SINGLE_PITCH };

#endif
