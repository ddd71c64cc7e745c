/* Arguments of the kernels that multiply matrices by vectors in batches, as host and device see them. */
#ifndef SUBCORE_BLAS_KERNELS_GEMV_BATCHED_H
#define SUBCORE_BLAS_KERNELS_GEMV_BATCHED_H

enum { GEMV_BATCHED_THREADS = 256, GEMV_BATCHED_ROWS = 32, GEMV_BATCHED_COLUMNS = 8 };

/* A batch of vectors or matrices: `list` has the address of each, or they lie `stride` elements apart. Element i of a
 * vector is number start + i * step, and column j of a matrix begins at number j * step. */
struct gemv_batch {
    void *data;
    void *const *list;
    long long stride, start, step;
};

/* y = alpha op(A) x + beta y. */
struct gemv_arguments {
    struct gemv_batch a, x, y;
    const void *alpha_at, *beta_at; /* scalars in device memory, or null: then the values below count */
    double alpha[2], beta[2];       /* with their imaginary part */
    long long rows, columns, batch; /* of A */
    unsigned result_type;           /* enum gemm_type of y */
    unsigned conjugate;
};

#endif
