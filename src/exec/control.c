/* Branches, convergence barriers, warp synchronisation, CTA barriers. */
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "exec/executors.h"
#include "exec/warp.h"

/* ---- jumps ----------------------------------------------------------------------------------------------------- */

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

/* Does the mask of the executing threads differ from the uniform register's? */
static bool diverged(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    const struct isa_operand *expected = &inst->isa.a;
    uint32_t mask = operand_word(core, warp, inst, expected, 0);
    return warp_current(warp)->mask != (expected->flags & ISA_INV ? ~mask : mask);
}

void exec_BRA(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    enum { PLAIN, UNIFORM, DIVERGENT, CONVERGENT };
    const struct isa_inst *isa = &inst->isa;
    uint32_t lanes = active & operand_predicate(warp, isa->pp) & operand_predicate(warp, isa->pq);
    unsigned kind = isa->mod[ISA_MOD_BRANCH_KIND];
    if (kind >= DIVERGENT && diverged(core, warp, inst) != (kind == DIVERGENT))
        return;
    if (!core->fault.code)
        jump(core, warp, inst, lanes, isa->target, out);
}

/* ---- calls ----------------------------------------------------------------------------------------------------- */

/* What CALL.ABS and RET.ABS name: a place in the section of this kernel, or something that is not here. */
static bool absolute_target(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                            uint64_t address, uint32_t *target)
{
    const struct exec_launch *launch = warp->cta->launch;
    const struct cubin *cubin = &launch->module->cubin;
    uint64_t code = address - exec_section_address(launch->kernel->cubin->section);
    if (code < UINT64_C(1) << EXEC_SECTION_SHIFT) {
        *target = (uint32_t)code;
        return true;
    }
    uint64_t symbol = (address - EXEC_EXTERN_WINDOW) / 16;
    const char *name = symbol < cubin->symbol_count ? cubin->symbols[symbol].name : NULL;
    exec_fault(core, warp, inst, EXEC_NO_LANE, STATUS_UNSUPPORTED,
               name ? "not simulated: a call of %s, which the driver supplies"
                    : "not simulated: a call of code outside the kernel%s (0x%" PRIx64 ")",
               name ? name : "", address);
    return false;
}

/* The immediate part of an absolute target; since sm_90 its lowest byte is elsewhere. */
static uint64_t encoded_address(struct word128 word, unsigned sm)
{
    uint64_t words = word128_bits(word, 80, 34);
    return (sm < 90 ? words : words << 8 | word128_bits(word, 23, 16)) << 2;
}

/* Targets of the forms with a register: an offset from the encoded target, or an address. */
static bool find_targets(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                         uint32_t target[EXEC_LANES])
{
    const struct isa_inst *isa = &inst->isa;
    unsigned index = isa->a.kind == ISA_REG ? isa->a.index : ISA_RZ;
    const uint32_t *low = exec_row(warp, index), *high = exec_row_word(warp, index, 1);
    uint64_t encoded = encoded_address(isa->word, warp->cta->launch->module->sm);
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        target[lane] = isa->target + low[lane];
        if (isa->mod[ISA_MOD_ABSOLUTE] &&
            !absolute_target(core, warp, inst, encoded + ((uint64_t)high[lane] << 32 | low[lane]), &target[lane]))
            return false;
    }
    return true;
}

void exec_CALL(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    uint32_t lanes = active & operand_predicate(warp, inst->isa.pp), target[EXEC_LANES];
    if (find_targets(core, warp, inst, lanes, target))
        jump_each(core, warp, inst, lanes, target, out);
}

