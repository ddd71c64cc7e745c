/* Branches, convergence barriers, warp synchronisation, CTA barriers. */
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "exec/executors.h"
#include "exec/warp.h"

/* ---- jumps ------------------------------------------------------------------------------------------------------ */

static bool target_ok(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t target)
{
    const struct exec_kernel *kernel = warp->cta->launch->kernel;
    if (target % 16 == 0 && target / 16 < kernel->count)
        return true;
    exec_fault(core, warp, inst, EXEC_NO_LANE, STATUS_FAULT,
               "jump to 0x%" PRIx32 ", outside the kernel's code (0x%" PRIx32 " bytes)", target, kernel->count * 16);
    return false;
}

/* Sends lanes of the current path to `target`; the others go on. */
static void jump(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                 uint32_t target, struct issued *out)
{
    if (!lanes || !target_ok(core, warp, inst, target))
        return;
    enum warp_choice choice = lanes == out->path ? WARP_STAY : WARP_LOWEST;
    warp_part(warp, lanes)->pc = target;
    if (warp->paths == 1) {
        warp_continue(warp, out);
        return;
    }
    if (target <= inst->isa.pc)
        choice = warp_backward(warp, inst->isa.pc, choice);
    warp_schedule(core, warp, inst, choice, out);
}

/* Each lane has its own target. */
static void jump_each(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                      const uint32_t target[EXEC_LANES], struct issued *out)
{
    while (lanes) {
        uint32_t first = target[lowest_bit32(lanes)], same = 0;
        for (uint32_t left = lanes; left; left &= left - 1)
            same |= target[lowest_bit32(left)] == first ? left & -left : 0;
        lanes &= ~same;
        if (!lanes) {
            jump(core, warp, inst, same, first, out);
            return;
        }
        if (!target_ok(core, warp, inst, first))
            return;
        warp_part(warp, same)->pc = first;
    }
}

void exec_BRA(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    enum { PLAIN, UNIFORM, DIVERGENT, CONVERGENT };
    const struct isa_inst *isa = &inst->isa;
    uint32_t lanes = active & operand_predicate(warp, isa->pp);
    if (isa->mod[ISA_MOD_BRANCH_KIND] == DIVERGENT || isa->mod[ISA_MOD_BRANCH_KIND] == CONVERGENT) {
        uint32_t mask = operand_word(core, warp, inst, operand_only(isa), 0);
        if (operand_only(isa)->flags & ISA_INV)
            mask = ~mask;
        bool divergent = warp_current(warp)->mask != mask;
        if (divergent != (isa->mod[ISA_MOD_BRANCH_KIND] == DIVERGENT))
            lanes = 0;
    } else if (isa->mod[ISA_MOD_BRANCH_KIND] > CONVERGENT) {
        exec_refuse(core, warp, inst, "this kind of branch");
        return;
    }
    jump(core, warp, inst, lanes, isa->target, out);
}

/* Targets of the forms with a register: an offset from the encoded target, or an address. */
static bool register_targets(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                             uint32_t lanes, uint32_t target[EXEC_LANES])
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        target[lane] = inst->isa.target + exec_operand(core, warp, inst, &inst->isa.a, lane);
    }
    return !core->fault.code;
}

void exec_CALL(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    uint32_t lanes = active & operand_predicate(warp, inst->isa.pp), target[EXEC_LANES];
    if (inst->isa.a.kind == ISA_NONE)
        jump(core, warp, inst, lanes, inst->isa.target, out);
    else if (register_targets(core, warp, inst, lanes, target))
        jump_each(core, warp, inst, lanes, target, out);
}

void exec_RET(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    uint32_t lanes = active & operand_predicate(warp, inst->isa.pp), target[EXEC_LANES];
    if (register_targets(core, warp, inst, lanes, target))
        jump_each(core, warp, inst, lanes, target, out);
}

void exec_EXIT(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    uint32_t lanes = active & operand_predicate(warp, inst->isa.pp);
    if (!lanes)
        return;
    bool whole = lanes == warp_current(warp)->mask;
    warp_exit(warp, lanes);
    if (whole || warp->paths > 1)
        warp_schedule(core, warp, inst, whole ? WARP_LOWEST : WARP_STAY, out);
}

/* ---- convergence barriers --------------------------------------------------------------------------------------- */

void exec_BSSY(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)core;
    (void)out;
    uint32_t lanes = active & operand_predicate(warp, inst->isa.pp);
    uint32_t *members = warp->barrier[inst->isa.barrier & 15];
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        members[lane] = lanes >> lane & 1 ? lanes : members[lane];
}

