#include "sm/code_parts.h"

#include <string.h>

#include "isa/matrix.h"
#include "isa/pascal.h"
#include "sm/execute/tensor.h"
#include "sm/execute/warpgroup_timing.h"
#include "sm/issue/control_bits.h"
#include "sm/memory/fence.h"
#include "sm/registers/rfc.h"
#include "sm/ways.def"

static bool is_wide(const struct isa_operand *operand) { return operand->kind == ISA_REG && operand->words == 2; }

static bool converts_wide(const struct isa_inst *inst)
{
    return is_wide(&inst->d) || is_wide(&inst->a) || is_wide(&inst->b);
}

/* A product of 64 bits, or its upper half. */
static bool multiplies_wide(const struct isa_inst *inst)
{
    bool product = isa_op_info(inst->op)->latency == ISA_LATENCY_PRODUCT;
    return product && (inst->mod[ISA_MOD_WIDE] || inst->mod[ISA_MOD_HI]);
}

static uint32_t alu_interval(const struct isa_inst *inst, const struct config_core *core)
{
    return core->alu_interval * (pascal_halves_rate((enum isa_op)inst->op) ? core->slow_alu : 1);
}

static uint32_t latency_of(const struct isa_inst *inst, enum isa_latency latency, const struct config *config)
{
    enum { WITHOUT_KEY = 2 };
    if (code_is_match_any(inst))
        return config->lsu.match_latency;
    switch (latency) {
#define X(id, section, key)                                                                                            \
    case ISA_LATENCY_##id: return config->section.key;
        ISA_LATENCY_KEYS(X)
#undef X
    default: return WITHOUT_KEY;
    }
}

static void set_timing(struct code *c, struct tensor_timing timing)
{
    c->interval = c->pipe_cycles = (uint16_t)timing.interval;
    c->latency = (uint16_t)timing.latency;
}

/* From the start in the shared unit, where operands are: the latency from issue to issue less the other steps of a
 * DFMA. A product of matrices takes its multiplications one warp's worth after the other. */
static void build_shared_fp64(struct code *c, const struct isa_inst *inst, const struct config_core *core)
{
    enum { DFMA_TRANSFER = 12, DFMA_RETURN = 4 };
    const struct isa_operand *sources[] = {&inst->a, &inst->b, &inst->c};
    uint32_t path = FP64_HAND_OVER + core->fp64_steps + DFMA_TRANSFER + DFMA_RETURN;
    uint32_t latency = core->fp64_latency > path ? core->fp64_latency - path : 1, times = 1;
    if (isa_op_info(inst->op)->way == ISA_WAY_FP64_MATRIX) {
        struct isa_matrix m = isa_matrix_of(inst);
        times = m.rows ? (uint32_t)m.rows * m.depth * ISA_MATRIX_COLUMNS / ISA_LANES : 1;
    }
    set_timing(c, (struct tensor_timing){core->fp64_interval * times, latency + core->fp64_interval * (times - 1)});
    c->pipe_cycles = (uint16_t)(c->interval * ISA_SUBCORES);
    /* 64 bytes a cycle: two cycles for a register of 32 lanes. One for an operand that is no register. */
    for (unsigned i = 0; i < sizeof sources / sizeof *sources; i++) {
        const struct isa_operand *s = sources[i];
        bool reg = s->kind == ISA_REG && s->index != ISA_RZ;
        c->transfer = (uint8_t)(c->transfer + (s->kind == ISA_NONE ? 0 : reg ? 2 * s->words : 1));
    }
}

static void build_products(struct code *c, const struct isa_inst *inst, const struct config_core *core)
{
    struct warpgroup_timing timing = warpgroup_timing(inst, core);
    c->interval = c->pipe_cycles = (uint16_t)timing.interval;
    c->transfer = (uint8_t)timing.port;
    c->latency = (uint16_t)timing.latency;
    c->warpgroup = inst->mod[ISA_MOD_GROUP] == ISA_GROUP_GSB0 ? CODE_LAST_PRODUCT : CODE_PRODUCT;
}

/* The engine counts the cycles of its pipe itself. */
static void build_engine(struct code *c, const struct isa_inst *inst, const struct config_tmem *tmem)
{
    struct isa_engine e = isa_engine_of(inst);
    c->transfer = (uint8_t)((unsigned)e.kind << CODE_ENGINE_KIND | (e.pair ? CODE_ENGINE_PAIR : 0) |
                            (e.a_shared ? CODE_ENGINE_A_SHARED : 0) | (e.stationary ? CODE_ENGINE_STATIONARY : 0) |
                            (e.scaled ? CODE_ENGINE_SCALED : 0));
    c->pipe_cycles = 0;
    if (e.kind == ISA_ENGINE_COPY)
        c->interval = (uint16_t)div_up32(e.bytes, tmem->copy_bytes);
    else if (e.kind == ISA_ENGINE_SHIFT)
        c->interval = (uint16_t)tmem->shift_latency;
}

/* The accumulators of a warpgroup's product are not read in a window, nor written through the result queue. */
static void take_operands_only(struct isa_regs *regs, const struct isa_inst *inst)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < regs->reads; i++)
        if (regs->read[i].first != inst->c.index || inst->c.kind != ISA_REG || regs->read[i].words != inst->c.words)
            regs->read[kept++] = regs->read[i];
    regs->reads = (uint8_t)kept;
    regs->writes = 0;
}

