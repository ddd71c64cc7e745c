/* Uniform operations that compute the result of a vector one, against the oracle of that one. */
#include "arith.h"
#include "unit.h"

enum { TRIALS = 1500 };

static struct isa_operand any(struct arith *t, unsigned words, unsigned flags, enum arith_values kind)
{
    struct isa_operand op = arith_operand(t, ARITH_UNIFORM, words, flags, kind);
    op.upper = words == 2 && op.kind == ISA_IMM && op.value >> 31 ? UINT32_MAX : 0;
    return op;
}

static void make_integer(struct arith *t, struct isa_inst *i)
{
    bool wide = i->op == ISA_OP_UIMNMX && arith_below(t, 2);
    bool one = i->op == ISA_OP_UIABS || i->op == ISA_OP_UFLO || i->op == ISA_OP_UBREV || i->op == ISA_OP_UPOPC;
    unsigned words = wide ? 2 : 1, flags = i->op == ISA_OP_UFLO || i->op == ISA_OP_UPOPC ? ISA_INV : 0;
    if (!one)
        i->a = arith_operand(t, ARITH_UREG, words, 0, ARITH_INTEGER);
    i->b = any(t, words, flags, ARITH_INTEGER);
    i->d = arith_uniform_destination(t, words);
    i->mod[ISA_MOD_WIDE64] = wide;
    i->mod[ISA_MOD_SIGNED] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_WRAP] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_ADD_TYPE] = i->mod[ISA_MOD_VECTOR] = (uint8_t)arith_below(t, 6);
    i->mod[ISA_MOD_SAT] = i->op == ISA_OP_UVIADD && i->mod[ISA_MOD_ADD_TYPE] >= 2 && arith_below(t, 2);
    i->mod[ISA_MOD_NEGATE_COUNT] = (uint8_t)arith_below(t, 2);
    if (i->op == ISA_OP_UIMNMX || i->op == ISA_OP_UVIMNMX)
        i->pp = arith_source(t, true);
    if (i->op == ISA_OP_UFLO)
        i->pu = arith_target(t, true);
    if (i->op == ISA_OP_UPRMT)
        i->c = arith_operand(t, ARITH_UREG, 1, 0, ARITH_INTEGER);
}

static void integers(void **state)
{
    (void)state;
    static const enum isa_op ops[] = {ISA_OP_UIABS,   ISA_OP_UFLO,   ISA_OP_UBREV, ISA_OP_UPOPC, ISA_OP_UIMNMX,
                                      ISA_OP_UVIMNMX, ISA_OP_UVIADD, ISA_OP_USGXT, ISA_OP_UBMSK, ISA_OP_UPRMT};
    for (unsigned k = 0; k < sizeof ops / sizeof *ops; ++k)
        arith_try(ops[k], make_integer, ARITH_INTEGER, TRIALS);
}

static void make_narrow(struct arith *t, struct isa_inst *i)
{
    bool pair = i->op == ISA_OP_UI2IP;
    i->b = any(t, 1, 0, ARITH_INTEGER);
    i->d = arith_uniform_destination(t, 1);
    i->mod[ISA_MOD_DST_TYPE] = (uint8_t)arith_below(t, 4);
    if (!pair)
        return;
    i->a = arith_operand(t, ARITH_UREG, 1, 0, ARITH_INTEGER);
    i->c = arith_operand(t, ARITH_UREG, 1, 0, ARITH_INTEGER);
    i->mod[ISA_MOD_CLAMP] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_PART] = (uint8_t)arith_below(t, 2);
}

static void narrowing(void **state)
{
    (void)state;
    arith_try(ISA_OP_UI2I, make_narrow, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_UI2IP, make_narrow, ARITH_INTEGER, TRIALS);
}

static void make_predicates(struct arith *t, struct isa_inst *i)
{
    i->a = arith_operand(t, ARITH_UREG, 1, 0, ARITH_INTEGER);
    i->b = any(t, 1, 0, ARITH_INTEGER);
    i->mod[ISA_MOD_BYTE] = (uint8_t)arith_below(t, 4);
    if (i->op == ISA_OP_UP2UR)
        i->d = arith_uniform_destination(t, 1);
}

static void predicates_and_registers(void **state)
{
    (void)state;
    arith_try(ISA_OP_UP2UR, make_predicates, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_UR2UP, make_predicates, ARITH_INTEGER, TRIALS);
}

static void make_signs(struct arith *t, struct isa_inst *i)
{
    unsigned signs = 1 + arith_below(t, 3);
    i->mod[ISA_MOD_LUT] = (uint8_t)arith_random(t);
    i->mod[ISA_MOD_LUT2] = (uint8_t)arith_random(t);
    i->pu = arith_target(t, true);
    i->pp = arith_source(t, true);
    i->pr = arith_source(t, true);
    i->b = arith_operand(t, ARITH_UREG, 1, 0, ARITH_INTEGER);
    if (signs == 3)
        i->a = arith_operand(t, ARITH_UREG, 1, 0, ARITH_INTEGER);
    if (signs >= 2)
        i->c = arith_operand(t, ARITH_UREG, 1, 0, ARITH_INTEGER);
}

