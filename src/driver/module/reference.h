/* Texture and surface references: names of a module, bound by the program to arrays or memory. The code knows the
 * handle of each (exec/code/references.h); binding changes the object behind it. */
#ifndef SUBCORE_DRIVER_REFERENCE_H
#define SUBCORE_DRIVER_REFERENCE_H

#include "driver/abi/array_structs.h"
#include "driver/module/module.h"

struct reference {
    struct reference *next; /* of module.references */
    struct CUmod_st *module;
    const char *name; /* of the module */
    uint32_t handle;
    bool surface;
    bool bound; /* `resource` is there */
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampler;
    CUarray_format format; /* of linear memory */
    unsigned channels;
};

struct CUtexref_st {
    struct reference base;
};
struct CUsurfref_st {
    struct reference base;
};

/* Entry of a function of a reference: CUDA_ERROR_INVALID_HANDLE if it is none. */
CUresult reference_begin(struct call *call, const char *name, CUtexref reference);
/* Puts an object of the bound resource behind the handle, when the launches of its context have ended. Errors are those
 * of texture_describe; a sampler that does not suit the resource leaves nothing bound. */
CUresult reference_update(struct call *call, struct reference *reference);
/* Frees those of a module. */
void references_free(struct CUmod_st *module);

#endif
