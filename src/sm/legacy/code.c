/* Instructions as the legacy core takes them. */
#include "isa/isa.h"
#include "isa/resources.h"
#include "sm/issue/scoreboard.h"
#include "sm/legacy/units.h"

static enum legacy_unit unit_of(const struct isa_inst *inst)
{
    switch (inst->op) {
#define X(op, unit)                                                                                                    \
    case ISA_OP_##op: return LEGACY_##unit;
        LEGACY_OPCODES(X)
#undef X
    default: break;
    }
    switch (isa_op_info((enum isa_op)inst->op)->way) {
#define X(way, unit)                                                                                                   \
    case ISA_WAY_##way: return LEGACY_##unit;
        LEGACY_WAYS(X)
#undef X
    case ISA_WAY_COUNT: break;
    }
    return LEGACY_INT;
}

/* Packed halves hold the unit for half as long, HMUL2 apart (Accel-Sim). */
static bool is_packed(unsigned op)
{
    return op == ISA_OP_HADD2 || op == ISA_OP_HFMA2 || op == ISA_OP_HFMA2_MMA || op == ISA_OP_HSET2 ||
           op == ISA_OP_HSETP2;
}

static void set_unit(struct code *c, const struct isa_inst *inst, enum legacy_unit unit,
                     const struct config_legacy *config)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)inst->op);
    c->window = (uint8_t)unit;
    switch (unit) {
#define X(id, name, key)                                                                                               \
    case LEGACY_##id:                                                                                                  \
        c->class = CLASS_##name;                                                                                       \
        c->latency = (uint16_t)config->key##_latency;                                                                  \
        c->interval = (uint16_t)config->key##_interval;                                                                \
        break;
#define MEM
        LEGACY_UNIT_LIST(X, MEM)
#undef MEM
#undef X
    case LEGACY_MEM:
        c->class = info->way == ISA_WAY_QUEUE_LG ? CLASS_LG : CLASS_MIO;
        c->interval = 1;
        break;
    case LEGACY_PASS:
    case LEGACY_UNITS: break;
    }
    if (inst->op == ISA_OP_EXIT || inst->op == ISA_OP_BAR) /* Accel-Sim */
        c->latency = c->interval = 1;
    if (is_packed(inst->op) && c->interval > 1)
        c->interval /= 2;
    c->pipe_cycles = c->interval;
}

/* What Accel-Sim's tracer sees: the first register of each operand, RZ like another. Equal ones are read once. */
static void set_sources(struct code *c, const struct isa_inst *inst)
{
    const struct isa_operand *operands[] = {&inst->a, &inst->b, &inst->c, &inst->e, &inst->f, &inst->g};
    c->reads = 0;
    for (unsigned i = 0; i < sizeof operands / sizeof *operands && c->reads < CODE_READS; i++) {
        bool known = operands[i]->kind != ISA_REG;
        for (unsigned k = 0; k < c->reads; k++)
            known |= c->read[k].first == operands[i]->index;
        if (!known)
            c->read[c->reads++] = (struct code_read){.first = operands[i]->index, .words = 1};
    }
}

/* Predicates, uniform registers and barriers are not kept apart. Results of accesses are all pending, since atomics
 * and strong loads have them late. Nobody waits for readers: operands are read in the order of issue. */
static void set_registers(struct code_registers *r, bool access)
{
    r->fixed = r->reads = false;
    if (access)
        return;
    uint64_t any = 0;
    for (unsigned i = 0; i < SCOREBOARD_WORDS; i++) {
        if (i >= RESOURCE_UNIFORM / 64)
            r->written.word[i] = 0;
        any |= r->written.word[i];
    }
    r->writes = any != 0;
    r->pipelined = r->writes;
}

void legacy_code_build(struct code *code, struct code_registers *registers, const struct isa_inst *inst,
                       const struct config_legacy *config)
{
    enum legacy_unit unit = inst->op == ISA_INVALID ? LEGACY_INT : code->tensor ? LEGACY_MEM : unit_of(inst);
    code->flags &= (uint16_t) ~(CODE_FIXED | CODE_QUEUED | CODE_CONSTANT | CODE_WIDE_IMAD);
    if (unit == LEGACY_PASS) {
        code->window = LEGACY_PASS;
        registers->fixed = registers->reads = false;
        return;
    }
    if (inst->op == ISA_INVALID) {
        code->window = LEGACY_INT;
        code->class = CLASS_ALU;
        return;
    }
    set_unit(code, inst, unit, config);
    set_sources(code, inst);
    if (unit != LEGACY_MEM)
        code->memory = ISA_MEM_NONE;
    set_registers(registers, unit == LEGACY_MEM);
}
