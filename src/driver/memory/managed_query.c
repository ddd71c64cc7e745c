/* Queries for the advice about managed ranges. */
#include <string.h>

#include "driver/abi/api_memory.h"
#include "driver/memory/allocations.h"
#include "driver/memory/managed.h"
#include "driver/state/call.h"

enum {
    DEVICE_CPU = -1,    /* CU_DEVICE_CPU */
    DEVICE_INVALID = -2 /* CU_DEVICE_INVALID */
};

/* Advice of all pages: bits that all have, and whether a field of 2 bits is the same in all. */
struct common {
    unsigned all;
    enum managed_location preferred, prefetched;
};

static unsigned field(unsigned advice, unsigned shift) { return advice >> shift & 3; }

static struct common gather(const struct allocation *a, uint64_t address, size_t bytes)
{
    size_t first = (address - a->base) / MANAGED_PAGE, last = (address - a->base + bytes - 1) / MANAGED_PAGE;
    unsigned sample = a->advice ? a->advice[first] : 0;
    struct common c = {.all = sample,
                       .preferred = (enum managed_location)field(sample, ADVICE_PREFERRED),
                       .prefetched = (enum managed_location)field(sample, ADVICE_PREFETCHED)};
    for (size_t i = first; a->advice && i <= last; i++) {
        c.all &= a->advice[i];
        if (field(a->advice[i], ADVICE_PREFERRED) != c.preferred)
            c.preferred = MANAGED_NOWHERE;
        if (field(a->advice[i], ADVICE_PREFETCHED) != c.prefetched)
            c.prefetched = MANAGED_NOWHERE;
    }
    return c;
}

static int ordinal(enum managed_location where)
{
    return where == MANAGED_DEVICE ? 0 : where == MANAGED_HOST ? DEVICE_CPU : DEVICE_INVALID;
}

static int type(enum managed_location where)
{
    return where == MANAGED_DEVICE ? CU_MEM_LOCATION_TYPE_DEVICE
           : where == MANAGED_HOST ? CU_MEM_LOCATION_TYPE_HOST
                                   : CU_MEM_LOCATION_TYPE_INVALID;
}

/* Devices that all pages name, host and device in this order, and no device behind them. */
static CUresult accessed_by(unsigned who, int *data, size_t count)
{
    size_t used = 0;
    if ((who & MANAGED_HOST) != 0)
        data[used++] = DEVICE_CPU;
    if ((who & MANAGED_DEVICE) != 0 && used < count)
        data[used++] = 0;
    while (used < count)
        data[used++] = DEVICE_INVALID;
    return CUDA_SUCCESS;
}

static CUresult get(const struct common *c, CUmem_range_attribute attribute, void *data, size_t bytes)
{
    int value;
    if (!data || bytes == 0 || bytes % sizeof value != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY)
        return accessed_by(field(c->all, ADVICE_ACCESSED), data, bytes / sizeof value);
    if (bytes != sizeof value)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY: value = c->all & ADVICE_READ_MOSTLY; break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION: value = ordinal(c->preferred); break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION: value = ordinal(c->prefetched); break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE: value = type(c->preferred); break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID: value = ordinal(c->preferred); break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE: value = type(c->prefetched); break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID: value = ordinal(c->prefetched); break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(data, &value, sizeof value);
    return CUDA_SUCCESS;
}

static CUresult find(const struct driver *driver, uint64_t address, size_t bytes, struct common *common)
{
    if (!managed_holds(driver, address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    *common = gather(allocation_find(driver, address), address, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute, CUdeviceptr devPtr,
                                size_t count)
{
    struct call call;
    struct common common;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = find(call.driver, devPtr, count, &common);
    if (result == CUDA_SUCCESS)
        result = get(&common, attribute, data, dataSize);
    return call_end(&call, result);
}

CUresult cuMemRangeGetAttributes(void **data, size_t *dataSizes, CUmem_range_attribute *attributes,
                                 size_t numAttributes, CUdeviceptr devPtr, size_t count)
{
    struct call call;
    struct common common;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && (!data || !dataSizes || !attributes || numAttributes == 0))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = find(call.driver, devPtr, count, &common);
    for (size_t i = 0; i < numAttributes && result == CUDA_SUCCESS; i++)
        result = get(&common, attributes[i], data[i], dataSizes[i]);
    return call_end(&call, result);
}
