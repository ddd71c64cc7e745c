/* The contents of cublasLt's descriptors. Programs may keep them in their own opaque structs, with the sizes of CUDA
 * 12: 64 bytes for a layout, a transform and a preference, 184 for an operation. */
#ifndef SUBCORE_BLAS_LT_H
#define SUBCORE_BLAS_LT_H

#include "blas/blas.h"

struct lt_layout {
    uint64_t rows, columns;
    int64_t ld, stride;
    int32_t type, order, batch, mode;
    int64_t plane;
};

struct lt_operation {
    const void *bias, *scale[4], *aux; /* scales of A, B, C and D */
    int64_t bias_stride, aux_ld, aux_stride;
    void *amax;
    int32_t compute, scale_type, pointer_mode, operation[3], fill, processors, bias_type, aux_type;
    uint32_t epilogue;
    int8_t fast;
    int8_t scale_mode[4];
    int8_t other; /* an attribute was set that no kernel knows */
};

struct lt_transform {
    int32_t scale_type, pointer_mode, operation[2]; /* of A and B */
};

struct lt_preference {
    uint64_t workspace;
    uint32_t search, reductions, alignment[4];
    float waves;
    uint64_t implementations;
};

/* An algorithm with its configuration. Here each call chooses its kernel, so that only the defaults fit. */
struct lt_algorithm {
    uint64_t mark; /* LT_ALGORITHM if it is Subcore's */
    int32_t id;
    uint32_t tile;
    int32_t splits;
    uint32_t reduction, swizzling, custom, stages;
    uint16_t inner_shape, cluster_shape;
    uint64_t spare[3];
};

#define LT_ALGORITHM 0x73756263624c74u

/* Makes it the only algorithm, with the default configuration. */
void lt_algorithm_init(struct lt_algorithm *algorithm);

/* Returns CUBLAS_STATUS_INVALID_VALUE if the algorithm is not Subcore's, and CUBLAS_STATUS_NOT_SUPPORTED if its
 * configuration has no kernel. */
cublasStatus_t lt_algorithm_check(const struct lt_algorithm *algorithm);

/* Copies an attribute of `size` bytes into or out of a field. Returns an error if the sizes differ. */
cublasStatus_t lt_set(void *field, size_t size, const void *value, size_t given);
cublasStatus_t lt_get(const void *field, size_t size, void *value, size_t room, size_t *written);

#endif
