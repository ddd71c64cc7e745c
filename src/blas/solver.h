/* Statuses of cuSOLVER: numbers are the documented ones. */
#ifndef SUBCORE_BLAS_SOLVER_H
#define SUBCORE_BLAS_SOLVER_H

#include "blas/blas.h"

typedef enum {
    CUSOLVER_STATUS_SUCCESS = 0,
    CUSOLVER_STATUS_NOT_INITIALIZED = 1,
    CUSOLVER_STATUS_ALLOC_FAILED = 2,
    CUSOLVER_STATUS_INVALID_VALUE = 3,
    CUSOLVER_STATUS_ARCH_MISMATCH = 4,
    CUSOLVER_STATUS_EXECUTION_FAILED = 6,
    CUSOLVER_STATUS_INTERNAL_ERROR = 7,
    CUSOLVER_STATUS_NOT_SUPPORTED = 9
} cusolverStatus_t;

/* Returns the cuSOLVER status that corresponds to a cuBLAS status. */
cusolverStatus_t solver_status(cublasStatus_t status);

/* Writes the work size of a function with types as arguments: one byte on the device, since it needs none. */
cusolverStatus_t solver_tell_bytes(const struct blas *handle, size_t *device_bytes, size_t *host_bytes);

/* Prints once on standard error that this library lacks a function or a combination of arguments. */
cusolverStatus_t solver_refuse(const char *function, const char *what);

#endif
