/* Queries of pointers. */
#include <string.h>

#include "driver/abi/api_memory.h"
#include "driver/memory/allocations.h"
#include "driver/memory/virtual.h"
#include "driver/state/call.h"

enum { NO_DEVICE = -2 /* CU_DEVICE_INVALID */ };

/* Large enough for every attribute. A boolean of the documentation is an unsigned int, as in programs. */
struct answer {
    union {
        void *pointer;
        uint64_t number;
        unsigned word;
        int signed_word;
    };
    size_t bytes; /* 0: no such attribute */
};

static struct answer pointer(const void *p) { return (struct answer){.pointer = (void *)(uintptr_t)p, .bytes = 8}; }
static struct answer number(uint64_t n) { return (struct answer){.number = n, .bytes = 8}; }
static struct answer word(unsigned n) { return (struct answer){.word = n, .bytes = 4}; }
static struct answer ordinal(int n) { return (struct answer){.signed_word = n, .bytes = 4}; }

static bool host_sees(const struct allocation *a) { return allocation_is_host(a) || a->kind == ALLOCATION_MANAGED; }

/* Of an address that belongs to an allocation. */
static struct answer known(const struct allocation *a, uint64_t address, CUpointer_attribute attribute)
{
    struct range range = allocation_part(a, address);
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: return pointer(a->context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return word(allocation_is_host(a) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return number(address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: return number(host_sees(a) ? address : 0);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return word(a->synchronous);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: return number(a->id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return word(a->kind == ALLOCATION_MANAGED);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return ordinal(0);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: return word(0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return number(a->base);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return number(a->bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED: return word(range.open);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: return number(0);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: return word(0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: return word(range.access);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return pointer(a->pool);
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: return number(range.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: return number(range.base);
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: return word(0);
    default: return (struct answer){.bytes = 0};
    }
}

/* Of any other address, in the function that may be asked about such. */
static struct answer unknown(uint64_t address, CUpointer_attribute attribute)
{
    static const struct allocation none;
    struct answer answer = known(&none, address, attribute);
    size_t bytes = answer.bytes;
    answer.number = 0;
    answer.bytes = bytes;
    if (attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER)
        answer.number = address;
    else if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
        answer.signed_word = NO_DEVICE;
    return answer;
}

static CUresult get(const struct driver *driver, void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
    const struct allocation *found = allocation_find(driver, address);
    if (!data || !found)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute == CU_POINTER_ATTRIBUTE_P2P_TOKENS)
        return CUDA_ERROR_NOT_SUPPORTED;
    struct answer answer = known(found, address, attribute);
    if (answer.bytes == 0 || (attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER && !host_sees(found)))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(data, &answer, answer.bytes);
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = get(call.driver, data, attribute, ptr);
    return call_end(&call, result);
}

static CUresult get_all(const struct driver *driver, unsigned count, const CUpointer_attribute *attributes, void **data,
                        CUdeviceptr address)
{
    const struct allocation *found = allocation_find(driver, address);
    if (count == 0 || !attributes || !data)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        struct answer answer = found ? known(found, address, attributes[i]) : unknown(address, attributes[i]);
        if (!data[i] || answer.bytes == 0)
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(data[i], &answer, answer.bytes);
    }
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes, void **data,
                                CUdeviceptr ptr)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = get_all(call.driver, numAttributes, attributes, data, ptr);
    return call_end(&call, result);
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    struct allocation *found = result == CUDA_SUCCESS ? allocation_at(call.driver, ptr) : NULL;
    if (result == CUDA_SUCCESS &&
        (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !found || found->kind == ALLOCATION_REGISTERED))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) {
        unsigned on;
        memcpy(&on, value, sizeof on);
        found->synchronous = on != 0;
    }
    return call_end(&call, result);
}
