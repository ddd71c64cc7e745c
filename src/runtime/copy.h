/* Shared by copies: where a copy comes from and goes to by its kind, and one that is built of the driver's. */
#ifndef SUBCORE_RUNTIME_COPY_H
#define SUBCORE_RUNTIME_COPY_H

#include <stdbool.h>

#include "driver/abi/copy_structs.h"
#include "runtime/abi/error.h"
#include "runtime/abi/memory.h"

/* The types of memory that a kind names. False for a number that is no kind. */
bool copy_types(enum cudaMemcpyKind kind, CUmemorytype *from, CUmemorytype *to);

/* The time and the stream: without `wait` a copy is only begun. */
struct copy_order {
    bool wait;
    cudaStream_t stream;
};

/* Both in bytes, by kind. Needs a context. */
cudaError_t copy_line(void *to, const void *from, size_t count, enum cudaMemcpyKind kind, struct copy_order order);
cudaError_t copy_box(const CUDA_MEMCPY3D *box, struct copy_order order);
/* The driver's form of a three-dimensional copy. cudaSuccess also for an empty one. Needs a context. */
cudaError_t copy_box_of(const struct cudaMemcpy3DParms *parms, CUDA_MEMCPY3D *box);
/* And back, for queries of a graph's nodes. */
cudaError_t copy_parms_of(const CUDA_MEMCPY3D *box, struct cudaMemcpy3DParms *parms);

#endif
