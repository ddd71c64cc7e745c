/* Arguments of the kernel that stores FP32 results as FP8 and finds the largest, as host and device see them. */
#ifndef SUBCORE_BLAS_KERNELS_AMAX_H
#define SUBCORE_BLAS_KERNELS_AMAX_H

enum { AMAX_THREADS = 256 };

/* Column j of `from` begins at from[j * rows], and column j of `to` at number j % columns * pitch + j / columns *
 * stride. Each result is scaled when it is stored. `amax` is not below any result's size before that. */
struct amax_arguments {
    const float *from, *scale; /* scale may be null */
    void *to;
    float *amax;
    long long rows, columns, batch, pitch, stride;
    unsigned type; /* enum gemm_type of `to` */
    unsigned spare;
};

#endif
