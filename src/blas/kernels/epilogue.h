/* Arguments of the kernels that follow a product: sums of a matrix's rows or columns, and the bits of its positive
 * elements. As host and device see them. */
#ifndef SUBCORE_BLAS_KERNELS_EPILOGUE_H
#define SUBCORE_BLAS_KERNELS_EPILOGUE_H

enum { EPILOGUE_THREADS = 256, EPILOGUE_VECTORS = 32, EPILOGUE_ALONG = EPILOGUE_THREADS / 32 };

/* Vector v of matrix z has the elements data[z * stride + v * pitch + l] if `along`, else data[z * stride + l * pitch +
 * v]. A block has EPILOGUE_ALONG vectors, a warp each, or EPILOGUE_VECTORS, a lane each. */
struct epilogue_arguments {
    const void *data;
    const void *const *list; /* addresses of the matrices, or null */
    long long pitch, stride;
    unsigned vectors, depth, batch;
    unsigned along;
    void *result; /* sum v of matrix z is result[z * result_stride + v]. Bits are counted likewise */
    long long result_stride, result_pitch;
    unsigned result_type; /* enum gemm_type */
    unsigned spare;
};

#endif
