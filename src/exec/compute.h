/* Arithmetic: instructions that take and leave values of their warp, and do nothing else. A functional run executes
 * them in a row, without the report that other instructions need (struct issued). */
#ifndef SUBCORE_EXEC_COMPUTE_H
#define SUBCORE_EXEC_COMPUTE_H

#include "exec/core.h"
#include "exec/inst.h"
#include "exec/warp_state.h"

/* Returns the lanes whose guard holds. */
static inline uint32_t compute_guard(const struct exec_warp *warp, const struct exec_inst *inst)
{
    uint32_t value = warp->pred[inst->guard];
    if (inst->guard_uniform)
        value = warp->upred >> inst->guard & 1 ? UINT32_MAX : 0;
    return value ^ inst->guard_flip;
}

/* Executes arithmetic of the warp's path: the next instruction, which is arithmetic (exec_inst.computes), and those
 * behind it up to another kind, `most` of them, a fault, or, if `loading`, up to one that waits. Returns how many. */
uint32_t compute_row(struct exec_core *core, struct exec_warp *warp, uint32_t most, bool loading);

#endif
