/* Packed and video arithmetic against the oracle. */
#include "arith.h"
#include "unit.h"

enum { TRIALS = 4000 };

/* Registers of which each byte or half has values of its own now and then. */
static void mix(struct arith *t)
{
    for (unsigned r = 0; r < ORACLE_REGISTERS; ++r)
        for (unsigned lane = 0; lane < EXEC_LANES; ++lane)
            if (arith_below(t, 2))
                t->reg[r][lane] = arith_value(t, ARITH_INTEGER) << 16 | (arith_value(t, ARITH_INTEGER) & 0xffff);
}

static void make_sources(struct arith *t, struct isa_inst *i, unsigned flags_b, bool has_c)
{
    if (arith_below(t, 16) == 0)
        mix(t);
    i->a = arith_operand(t, ARITH_REG, 1, 0, ARITH_INTEGER);
    i->b = arith_below(t, 6) ? arith_operand(t, ARITH_ANY, 1, flags_b, ARITH_INTEGER) : i->a;
    if (has_c)
        i->c = arith_operand(t, ARITH_REG, 1, 0, ARITH_INTEGER);
    i->d = arith_destination(t, 1);
}

static void make_viadd(struct arith *t, struct isa_inst *i)
{
    make_sources(t, i, ISA_NEG, false);
    i->a.flags = (uint8_t)(arith_below(t, 2) ? ISA_NEG : 0);
    unsigned type = arith_below(t, 6);
    i->mod[ISA_MOD_ADD_TYPE] = (uint8_t)type;
    i->mod[ISA_MOD_SAT] = type >= 2 && arith_below(t, 2);
}

static void additions(void **state)
{
    (void)state;
    arith_try(ISA_OP_VIADD, make_viadd, ARITH_INTEGER, 2 * TRIALS);
}

static void make_choice(struct arith *t, struct isa_inst *i)
{
    bool three = i->op != ISA_OP_VIMNMX;
    make_sources(t, i, i->op == ISA_OP_VIADDMNMX ? ISA_NEG : 0, three);
    unsigned type = arith_below(t, 6);
    i->mod[ISA_MOD_VECTOR] = (uint8_t)type;
    i->mod[ISA_MOD_RELU] = type & 1 && arith_below(t, 2);
    i->pp = arith_source(t, false);
    i->pu = i->pv = (struct isa_predicate){.index = ISA_PT, .present = true};
    if (!three && type < 4)
        i->pu = arith_target(t, false);
    if (!three && (type == 2 || type == 3))
        i->pv = arith_target(t, false);
    if (i->pv.index == i->pu.index)
        i->pv.index = ISA_PT;
}

static void minimum_and_maximum(void **state)
{
    (void)state;
    arith_try(ISA_OP_VIMNMX, make_choice, ARITH_INTEGER, 2 * TRIALS);
    arith_try(ISA_OP_VIMNMX3, make_choice, ARITH_INTEGER, 2 * TRIALS);
    arith_try(ISA_OP_VIADDMNMX, make_choice, ARITH_INTEGER, 2 * TRIALS);
}

static void make_difference(struct arith *t, struct isa_inst *i)
{
    make_sources(t, i, 0, true);
    i->mod[ISA_MOD_SIGNED] = (uint8_t)arith_below(t, 2);
    if (i->op == ISA_OP_VABSDIFF4)
        i->mod[ISA_MOD_ACCUMULATE] = (uint8_t)arith_below(t, 2);
}

static void absolute_differences(void **state)
{
    (void)state;
    arith_try(ISA_OP_VABSDIFF, make_difference, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_VABSDIFF4, make_difference, ARITH_INTEGER, TRIALS);
}

static void make_idp(struct arith *t, struct isa_inst *i)
{
    static const uint8_t dots[] = {0, 1, 3};
    make_sources(t, i, 0, true);
    i->c.flags = (uint8_t)(arith_below(t, 2) ? ISA_NEG : 0);
    i->mod[ISA_MOD_DOT] = dots[arith_below(t, 3)];
    i->mod[ISA_MOD_SIGNED] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_SIGNED_B] = (uint8_t)arith_below(t, 2);
}

static void dot_products(void **state)
{
    (void)state;
    arith_try(ISA_OP_IDP, make_idp, ARITH_INTEGER, 2 * TRIALS);
}

static void make_narrow(struct arith *t, struct isa_inst *i)
{
    static const uint8_t parts[] = {0, 0, 3, 2};
    make_sources(t, i, 0, i->op == ISA_OP_I2IP);
    unsigned type = arith_below(t, i->op == ISA_OP_I2IP ? 8 : 4);
    i->mod[ISA_MOD_DST_TYPE] = (uint8_t)type;
    if (i->op == ISA_OP_I2I) {
        i->a = (struct isa_operand){0};
        return;
    }
    i->mod[ISA_MOD_PART] = type < 4 && arith_below(t, 2) ? 1 : parts[type / 2];
    i->mod[ISA_MOD_CLAMP] = (uint8_t)arith_below(t, 3);
}

static void narrowing(void **state)
{
    (void)state;
    arith_try(ISA_OP_I2I, make_narrow, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_I2IP, make_narrow, ARITH_INTEGER, 2 * TRIALS);
}

UNIT_TESTS(UNIT(additions), UNIT(minimum_and_maximum), UNIT(absolute_differences), UNIT(dot_products), UNIT(narrowing))
