/* Arguments of the kernels that invert small matrices, as host and device see them. */
#ifndef SUBCORE_BLAS_KERNELS_INVERSE_H
#define SUBCORE_BLAS_KERNELS_INVERSE_H

enum { INVERSE_SIZE = 32 }; /* largest size of a matrix, and the threads of a block */

/* Lists of matrices by columns. result[z] becomes the inverse of given[z], and info[z] zero. If a pivot is zero,
 * info[z] is its number, counted from 1, and the result is not written. */
struct inverse_arguments {
    const void *const *given;
    void *const *result;
    int *info;
    long long given_pitch, result_pitch;
    unsigned size, spare;
};

#endif
