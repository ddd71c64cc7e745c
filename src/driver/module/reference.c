#include "driver/module/reference.h"

#include <stdlib.h>
#include <string.h>

#include "driver/abi/api_module.h"
#include "driver/memory/array.h"
#include "driver/memory/space.h"
#include "driver/memory/texture.h"
#include "driver/queue/queue.h"
#include "driver/state/logs.h"
#include "exec/code/references.h"

void references_free(struct CUmod_st *module)
{
    while (module->references) {
        struct reference *next = module->references->next;
        handle_free(module->context->driver->handles, module->references);
        module->references = next;
    }
}

static uint32_t handle_of(const struct CUmod_st *module, const char *name, bool surface)
{
    const struct cubin *cubin = &module->exec->cubin;
    for (size_t i = 0; i < cubin->symbol_count; i++) {
        bool of_surface;
        if (reference_is(&cubin->symbols[i], &of_surface) && of_surface == surface &&
            strcmp(cubin->symbols[i].name, name) == 0)
            return (uint32_t)cubin->symbols[i].value;
    }
    return 0;
}

/* Sets the documented state of cuTexRefCreate: FP32, one channel. ASSUMED: coordinates are clamped, and no filter. */
static struct reference *make(struct CUmod_st *module, uint32_t handle, bool surface)
{
    enum { ALL_LEVELS = 1000 };
    enum handle_kind kind = surface ? HANDLE_SURFACE_REFERENCE : HANDLE_TEXTURE_REFERENCE;
    size_t size = surface ? sizeof(struct CUsurfref_st) : sizeof(struct CUtexref_st);
    struct reference *r = handle_new(module->context->driver->handles, kind, size);
    if (!r)
        return NULL;
    r->module = module;
    r->handle = handle;
    r->surface = surface;
    r->format = CU_AD_FORMAT_FLOAT;
    r->channels = 1;
    for (unsigned i = 0; i < 3; i++)
        r->sampler.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    r->sampler.maxMipmapLevelClamp = ALL_LEVELS;
    r->next = module->references;
    module->references = r;
    return r;
}

static CUresult get(const char *function, struct reference **out, CUmodule module, const char *name, bool surface)
{
    struct call call;
    CUresult result = call_begin(&call, function, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && !handle_is(call.driver->handles, HANDLE_MODULE, module))
        result = CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS && (!out || !name))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return call_end(&call, result);
    uint32_t handle = handle_of(module, name, surface);
    if (!handle)
        return call_end(&call, CUDA_ERROR_NOT_FOUND);
    struct reference *r = module->references;
    while (r && r->handle != handle)
        r = r->next;
    *out = r ? r : make(module, handle, surface);
    return call_end(&call, *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuModuleGetTexRef(CUtexref *pTexRef, CUmodule hmod, const char *name)
{
    struct reference *found = NULL;
    CUresult result = get(__func__, pTexRef ? &found : NULL, hmod, name, false);
    if (result == CUDA_SUCCESS)
        *pTexRef = (CUtexref)(void *)found;
    return result;
}

CUresult cuModuleGetSurfRef(CUsurfref *pSurfRef, CUmodule hmod, const char *name)
{
    struct reference *found = NULL;
    CUresult result = get(__func__, pSurfRef ? &found : NULL, hmod, name, true);
    if (result == CUDA_SUCCESS)
        *pSurfRef = (CUsurfref)(void *)found;
    return result;
}

CUresult reference_begin(struct call *call, const char *name, CUtexref reference)
{
    CUresult result = call_begin(call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && !handle_is(call->driver->handles, HANDLE_TEXTURE_REFERENCE, reference))
        result = CUDA_ERROR_INVALID_HANDLE;
    return result;
}

CUresult reference_update(struct call *call, struct reference *r)
{
    struct texture now = {.surface = r->surface, .unbound = true, .layers = 1, .levels = 1};
    CUresult result = r->bound ? texture_describe(call->driver, &r->resource, NULL, &now) : CUDA_SUCCESS;
    if (result != CUDA_SUCCESS)
        return result;
    now.surface = r->surface;
    if (r->bound && !r->surface && texture_describe_sampler(&r->sampler, &r->resource, &now) != CUDA_SUCCESS)
        now.unbound = true;
    queue_wait_context(r->module->context);
    queue_pause(call->driver);
    textures_put(driver_memory(call->driver), r->handle, &now);
    return CUDA_SUCCESS;
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

static CUresult set_array(struct call *call, struct reference *r, CUarray array)
{
    enum { SURFACE = 0x02 }; /* CUDA_ARRAY3D_SURFACE_LDST */
    if (!handle_is(call->driver->handles, HANDLE_SURFACE_REFERENCE, r) ||
        !handle_is(call->driver->handles, HANDLE_ARRAY, array))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!(array->descriptor.Flags & SURFACE))
        return logs_refuse("the array was made without CUDA_ARRAY3D_SURFACE_LDST");
    r->resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
    r->bound = true;
    return reference_update(call, r);
}

CUresult cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && Flags)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = set_array(&call, &hSurfRef->base, hArray);
    return call_end(&call, result);
}

CUresult cuSurfRefGetArray(CUarray *phArray, CUsurfref hSurfRef)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && !handle_is(call.driver->handles, HANDLE_SURFACE_REFERENCE, hSurfRef))
        result = CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS && (!phArray || !hSurfRef->base.bound))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *phArray = hSurfRef->base.resource.res.array.hArray;
    return call_end(&call, result);
}
