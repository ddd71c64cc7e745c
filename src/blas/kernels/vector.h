/* Kernel arguments for levels 1 and 2, as host and device see them. */
#ifndef SUBCORE_BLAS_KERNELS_VECTOR_H
#define SUBCORE_BLAS_KERNELS_VECTOR_H

/* Element i of a vector is data[i * step]: a vector with a negative increment begins at its other end. */
struct vector_of {
    void *data;
    long long step;
};

/* Blocks that a reduction has at most, and the bytes that each leaves behind. */
enum { VECTOR_BLOCKS = 256, VECTOR_PARTIAL = 32 };

struct vector_arguments {
    struct vector_of x, y;
    void *result;         /* of a reduction */
    void *partials;       /* room for VECTOR_BLOCKS parts, or null: then there is one block */
    const void *alpha_at; /* scalars in device memory, or null: then the values below count */
    const void *beta_at;
    double alpha[2], beta[2]; /* with their imaginary part */
    long long count;          /* elements of the vectors */
    unsigned parts;           /* of a reduction, when they are joined */
    unsigned result_type;     /* enum gemm_type, for dot */
    /* Level 2: a matrix by columns, whose element (i, j) is matrix[j * pitch + i]. */
    void *matrix;
    long long rows, columns, pitch;
    unsigned conjugate; /* the matrix, or the vector of the columns */
    unsigned spare;
};

#endif
