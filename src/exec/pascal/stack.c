#include "exec/pascal/stack.h"

#include <inttypes.h>

#include "base/bits.h"
#include "exec/fault.h"
#include "exec/warp.h"

void stack_push(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, enum simt_kind kind,
                uint32_t pc, uint32_t mask)
{
    struct exec_stack *stack = warp->stack;
    if (stack->depth == SIMT_ENTRIES) {
        exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_STACK,
                   "the warp's stack of branches and calls has no room for more than %d entries", SIMT_ENTRIES);
        return;
    }
    stack->entry[stack->depth++] = (struct simt_entry){pc, mask, kind};
}

/* The threads of an entry that go on when it is popped. */
static uint32_t rejoining(const struct exec_stack *stack, const struct simt_entry *e)
{
    uint32_t lanes = e->mask;
    for (uint32_t kind = SIMT_BREAK; kind < SIMT_KINDS; kind++)
        lanes &= kind == e->kind ? UINT32_MAX : ~stack->out[kind];
    return lanes;
}

/* Goes on with the threads of the uppermost entry that has any. */
static void pop(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, struct issued *out)
{
    struct exec_stack *stack = warp->stack;
    while (stack->depth > 0) {
        const struct simt_entry *e = &stack->entry[--stack->depth];
        uint32_t lanes = rejoining(stack, e) & warp->live;
        if (!lanes)
            continue;
        stack->out[e->kind] &= ~lanes;
        struct exec_path *path = warp_current(warp);
        path->mask = lanes;
        path->pc = e->pc;
        warp_continue(warp, out);
        return;
    }
    exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_DEADLOCK,
               "no thread of the warp can ever move again: threads 0x%08" PRIx32 " wait for an entry of an empty stack",
               warp->live);
}

/* The lanes with the lowest target among those that have not had their turn. */
static uint32_t with_lowest(uint32_t lanes, const uint32_t target[EXEC_LANES], uint32_t *pc)
{
    uint32_t same = 0;
    *pc = UINT32_MAX;
    for (uint32_t left = lanes; left; left &= left - 1)
        *pc = target[lowest_bit32(left)] < *pc ? target[lowest_bit32(left)] : *pc;
    for (uint32_t left = lanes; left; left &= left - 1)
        same |= target[lowest_bit32(left)] == *pc ? left & (0u - left) : 0;
    return same;
}

/* Those that stay, or else those with the lowest target, go on. The others wait, the lowest target on top. */
void stack_branch(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                  const uint32_t target[EXEC_LANES], struct issued *out)
{
    struct exec_path *path = warp_current(warp);
    uint32_t staying = path->mask & ~lanes, pcs[EXEC_LANES], masks[EXEC_LANES];
    unsigned ways = 0;
    for (uint32_t left = lanes; left; left &= ~masks[ways++]) {
        masks[ways] = with_lowest(left, target, &pcs[ways]);
        if (!exec_check_target(core, warp, inst, pcs[ways]))
            return;
    }
    while (ways > (staying ? 0u : 1u) && !core->fault.code) {
        ways--;
        stack_push(core, warp, inst, SIMT_BRANCH, pcs[ways], masks[ways]);
    }
    if (core->fault.code)
        return;
    path->mask = staying ? staying : masks[0];
    path->pc = staying ? path->pc : pcs[0];
    warp_continue(warp, out);
}

void stack_jump(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                uint32_t pc, struct issued *out)
{
    struct exec_path *path = warp_current(warp);
    uint32_t staying = path->mask & ~lanes;
    if (!exec_check_target(core, warp, inst, pc))
        return;
    if (staying) {
        stack_push(core, warp, inst, SIMT_BRANCH, pc, lanes);
        if (core->fault.code)
            return;
        path->mask = staying;
    } else {
        path->mask = lanes;
        path->pc = pc;
    }
    warp_continue(warp, out);
}

void stack_leave(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, enum simt_kind kind,
                 uint32_t lanes, struct issued *out)
{
    struct exec_path *path = warp_current(warp);
    if (kind >= SIMT_BREAK)
        warp->stack->out[kind] |= lanes;
    path->mask &= ~lanes;
    if (!path->mask)
        pop(core, warp, inst, out);
}
