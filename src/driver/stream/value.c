#include "driver/stream/value.h"

#include "driver/memory/allocation.h"

/* Flags by their documented numbers. */
enum {
    VALUE_WAIT_AT_LEAST = 0, /* CU_STREAM_WAIT_VALUE_GEQ: the signed difference is not negative */
    VALUE_WAIT_EQUAL = 1,
    VALUE_WAIT_AND = 2, /* a bit in common */
    VALUE_WAIT_NOR = 3, /* a bit that is clear in both */
    VALUE_WAIT_KIND = 3,
    VALUE_WAIT_FLUSH = 1 << 30,
    VALUE_WRITE_NO_BARRIER = 1
};

/* Where the value lies for this process (NULL: nowhere). */
static void *place(const struct driver *driver, uint64_t address, unsigned bytes)
{
    const struct allocation *allocation = allocation_find(driver, address);
    if (allocation == NULL || !allocation_holds(driver, address, bytes))
        return NULL;
    if (allocation->kind == ALLOCATION_PINNED || allocation->kind == ALLOCATION_MANAGED ||
        allocation->kind == ALLOCATION_REGISTERED)
        return (void *)(uintptr_t)address;
    const struct memory *memory = gpu_memory(driver->device.gpu);
    return memory_ok(memory, address, bytes) ? memory_at(memory, address) : NULL;
}

static bool can_hold(const struct driver *driver, uint64_t address, bool wide)
{
    unsigned bytes = wide ? 8 : 4;
    return address % bytes == 0 && place(driver, address, bytes) != NULL;
}

static CUresult wait_make(const struct driver *driver, uint64_t address, uint64_t value, bool wide, unsigned flags,
                          struct command *command)
{
    if ((flags & VALUE_WAIT_FLUSH) != 0)
        return CUDA_ERROR_NOT_SUPPORTED; /* as attribute CAN_FLUSH_REMOTE_WRITES says */
    if ((flags & ~(unsigned)VALUE_WAIT_KIND) != 0 || !can_hold(driver, address, wide))
        return CUDA_ERROR_INVALID_VALUE;
    *command = (struct command){.kind = COMMAND_WAIT_VALUE, .value = {address, value, wide, flags}};
    return CUDA_SUCCESS;
}

static CUresult write_make(const struct driver *driver, uint64_t address, uint64_t value, bool wide, unsigned flags,
                           struct command *command)
{
    if ((flags & ~(unsigned)VALUE_WRITE_NO_BARRIER) != 0 || !can_hold(driver, address, wide))
        return CUDA_ERROR_INVALID_VALUE;
    *command = (struct command){.kind = COMMAND_WRITE_VALUE, .value = {address, value, wide, flags}};
    return CUDA_SUCCESS;
}

CUresult value_op_make(const struct driver *driver, const CUstreamBatchMemOpParams *op, struct command *command)
{
    const struct CUstreamMemOpWaitValueParams_st *wait = &op->waitValue;
    const struct CUstreamMemOpWriteValueParams_st *write = &op->writeValue;
    switch (op->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        return wait_make(driver, wait->address, wait->value, false, wait->flags, command);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        return wait_make(driver, wait->address, wait->value64, true, wait->flags, command);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        return write_make(driver, write->address, write->value, false, write->flags, command);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        return write_make(driver, write->address, write->value64, true, write->flags, command);
    case CU_STREAM_MEM_OP_BARRIER: /* commands of a stream see all that came before anyway */
        *command = (struct command){.kind = COMMAND_EMPTY};
        return op->memoryBarrier.flags <= 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: return CUDA_ERROR_NOT_SUPPORTED;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

static bool holds(uint64_t found, const struct value_command *value)
{
    switch (value->flags & VALUE_WAIT_KIND) {
    case VALUE_WAIT_EQUAL: return found == value->value;
    case VALUE_WAIT_AND: return (found & value->value) != 0;
    case VALUE_WAIT_NOR: return value->wide ? ~(found | value->value) != 0 : (uint32_t) ~(found | value->value) != 0;
    default: /* VALUE_WAIT_AT_LEAST: on a circle */
        return value->wide ? (int64_t)(found - value->value) >= 0 : (int32_t)(uint32_t)(found - value->value) >= 0;
    }
}

bool value_ready(const struct driver *driver, const struct command *command)
{
    const struct value_command *value = &command->value;
    const void *at = place(driver, value->address, value->wide ? 8 : 4);
    if (at == NULL)
        return true;
    uint64_t found = value->wide ? __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE)
                                 : __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
    return holds(found, value);
}

CUresult value_write(struct execution *execution)
{
    const struct value_command *value = &execution->command->value;
    void *at = place(execution->driver, value->address, value->wide ? 8 : 4);
    if (at == NULL)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    if (value->wide)
        __atomic_store_n((uint64_t *)at, value->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)at, (uint32_t)value->value, __ATOMIC_RELEASE);
    return CUDA_SUCCESS;
}
