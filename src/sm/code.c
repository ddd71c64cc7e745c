#include "sm/code.h"

#include <string.h>

#include "sm/fence.h"

#include "sm/control_bits.h"

static enum issue_class class_of(const struct isa_op_info *info)
{
    switch (info->pipe) {
    case ISA_PIPE_ALU: return CLASS_ALU;
    case ISA_PIPE_FMA: return CLASS_FMA;
    case ISA_PIPE_FMAHEAVY: return CLASS_FMAHEAVY;
    case ISA_PIPE_FP16: return CLASS_FP16;
    case ISA_PIPE_FP64: return CLASS_FP64;
    case ISA_PIPE_XU: return CLASS_XU;
    case ISA_PIPE_TENSOR: return CLASS_TENSOR;
    case ISA_PIPE_UNIFORM: return CLASS_UNIFORM;
    case ISA_PIPE_CBU: return CLASS_CBU;
    case ISA_PIPE_ADU: return CLASS_ADU;
    case ISA_PIPE_LSU:
        return info->space == ISA_SPACE_GLOBAL || info->space == ISA_SPACE_LOCAL || info->space == ISA_SPACE_GENERIC
                   ? CLASS_LG
                   : CLASS_MIO;
    case ISA_PIPE_TEX: return CLASS_MIO;
    case ISA_PIPE_FE:
    case ISA_PIPE_COUNT: break;
    }
    return CLASS_FE;
}

/* mma: k of m16n8k8 takes half as long as k of m16n8k16, TF32 twice as long as FP16. The configuration gives m16n8k16
 * for 16-bit operands and m16n8k8 for TF32; A of that shape has 4 registers, of half its k 2. */
static void tensor_timing(struct code *c, const struct isa_inst *inst, const struct config_core *core)
{
    bool tf32 = inst->mod[ISA_MOD_MMA_TYPE] > 1; /* 0 F16, 1 BF16, 2 TF32 */
    bool f32 = inst->mod[ISA_MOD_MMA_ACC] != 0 || tf32;
    uint32_t interval = tf32 ? core->tensor_tf32_interval : f32 ? core->tensor_f32_interval : core->tensor_f16_interval;
    uint32_t latency = tf32 ? core->tensor_tf32_latency : f32 ? core->tensor_f32_latency : core->tensor_f16_latency;
    if (inst->a.words == 2) {
        latency -= interval / 2;
        interval = (interval + 1) / 2;
    }
    c->interval = (uint8_t)interval;
    c->latency = (uint8_t)latency;
}

static uint32_t interval_of(enum isa_pipe pipe, const struct config *config)
{
    const struct config_core *core = &config->core;
    switch (pipe) {
    case ISA_PIPE_ALU: return core->alu_interval;
    case ISA_PIPE_FMA:
    case ISA_PIPE_FMAHEAVY: return core->fma_interval;
    case ISA_PIPE_FP16: return core->half_interval;
    case ISA_PIPE_FP64: return core->fp64_interval;
    case ISA_PIPE_XU: return core->xu_interval;
    case ISA_PIPE_UNIFORM: return core->uniform_interval;
    case ISA_PIPE_CBU: return core->branch_interval;
    case ISA_PIPE_TENSOR: return core->tensor_f16_interval;
    case ISA_PIPE_ADU: return 2; /* half a warp a cycle; assumed, see docs/model-status.md */
    case ISA_PIPE_FE:
    case ISA_PIPE_LSU:
    case ISA_PIPE_TEX:
    case ISA_PIPE_COUNT: break;
    }
    return 1;
}

static uint32_t latency_of(enum isa_latency latency, const struct config *config)
{
    const struct config_core *core = &config->core;
    switch (latency) {
    case ISA_LATENCY_ALU:
    case ISA_LATENCY_PREDICATE: return core->alu_latency;
    case ISA_LATENCY_FMA: return core->fma_latency;
    case ISA_LATENCY_HALF: return core->half_latency;
    case ISA_LATENCY_UNIFORM: return core->uniform_latency;
    case ISA_LATENCY_FP64: return core->fp64_latency;
    case ISA_LATENCY_TENSOR: return core->tensor_f32_latency;
    case ISA_LATENCY_XU: return core->xu_latency;
    case ISA_LATENCY_SPECIAL: return core->s2r_latency;
    case ISA_LATENCY_CROSS_LANE: return core->warp_misc_latency;
    case ISA_LATENCY_SHUFFLE: return config->lsu.shuffle_latency;
    case ISA_LATENCY_NONE:
    case ISA_LATENCY_BRANCH:
    case ISA_LATENCY_MEMORY:
    case ISA_LATENCY_COUNT: break;
    }
    return 2;
}

static void build_registers(struct code *c, const struct isa_inst *inst)
{
    struct isa_regs regs;
    isa_registers(inst, &regs);
    for (unsigned i = 0; i < regs.reads && c->reads < CODE_READS; i++)
        c->read[c->reads++] =
            (struct code_read){regs.read[i].first, regs.read[i].words, regs.read[i].position, regs.read[i].reuse};
    if (regs.writes) {
        c->write_first = regs.write[0].first;
        c->write_words = regs.write[0].words;
    }
}

static void build_constant(struct code *c, const struct isa_inst *inst)
{
    const struct isa_operand *operands[] = {&inst->a, &inst->b, &inst->c};
    for (unsigned i = 0; i < 3; i++) {
        if (operands[i]->kind == ISA_CONST && inst->op != ISA_OP_LDC) {
            c->flags |= CODE_CONSTANT;
            c->constant_bank = operands[i]->bank;
            c->constant_offset = operands[i]->value & 0xffff;
        }
    }
}

