/* Arrays and mipmapped arrays: memory whose layout is the driver's own. Here rows follow each other. */
#ifndef SUBCORE_DRIVER_ARRAY_H
#define SUBCORE_DRIVER_ARRAY_H

#include "driver/abi/array_structs.h"
#include "driver/state/call.h"
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
    struct CUmipmappedArray_st *of; /* a level of this one (NULL: on its own) */
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

/* Allocates an array, or level of `of` (NULL: none). Waits as call_pause_uncaptured does. */
CUresult array_new(struct call *call, const CUDA_ARRAY3D_DESCRIPTOR *descriptor, struct CUmipmappedArray_st *of,
                   struct CUarray_st **out);
/* The same for a mipmapped array with all levels; more levels than the extents have are cut off. */
CUresult mipmap_new(struct call *call, CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                    unsigned levels);
/* Both after queue_pause. */
void array_free(struct driver *driver, struct CUarray_st *array);
void mipmap_free(struct driver *driver, struct CUmipmappedArray_st *mipmap);
/* Destroys those of a context, whose commands have ended. */
void arrays_clear(struct CUctx_st *context);

#endif
