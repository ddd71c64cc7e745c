/* The state of a Pascal warp beside its registers: the stack of exec/pascal/stack.h and the condition code. */
#ifndef SUBCORE_EXEC_SIMT_STACK_STATE_H
#define SUBCORE_EXEC_SIMT_STACK_STATE_H

#include "exec/pascal/condition.h"

enum { SIMT_ENTRIES = 512 };

enum simt_kind { SIMT_SYNC, SIMT_BRANCH, SIMT_BREAK, SIMT_CONTINUE, SIMT_CALL, SIMT_KINDS };

struct simt_entry {
    uint32_t pc, mask;
    uint32_t kind; /* enum simt_kind */
};

struct exec_stack {
    uint32_t depth;
    uint32_t out[SIMT_KINDS]; /* threads that are out until an entry of the kind is popped; BREAK and above */
    struct condition condition;
    struct simt_entry entry[SIMT_ENTRIES];
};

/* Empties it. */
static inline void stack_start(struct exec_stack *stack)
{
    stack->depth = 0;
    stack->condition = (struct condition){0};
    for (unsigned kind = 0; kind < SIMT_KINDS; kind++)
        stack->out[kind] = 0;
}

#endif
