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

/* Returns cuSOLVER's status with the meaning of a cuBLAS status. */
cusolverStatus_t solver_status(cublasStatus_t status);

/* Tells how much work a function with types as arguments needs: a byte on the device, since none is needed. */
cusolverStatus_t solver_tell_bytes(const struct blas *handle, size_t *device_bytes, size_t *host_bytes);

/* Says once on standard error that a function, or a combination of arguments, is missing in this library. */
cusolverStatus_t solver_refuse(const char *function, const char *what);

#endif
