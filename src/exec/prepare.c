/* Facts about an instruction that each of its steps needs, found once. */
#include "exec/executors.h"
#include "exec/module.h"
#include "isa/matrix.h"

/* Loads that must not see an old value: strong at GPU or system scope, and MMIO. */
static bool strong_load(const struct isa_inst *isa)
{
    if (isa->op != ISA_OP_LDG && isa->op != ISA_OP_LD && isa->op != ISA_OP_LDG_256)
        return false;
    switch (isa->mod[ISA_MOD_ORDER]) {
    case ISA_ORDER_STRONG_GPU_PRIVATE:
    case ISA_ORDER_STRONG_GPU:
    case ISA_ORDER_MMIO_GPU:
    case ISA_ORDER_STRONG_SYS:
    case ISA_ORDER_MMIO_SYS: return true;
    default: return isa->mod[ISA_MOD_ORDER] >= ISA_ORDER_STRONG_SYS_PRIVATE; /* those that only sm_75 has */
    }
}

/* Nothing but the operation itself, in the rounding that is written without a modifier. */
static bool plain_float(const struct isa_inst *isa)
{
    if ((isa->mod[ISA_MOD_ROUND] & 3) || isa->mod[ISA_MOD_FMZ] || isa->mod[ISA_MOD_FTZ] || isa->mod[ISA_MOD_SAT])
        return false;
    return isa->op == ISA_OP_FFMA || isa->op == ISA_OP_FADD ||
           (isa->op == ISA_OP_FMUL && isa->mod[ISA_MOD_SCALE] == ISA_SCALE_NONE);
}

/* Arithmetic of the lanes: executors that do not write to struct issued. */
static bool computes(const struct isa_op_info *info)
{
    switch (info->way) {
    case ISA_WAY_ALU:
    case ISA_WAY_ALU_EITHER:
    case ISA_WAY_FMA:
    case ISA_WAY_FMA_PAIR:
    case ISA_WAY_FMAHEAVY:
    case ISA_WAY_FP16:
    case ISA_WAY_FP64:
    case ISA_WAY_FP64_HALF:
    case ISA_WAY_FP64_MATRIX:
    case ISA_WAY_XU:
    case ISA_WAY_CONVERSION:
    case ISA_WAY_TENSOR: return info->memory == ISA_MEM_NONE && !info->flags;
    default: return false;
    }
}

static bool shares(const struct isa_op_info *info)
{
    bool accesses = info->memory != ISA_MEM_NONE && info->memory != ISA_MEM_SHUFFLE;
    return accesses && info->space != ISA_SPACE_LOCAL && info->space != ISA_SPACE_CONSTANT;
}

/* A load is in flight while other warps execute their own few accesses, one to device memory much longer. */
static uint8_t load_turns(const struct isa_op_info *info)
{
    enum { SHARED_TURNS = 4, GLOBAL_TURNS = 32 };
    if (info->memory != ISA_MEM_LOAD && info->memory != ISA_MEM_ATOMIC)
        return 0;
    switch (info->space) {
    case ISA_SPACE_SHARED: return SHARED_TURNS;
    case ISA_SPACE_GLOBAL:
    case ISA_SPACE_GENERIC: return GLOBAL_TURNS;
    default: return 0;
    }
}

void exec_inst_prepare(struct exec_inst *inst)
{
    const struct isa_inst *isa = &inst->isa;
    const struct isa_op_info *info = isa_op_info((enum isa_op)isa->op);
    inst->run = exec_function((enum isa_op)isa->op);
    inst->guard = isa->guard.index & 7;
    inst->guard_flip = isa->guard.inverted ? UINT32_MAX : 0;
    inst->guard_uniform = isa->guard.uniform;
    inst->at_slice = strong_load(isa);
    inst->plain = plain_float(isa);
    inst->waits = isa->control.wait != 0;
    inst->shares = shares(info);
    inst->turns = load_turns(info);
    inst->computes = computes(info);
    inst->joins = isa_is_warpgroup_wait(isa);
}

enum exec_order exec_kernel_order(const struct exec_kernel *kernel)
{
    enum exec_order order = EXEC_APART;
    for (uint32_t i = 0; i < kernel->count; i++) {
        const struct exec_inst *inst = &kernel->code[i];
        const struct isa_op_info *info = isa_op_info((enum isa_op)inst->isa.op);
        bool global = info->space == ISA_SPACE_GLOBAL || info->space == ISA_SPACE_GENERIC;
        if (inst->isa.op == ISA_OP_UGETNEXTWORKID || (global && inst->at_slice))
            return EXEC_WAITING;
        if (global && info->memory == ISA_MEM_ATOMIC)
            order = EXEC_ORDERED;
    }
    return order;
}
