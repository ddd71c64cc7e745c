/* The shape of the kernels in gemm_stream.cu, as host and device see it. */
#ifndef SUBCORE_BLAS_KERNELS_GEMM_STREAM_H
#define SUBCORE_BLAS_KERNELS_GEMM_STREAM_H

/* A block makes TILE x TILE results from tiles that are DEPTH deep. */
enum { GEMM_STREAM_TILE = 128, GEMM_STREAM_DEPTH = 32 };

/* Two tiles of 16-bit elements each. Two blocks fit into the shared memory of an SM: 164 KB or more, or 100 KB. */
#define GEMM_STREAM_STAGES(architecture)                                                                               \
    ((architecture) == 80 || (architecture) / 10 == 9 || (architecture) / 10 == 10 ? 4 : 3)
#define GEMM_STREAM_BYTES(architecture)                                                                                \
    (GEMM_STREAM_STAGES(architecture) * 2 * GEMM_STREAM_TILE * GEMM_STREAM_DEPTH * 2)

#endif
