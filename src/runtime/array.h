/* Arrays: blocks of elements for textures. A runtime handle is the driver's. */
#ifndef SUBCORE_RUNTIME_ARRAY_H
#define SUBCORE_RUNTIME_ARRAY_H

#include "driver/abi/array_structs.h"
#include "runtime/abi/error.h"
#include "runtime/abi/memory.h"

static inline CUarray array_handle(cudaArray_const_t array) { return (CUarray)(uintptr_t)array; }

/* Shape and element of an array; 0 for an element of unknown size. Needs a context. */
cudaError_t array_describe(cudaArray_const_t array, CUDA_ARRAY3D_DESCRIPTOR *descriptor, size_t *element);

/* Translates a channel descriptor; cudaErrorInvalidChannelDescriptor: the driver has no such format. And back. */
cudaError_t array_format(const struct cudaChannelFormatDesc *desc, CUarray_format *format, unsigned *channels);
struct cudaChannelFormatDesc array_channel(CUarray_format format, unsigned channels);

#endif
