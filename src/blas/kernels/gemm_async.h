/* The shape of the kernels in gemm_async.cu, as host and device see it. */
#ifndef SUBCORE_BLAS_KERNELS_GEMM_ASYNC_H
#define SUBCORE_BLAS_KERNELS_GEMM_ASYNC_H

enum { GEMM_ASYNC_BOX = 64, GEMM_ASYNC_DEPTH = 64 };

/* Two blocks of a cluster make ROWS x COLUMNS results each. On sm_90 each copies half of the right tile to both. On
 * sm_100 they multiply as a pair, and each has half of the right tile. A pair makes one tile after another: the warps
 * that write store the results of one, WRITE columns at a time, while the tensor cores are at the next. There a TMA
 * copy brings a box of BOX vectors of the right tile. */
enum { GEMM_ASYNC_ROWS = 128, GEMM_ASYNC_COLUMNS = 256, GEMM_ASYNC_CLUSTER = 2 };
enum { GEMM_WGMMA_STAGES = 4, GEMM_WGMMA_THREADS = 384 };
enum { GEMM_UMMA_STAGES = 6, GEMM_UMMA_WRITERS = 8, GEMM_UMMA_THREADS = 128 + 32 * GEMM_UMMA_WRITERS };
enum { GEMM_UMMA_WRITE = 16, GEMM_UMMA_BOX = 64 };

/* Dynamic shared memory in bytes; 1024 of them align the ring. */
enum {
    GEMM_WGMMA_BYTES = 1024 + GEMM_WGMMA_STAGES * (GEMM_ASYNC_ROWS + GEMM_ASYNC_COLUMNS) * GEMM_ASYNC_DEPTH * 2,
    GEMM_UMMA_BYTES = 1024 + GEMM_UMMA_STAGES * (GEMM_ASYNC_ROWS + GEMM_ASYNC_COLUMNS / 2) * GEMM_ASYNC_DEPTH * 2 +
                      GEMM_UMMA_WRITERS * 32 * (GEMM_UMMA_WRITE + 4) * 4
};

#endif