static void build_registers(struct code *c, const struct isa_inst *inst)
{
    struct isa_regs regs;
    isa_registers(inst, &regs);
    if (c->class == CLASS_WARPGROUP)
        take_operands_only(&regs, inst);
    if (regs.predicates_written)
        c->result_parts = 1;
    for (unsigned i = 0; i < regs.reads && c->reads < CODE_READS; i++) {
        bool cached = regs.read[i].position < RFC_POSITIONS;
        c->read[c->reads++] =
            (struct code_read){regs.read[i].first, regs.read[i].words, cached ? regs.read[i].position : RFC_POSITIONS,
                               cached && regs.read[i].reuse};
    }
    if (inst->d.kind == ISA_UREG) {
        c->flags |= CODE_UNIFORM_RESULT;
        c->result_parts = 1;
    }
    if (regs.writes) {
        c->write_first = regs.write[0].first;
        c->write_words = regs.write[0].words;
    }
}

static void build_constant(struct code *c, const struct isa_inst *inst)
{
    const struct isa_operand *operands[] = {&inst->a, &inst->b, &inst->c};
    for (unsigned i = 0; i < 3; i++) {
        if (operands[i]->kind == ISA_CONST) {
            c->flags |= CODE_CONSTANT;
            c->constant_bank = operands[i]->bank;
            c->constant_offset = operands[i]->value & 0xffff;
        }
    }
}

/* Fills the fields that follow from the way of its opcode: class, pipe and times. */
static void build_way(struct code *c, const struct isa_inst *inst, const struct isa_op_info *info,
                      const struct config *config)
{
    const struct config_core *core = &config->core;
    const struct config_lsu *lsu = &config->lsu;
    switch (info->way) {
#define X(way, unit, cycles)                                                                                           \
    case ISA_WAY_##way:                                                                                                \
        c->class = (uint8_t)(unit);                                                                                    \
        c->interval = (uint16_t)(cycles);                                                                              \
        break;
        WAYS(X)
#undef X
    case ISA_WAY_COUNT: break;
    }
    c->pipe_cycles = c->interval;
    c->latency = (uint16_t)latency_of(inst, info->latency, config);
    c->pipe = (uint8_t)(c->class == CLASS_FP64                                ? ISA_PIPE_FP64
                        : info->way == ISA_WAY_REDUX && c->class == CLASS_ADU ? ISA_PIPE_ADU
                                                                              : info->pipe);
    if (c->class == CLASS_FP64 && core->fp64_shared)
        build_shared_fp64(c, inst, core);
    else if (info->way == ISA_WAY_WARPGROUP)
        build_products(c, inst, core);
    else if (info->way == ISA_WAY_TENSOR_ENGINE)
        build_engine(c, inst, &config->tmem);
    else if (info->way == ISA_WAY_TENSOR || info->way == ISA_WAY_FP64_MATRIX)
        set_timing(c, tensor_timing(inst, core));
}

static void build_flags(struct code *c, const struct isa_inst *inst, const struct isa_op_info *info)
{
    c->flags |= info->flags & (ISA_BRANCH | ISA_EXIT) ? CODE_BRANCH : 0;
    c->flags |= info->latency == ISA_LATENCY_COPY_GROUP ? CODE_ASYNC_GROUP : 0;
    if (info->flags & ISA_MEMBAR) {
        c->flags |= CODE_MEMBAR;
        c->fence = (uint8_t)fence_scope_of(inst->mod[ISA_MOD_SCOPE]);
    }
    if (info->flags & ISA_DEPBAR) {
        c->flags |= CODE_DEPBAR;
        c->depbar_sb = inst->mod[ISA_MOD_COUNTER];
        c->depbar_max = inst->mod[ISA_MOD_COUNT];
        c->depbar_list = inst->mod[ISA_MOD_COUNTERS];
    }
    if (isa_is_warpgroup_wait(inst)) {
        c->warpgroup = CODE_PRODUCT_WAIT;
        c->depbar_max = inst->mod[ISA_MOD_COUNT];
    }
    /* The configuration published with the paper has the bubble for IMAD.WIDE; of IMUL.WIDE.XOR of sm_100, which goes
     * the same way, nothing is known. */
    if (inst->op == ISA_OP_IMAD && inst->mod[ISA_MOD_WIDE])
        c->flags |= CODE_WIDE_IMAD;
}

/* Pascal: the next instruction issues in the same cycle. */
static bool pairs(const struct isa_inst *inst, const struct config_core *core)
{
    return core->issue_width > 1 && inst->encoding >= PASCAL_ENCODING && inst->control.stall == 0;
}

void code_build(struct code *out, const struct isa_inst *inst, const struct config *config)
{
    memset(out, 0, sizeof *out);
    out->op = inst->op;
    out->write_sb = out->read_sb = ISA_NO_SB;
    out->stall = pairs(inst, &config->core) ? 0 : control_bits_stall(inst->control, &config->core);
    if (inst->op == ISA_INVALID) {
        out->interval = out->pipe_cycles = 1;
        out->latency = 2;
        code_derive(out, &config->core);
        return;
    }
    const struct isa_op_info *info = isa_op_info(inst->op);
    out->wait = inst->control.wait;
    out->write_sb = inst->control.write_sb;
    out->read_sb = inst->control.read_sb;
    build_way(out, inst, info, config);
    build_flags(out, inst, info);
    if (out->flags & CODE_WIDE_IMAD)
        out->stall = (uint8_t)(out->stall + config->core.wide_imad_hold);
    build_registers(out, inst);
    if (info->space != ISA_SPACE_CONSTANT)
        build_constant(out, inst);
    code_build_memory(out, inst, info);
    code_derive(out, &config->core);
}
