/* Branches, calls, returns, and addresses of code. */
#include "exec/control/jump.h"

#include <inttypes.h>

#include "base/bits.h"
#include "exec/code/kernel.h"
#include "exec/cta.h"
#include "exec/executors.h"
#include "exec/launch.h"
#include "exec/warp.h"

/* ---- jumps ----------------------------------------------------------------------------------------------------- */

/* Sends lanes of the current path to `target`. The others continue. */
static void jump(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                 uint32_t target, struct issued *out)
{
    if (!lanes || !exec_check_target(core, warp, inst, target))
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

void jump_each(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
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
        if (!exec_check_target(core, warp, inst, first))
            return;
        warp_part(warp, same)->pc = first;
    }
}

/* Do the threads that the guard lets through differ from those that the uniform register names? On sm_75, which has no
 * such operand, from all that have not exited. */
static bool diverged(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes)
{
    const struct isa_operand *expected = &inst->isa.a;
    if (expected->kind == ISA_NONE)
        return lanes != warp->live;
    uint32_t mask = operand_word(core, warp, inst, expected, 0);
    return lanes != (expected->flags & ISA_INV ? ~mask : mask);
}

/* A branch on divergence takes all threads along, also those that its guard counts as missing: compiled code guards it
 * by the predicate of R2UR, true where a thread's mask is another than the first one's. So does a branch with .ANY. It
 * closes a loop over the different values that R2UR hands to a uniform register: threads whose value has had its turn
 * go round with the others, and their predicates keep them from doing anything. */
void exec_BRA(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t lanes = active & operand_predicate(warp, isa->pp) & operand_predicate(warp, isa->pq);
    if (isa->mod[ISA_MOD_NOT_TID0]) {
        exec_refuse(core, warp, inst, "a branch with .NOT_TID0");
        return;
    }
    unsigned kind = isa->mod[ISA_MOD_BRANCH_KIND];
    if (kind >= ISA_BRANCH_KIND_DIV && diverged(core, warp, inst, lanes) != (kind == ISA_BRANCH_KIND_DIV))
        return;
    if (kind == ISA_BRANCH_KIND_DIV || (isa->mod[ISA_MOD_FLAG] && lanes))
        lanes = warp_current(warp)->mask;
    if (!core->fault.code)
        jump(core, warp, inst, lanes, isa->target, out);
}

/* ---- addresses ------------------------------------------------------------------------------------------------- */

/* The target of absolute calls, jumps and returns: code that the kernel can reach, or something that is not here. */
static bool absolute_target(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                            uint64_t address, uint32_t *target)
{
    if (kernel_place(warp->cta->launch->kernel, address, target))
        return true;
    exec_fault_at(core, warp, inst, lane, address, EXEC_FAULT_PC,
                  "a jump to 0x%" PRIx64 ", where this module has no code", address);
    return false;
}

/* The immediate part of an absolute target. Since sm_90 its lowest byte is elsewhere. */
static uint64_t encoded_address(struct word128 word, unsigned sm)
{
    uint64_t words = word128_bits(word, 80, 34);
    return (sm < 90 ? words : words << 8 | word128_bits(word, 23, 16)) << 2;
}

static uint64_t register_address(struct exec_warp *warp, const struct isa_operand *o, unsigned lane)
{
    if (o->kind == ISA_UREG)
        return o->index == ISA_URZ ? 0 : warp->ureg[o->index] | (uint64_t)warp->ureg[o->index + 1] << 32;
    unsigned index = o->kind == ISA_REG ? o->index : ISA_RZ;
    return exec_row(warp, index)[lane] | (uint64_t)exec_row_word(warp, index, 1)[lane] << 32;
}

static void jump_to_addresses(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                              uint32_t lanes, struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t target[EXEC_LANES];
    uint64_t base = encoded_address(isa->word, warp->cta->launch->module->sm);
    if (isa->b.kind == ISA_CONST)
        base = operand_constant(core, warp, inst, isa->b.bank, isa->b.value, 8);
    for (uint32_t left = core->fault.code ? 0 : lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        if (!absolute_target(core, warp, inst, lane, base + register_address(warp, &isa->a, lane), &target[lane]))
            return;
    }
    if (!core->fault.code)
        jump_each(core, warp, inst, lanes, target, out);
}

