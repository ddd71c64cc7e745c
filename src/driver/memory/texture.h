/* Texture and surface objects: descriptions of programs, checked, and made into objects that the machine reads
 * (exec/memory/textures.h). */
#ifndef SUBCORE_DRIVER_TEXTURE_H
#define SUBCORE_DRIVER_TEXTURE_H

#include "driver/abi/array_structs.h"
#include "driver/state/call.h"
#include "driver/state/context.h"
#include "exec/memory/textures.h"

struct texture_object {
    struct texture_object *next; /* of all */
    struct CUctx_st *context;
    uint32_t handle;
    bool surface, has_view;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampler;
    CUDA_RESOURCE_VIEW_DESC view;
};

/* Describes an array, a mipmapped array, linear memory or a pitched plane, with the part that a view (NULL: none)
 * leaves. CUDA_ERROR_INVALID_VALUE: the documentation rules it out. CUDA_ERROR_NOT_SUPPORTED: the view is
 * block-compressed. CUDA_ERROR_INVALID_HANDLE: there is no such array. The log has the reason. */
CUresult texture_describe(const struct driver *driver, const CUDA_RESOURCE_DESC *resource,
                          const CUDA_RESOURCE_VIEW_DESC *view, struct texture *out);
/* Adds the sampler. */
CUresult texture_describe_sampler(const CUDA_TEXTURE_DESC *sampler, const CUDA_RESOURCE_DESC *resource,
                                  struct texture *out);

/* Removes the objects of a context, whose commands have ended. */
void textures_clear(struct CUctx_st *context);

#endif
