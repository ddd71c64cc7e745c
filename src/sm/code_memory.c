/* The facts of an instruction for the memory unit. */
#include "isa/pascal.h"
#include "isa/sync.h"
#include "sm/code_parts.h"
#include "sm/memory/cache_policy.h"

/* Loads marked STRONG.SM; compilers for sm_75 write STRONG.CTA instead. On Pascal all accesses with a result: compiled
 * code waits for the last counter of several, also with DEPBAR.LE. */
static bool is_in_order(const struct isa_inst *inst, const struct isa_op_info *info)
{
    unsigned order = inst->mod[ISA_MOD_ORDER];
    if (inst->encoding >= PASCAL_ENCODING)
        return (info->memory == ISA_MEM_LOAD || info->memory == ISA_MEM_ATOMIC) && info->space != ISA_SPACE_SHARED &&
               info->space != ISA_SPACE_CONSTANT;
    if (info->pipe == ISA_PIPE_TEX)
        return info->memory == ISA_MEM_LOAD;
    bool load = info->memory == ISA_MEM_LOAD && (info->space == ISA_SPACE_GLOBAL || info->space == ISA_SPACE_GENERIC);
    return load && (order == ISA_ORDER_STRONG_SM || order == ISA_ORDER_STRONG_CTA);
}

static uint16_t flag_of_function(unsigned function)
{
    switch (function) {
    case ISA_ATOM_FORM_CAS: return CODE_COMPARE;
    case ISA_ATOM_FORM_CAST: return CODE_COMPARE | CODE_ONE_PASS;
    case ISA_ATOM_FORM_POPC_INC: return CODE_ONE_PASS;
    default: return 0;
    }
}

static void build_access(struct code *c, const struct isa_inst *inst, const struct isa_op_info *info)
{
    static const uint8_t words[8] = {1, 1, 1, 1, 1, [ISA_SIZE_64] = 2, [ISA_SIZE_128] = 4, 4};
    c->memory = (uint8_t)info->memory;
    c->space = (uint8_t)info->space;
    c->data_words = words[inst->mod[ISA_MOD_SIZE] & 7];
    if (info->flags & ISA_FRAGMENTS) {
        c->matrices = info->memory == ISA_MEM_LOAD ? inst->d.words : inst->b.words;
        c->data_words = c->matrices;
    } else if (info->flags & ISA_256) {
        c->data_words = 8;
    } else if (info->memory == ISA_MEM_ATOMIC || info->memory == ISA_MEM_REDUCTION) {
        c->data_words = inst->d.kind == ISA_REG && inst->d.words ? inst->d.words : inst->b.words ? inst->b.words : 1;
    }
    if (inst->a.kind == ISA_REG && inst->a.index != ISA_RZ)
        c->flags |= CODE_VECTOR_ADDRESS;
    if (is_in_order(inst, info))
        c->flags |= CODE_IN_ORDER;
    struct cache_hint hint = cache_hint_of(inst);
    c->keep = (uint8_t)hint.keep;
    c->policy = (uint8_t)hint.policy;
    c->fetch = hint.fetch;
    if (inst->has_descriptor && (info->space == ISA_SPACE_GLOBAL || info->space == ISA_SPACE_GENERIC))
        c->flags |= CODE_CACHE_POLICY;
    if (info->memory == ISA_MEM_ASYNC_COPY && inst->mod[ISA_MOD_BYPASS] == ISA_BYPASS_BYPASS)
        c->flags |= CODE_BYPASS;
    if (info->memory == ISA_MEM_ATOMIC && info->space == ISA_SPACE_SHARED)
        c->flags |= flag_of_function(inst->mod[ISA_MOD_FUNCTION]);
}

/* Tells whether it empties the L1. */
static bool invalidates(const struct isa_inst *inst)
{
    unsigned function = inst->mod[ISA_MOD_FUNCTION];
    /* CCTL only: other opcodes of its way have other values of MODE and FUNCTION. */
    return inst->op == ISA_OP_CCTL && inst->mod[ISA_MOD_MODE] == ISA_CCTL_CACHE_D &&
           (function == ISA_CCTL_ALL_IVALL || function == ISA_CCTL_ALL_IVALLP);
}

static enum code_mbarrier mbarrier_of(unsigned op)
{
    switch (isa_sync_of((enum isa_op)op)) {
    case ISA_SYNC_WRITE:
    case ISA_SYNC_READ:
    case ISA_SYNC_ARRIVE: return CODE_MBARRIER_OPERATION;
    case ISA_SYNC_WAIT: return CODE_MBARRIER_WAIT;
    case ISA_SYNC_COPIES: return CODE_MBARRIER_COPIES;
    case ISA_SYNC_STORE: return CODE_MBARRIER_STORE;
    default: return CODE_MBARRIER_NONE;
    }
}

static enum code_tensor tensor_of(const struct isa_inst *inst, const struct isa_op_info *info)
{
    enum { TENSOR = 2 }; /* of FENCE.VIEW.ASYNC */
    bool fence = info->latency == ISA_LATENCY_FENCE && !(info->flags & ISA_MEMBAR);
    if (info->latency == ISA_LATENCY_TENSOR_MEMORY)
        return inst->d.kind == ISA_REG ? CODE_TENSOR_LOAD : CODE_TENSOR_STORE;
    if (info->latency == ISA_LATENCY_ENGINE_ATOMIC)
        return inst->mod[ISA_MOD_CTAS] ? CODE_TENSOR_PAIR : CODE_TENSOR_MAP;
    return fence && inst->mod[ISA_MOD_FUNCTION] == TENSOR ? CODE_TENSOR_WAIT : CODE_NO_TENSOR;
}

/* Accesses to tensor memory pass the memory queue, in issue order. */
static void build_tensor(struct code *c, const struct isa_inst *inst, const struct isa_op_info *info)
{
    c->tensor = (uint8_t)tensor_of(inst, info);
    if (c->tensor == CODE_NO_TENSOR)
        return;
    c->class = CLASS_MIO;
    c->memory = CODE_QUEUE_ONLY;
    c->data_words = c->tensor == CODE_TENSOR_LOAD ? inst->d.words : c->tensor == CODE_TENSOR_STORE ? inst->b.words : 0;
}

static bool reads_place(const struct isa_inst *inst)
{
    unsigned special = inst->mod[ISA_MOD_SPECIAL];
    return special >= ISA_SR_TID && special <= ISA_SR_TID_Z;
}

static uint8_t queue_kind(const struct isa_inst *inst)
{
    if (code_is_match_any(inst))
        return CODE_QUEUE_VALUES;
    return reads_place(inst) ? CODE_QUEUE_LANES : CODE_QUEUE_ONLY;
}

void code_build_memory(struct code *c, const struct isa_inst *inst, const struct isa_op_info *info)
{
    if (info->memory != ISA_MEM_NONE)
        build_access(c, inst, info);
    if (info->way == ISA_WAY_QUEUE_MISC || info->way == ISA_WAY_QUEUE_MATCH)
        c->memory = queue_kind(inst);
    build_tensor(c, inst, info);
    c->mbarrier = (uint8_t)mbarrier_of(inst->op);
    if (invalidates(inst))
        c->flags |= CODE_INVALIDATE;
}