static void build_memory(struct code *c, const struct isa_inst *inst, const struct isa_op_info *info)
{
    static const uint8_t words[8] = {1, 1, 1, 1, 1, 2, 4, 4}; /* by SIZE */
    c->memory = (uint8_t)info->memory;
    c->space = (uint8_t)info->space;
    c->data_words = words[inst->mod[ISA_MOD_SIZE] & 7];
    if (inst->op == ISA_OP_LDSM || inst->op == ISA_OP_STSM) {
        c->matrices = inst->op == ISA_OP_LDSM ? inst->d.words : inst->b.words;
        c->data_words = c->matrices;
    } else if (inst->op == ISA_OP_LDG_256 || inst->op == ISA_OP_STG_256) {
        c->data_words = 8;
    } else if (info->memory == ISA_MEM_ATOMIC || info->memory == ISA_MEM_REDUCTION) {
        c->data_words = inst->d.kind == ISA_REG && inst->d.words ? inst->d.words : inst->b.words ? inst->b.words : 1;
    }
    if (inst->a.kind == ISA_REG && inst->a.index != ISA_RZ)
        c->flags |= CODE_VECTOR_ADDRESS;
    enum { STRONG_SM = 5, CAS = 16 };
    bool load = info->memory == ISA_MEM_LOAD && (info->space == ISA_SPACE_GLOBAL || info->space == ISA_SPACE_GENERIC);
    if (load && inst->mod[ISA_MOD_ORDER] == STRONG_SM)
        c->flags |= CODE_IN_ORDER;
    if (inst->op == ISA_OP_ATOMS && inst->mod[ISA_MOD_FUNCTION] >= CAS)
        c->flags |= CODE_COMPARE;
}

/* S2R, MATCH, QSPC and CCTL go through the memory queue as shuffles do (artifact of the MICRO 2025 paper, choice of
 * units), and the shared part takes one every so often. */
static void build_queued(struct code *c, const struct isa_inst *inst, const struct config *config)
{
    enum { IVALL = 4, IVALLP = 6 };
    unsigned function = inst->mod[ISA_MOD_FUNCTION];
    switch (inst->op) {
    case ISA_OP_SHFL: c->interval = (uint8_t)config->lsu.shuffle_interval; break;
    case ISA_OP_S2R:
    case ISA_OP_MATCH:
    case ISA_OP_QSPC: c->interval = (uint8_t)config->lsu.misc_interval; break;
    case ISA_OP_CCTL:
        c->interval = (uint8_t)config->lsu.misc_interval;
        if (inst->mod[ISA_MOD_MODE] == 0 && (function == IVALL || function == IVALLP)) /* of the data cache */
            c->flags |= CODE_INVALIDATE;
        break;
    default: return;
    }
    c->flags &= (uint16_t)~CODE_FIXED;
    c->class = CLASS_MIO;
    c->memory = ISA_MEM_SHUFFLE;
}

void code_build(struct code *out, const struct isa_inst *inst, const struct config *config)
{
    memset(out, 0, sizeof *out);
    out->op = inst->op;
    out->write_sb = out->read_sb = ISA_NO_SB;
    out->stall = control_bits_stall(inst->control, &config->core);
    if (inst->op == ISA_INVALID) {
        out->flags = CODE_FIXED;
        out->interval = 1;
        out->latency = 2;
        return;
    }
    const struct isa_op_info *info = isa_op_info(inst->op);
    out->wait = inst->control.wait;
    out->write_sb = inst->control.write_sb;
    out->read_sb = inst->control.read_sb;
    out->class = (uint8_t)class_of(info);
    out->pipe = (uint8_t)info->pipe;
    out->interval = (uint8_t)interval_of(info->pipe, config);
    out->latency = (uint8_t)latency_of(info->latency, config);
    /* Where the SM shares its FP64 unit the compiler covers FP64 with dependence counters. */
    bool counted = inst->control.write_sb != ISA_NO_SB || inst->control.read_sb != ISA_NO_SB;
    if (isa_latency_fixed(info->latency) && !(counted && inst->op != ISA_OP_LDGDEPBAR))
        out->flags |= CODE_FIXED;
    out->flags |= info->flags & (ISA_BRANCH | ISA_EXIT) ? CODE_BRANCH : 0;
    out->flags |= info->flags & ISA_MEMBAR ? CODE_MEMBAR : 0;
    if (info->flags & ISA_MEMBAR)
        out->fence = (uint8_t)fence_scope_of(inst->mod[ISA_MOD_SCOPE]);
    if (info->flags & ISA_DEPBAR) {
        out->flags |= CODE_DEPBAR;
        out->depbar_sb = inst->mod[ISA_MOD_COUNTER];
        out->depbar_max = inst->mod[ISA_MOD_COUNT];
        out->wait |= inst->mod[ISA_MOD_COUNTERS];
    }
    if (inst->op == ISA_OP_LDGDEPBAR)
        out->flags |= CODE_ASYNC_GROUP;
    if (inst->op == ISA_OP_IMAD && inst->mod[ISA_MOD_WIDE])
        out->flags |= CODE_WIDE_IMAD;
    if (info->pipe == ISA_PIPE_TENSOR)
        tensor_timing(out, inst, &config->core);
    build_registers(out, inst);
    build_constant(out, inst);
    if (info->memory != ISA_MEM_NONE)
        build_memory(out, inst, info);
    build_queued(out, inst, config);
}
