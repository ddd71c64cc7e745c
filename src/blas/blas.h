/* Subcore's own cuBLAS and cublasLt: public, documented interfaces on Subcore's own kernels. Their files share this
 * header. They use only public functions of the driver API. */
#ifndef SUBCORE_BLAS_BLAS_H
#define SUBCORE_BLAS_BLAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/abi/handles.h"

/* Begins a function that programs call: BLAS_API(type, name, parameters...) { ... }. */
#define BLAS_API(type, name, ...)                                                                                      \
    __attribute__((visibility("default"))) type name(__VA_ARGS__);                                                     \
    type name(__VA_ARGS__)

/* Statuses and modes: numbers are the documented ones. */
typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;

enum blas_operation { BLAS_N = 0, BLAS_T = 1, BLAS_C = 2 };
enum blas_pointer_mode { BLAS_HOST = 0, BLAS_DEVICE = 1 };
enum { BLAS_SPECIAL_VALUES = 0xffff }; /* infinities and NaN */
enum blas_math_mode { BLAS_MATH_MODES = 4, BLAS_MATH_FLAG = 16 };

/* Files of kernels. */
enum blas_image {
    BLAS_PLAIN,
    BLAS_TENSOR,
    BLAS_STREAM,
    BLAS_SINGLE,
    BLAS_ASYNC,
    BLAS_VECTOR,
    BLAS_SOLVE,
    BLAS_ORTHOGONAL,
    BLAS_JACOBI,
    BLAS_SYMMETRIC,
    BLAS_GENERAL,
    BLAS_EPILOGUE,
    BLAS_STRUCTURED,
    BLAS_ROTATION,
    BLAS_SCALED,
    BLAS_TRANSFORM,
    BLAS_GEMV_BATCHED,
    BLAS_INVERSE,
    BLAS_AMAX,
    BLAS_IMAGES
};

/* A cublasHandle_t or a cublasLtHandle_t points to it. The functions of cublasLt only read it, so that several threads
 * can share one. */
struct blas {
    uint64_t magic; /* BLAS_MAGIC while it lives */
    CUlibrary images[BLAS_IMAGES];
    CUdevice device;
    int architecture; /* 86 for sm_86 */
    int processors;   /* SMs */
    CUstream stream;
    int math_mode, pointer_mode, atomics_mode, processor_target;
    /* Kept for programs only: no product is emulated. */
    int emulation, special_values, mantissa_control, mantissa_most, mantissa_offset;
    int *mantissa_count;
};

typedef struct blas *cublasHandle_t, *cublasLtHandle_t;

#define BLAS_MAGIC 0x73756263626c6173u

static inline bool blas_lives(const struct blas *blas) { return blas != NULL && blas->magic == BLAS_MAGIC; }

/* Creates a handle in the thread's context. A thread without a context gets the device's primary context. */
cublasStatus_t blas_create(struct blas **out);
cublasStatus_t blas_destroy(struct blas *blas);

/* Starts a kernel of an image with one struct as its argument. `shared` is dynamic shared memory in bytes. */
struct blas_shape {
    unsigned grid[3], threads, shared;
};
cublasStatus_t blas_launch(const struct blas *blas, enum blas_image image, const char *name,
                           const struct blas_shape *shape, CUstream stream, void *argument);

/* Prints once on standard error that this library lacks a function or a combination of arguments. */
cublasStatus_t blas_refuse(const char *function, const char *what);

#endif
