/* Arguments of the kernel that finds eigenvalues, as host and device see them. Matrices stand in columns:
 * element (i, j) is data[j * pitch + i]. */
#ifndef SUBCORE_BLAS_KERNELS_GENERAL_H
#define SUBCORE_BLAS_KERNELS_GENERAL_H

enum { GENERAL_THREADS = 256 };

struct general_arguments {
    void *a;            /* Schur's form takes its place */
    void *values;       /* complex, or n real and then n imaginary parts */
    void *left, *right; /* eigenvectors, or null */
    void *work;         /* general_work complex elements */
    long long a_pitch, left_pitch, right_pitch;
    unsigned n;
    unsigned complex_values;
    int *info; /* 0, or the number of eigenvalues, the first ones, that were not found */
};

/* Returns the complex elements of work: two matrices, two numbers for each row, and two vectors for each warp. */
static inline long long general_work(long long n) { return 2 * n * n + 2 * n + 2 * (GENERAL_THREADS / 32) * n; }

#endif