/* Every thread's register pair counts from the encoded target. */
static void jump_from(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                      uint32_t origin, struct issued *out)
{
    uint32_t target[EXEC_LANES];
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        target[lane] = origin + (uint32_t)register_address(warp, &inst->isa.a, lane);
    }
    jump_each(core, warp, inst, lanes, target, out);
}

/* Kinds other than the plain branch and .U compare masks in a way that no compiled code shows. */
static bool kind_refused(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    const struct isa_inst *isa = &inst->isa;
    if (isa->mod[ISA_MOD_BRANCH_KIND] <= ISA_BRANCH_KIND_U && !isa->mod[ISA_MOD_FLAG])
        return false;
    exec_refuse(core, warp, inst, "an indirect branch of this kind");
    return true;
}

void exec_CALL(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t lanes = active & operand_predicate(warp, isa->pp);
    if (isa->mod[ISA_MOD_ABSOLUTE])
        jump_to_addresses(core, warp, inst, lanes, out);
    else
        jump_from(core, warp, inst, lanes, isa->target, out);
}

void exec_RET(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    exec_CALL(core, warp, inst, active, out);
}

void exec_BRX(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    if (!kind_refused(core, warp, inst))
        jump_from(core, warp, inst, active & operand_predicate(warp, isa->pp), isa->pc + 16 + isa->target, out);
}

void exec_BRXU(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    exec_BRX(core, warp, inst, active, out);
}

void exec_JMP(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t lanes = active & operand_predicate(warp, isa->pp) & operand_predicate(warp, isa->pq);
    if (!kind_refused(core, warp, inst))
        jump_to_addresses(core, warp, inst, lanes, out);
}

void exec_JMX(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    exec_JMP(core, warp, inst, active, out);
}

void exec_JMXU(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    exec_JMP(core, warp, inst, active, out);
}

/* The address of the instruction itself, or the place that it names. */
static uint64_t own_address(const struct exec_warp *warp, const struct isa_inst *isa)
{
    return kernel_address(warp->cta->launch->kernel, isa->mod[ISA_MOD_FLAG] ? isa->target : isa->pc);
}

void exec_LEPC(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)core;
    (void)out;
    uint64_t address = own_address(warp, &inst->isa);
    exec_fill(warp, inst->isa.d.index, active, (uint32_t)address);
    if (inst->isa.d.index != ISA_RZ)
        exec_fill(warp, inst->isa.d.index + 1u, active, (uint32_t)(address >> 32));
}

void exec_ULEPC(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    (void)core;
    (void)active;
    (void)out;
    uint64_t address = own_address(warp, &inst->isa);
    exec_fill_uniform(warp, inst->isa.d.index, (uint32_t)address);
    if (inst->isa.d.index != ISA_URZ)
        exec_fill_uniform(warp, inst->isa.d.index + 1u, (uint32_t)(address >> 32));
}

static uint32_t source_word(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                            const struct isa_operand *o, unsigned word, unsigned lane)
{
    return o->kind == ISA_REG ? exec_row_word(warp, o->index, word)[lane] : operand_word(core, warp, inst, o, word);
}

/* The register of 64 bits that each thread has for a program counter. Compiled code also keeps other values there for
 * a while. Unknown: whether calls write it. Here they do not. */
void exec_RPCMOV(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    const struct isa_operand *from = operand_only(isa);
    unsigned half = isa->mod[ISA_MOD_HI] != 0;
    (void)out;
    if (isa->d.kind == ISA_NONE && from->kind == ISA_NONE) {
        exec_refuse(core, warp, inst, "RPCMOV of an address");
        return;
    }
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        if (isa->d.kind == ISA_NONE) {
            warp->rpc[half][lane] = source_word(core, warp, inst, from, 0, lane);
            if (isa->mod[ISA_MOD_WIDE64])
                warp->rpc[1][lane] = source_word(core, warp, inst, from, 1, lane);
        } else if (isa->d.index != ISA_RZ) {
            warp->reg[isa->d.index][lane] = warp->rpc[half][lane];
        }
    }
}

/* ---- traps ----------------------------------------------------------------------------------------------------- */

void exec_BPT(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    (void)out;
    if (inst->isa.mod[ISA_MOD_MODE] != ISA_BPT_TRAP) {
        exec_refuse(core, warp, inst, "a breakpoint");
        return;
    }
    unsigned lane = lowest_bit32(active);
    struct exec_dim t = exec_thread(warp, lane);
    exec_fault(core, warp, inst, lane, EXEC_FAULT_TRAP,
               "thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") has executed a trap", t.x, t.y, t.z);
}
