/* Arguments of the kernels that add, scale and copy matrices, as host and device see them. */
#ifndef SUBCORE_BLAS_KERNELS_TRANSFORM_H
#define SUBCORE_BLAS_KERNELS_TRANSFORM_H

enum { TRANSFORM_TILE = 32, TRANSFORM_THREADS = 256 };

/* cublasLtOrder_t, as documented. */
enum transform_order {
    TRANSFORM_COLUMNS = 0,
    TRANSFORM_ROWS = 1,
    TRANSFORM_COLUMNS_32 = 2,  /* groups of 32 columns, in which a row's elements are neighbours */
    TRANSFORM_INTERLEAVED = 3, /* no kernel knows it */
    TRANSFORM_TILES_32 = 4     /* the same groups, in tiles of 32 rows with their own order */
};

/* A batch of matrices that lie `stride` elements apart. `pitch` is the distance of columns, rows or groups. */
struct transform_matrix {
    void *data; /* null if the term is left out */
    long long pitch, stride;
    unsigned type;  /* enum gemm_type */
    unsigned order; /* enum transform_order */
    unsigned turned, conjugate;
};

/* C = alpha op(A) + beta op(B). A term whose scalar is zero is not read. */
struct transform_arguments {
    struct transform_matrix a, b, c;
    const void *alpha_at, *beta_at; /* scalars in device memory, or null: then the values below count */
    double alpha[2], beta[2];       /* with their imaginary part */
    long long rows, columns, batch; /* of C */
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
