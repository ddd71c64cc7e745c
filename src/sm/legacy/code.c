/* Instructions as the legacy core takes them. */
#include "isa/isa.h"
#include "isa/resources.h"
#include "sm/issue/scoreboard.h"
#include "sm/legacy/units.h"

static void set_unit(struct code *c, enum isa_op op, enum legacy_unit unit, const struct config_legacy *config)
{
    struct isa_legacy rule = isa_legacy_of(op);
    c->window = (uint8_t)unit;
    switch (unit) {
#define X(id, name, key)                                                                                               \
    case LEGACY_##id:                                                                                                  \
        c->class = CLASS_##name;                                                                                       \
        c->latency = (uint16_t)config->key##_latency;                                                                  \
        c->interval = (uint16_t)config->key##_interval;                                                                \
        break;
        LEGACY_UNIT_LIST(X)
#undef X
    case LEGACY_MEM:
        c->class = isa_op_info(op)->way == ISA_WAY_QUEUE_LG ? CLASS_LG : CLASS_MIO;
        c->interval = 1;
        break;
    case LEGACY_PASS:
    case LEGACY_UNITS: break;
    }
    if (rule.once)
        c->latency = c->interval = 1;
    if (rule.packed && c->interval > 1)
        c->interval /= 2;
    c->pipe_cycles = c->interval;
}

/* The registers that Accel-Sim's tracer sees: the first register of each operand, RZ like another. Equal ones are read
 * once. */
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
 * and strong loads have them late. No instruction waits for readers: operands are read in the order of issue. */
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
}

static enum legacy_unit unit_of(const struct code *code, const struct isa_inst *inst)
{
    if (inst->op == ISA_INVALID)
        return LEGACY_INT;
    return code->tensor ? LEGACY_MEM : (enum legacy_unit)isa_legacy_of((enum isa_op)inst->op).unit;
}

void legacy_code_build(struct code *code, struct code_registers *registers, const struct isa_inst *inst,
                       const struct config_legacy *config)
{
    enum legacy_unit unit = unit_of(code, inst);
    code->flags &= (uint16_t) ~(CODE_FIXED | CODE_QUEUED | CODE_CONSTANT | CODE_WIDE_IMAD);
    code->window = (uint8_t)unit;
    if (inst->op == ISA_INVALID)
        code->class = CLASS_ALU;
    if (unit == LEGACY_PASS)
        registers->fixed = registers->reads = false;
    if (inst->op == ISA_INVALID || unit == LEGACY_PASS)
        return;
    set_unit(code, (enum isa_op)inst->op, unit, config);
    set_sources(code, inst);
    if (unit != LEGACY_MEM)
        code->memory = ISA_MEM_NONE;
    set_registers(registers, unit == LEGACY_MEM);
}
