/* Arguments of the kernels that add, scale and copy matrices, as host and device see them. */
#ifndef SUBCORE_BLAS_KERNELS_TRANSFORM_H
#define SUBCORE_BLAS_KERNELS_TRANSFORM_H

enum { TRANSFORM_TILE = 32, TRANSFORM_THREADS = 256 };

/* A batch of matrices that lie `stride` elements apart. Element (i, j) is data[i * pitch + j] if `across`, else
 * data[j * pitch + i]. */
struct transform_matrix {
    void *data; /* null if the term is left out */
    long long pitch, stride;
    unsigned type; /* enum gemm_type */
    unsigned across, conjugate, spare;
};

/* C = alpha A + beta B, where i counts the rows and is contiguous in C. A term whose scalar is zero is not read. */
struct transform_arguments {
    struct transform_matrix a, b, c;
    const void *alpha_at, *beta_at; /* scalars in device memory, or null: then the values below count */
    double alpha[2], beta[2];       /* with their imaginary part */
    long long rows, columns, batch;
};

/* C(i, j) = A(i, j) x(i), or x(j) if `right`. Both matrices are stored by columns. */
struct diagonal_arguments {
    const void *a, *x;
    void *c;
    long long a_pitch, c_pitch, step, rows, columns;
    unsigned right, spare;
};

/* A triangle of a square matrix, and the same triangle with its columns packed behind each other. */
struct packed_arguments {
    void *packed, *matrix;
    long long pitch, size;
    unsigned upper, unpack; /* packed is the source if `unpack`, else the matrix */
};

#endif
