/* Arguments of the kernels that solve triangular systems and factor small matrices, as host and device see them.
 * Matrices stand in columns: element (i, j) is data[j * pitch + i]. */
#ifndef SUBCORE_BLAS_KERNELS_SOLVE_H
#define SUBCORE_BLAS_KERNELS_SOLVE_H

enum { SOLVE_THREADS = 128 };

/* A batch: `list` has the address of each matrix, or there is one. */
struct solve_matrix {
    void *data;
    void *const *list;
    long long pitch;
};

struct solve_arguments {
    struct solve_matrix a, b;
    const void *alpha_at; /* in device memory, or null: then the value below counts */
    double alpha[2];
    unsigned rows, columns; /* of B, or the matrix that is factored */
    unsigned right;         /* X op(A) = alpha B, else op(A) X = alpha B */
    unsigned lower, transposed, conjugate, unit;
    unsigned spare;
    int *pivots; /* counted from 1; `rows` of them for each matrix; or null */
    int *info;   /* for each matrix */
};

#endif