void exec_BSYNC(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    uint32_t lanes = active & operand_predicate(warp, inst->isa.pp);
    if (!lanes)
        return;
    if (warp->paths == 1 && lanes == warp->live) {
        memset(warp->barrier[inst->isa.barrier & 15], 0, sizeof warp->barrier[0]);
        return;
    }
    struct exec_path *path = warp_part(warp, lanes);
    path->state = EXEC_PATH_AT_BSYNC;
    path->wait = inst->isa.barrier & 15;
    warp_schedule(core, warp, inst, WARP_LOWEST, out);
}

void exec_BREAK(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    warp_leave_barrier(warp, inst->isa.barrier & 15, active & operand_predicate(warp, inst->isa.pp));
    if (warp->paths > 1)
        warp_schedule(core, warp, inst, WARP_STAY, out);
}

/* ---- warp synchronisation --------------------------------------------------------------------------------------- */

static void wait_for_threads(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                             uint32_t lanes, enum exec_path_state state, uint32_t mask, struct issued *out)
{
    if (warp->paths == 1 && lanes == warp->live)
        return;
    struct exec_path *path = warp_part(warp, lanes);
    path->state = (uint8_t)state;
    path->wait = mask;
    warp_schedule(core, warp, inst, WARP_LOWEST, out);
}

void exec_WARPSYNC(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                   struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t lanes = active & operand_predicate(warp, isa->pp);
    if (!lanes)
        return;
    const struct isa_operand *source = operand_only(isa);
    uint32_t mask = UINT32_MAX;
    if (source->kind != ISA_NONE)
        mask = exec_operand(core, warp, inst, source, lowest_bit32(lanes));
    wait_for_threads(core, warp, inst, lanes, EXEC_PATH_AT_WARPSYNC, mask | lanes, out);
}

void exec_ENDCOLLECTIVE(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                        struct issued *out)
{
    jump_each(core, warp, inst, active, warp->collective_target, out);
}

static void give_way(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, struct issued *out)
{
    if (warp->paths > 1)
        warp_schedule(core, warp, inst, WARP_NEXT, out);
}

void exec_YIELD(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    (void)active;
    give_way(core, warp, inst, out);
}

void exec_NANOSLEEP(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                    struct issued *out)
{
    uint32_t lanes = active & operand_predicate(warp, inst->isa.pp);
    if (!lanes)
        return;
    uint32_t time = exec_operand(core, warp, inst, operand_only(&inst->isa), lowest_bit32(lanes));
    out->sleep = (uint16_t)(time < UINT16_MAX ? time : UINT16_MAX);
    give_way(core, warp, inst, out);
}

/* ---- CTA barriers ----------------------------------------------------------------------------------------------- */

void exec_BAR(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    enum { SYNC, ARV, RED, SCAN, SYNCALL };
    const struct isa_inst *isa = &inst->isa;
    unsigned mode = isa->mod[ISA_MOD_MODE];
    if (mode != SYNC && mode != ARV && mode != SYNCALL) {
        exec_refuse(core, warp, inst, "a barrier that combines predicates");
        return;
    }
    uint32_t number = isa->barrier, count = isa->mod[ISA_MOD_THREADS];
    if (isa->b.kind != ISA_NONE)
        number = exec_operand(core, warp, inst, &isa->b, lowest_bit32(active));
    if (isa->c.kind != ISA_NONE)
        count = exec_operand(core, warp, inst, &isa->c, lowest_bit32(active));
    if (number > 15 || count % EXEC_LANES || count > 1024) {
        exec_fault(core, warp, inst, EXEC_NO_LANE, STATUS_FAULT,
                   "barrier %" PRIu32 " for %" PRIu32 " threads: there are 16 barriers, for multiples of 32 threads",
                   number, count);
        return;
    }
    if (mode == ARV) {
        if (active != warp->live) {
            exec_refuse(core, warp, inst, "arrival of a part of the warp's threads at a barrier");
            return;
        }
        out->barrier = (uint8_t)number;
        out->barrier_warps = (uint16_t)(count / EXEC_LANES);
        out->barrier_arrive = true;
        return;
    }
    struct exec_path *path = warp_part(warp, active);
    path->state = EXEC_PATH_AT_BARRIER;
    path->wait = number;
    path->warps = (uint16_t)(count / EXEC_LANES);
    warp_schedule(core, warp, inst, WARP_LOWEST, out);
}
