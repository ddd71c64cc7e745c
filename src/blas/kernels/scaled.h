/* Arguments of the kernel that widens a matrix of FP8 or FP4 with its scales to FP32, as host and device see them. */
#ifndef SUBCORE_BLAS_KERNELS_SCALED_H
#define SUBCORE_BLAS_KERNELS_SCALED_H

/* cublasLtMatmulMatrixScale_t, as documented: a scale for the whole matrix, for 16, 32 or 128 elements along the sum,
 * for a row of op(A) or a column of op(B), or for a square of 128 x 128. */
enum scaled_mode {
    SCALED_WHOLE = 0,
    SCALED_16_UE4M3 = 1,
    SCALED_32_UE8M0 = 2,
    SCALED_VECTOR = 3,
    SCALED_128 = 4,
    SCALED_SQUARE = 5
};

/* Bits of the elements: two of FP4 lie in a byte, the first one in its lower half. */
enum scaled_type { SCALED_E4M3, SCALED_E5M2, SCALED_E2M1 };

enum { SCALED_THREADS = 256 };

/* Vector v has the elements data[v * pitch + l], and result[v * depth + l] is element times scale. */
struct scaled_arguments {
    const void *data;
    const void *scales;
    float *result;
    long long pitch, vectors, depth;
    unsigned type, mode;
};

#endif
