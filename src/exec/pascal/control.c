/* Branches, calls and the end of threads on Pascal. */
#include "base/bits.h"
#include "exec/code/kernel.h"
#include "exec/cta.h"
#include "exec/executors.h"
#include "exec/launch.h"
#include "exec/pascal/stack.h"
#include "exec/warp.h"
#include "isa/pascal.h"

/* The lanes whose condition code meets the instruction's test. */
static uint32_t tested(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    unsigned test = inst->isa.mod[ISA_MOD_TEST];
    bool known;
    if (test == PASCAL_TEST_TRUE)
        return active;
    uint32_t lanes = condition_test(warp, test, &known);
    if (!known)
        exec_refuse(core, warp, inst, "this test of the condition code");
    return known ? active & lanes : 0;
}

/* A condition may send no lane. */
static void branch_to(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                      uint32_t pc, struct issued *out)
{
    if (lanes)
        stack_jump(core, warp, inst, lanes, pc, out);
}

void exec_BRA_60(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    branch_to(core, warp, inst, tested(core, warp, inst, active), inst->isa.target, out);
}

/* The register is an offset in bytes of the section's addresses, from the next instruction. */
void exec_BRX_60(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    uint32_t lanes = tested(core, warp, inst, active), target[EXEC_LANES];
    uint32_t next = pascal_address(inst->isa.pc) + 8 + (uint32_t)inst->isa.offset;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        target[lane] = pascal_pc(next + exec_operand(core, warp, inst, &inst->isa.a, lane));
    }
    if (lanes)
        stack_branch(core, warp, inst, lanes, target, out);
}

/* Addresses of code have 32 bits: the lower words of those that relocations write (exec/module.h), where sections begin
 * from 1 << EXEC_SECTION_SHIFT on and functions of the driver are below. */
static bool place(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t address,
                  uint32_t *pc)
{
    uint64_t base = address >> EXEC_SECTION_SHIFT ? EXEC_CODE_WINDOW : EXEC_EXTERN_WINDOW;
    if (kernel_place(warp->cta->launch->kernel, base + address, pc))
        return true;
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_PC,
                  "a jump to 0x%x, where this module has no code", address);
    return false;
}

void exec_JMX_60(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    uint32_t lanes = tested(core, warp, inst, active), target[EXEC_LANES];
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint32_t address = exec_operand(core, warp, inst, &inst->isa.a, lane) + (uint32_t)inst->isa.offset;
        if (!place(core, warp, inst, address, &target[lane]))
            return;
    }
    if (lanes)
        stack_branch(core, warp, inst, lanes, target, out);
}

void exec_CAL(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    stack_push(core, warp, inst, SIMT_CALL, inst->isa.pc + 16, active);
    if (!core->fault.code)
        branch_to(core, warp, inst, active, inst->isa.target, out);
}

void exec_JCAL(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    uint32_t pc;
    if (!place(core, warp, inst, (uint32_t)inst->isa.offset, &pc))
        return;
    stack_push(core, warp, inst, SIMT_CALL, inst->isa.pc + 16, active);
    if (!core->fault.code)
        branch_to(core, warp, inst, active, pc, out);
}

#define PUSH(id, kind)                                                                                                 \
    void exec_##id(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,      \
                   struct issued *out)                                                                                 \
    {                                                                                                                  \
        (void)out;                                                                                                     \
        stack_push(core, warp, inst, kind, inst->isa.target, active);                                                  \
    }

PUSH(SSY, SIMT_SYNC)
PUSH(PBK, SIMT_BREAK)
PUSH(PCNT, SIMT_CONTINUE)
PUSH(PRET, SIMT_CALL)

#define LEAVE(id, kind)                                                                                                \
    void exec_##id(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,      \
                   struct issued *out)                                                                                 \
    {                                                                                                                  \
        uint32_t lanes = tested(core, warp, inst, active);                                                             \
        if (lanes)                                                                                                     \
            stack_leave(core, warp, inst, kind, lanes, out);                                                           \
    }

LEAVE(SYNC, SIMT_SYNC)
LEAVE(BRK, SIMT_BREAK)
LEAVE(CONT, SIMT_CONTINUE)
LEAVE(RET_60, SIMT_CALL)

void exec_EXIT_60(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    uint32_t lanes = tested(core, warp, inst, active);
    if (!lanes)
        return;
    warp->live &= ~lanes;
    warp->backward_branches = 0;
    if (warp->live) {
        stack_leave(core, warp, inst, SIMT_SYNC, lanes, out);
        return;
    }
    warp->paths = 0;
    out->flow = ISSUED_EXITED;
}
