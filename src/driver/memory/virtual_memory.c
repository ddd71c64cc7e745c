/* Memory without addresses. */
#include "driver/abi/api_memory.h"
#include "driver/memory/allocations.h"
#include "driver/memory/virtual.h"
#include "driver/queue/queue.h"
#include "driver/state/say.h"

CUresult virtual_begin(struct call *call, const char *name)
{
    CUresult result = call_begin(call, name, CALL_INITIALISED);
    struct status status = {0};
    if (result == CUDA_SUCCESS && !device_start(&call->driver->device, &call->driver->settings, &status)) {
        say("%s", status.text);
        result = CUDA_ERROR_OUT_OF_MEMORY;
    }
    return result;
}

static CUresult properties_known(const CUmemAllocationProp *p)
{
    if (!p || p->location.type == CU_MEM_LOCATION_TYPE_INVALID)
        return CUDA_ERROR_INVALID_VALUE;
    if (p->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return p->type == CU_MEM_ALLOCATION_TYPE_MANAGED ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
    if (p->location.type == CU_MEM_LOCATION_TYPE_HOST || p->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (p->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    return p->location.id == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult create(struct driver *driver, CUmemGenericAllocationHandle *out, size_t bytes,
                       const CUmemAllocationProp *properties, unsigned long long flags)
{
    if (!out || bytes == 0 || bytes % GRANULARITY != 0 || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = properties_known(properties);
    if (result != CUDA_SUCCESS)
        return result;
    if (properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE)
        return CUDA_ERROR_NOT_SUPPORTED;
    queue_pause(driver);
    int backing = bytes <= device_free_bytes(driver) ? memory_backing(driver_memory(driver), bytes) : -1;
    if (backing < 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct virtual_memory *memory = handle_new(driver->handles, HANDLE_MEMORY, sizeof *memory);
    if (!memory) {
        memory_backing_close(driver_memory(driver), backing, bytes);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memory->properties = *properties;
    memory->backing = backing;
    memory->bytes = bytes;
    memory->handles = 1;
    *out = (uintptr_t)memory;
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
                     unsigned long long flags)
{
    struct call call;
    CUresult result = virtual_begin(&call, __func__);
    if (result == CUDA_SUCCESS)
        result = create(call.driver, handle, size, prop, flags);
    return call_end(&call, result);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    struct call call;
    CUresult result = virtual_begin(&call, __func__);
    if (result == CUDA_SUCCESS) {
        queue_pause(call.driver);
        struct virtual_memory *memory = virtual_memory_find(call.driver, handle);
        if (memory) {
            memory->handles--;
            virtual_memory_drop(call.driver, memory);
        } else {
            result = CUDA_ERROR_INVALID_VALUE;
        }
    }
    return call_end(&call, result);
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                       CUmemAllocationGranularity_flags option)
{
    struct call call;
    CUresult result = virtual_begin(&call, __func__);
    if (result == CUDA_SUCCESS && (!granularity || (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM &&
                                                    option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = properties_known(prop);
    if (result == CUDA_SUCCESS)
        *granularity = GRANULARITY;
    return call_end(&call, result);
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
    struct call call;
    CUresult result = virtual_begin(&call, __func__);
    const struct virtual_memory *memory = result == CUDA_SUCCESS ? virtual_memory_find(call.driver, handle) : NULL;
    if (result == CUDA_SUCCESS && (!prop || !memory))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *prop = memory->properties;
    return call_end(&call, result);
}

static CUresult retain(struct driver *driver, CUmemGenericAllocationHandle *handle, uint64_t address)
{
    struct allocation *found = allocation_at(driver, address);
    if (!handle || !found || found->kind != ALLOCATION_RESERVED)
        return CUDA_ERROR_INVALID_VALUE;
    for (struct mapping *m = found->mappings; m; m = m->next)
        if (address - m->base < m->bytes) {
            m->memory->handles++;
            *handle = (uintptr_t)m->memory;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
    struct call call;
    CUresult result = virtual_begin(&call, __func__);
    if (result == CUDA_SUCCESS)
        result = retain(call.driver, handle, (uintptr_t)addr);
    return call_end(&call, result);
}