static void make_wide(struct arith *t, struct isa_inst *i)
{
    bool extended = arith_below(t, 2), sum = i->op == ISA_OP_UIADD3, compares = i->op == ISA_OP_UISETP;
    unsigned flags = !sum ? 0 : extended ? ISA_INV : ISA_NEG;
    i->mod[ISA_MOD_WIDE64] = 1;
    i->a = arith_operand(t, ARITH_UREG, 2, flags, ARITH_INTEGER);
    i->b = arith_below(t, 4) ? any(t, 2, flags, ARITH_INTEGER) : i->a;
    i->pp = arith_source(t, true);
    if (!compares)
        i->d = arith_uniform_destination(t, 2);
    if (i->op == ISA_OP_UMOV)
        i->a = (struct isa_operand){0};
    if (compares || sum)
        i->pu = arith_target(t, true);
    if (sum) {
        i->mod[ISA_MOD_EXTENDED] = extended;
        i->c = arith_operand(t, ARITH_UREG, 2, flags, ARITH_INTEGER);
        i->pq = arith_source(t, true);
    }
    if (compares) {
        i->mod[ISA_MOD_SIGNED] = (uint8_t)arith_below(t, 2);
        i->mod[ISA_MOD_CMP] = (uint8_t)arith_below(t, 8);
        i->mod[ISA_MOD_BOP] = (uint8_t)arith_below(t, 3);
    }
}

static void signs_and_pairs(void **state)
{
    (void)state;
    arith_try(ISA_OP_UPLOP3, make_signs, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_UIADD3, make_wide, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_UISETP, make_wide, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_USEL, make_wide, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_UMOV, make_wide, ARITH_INTEGER, TRIALS);
}

static void make_float(struct arith *t, struct isa_inst *i)
{
    i->a = arith_operand(t, ARITH_UREG, 1, ISA_NEG | ISA_ABS, ARITH_FLOAT);
    i->b = any(t, 1, ISA_NEG | ISA_ABS, ARITH_FLOAT);
    if (i->op == ISA_OP_UFFMA)
        i->c = arith_operand(t, ARITH_UREG, 1, ISA_NEG | ISA_ABS, ARITH_FLOAT);
    if (i->op != ISA_OP_UFSETP)
        i->d = arith_uniform_destination(t, 1);
    i->mod[ISA_MOD_ROUND] = (uint8_t)arith_below(t, 4);
    i->mod[ISA_MOD_SAT] = arith_below(t, 4) == 0;
    i->mod[ISA_MOD_FTZ] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_FMZ] = (uint8_t)arith_below(t, 3);
    i->mod[ISA_MOD_SCALE] = 4;
    i->mod[ISA_MOD_NAN] = (uint8_t)arith_below(t, 2);
    if (i->op == ISA_OP_UFSEL || i->op == ISA_OP_UFMNMX || i->op == ISA_OP_UFSETP)
        i->pp = arith_source(t, true);
    if (i->op == ISA_OP_UFSETP) {
        i->mod[ISA_MOD_CMP] = (uint8_t)arith_below(t, 16);
        i->mod[ISA_MOD_BOP] = (uint8_t)arith_below(t, 3);
        i->pu = arith_target(t, true);
    }
}

static void floats(void **state)
{
    (void)state;
    static const enum isa_op ops[] = {ISA_OP_UFADD,  ISA_OP_UFMUL, ISA_OP_UFFMA,
                                      ISA_OP_UFMNMX, ISA_OP_UFSEL, ISA_OP_UFSETP};
    for (unsigned k = 0; k < sizeof ops / sizeof *ops; ++k)
        arith_try(ops[k], make_float, ARITH_FLOAT, TRIALS);
}

static void make_conversion(struct arith *t, struct isa_inst *i)
{
    enum { U32 = 4, F32 = 2 };
    bool from_integer = i->op == ISA_OP_UI2F || i->op == ISA_OP_UI2FP;
    i->b = any(t, 1, from_integer ? 0 : ISA_NEG | ISA_ABS, from_integer ? ARITH_INTEGER : ARITH_FLOAT);
    i->d = arith_uniform_destination(t, 1);
    i->mod[ISA_MOD_SRC_TYPE] = from_integer ? (uint8_t)(U32 + arith_below(t, 2)) : F32;
    i->mod[ISA_MOD_DST_TYPE] = i->op == ISA_OP_UF2I ? (uint8_t)(U32 + arith_below(t, 2)) : F32;
    i->mod[ISA_MOD_ROUND] = (uint8_t)arith_below(t, 4);
}

static void conversions(void **state)
{
    (void)state;
    arith_try(ISA_OP_UI2F, make_conversion, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_UI2FP, make_conversion, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_UF2I, make_conversion, ARITH_FLOAT, TRIALS);
    arith_try(ISA_OP_UFRND, make_conversion, ARITH_FLOAT, TRIALS);
}

UNIT_TESTS(UNIT(integers), UNIT(narrowing), UNIT(predicates_and_registers), UNIT(signs_and_pairs), UNIT(floats),
           UNIT(conversions))
