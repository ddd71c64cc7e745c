/* Arguments of the kernels for QR, as host and device see them. Matrices stand in columns: element (i, j) is
 * data[j * pitch + i]. Reflectors H = 1 - tau v v' are kept as LAPACK keeps them: v[0] is 1, the rest of v stands below
 * the diagonal. */
#ifndef SUBCORE_BLAS_KERNELS_ORTHOGONAL_H
#define SUBCORE_BLAS_KERNELS_ORTHOGONAL_H

enum { ORTHOGONAL_THREADS = 128 };

/* A batch: `list` has the address of each matrix, or there is one. */
struct orthogonal_matrix {
    void *data;
    void *const *list;
    long long pitch;
};

struct orthogonal_arguments {
    struct orthogonal_matrix a, tau, c; /* C is multiplied by Q, or has the right sides of a least-squares problem */
    unsigned rows, columns;             /* of A, or of C if there is one */
    unsigned reflectors;
    unsigned right;     /* C Q, else Q C */
    unsigned conjugate; /* Q's adjoint */
    unsigned spare;
    int *info; /* for each matrix, or null */
};

#endif
