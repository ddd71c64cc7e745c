/* Arguments of the kernels for symmetric matrices that need not be definite, as host and device see them. Matrices
 * stand in columns: element (i, j) is data[j * pitch + i]. */
#ifndef SUBCORE_BLAS_KERNELS_SYMMETRIC_H
#define SUBCORE_BLAS_KERNELS_SYMMETRIC_H

enum { SYMMETRIC_THREADS = 128 };

struct symmetric_arguments {
    void *a, *b; /* A's lower triangle; right sides */
    long long lda, ldb;
    unsigned n, sides;
    int *pivots;                  /* that are written, as LAPACK counts them */
    const long long *wide_pivots; /* that are read */
    int *info;
};

#endif
