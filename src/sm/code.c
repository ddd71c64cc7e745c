#include "sm/code.h"

#include <string.h>

#include "isa/matrix.h"
#include "sm/execute/rfc.h"
#include "sm/execute/tensor.h"
#include "sm/execute/units.h"
#include "sm/issue/control_bits.h"
#include "sm/memory/cache_policy.h"
#include "sm/memory/fence.h"

/* Where integer lanes are in both groups: additions, comparisons, minima and maxima have twice the rate of the other
 * integer instructions (CUDA C++ Programming Guide, sm_120). */
static enum issue_class integer_class(enum isa_op op)
{
    switch (op) {
    case ISA_OP_IADD3:
    case ISA_OP_IADD:
    case ISA_OP_ISETP:
    case ISA_OP_IMNMX:
    case ISA_OP_VIMNMX:
    case ISA_OP_VIMNMX3:
    case ISA_OP_FSETP:
    case ISA_OP_FMNMX: return CLASS_ALU_EITHER;
    default: return CLASS_ALU;
    }
}

static bool is_wide(const struct isa_operand *operand) { return operand->kind == ISA_REG && operand->words == 2; }

/* Conversions from and to 64 bits are done by the FP64 unit where sub-cores share it (CUDA C++ Programming Guide: 2
 * results a cycle and SM, as FP64; elsewhere 16). */
static enum issue_class conversion_class(const struct isa_inst *inst, const struct config_core *core)
{
    bool conversion =
        inst->op == ISA_OP_F2F || inst->op == ISA_OP_F2I || inst->op == ISA_OP_I2F || inst->op == ISA_OP_FRND;
    bool wide = is_wide(&inst->d) || is_wide(&inst->a) || is_wide(&inst->b);
    return conversion && wide && core->fp64_shared ? CLASS_FP64 : CLASS_XU;
}