void exec_RET(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    exec_CALL(core, warp, inst, active, out);
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

/* ---- convergence barriers -------------------------------------------------------------------------------------- */

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

/* Between a register and the convergence barrier that each of the executing threads sees. */
void exec_BMOV(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    if (isa->barrier > 15 || isa->mod[ISA_MOD_FLAG]) {
        exec_refuse(core, warp, inst, "moves of warp state other than convergence barriers");
        return;
    }
    uint32_t *members = warp->barrier[isa->barrier];
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        if (isa->mod[ISA_MOD_REGISTER_BARRIER]) {
            members[lane] = exec_operand(core, warp, inst, &isa->b, lane);
            continue;
        }
        if (isa->d.index != ISA_RZ)
            warp->reg[isa->d.index][lane] = members[lane] & warp->live;
        if (isa->mod[ISA_MOD_CLEAR])
            members[lane] = 0;
    }
    if (warp->paths > 1)
        warp_schedule(core, warp, inst, WARP_STAY, out);
}

/* ---- warp synchronisation -------------------------------------------------------------------------------------- */

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
    enum { PLAIN, EXCLUSIVE, COLLECTIVE };
    const struct isa_inst *isa = &inst->isa;
    uint32_t lanes = active & operand_predicate(warp, isa->pp), mask = warp->live;
    if (!lanes)
        return;
    if (isa->mod[ISA_MOD_MODE] == EXCLUSIVE || isa->mod[ISA_MOD_FLAG]) {
        exec_refuse(core, warp, inst, "an exclusive section");
        return;
    }
    if (!isa->mod[ISA_MOD_MASK])
        mask = exec_operand(core, warp, inst, operand_only(isa), lowest_bit32(lanes));
    if (isa->mod[ISA_MOD_MODE] == COLLECTIVE)
        for (uint32_t left = lanes; left; left &= left - 1)
            warp->collective_target[lowest_bit32(left)] = isa->target;
    wait_for_threads(core, warp, inst, lanes,
                     isa->mod[ISA_MOD_MODE] == COLLECTIVE ? EXEC_PATH_AT_COLLECTIVE : EXEC_PATH_AT_WARPSYNC,
                     mask | lanes, out);
}

void exec_ENDCOLLECTIVE(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                        struct issued *out)
{
    jump_each(core, warp, inst, active & operand_predicate(warp, inst->isa.pp), warp->collective_target, out);
}

static void give_way(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, struct issued *out)
{
    if (warp->paths > 1)
        warp_schedule(core, warp, inst, WARP_NEXT, out);
}

void exec_YIELD(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    if (active & operand_predicate(warp, inst->isa.pp))
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

/* ---- CTA barriers ---------------------------------------------------------------------------------------------- */

static bool barrier_operands(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                             uint32_t active, uint32_t *number, uint32_t *threads)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned lane = lowest_bit32(active);
    *number = isa->a.kind == ISA_NONE ? isa->barrier : exec_operand(core, warp, inst, &isa->a, lane);
    *threads = isa->b.kind == ISA_NONE ? 0 : exec_operand(core, warp, inst, &isa->b, lane);
    if (*number <= 15 && *threads % EXEC_LANES == 0 && *threads <= 1024)
        return true;
    exec_fault(core, warp, inst, EXEC_NO_LANE, STATUS_FAULT,
               "barrier %" PRIu32 " for %" PRIu32 " threads: there are 16 barriers, for multiples of 32 threads",
               *number, *threads);
    return false;
}

void exec_BAR(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    enum { SYNC, ARV, RED, SCAN, SYNCALL };
    unsigned mode = inst->isa.mod[ISA_MOD_MODE];
    uint32_t number, threads;
    if (mode != SYNC && mode != ARV && mode != SYNCALL) {
        exec_refuse(core, warp, inst, "a barrier that combines predicates");
        return;
    }
    if (!barrier_operands(core, warp, inst, active, &number, &threads))
        return;
    if (mode == ARV) {
        if (active != warp->live) {
            exec_refuse(core, warp, inst, "arrival of a part of the warp's threads at a barrier");
            return;
        }
        out->barrier = (uint8_t)number;
        out->barrier_warps = (uint16_t)(threads / EXEC_LANES);
        out->barrier_arrive = true;
        return;
    }
    struct exec_path *path = warp_part(warp, active);
    path->state = EXEC_PATH_AT_BARRIER;
    path->wait = number;
    path->warps = (uint16_t)(threads / EXEC_LANES);
    warp_schedule(core, warp, inst, WARP_LOWEST, out);
}
