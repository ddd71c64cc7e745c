/* Arguments of the matrix-product kernels, as host and device see them.
 *
 * A kernel computes result(p, q) = finish(alpha * sum over l of left(p, l) * right(l, q) + beta * addend(p, q)), where
 * q is the index that is contiguous in memory. cuBLAS stores columns, so p counts the columns of its C, and q its rows:
 * `left` is op(B), and `right` is op(A). */
#ifndef SUBCORE_BLAS_KERNELS_GEMM_H
#define SUBCORE_BLAS_KERNELS_GEMM_H

/* cudaDataType, as documented. */
enum gemm_type {
    GEMM_F32 = 0,
    GEMM_F64 = 1,
    GEMM_F16 = 2,
    GEMM_S8 = 3,
    GEMM_C32 = 4,
    GEMM_C64 = 5,
    GEMM_S32 = 10,
    GEMM_BF16 = 14,
    GEMM_E4M3 = 28,
    GEMM_E5M2 = 29
};

/* Bits of cublasLtEpilogue_t, as documented: values with several steps are sums of these. */
enum gemm_step {
    GEMM_NO_STEP = 1,
    GEMM_RELU = 2,
    GEMM_BIAS = 4,
    GEMM_RELU_GRADIENT = 8,
    GEMM_BIAS_GRADIENT = 16,
    GEMM_GELU = 32,
    GEMM_GELU_GRADIENT = 64,
    GEMM_AUX = 128
};

/* A batch of matrices: either `list` has the address of each, or they stand `stride` elements apart. Element (v, l),
 * where l counts along the sum, is data[v * pitch + l] if `along`, else data[l * pitch + v]. */
struct gemm_operand {
    const void *data;
    const void *const *list;
    long long stride, pitch;
    unsigned along, conjugate;
    unsigned aligned; /* 16 bytes can be read at once, if the matrix begins at a multiple of 16 */
    unsigned spare;
};

/* The same for the addend and for the result: element (p, q) is data[p * pitch + q]. */
struct gemm_matrix {
    void *data;
    void *const *list;
    long long stride, pitch;
};

struct gemm_arguments {
    struct gemm_operand left, right;
    struct gemm_matrix addend, result, aux;
    const void *bias;
    long long bias_stride;
    const void *alpha_at, *beta_at; /* scalars in device memory, or null: then the values below count */
    double alpha[2], beta[2];       /* with their imaginary part */
    const float *scale_left, *scale_right, *scale_addend, *scale_result; /* of FP8 operands, or null */
    unsigned rows, columns, depth;                                       /* p, q and l are below these */
    unsigned type, addend_type, bias_type, aux_type;
    unsigned steps;
    unsigned reads_addend; /* beta is not zero, or not known */
    unsigned first;        /* batch number of block z = 0 */
    unsigned pairs;        /* two results can be written at once */
    unsigned eights;       /* eight results can be written at once, with at most an addend and a bias */
};

/* The same for kernels whose operands TMA copies: tensor maps of three dimensions, of which the last counts the batch.
 * Boxes have rows of 128 bytes, swizzled: 64 elements along the sum and the vectors of a block, or 64 vectors and the
 * rows of the sum that a block takes at once. On sm_100 pairs of blocks walk through `units`: first `whole` tiles, then
 * halves of tiles. `across` tiles lie in a row of tiles, `down` rows belong to a matrix. */
struct gemm_async_arguments {
    unsigned char left[128] __attribute__((aligned(64)));
    unsigned char right[128];
    struct gemm_arguments g;
    unsigned units, whole, across, down;
};

#endif
