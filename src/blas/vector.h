/* The common part of levels 1 and 2: vectors in the form of the interfaces, and the launches of their kernels. */
#ifndef SUBCORE_BLAS_VECTOR_H
#define SUBCORE_BLAS_VECTOR_H

#include "blas/blas.h"
#include "blas/kernels/vector.h"

/* Returns a vector of `count` elements. A negative increment begins at the highest address. */
struct vector_of vector_of(const void *data, unsigned type, long long count, long long increment);

/* Writes alpha or beta of `type` into the arguments. Returns CUBLAS_STATUS_INVALID_VALUE if it is null. */
cublasStatus_t vector_alpha(const struct blas *blas, struct vector_arguments *g, const void *alpha, unsigned type);
cublasStatus_t vector_beta(const struct blas *blas, struct vector_arguments *g, const void *beta, unsigned type);

/* Returns the last word in a kernel's name: f32, f64, c32 or c64, f16 or bf16. */
const char *vector_type_name(unsigned type);

/* Starts the kernel NAME_TYPE on all elements. Without elements it starts nothing. */
cublasStatus_t vector_each(const struct blas *blas, const char *name, unsigned type, struct vector_arguments *g);

/* Starts a reduction, whose kernel writes `size` bytes, and stores them at `result`: in device memory or, after a wait
 * for the stream, in host memory, as the pointer mode says. A search writes 8 bytes, and the caller may take 4 of them.
 * Without elements the result is 0. */
cublasStatus_t vector_reduce(const struct blas *blas, const char *name, unsigned type, struct vector_arguments *g,
                             void *result, size_t size);

#endif
