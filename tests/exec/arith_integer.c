/* Integer arithmetic against the oracle. */
#include "arith.h"
#include "unit.h"

enum { TRIALS = 6000 };

static void sum_flags(struct arith *t, struct isa_inst *i, unsigned forms_a, unsigned forms_b, unsigned forms_c)
{
    bool extended = arith_below(t, 2);
    unsigned flags = extended ? ISA_INV : ISA_NEG;
    i->mod[ISA_MOD_EXTENDED] = extended;
    i->a = arith_operand(t, forms_a, 1, flags, ARITH_INTEGER);
    i->b = arith_operand(t, forms_b, 1, flags, ARITH_INTEGER);
    if (forms_c)
        i->c = arith_operand(t, forms_c, 1, flags, ARITH_INTEGER);
    if (extended) {
        i->pp = arith_source(t, false);
        i->pq = arith_source(t, false);
    }
}

static void make_iadd3(struct arith *t, struct isa_inst *i)
{
    sum_flags(t, i, ARITH_REG, ARITH_ANY, ARITH_REG);
    i->d = arith_destination(t, 1);
    i->pu = arith_target(t, false);
    i->pv = arith_target(t, false);
    if (i->pv.index == i->pu.index)
        i->pv.index = ISA_PT;
    if (arith_below(t, 3) == 0)
        i->pu.index = i->pv.index = ISA_PT;
}

static void iadd3(void **state)
{
    (void)state;
    arith_try(ISA_OP_IADD3, make_iadd3, ARITH_INTEGER, TRIALS);
}

static void make_lea(struct arith *t, struct isa_inst *i)
{
    sum_flags(t, i, ARITH_REG, ARITH_ANY, 0);
    i->pq = (struct isa_predicate){0};
    i->mod[ISA_MOD_HI] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_SX32] = i->mod[ISA_MOD_HI] && arith_below(t, 2);
    i->mod[ISA_MOD_SHIFT] = (uint8_t)arith_below(t, 32);
    if (i->mod[ISA_MOD_HI] && !i->mod[ISA_MOD_SX32])
        i->c = arith_operand(t, ARITH_REG | ARITH_IMM, 1, 0, ARITH_INTEGER);
    i->d = arith_destination(t, 1);
    i->pu = arith_target(t, false);
}

/* The oracle adds pq where the field exists. LEA has none. */
static void lea(void **state)
{
    (void)state;
    arith_try(ISA_OP_LEA, make_lea, ARITH_INTEGER, TRIALS);
}

static void make_imad(struct arith *t, struct isa_inst *i)
{
    bool extended = arith_below(t, 2);
    unsigned kind = arith_below(t, 3), words = kind == 0 ? 1 : 2;
    i->mod[ISA_MOD_WIDE] = kind == 1;
    i->mod[ISA_MOD_HI] = kind == 2;
    i->mod[ISA_MOD_SIGNED] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_EXTENDED] = extended;
    bool c_varies = arith_below(t, 2);
    i->a = arith_operand(t, ARITH_REG, 1, 0, ARITH_INTEGER);
    i->b = arith_operand(t, c_varies ? ARITH_REG : ARITH_ANY, 1, 0, ARITH_INTEGER);
    i->c = arith_operand(t, c_varies ? ARITH_ANY : ARITH_REG, words, extended ? ISA_INV : ISA_NEG, ARITH_INTEGER);
    i->d = arith_destination(t, kind == 1 ? 2 : 1);
    if (extended)
        i->pp = arith_source(t, false);
    if (kind)
        i->pu = arith_target(t, false);
}

static void imad(void **state)
{
    (void)state;
    arith_try(ISA_OP_IMAD, make_imad, ARITH_INTEGER, TRIALS);
}

/* Two sources of one or two words. Some that differ in one word only. */
static void make_two(struct arith *t, struct isa_inst *i)
{
    bool wide = arith_below(t, 2), extended = i->op == ISA_OP_IADD && arith_below(t, 2);
    unsigned words = wide ? 2 : 1, flags = i->op != ISA_OP_IADD ? 0 : extended ? ISA_INV : ISA_NEG;
    i->mod[ISA_MOD_WIDE64] = wide;
    i->mod[ISA_MOD_EXTENDED] = extended;
    i->a = arith_operand(t, ARITH_REG, words, flags, ARITH_INTEGER);
    i->b = arith_operand(t, ARITH_ANY & ~(unsigned)ARITH_CONST, words, flags, ARITH_INTEGER);
    i->b.upper = wide && i->b.kind == ISA_IMM && i->b.value >> 31 ? UINT32_MAX : 0;
    if (wide && i->a.index != ISA_RZ && i->b.kind == ISA_REG && i->b.index != ISA_RZ && arith_below(t, 2))
        memcpy(t->reg[i->a.index + arith_below(t, 2)], t->reg[i->b.index + 1], sizeof *t->reg);
    i->d = arith_destination(t, words);
    i->pp = arith_source(t, false);
    i->mod[ISA_MOD_SIGNED] = (uint8_t)arith_below(t, 2);
    if (i->op == ISA_OP_IADD)
        i->pu = arith_target(t, false);
}

static void iadd(void **state)
{
    (void)state;
    arith_try(ISA_OP_IADD, make_two, ARITH_INTEGER, TRIALS);
}

static void minimum_and_maximum(void **state)
{
    (void)state;
    arith_try(ISA_OP_IMNMX, make_two, ARITH_INTEGER, TRIALS);
}

static void make_one(struct arith *t, struct isa_inst *i)
{
    i->b = arith_operand(t, ARITH_ANY, 1, 0, ARITH_INTEGER);
    i->d = arith_destination(t, 1);
}

static void iabs(void **state)
{
    (void)state;
    arith_try(ISA_OP_IABS, make_one, ARITH_INTEGER, TRIALS);
}

static void make_isetp(struct arith *t, struct isa_inst *i)
{
    make_two(t, i);
    i->d = (struct isa_operand){0};
    i->b = arith_below(t, 4) ? i->b : i->a;
    i->mod[ISA_MOD_CMP] = (uint8_t)arith_below(t, 8);
    i->mod[ISA_MOD_BOP] = (uint8_t)arith_below(t, 3);
    i->mod[ISA_MOD_EX] = (uint8_t)arith_below(t, 2);
    i->pu = arith_target(t, false);
    i->pv = arith_target(t, false);
    if (i->pv.index == i->pu.index)
        i->pv.index = ISA_PT;
    i->pp = arith_source(t, false);
    if (i->mod[ISA_MOD_EX])
        i->pr = arith_source(t, false);
}

static void isetp(void **state)
{
    (void)state;
    arith_try(ISA_OP_ISETP, make_isetp, ARITH_INTEGER, TRIALS);
}

UNIT_TESTS(UNIT(iadd3), UNIT(lea), UNIT(imad), UNIT(iadd), UNIT(minimum_and_maximum), UNIT(iabs), UNIT(isetp))
