#include <stdlib.h>

#include "driver/abi/api_memory.h"
#include "driver/memory/allocations.h"
#include "driver/memory/array.h"
#include "driver/memory/memory_call.h"
#include "driver/memory/texture.h"
#include "driver/queue/queue.h"
#include "driver/state/logs.h"

static struct texture_object *find(const struct driver *driver, unsigned long long handle, bool surface)
{
    struct texture_object *object = driver->allocations->textures;
    while (object && (object->handle != handle || object->surface != surface))
        object = object->next;
    return object;
}

/* The copy that the program is shown again stays with the object. */
static CUresult add(struct call *call, const struct texture_object *made, const struct texture *texture,
                    unsigned long long *handle)
{
    struct driver *driver = call->driver;
    CUresult result = call_pause(call);
    if (result != CUDA_SUCCESS)
        return result;
    struct texture_object *object = malloc(sizeof *object);
    if (!object)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *object = *made;
    object->context = call->context;
    object->handle = textures_add(driver_memory(driver), texture);
    if (!object->handle) {
        free(object);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    object->next = driver->allocations->textures;
    driver->allocations->textures = object;
    *handle = object->handle;
    return CUDA_SUCCESS;
}

/* The caller has paused the queue. */
static void remove_object(struct driver *driver, struct texture_object *object)
{
    struct texture_object **link = &driver->allocations->textures;
    while (*link != object)
        link = &(*link)->next;
    *link = object->next;
    textures_remove(driver_memory(driver), object->handle);
    free(object);
}

void textures_clear(struct CUctx_st *context)
{
    for (struct texture_object *o = context->driver->allocations->textures, *next; o; o = next) {
        next = o->next;
        if (o->context == context)
            remove_object(context->driver, o);
    }
}

/* A kernel that has been launched still reads it: the commands of its context end first. */
static CUresult destroy(struct call *call, unsigned long long handle, bool surface)
{
    struct texture_object *object = find(call->driver, handle, surface);
    if (!object)
        return CUDA_ERROR_INVALID_HANDLE;
    queue_wait_context(object->context);
    queue_pause(call->driver);
    object = find(call->driver, handle, surface); /* meanwhile another thread may have done it */
    if (!object)
        return CUDA_ERROR_INVALID_HANDLE;
    remove_object(call->driver, object);
    return CUDA_SUCCESS;
}

static CUresult create_texture(struct call *call, CUtexObject *out, const CUDA_RESOURCE_DESC *resource,
                               const CUDA_TEXTURE_DESC *sampler, const CUDA_RESOURCE_VIEW_DESC *view)
{
    struct texture texture;
    if (!out || !resource || !sampler)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = texture_describe(call->driver, resource, view, &texture);
    if (result == CUDA_SUCCESS)
        result = texture_describe_sampler(sampler, resource, &texture);
    if (result != CUDA_SUCCESS)
        return result;
    struct texture_object made = {.resource = *resource, .sampler = *sampler, .has_view = view != NULL};
    if (view)
        made.view = *view;
    return add(call, &made, &texture, out);
}

CUresult cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
                           const CUDA_TEXTURE_DESC *pTexDesc, const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = create_texture(&call, pTexObject, pResDesc, pTexDesc, pResViewDesc);
    return call_end(&call, result);
}

static CUresult create_surface(struct call *call, CUsurfObject *out, const CUDA_RESOURCE_DESC *resource)
{
    enum { SURFACE = 0x02 }; /* CUDA_ARRAY3D_SURFACE_LDST */
    struct texture texture;
    if (!out || !resource)
        return CUDA_ERROR_INVALID_VALUE;
    if (resource->resType != CU_RESOURCE_TYPE_ARRAY) {
        logs_note("a surface is of an array");
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUresult result = texture_describe(call->driver, resource, NULL, &texture);
    if (result != CUDA_SUCCESS)
        return result;
    if (!(resource->res.array.hArray->descriptor.Flags & SURFACE)) {
        logs_note("the array was made without CUDA_ARRAY3D_SURFACE_LDST");
        return CUDA_ERROR_INVALID_VALUE;
    }
    texture.surface = true;
    struct texture_object made = {.resource = *resource, .surface = true};
    return add(call, &made, &texture, out);
}

CUresult cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = create_surface(&call, pSurfObject, pResDesc);
    return call_end(&call, result);
}

static CUresult destroy_call(const char *name, unsigned long long handle, bool surface)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CLEANUP);
    if (result == CUDA_SUCCESS)
        result = destroy(&call, handle, surface);
    return call_end(&call, result);
}

CUresult cuTexObjectDestroy(CUtexObject texObject) { return destroy_call(__func__, texObject, false); }

CUresult cuSurfObjectDestroy(CUsurfObject surfObject) { return destroy_call(__func__, surfObject, true); }

/* Entry of a function that asks an object. */
static CUresult ask(struct call *call, const char *name, unsigned long long handle, bool surface, const void *out,
                    struct texture_object **object)
{
    CUresult result = call_begin(call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && !out)
        result = CUDA_ERROR_INVALID_VALUE;
    *object = result == CUDA_SUCCESS ? find(call->driver, handle, surface) : NULL;
    return result == CUDA_SUCCESS && !*object ? CUDA_ERROR_INVALID_HANDLE : result;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject)
{
    struct call call;
    struct texture_object *object;
    CUresult result = ask(&call, __func__, texObject, false, pResDesc, &object);
    if (result == CUDA_SUCCESS)
        *pResDesc = object->resource;
    return call_end(&call, result);
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject)
{
    struct call call;
    struct texture_object *object;
    CUresult result = ask(&call, __func__, texObject, false, pTexDesc, &object);
    if (result == CUDA_SUCCESS)
        *pTexDesc = object->sampler;
    return call_end(&call, result);
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc, CUtexObject texObject)
{
    struct call call;
    struct texture_object *object;
    CUresult result = ask(&call, __func__, texObject, false, pResViewDesc, &object);
    if (result == CUDA_SUCCESS && !object->has_view)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *pResViewDesc = object->view;
    return call_end(&call, result);
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject)
{
    struct call call;
    struct texture_object *object;
    CUresult result = ask(&call, __func__, surfObject, true, pResDesc, &object);
    if (result == CUDA_SUCCESS)
        *pResDesc = object->resource;
    return call_end(&call, result);
}
