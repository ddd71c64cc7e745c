/* Checks of array descriptors, and how much memory they ask for. */
#ifndef SUBCORE_DRIVER_ARRAY_LAYOUT_H
#define SUBCORE_DRIVER_ARRAY_LAYOUT_H

#include "driver/memory/array.h"

/* CU_AD_FORMAT_... : bytes of a channel (0: not simulated). */
size_t array_format_bytes(CUarray_format format);
/* CUDA_ERROR_INVALID_VALUE for layouts that the documentation rules out, CUDA_ERROR_NOT_SUPPORTED for sparse and
 * deferred arrays and for formats with several planes or blocks. */
CUresult array_lay_out(const struct device *device, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                       struct array_layout *layout);

#endif
