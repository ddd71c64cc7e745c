/* Mnemonics that the disassembler prints instead of those in encodings.def, by the operands' values. */
#include "isa/syntax.h"

#include <string.h>

static bool is_zero(const struct isa_operand *o)
{
    return (o->kind == ISA_REG && o->index == ISA_RZ) || (o->kind == ISA_IMM && o->value == 0);
}

static bool is_general(const struct isa_operand *o) { return o->kind != ISA_UREG && o->kind != ISA_CONST_BINDLESS; }

/* 2^16 is the one power of two that keeps its name. */
static bool is_shift(const struct isa_operand *o)
{
    return o->kind == ISA_IMM && o->value >= 2 && o->value <= UINT32_C(1) << 30 && popcount32(o->value) == 1 &&
           o->value != UINT32_C(1) << 16;
}

static const char *imad_alias(const struct isa_inst *inst)
{
    if (inst->mod[ISA_MOD_EXTENDED] || inst->mod[ISA_MOD_WIDE] || inst->mod[ISA_MOD_HI] || !is_general(&inst->b) ||
        !is_general(&inst->c))
        return NULL;
    bool one = inst->b.kind == ISA_IMM && inst->b.value == 1;
    bool no_addend = inst->c.kind == ISA_REG && inst->c.index == ISA_RZ;
    if (is_zero(&inst->a) || is_zero(&inst->b) || (one && no_addend))
        return "IMAD.MOV";
    if (one)
        return "IMAD.IADD";
    return no_addend && is_shift(&inst->b) ? "IMAD.SHL" : NULL;
}

const char *isa_alias(const struct isa_inst *inst) { return inst->op == ISA_OP_IMAD ? imad_alias(inst) : NULL; }

const char *isa_alias_at(enum isa_op op, const char *text, size_t length)
{
    static const struct {
        enum isa_op op;
        const char *name;
    } aliases[] = {{ISA_OP_IMAD, "IMAD.MOV"}, {ISA_OP_IMAD, "IMAD.SHL"}, {ISA_OP_IMAD, "IMAD.IADD"}};
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        size_t n = strlen(aliases[i].name);
        if (aliases[i].op == op && n <= length && memcmp(text, aliases[i].name, n) == 0 &&
            (n == length || text[n] == '.' || text[n] == ' '))
            return aliases[i].name;
    }
    return NULL;
}
