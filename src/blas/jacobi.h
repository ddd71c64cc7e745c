/* Parts that the functions for singular values and eigenvalues share. All use one method: Jacobi's rotations. */
#ifndef SUBCORE_BLAS_JACOBI_H
#define SUBCORE_BLAS_JACOBI_H

#include "blas/kernels/jacobi.h"
#include "blas/solver.h"

enum jacobi_vectors { JACOBI_NO_VECTORS = 0, JACOBI_VECTORS = 1 };

/* A gesvdjInfo_t or a syevjInfo_t. Results are always sorted. */
struct jacobi_settings {
    double tolerance; /* 0 or less: that of the type */
    int sweeps;
};

/* Starts the kernel subcore_NAME_TYPE with one block for each matrix. Without matrices it starts nothing. */
cusolverStatus_t jacobi_launch(const struct blas *blas, const char *name, unsigned type, long long batch,
                               struct jacobi_arguments *arguments);

/* Writes the settings into the arguments, or the default ones if they are null. */
void jacobi_set(struct jacobi_arguments *arguments, const struct jacobi_settings *settings);

/* Computes a batch's work size in elements. Returns CUSOLVER_STATUS_NOT_SUPPORTED if an int does not hold it. */
cusolverStatus_t jacobi_tell(const struct blas *blas, long long m, long long n, long long batch, bool eigen,
                             int *elements);

/* Returns the least pitch of a matrix with this number of rows. */
static inline long long jacobi_pitch(long long rows) { return rows > 1 ? rows : 1; }

#endif
