/* The meaning of a set, and whether its memory may be touched. */
#include "driver/memory/allocation.h"
#include "driver/memory/copy.h"

enum { MOST_PITCH = 2147483647 }; /* CU_DEVICE_ATTRIBUTE_MAX_PITCH */

CUresult set_make(struct driver *driver, const CUDA_MEMSET_NODE_PARAMS *set, struct command *command)
{
    *command = (struct command){.kind = COMMAND_EMPTY};
    unsigned bytes = set->elementSize;
    if (bytes != 1 && bytes != 2 && bytes != 4)
        return CUDA_ERROR_INVALID_VALUE;
    if (set->width == 0 || set->height == 0)
        return CUDA_SUCCESS;
    size_t row, span;
    if (set->dst % bytes != 0 || __builtin_mul_overflow(set->width, (size_t)bytes, &row))
        return CUDA_ERROR_INVALID_VALUE;
    if (set->height > 1 && (set->pitch < row || set->pitch > MOST_PITCH || set->pitch % bytes != 0))
        return CUDA_ERROR_INVALID_VALUE;
    size_t pitch = set->height > 1 ? set->pitch : row;
    if (__builtin_mul_overflow(set->height - 1, pitch, &span) || __builtin_add_overflow(span, row, &span) ||
        !allocation_holds(driver, set->dst, span))
        return CUDA_ERROR_INVALID_VALUE;
    command->kind = COMMAND_SET;
    command->set = (struct set_command){
        .address = set->dst,
        .pitch = pitch,
        .width = set->width,
        .height = set->height,
        .bytes = bytes,
        .value = set->value,
        .memory = allocation_memory(allocation_find(driver, set->dst)),
    };
    return CUDA_SUCCESS;
}
