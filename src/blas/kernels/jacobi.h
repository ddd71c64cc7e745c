/* Arguments of the kernels for singular values and eigenvalues, as host and device see them. Matrices stand in columns:
 * element (i, j) is data[j * pitch + i]. Strides lead to the next matrix of a batch, in elements. */
#ifndef SUBCORE_BLAS_KERNELS_JACOBI_H
#define SUBCORE_BLAS_KERNELS_JACOBI_H

enum { JACOBI_THREADS = 256 };

struct jacobi_matrix {
    void *data;
    long long pitch, stride;
};

struct jacobi_arguments {
    struct jacobi_matrix a, u, v;
    void *values; /* real; singular values fall, eigenvalues rise */
    long long values_stride;
    void *work;
    long long work_stride; /* jacobi_svd_work or jacobi_eigen_work of the matrix */
    double tolerance;      /* the cosine of columns that count as orthogonal; 0 for that of the type */
    unsigned rows, columns;
    unsigned u_columns, v_columns; /* of singular vectors; 0 for none */
    unsigned vectors;              /* eigenvectors take the place of A */
    unsigned adjoint;              /* V's adjoint is wanted */
    unsigned lower;                /* A's lower triangle is given */
    unsigned sweeps;               /* at most */
    int *info;                     /* for each matrix: 0, or its smaller size plus one after too few sweeps */
};

/* Elements of work for one matrix. */
static inline long long jacobi_svd_work(long long rows, long long columns)
{
    long long large = rows > columns ? rows : columns, small = rows > columns ? columns : rows;
    return large * small + small * small + large + 2 * small;
}

static inline long long jacobi_eigen_work(long long n) { return 2 * n * n + 4 * n; }

#endif
