/* Arrays and mipmapped arrays: memory whose layout is the driver's own. Here rows follow each other. */
#ifndef SUBCORE_DRIVER_ARRAY_H
#define SUBCORE_DRIVER_ARRAY_H

#include "driver/state/context.h"

struct array_layout {
    size_t element;       /* bytes */
    size_t row, pitch;    /* bytes that hold elements, and from row to row */
    size_t height, depth; /* rows, slices or layers; at least 1 */
    size_t bytes;
};

struct CUarray_st {
    struct CUarray_st *next; /* of all */
    struct CUctx_st *context;
    struct CUmipmappedArray_st *of; /* a level of this one; NULL: on its own */
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    struct array_layout layout;
    uint64_t address;
};

enum { ARRAY_LEVELS = 32 };

struct CUmipmappedArray_st {
    struct CUmipmappedArray_st *next;
    struct CUctx_st *context;
    unsigned levels;
    struct CUarray_st *level[ARRAY_LEVELS];
};

/* Destroys those of a context, whose commands have ended. */
void arrays_clear(struct CUctx_st *context);

#endif