static enum issue_class class_of(const struct isa_inst *inst, const struct isa_op_info *info,
                                 const struct config_core *core)
{
    switch (info->pipe) {
    case ISA_PIPE_ALU: return integer_class((enum isa_op)inst->op);
    case ISA_PIPE_FMA: return CLASS_FMA;
    case ISA_PIPE_FMAHEAVY: return CLASS_FMAHEAVY;
    case ISA_PIPE_FP16: return CLASS_FP16;
    case ISA_PIPE_FP64:
        /* Its result has a fixed latency everywhere: it cannot go where sub-cores share a unit. */
        return inst->op == ISA_OP_HFMA2_MMA && core->fp64_shared ? CLASS_FP16 : CLASS_FP64;
    case ISA_PIPE_XU: return conversion_class(inst, core);
    case ISA_PIPE_TENSOR: return CLASS_TENSOR;
    case ISA_PIPE_UNIFORM:
        if (inst->op == ISA_OP_REDUX && core->redux_interval > 0)
            return CLASS_ADU;
        /* Of variable latency, unlike ULDC before it. Its way is not known. */
        return inst->op == ISA_OP_LDCU ? CLASS_ADU : CLASS_UNIFORM;
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

static uint32_t interval_of(enum issue_class class, const struct config_core *core)
{
    switch (class) {
    case CLASS_ALU:
    case CLASS_ALU_EITHER: return core->alu_interval;
    case CLASS_FMA:
    case CLASS_FMAHEAVY: return core->fma_interval;
    case CLASS_FP16: return core->half_interval;
    case CLASS_FP64: return core->fp64_interval;
    case CLASS_XU: return core->xu_interval;
    case CLASS_UNIFORM: return core->uniform_interval;
    case CLASS_CBU: return core->branch_interval;
    case CLASS_ADU: return core->adu_interval;
    default: break;
    }
    return 1;
}

static bool is_match_any(const struct isa_inst *inst)
{
    enum { ANY = 1 }; /* of the values of MODE for MATCH; 0: ALL */
    return inst->op == ISA_OP_MATCH && inst->mod[ISA_MOD_MODE] == ANY;
}

static uint32_t latency_of(const struct isa_inst *inst, enum isa_latency latency, const struct config *config)
{
    enum { WITHOUT_KEY = 2 };
    if (is_match_any(inst))
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

/* From the start in the shared unit, where operands are: what the other steps of a DFMA leave of the latency that is
 * measured from issue to issue. A product of matrices takes its multiplications one warp's worth after the other. */
static void build_shared_fp64(struct code *c, const struct isa_inst *inst, const struct config_core *core)
{
    enum { DFMA_TRANSFER = 12, DFMA_RETURN = 4 };
    const struct isa_operand *sources[] = {&inst->a, &inst->b, &inst->c};
    uint32_t path = FP64_HAND_OVER + core->fp64_steps + DFMA_TRANSFER + DFMA_RETURN;
    uint32_t latency = core->fp64_latency > path ? core->fp64_latency - path : 1, times = 1;
    if (inst->op == ISA_OP_DMMA) {
        struct isa_matrix m = isa_matrix_of(inst);
        times = m.rows ? (uint32_t)m.rows * m.depth * ISA_MATRIX_COLUMNS / ISA_LANES : 1;
    }
    set_timing(c, (struct tensor_timing){core->fp64_interval * times, latency + core->fp64_interval * (times - 1)});
    c->pipe_cycles = (uint16_t)(c->interval * ISA_SUBCORES);
    /* 64 bytes a cycle: two cycles for a register of 32 lanes; one for an operand that is no register. */
    for (unsigned i = 0; i < sizeof sources / sizeof *sources; i++) {
        const struct isa_operand *s = sources[i];
        bool reg = s->kind == ISA_REG && s->index != ISA_RZ;
        c->transfer = (uint8_t)(c->transfer + (s->kind == ISA_NONE ? 0 : reg ? 2 * s->words : 1));
    }
}

static void build_registers(struct code *c, const struct isa_inst *inst)
{
    struct isa_regs regs;
    isa_registers(inst, &regs);
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
        if (operands[i]->kind == ISA_CONST && inst->op != ISA_OP_LDC) {
            c->flags |= CODE_CONSTANT;
            c->constant_bank = operands[i]->bank;
            c->constant_offset = operands[i]->value & 0xffff;
        }
    }
}

/* Loads marked STRONG.SM; compilers for sm_75 write STRONG.CTA instead. */
static bool is_in_order(const struct isa_inst *inst, const struct isa_op_info *info)
{
    enum { STRONG_SM = 5, STRONG_CTA = 27 }; /* values of ORDER in isa/enums.def */
    unsigned order = inst->mod[ISA_MOD_ORDER];
    bool load = info->memory == ISA_MEM_LOAD && (info->space == ISA_SPACE_GLOBAL || info->space == ISA_SPACE_GENERIC);
    return load && (order == STRONG_SM || order == STRONG_CTA);
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
    enum { CAS = 16, CAST_SPIN = 17, POPC_INC = 18 }; /* of FUNCTION in isa/enums.def */
    unsigned function = inst->op == ISA_OP_ATOMS ? inst->mod[ISA_MOD_FUNCTION] : 0u;
    if (is_in_order(inst, info))
        c->flags |= CODE_IN_ORDER;
    struct cache_hint hint = cache_hint_of(inst);
    c->keep = (uint8_t)hint.keep;
    c->policy = (uint8_t)hint.policy;
    c->fetch = hint.fetch;
    if (inst->has_descriptor && (info->space == ISA_SPACE_GLOBAL || info->space == ISA_SPACE_GENERIC))
        c->flags |= CODE_CACHE_POLICY;
    if (inst->op == ISA_OP_LDGSTS && inst->mod[ISA_MOD_BYPASS] == 0)
        c->flags |= CODE_BYPASS;
    if (function == CAS || function == CAST_SPIN)
        c->flags |= CODE_COMPARE;
    if (function == POPC_INC)
        c->flags |= CODE_COUNTS;
}

/* S2R, MATCH, QSPC and CCTL go through the memory queue as shuffles do (artifact of the MICRO 2025 paper, choice of
 * units), and the shared part takes one every so often. */
static void build_queued(struct code *c, const struct isa_inst *inst, const struct config *config)
{
    enum { IVALL = 4, IVALLP = 6 };
    unsigned function = inst->mod[ISA_MOD_FUNCTION];
    switch (inst->op) {
    case ISA_OP_SHFL: c->interval = (uint16_t)config->lsu.shuffle_interval; break;
    case ISA_OP_S2R:
    case ISA_OP_MATCH:
    case ISA_OP_QSPC:
        c->interval = (uint16_t)(is_match_any(inst) ? config->lsu.match_interval : config->lsu.misc_interval);
        break;
    case ISA_OP_CCTL:
        c->interval = (uint16_t)config->lsu.misc_interval;
        if (inst->mod[ISA_MOD_MODE] == 0 && (function == IVALL || function == IVALLP)) /* of the data cache */
            c->flags |= CODE_INVALIDATE;
        break;
    default: return;
    }
    c->pipe_cycles = c->interval;
    c->class = CLASS_MIO;
    c->memory = ISA_MEM_SHUFFLE;
}

/* A tensor instruction whose operands are fragments of four registers reads in a window of twice the length (code
 * published with the MICRO 2025 paper). */
static uint8_t window_of(const struct code *code, const struct config_core *core)
{
    uint32_t window = core->read_window;
    for (unsigned i = 0; i < code->reads; i++)
        if (code->class == CLASS_TENSOR && code->read[i].words >= 4)
            window = 2 * core->read_window;
    return (uint8_t)window;
}

/* Several operands that name the same register share a read. */
static void count_reads(struct code *code)
{
    uint64_t seen[4] = {0};
    unsigned words = 0;
    code->queued_reads[0] = code->queued_reads[1] = 0;
    for (unsigned i = 0; i < code->reads; i++) {
        for (unsigned w = 0; w < code->read[i].words; w++) {
            unsigned reg = (code->read[i].first + w) % 256u;
            code->queued_reads[reg % 2] = (uint8_t)(code->queued_reads[reg % 2] + !(seen[reg / 64] >> reg % 64 & 1));
            seen[reg / 64] |= UINT64_C(1) << reg % 64;
            words++;
        }
    }
    code->plain_reads = words == code->reads && words == (unsigned)code->queued_reads[0] + code->queued_reads[1];
}

void code_derive(struct code *code, const struct config_core *core)
{
    /* The queue of results is planned so far ahead; what takes longer, such as a 4-bit matrix product that is emulated,
     * comes so seldom that it finds a place. */
    enum { LONGEST_IN_QUEUE = 192 };
    bool queued = class_is_queued((enum issue_class)code->class, core);
    code->flags &= (uint16_t) ~(CODE_FIXED | CODE_QUEUED);
    if (code->memory == ISA_MEM_NONE)
        code->flags |= queued ? CODE_QUEUED : CODE_FIXED;
    code->window = window_of(code, core);
    count_reads(code);
    code->result_latency = code->latency;
    if (code->latency > LONGEST_IN_QUEUE) {
        code->result_parts = 0;
    } else if (code->write_words) { /* a register in each bank, then what is left */
        code->result_parts = (uint8_t)((code->write_words + 1) / 2);
        code->result_banks = (uint8_t)(code->write_words % 2 ? 1u << code->write_first % 2 : 3u);
    } else if (code->result_parts && !(code->flags & CODE_UNIFORM_RESULT)) {
        code->result_latency = (uint16_t)core->predicate_latency;
    }
}

static void build_timing(struct code *c, const struct isa_inst *inst, const struct isa_op_info *info,
                         const struct config *config)
{
    c->interval = c->pipe_cycles = (uint16_t)interval_of((enum issue_class)c->class, &config->core);
    c->latency = (uint16_t)latency_of(inst, info->latency, config);
    if (c->class == CLASS_FP64 && config->core.fp64_shared)
        build_shared_fp64(c, inst, &config->core);
    else if (c->class == CLASS_TENSOR || inst->op == ISA_OP_DMMA)
        set_timing(c, tensor_timing(inst, &config->core));
    else if (inst->op == ISA_OP_REDUX && c->class == CLASS_ADU)
        c->interval = c->pipe_cycles = (uint16_t)config->core.redux_interval;
    else if (inst->op == ISA_OP_HFMA2_MMA)
        c->interval = c->pipe_cycles = (uint16_t)config->core.half_interval;
}

void code_build(struct code *out, const struct isa_inst *inst, const struct config *config)
{
    memset(out, 0, sizeof *out);
    out->op = inst->op;
    out->write_sb = out->read_sb = ISA_NO_SB;
    out->stall = control_bits_stall(inst->control, &config->core);
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
    out->class = (uint8_t)class_of(inst, info, &config->core);
    out->pipe = (uint8_t)(out->class == CLASS_FP64 ? ISA_PIPE_FP64 : info->pipe);
    if (inst->op == ISA_OP_REDUX && out->class == CLASS_ADU)
        out->pipe = ISA_PIPE_ADU;
    build_timing(out, inst, info, config);
    out->flags |= info->flags & (ISA_BRANCH | ISA_EXIT) ? CODE_BRANCH : 0;
    out->flags |= info->flags & ISA_MEMBAR ? CODE_MEMBAR : 0;
    if (info->flags & ISA_MEMBAR)
        out->fence = (uint8_t)fence_scope_of(inst->mod[ISA_MOD_SCOPE]);
    if (info->flags & ISA_DEPBAR) {
        out->flags |= CODE_DEPBAR;
        out->depbar_sb = inst->mod[ISA_MOD_COUNTER];
        out->depbar_max = inst->mod[ISA_MOD_COUNT];
        out->depbar_list = inst->mod[ISA_MOD_COUNTERS];
    }
    if (inst->op == ISA_OP_LDGDEPBAR)
        out->flags |= CODE_ASYNC_GROUP;
    if (inst->op == ISA_OP_IMAD && inst->mod[ISA_MOD_WIDE])
        out->flags |= CODE_WIDE_IMAD;
    build_registers(out, inst);
    build_constant(out, inst);
    if (info->memory != ISA_MEM_NONE)
        build_memory(out, inst, info);
    build_queued(out, inst, config);
    code_derive(out, &config->core);
}
