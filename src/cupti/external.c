#include "cupti/external.h"

#include <stdlib.h>

#include "cupti/state.h"

enum { ROOM_FIRST = 16 };

static struct id_stack *stack_of(int kind)
{
    return kind > 0 && kind < EXTERNAL_KINDS ? &cupti_thread()->external[kind] : NULL;
}

CUPTI_API(cuptiActivityPushExternalCorrelationId, int kind, uint64_t id)
{
    struct id_stack *stack = stack_of(kind);
    if (!stack)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (stack->count == stack->room) {
        size_t room = stack->room ? 2 * stack->room : ROOM_FIRST;
        uint64_t *ids = realloc(stack->ids, room * sizeof *ids);
        if (!ids)
            return CUPTI_ERROR_OUT_OF_MEMORY;
        stack->ids = ids;
        stack->room = room;
    }
    stack->ids[stack->count++] = id;
    return CUPTI_SUCCESS;
}

CUPTI_API(cuptiActivityPopExternalCorrelationId, int kind, uint64_t *last)
{
    struct id_stack *stack = stack_of(kind);
    if (!stack)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (stack->count == 0)
        return CUPTI_ERROR_QUEUE_EMPTY;
    uint64_t id = stack->ids[--stack->count];
    if (last)
        *last = id;
    if (stack->count == 0) {
        free(stack->ids);
        *stack = (struct id_stack){0};
    }
    return CUPTI_SUCCESS;
}

void external_add(struct cupti *cupti, uint32_t correlation)
{
    for (uint32_t kind = 1; kind < EXTERNAL_KINDS && cupti->kinds[ACTIVITY_EXTERNAL_CORRELATION]; kind++) {
        const struct id_stack *stack = &cupti_thread()->external[kind];
        if (stack->count > 0)
            cupti_add(cupti, &(struct record_external){
                                 .kind = ACTIVITY_EXTERNAL_CORRELATION,
                                 .external_kind = kind,
                                 .external = stack->ids[stack->count - 1],
                                 .correlation = correlation,
                             });
    }
}
