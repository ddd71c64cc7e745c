/* Bitwise operations and predicates against the oracle. */
#include "arith.h"
#include "unit.h"

enum { TRIALS = 4000 };

static void make_three(struct arith *t, struct isa_inst *i)
{
    bool c_varies = arith_below(t, 2);
    i->a = arith_operand(t, ARITH_REG, 1, 0, ARITH_INTEGER);
    i->b = arith_operand(t, c_varies ? ARITH_REG : ARITH_ANY, 1, 0, ARITH_INTEGER);
    i->c = arith_operand(t, c_varies ? ARITH_ANY : ARITH_REG, 1, 0, ARITH_INTEGER);
    i->d = arith_destination(t, 1);
}

static void make_lop3(struct arith *t, struct isa_inst *i)
{
    make_three(t, i);
    i->mod[ISA_MOD_LUT] = (uint8_t)arith_random(t);
    i->mod[ISA_MOD_PAND] = (uint8_t)arith_below(t, 2);
    i->pu = arith_target(t, false);
    i->pp = arith_source(t, false);
}

static void lop3(void **state)
{
    (void)state;
    arith_try(ISA_OP_LOP3, make_lop3, ARITH_INTEGER, TRIALS);
}

static void make_plop3(struct arith *t, struct isa_inst *i)
{
    i->mod[ISA_MOD_LUT] = (uint8_t)arith_random(t);
    i->mod[ISA_MOD_LUT2] = (uint8_t)arith_random(t);
    i->pu = arith_target(t, false);
    i->pv = arith_target(t, false);
    if (i->pv.index == i->pu.index)
        i->pv.index = ISA_PT;
    i->pp = arith_source(t, false);
    i->pq = arith_source(t, false);
    i->pr = arith_source(t, arith_below(t, 2));
    unsigned signs = arith_below(t, 4); /* this many sources are signs of registers */
    if (signs == 3)
        i->a = arith_operand(t, ARITH_REG, 1, 0, ARITH_INTEGER);
    if (signs >= 1)
        i->b = arith_operand(t, ARITH_ANY, 1, 0, ARITH_INTEGER);
    if (signs >= 2)
        i->c = arith_operand(t, ARITH_REG, 1, 0, ARITH_INTEGER);
}

static void plop3(void **state)
{
    (void)state;
    arith_try(ISA_OP_PLOP3, make_plop3, ARITH_INTEGER, TRIALS);
}

static void make_shf(struct arith *t, struct isa_inst *i)
{
    make_three(t, i);
    if (i->b.kind == ISA_IMM && arith_below(t, 2))
        i->b.value = arith_below(t, 70);
    i->mod[ISA_MOD_SHF_TYPE] = (uint8_t)arith_below(t, 4);
    i->mod[ISA_MOD_WRAP] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_RIGHT] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_HI] = (uint8_t)arith_below(t, 2);
}

static void shf(void **state)
{
    (void)state;
    arith_try(ISA_OP_SHF, make_shf, ARITH_INTEGER, TRIALS);
}

static void make_prmt(struct arith *t, struct isa_inst *i)
{
    make_three(t, i);
    i->mod[ISA_MOD_MODE] = (uint8_t)arith_below(t, 7);
}

static void prmt(void **state)
{
    (void)state;
    arith_try(ISA_OP_PRMT, make_prmt, ARITH_INTEGER, TRIALS);
}

static void make_sel(struct arith *t, struct isa_inst *i)
{
    unsigned words = 1 + arith_below(t, 2);
    i->mod[ISA_MOD_WIDE64] = words == 2;
    i->a = arith_operand(t, ARITH_REG, words, 0, ARITH_INTEGER);
    i->b = arith_operand(t, ARITH_ANY, words, 0, ARITH_INTEGER);
    i->b.upper = words == 2 ? arith_value(t, ARITH_INTEGER) : 0;
    i->d = arith_destination(t, words);
    i->pp = arith_source(t, false);
}

static void sel(void **state)
{
    (void)state;
    arith_try(ISA_OP_SEL, make_sel, ARITH_INTEGER, TRIALS);
}

static void make_field(struct arith *t, struct isa_inst *i)
{
    i->a = arith_operand(t, ARITH_REG, 1, 0, ARITH_INTEGER);
    i->b = arith_operand(t, ARITH_ANY, 1, 0, ARITH_INTEGER);
    i->d = arith_destination(t, 1);
    i->mod[ISA_MOD_WRAP] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_SIGNED] = (uint8_t)arith_below(t, 2);
}

static void fields(void **state)
{
    (void)state;
    arith_try(ISA_OP_SGXT, make_field, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_BMSK, make_field, ARITH_INTEGER, TRIALS);
}

static void make_one(struct arith *t, struct isa_inst *i)
{
    bool inverts = i->op == ISA_OP_POPC || i->op == ISA_OP_FLO;
    i->b =
        arith_operand(t, i->op == ISA_OP_MOV_SPILL ? ARITH_UREG : ARITH_ANY, 1, inverts ? ISA_INV : 0, ARITH_INTEGER);
    i->d = arith_destination(t, 1);
    if (i->op == ISA_OP_MOV && arith_below(t, 2)) {
        i->mod[ISA_MOD_WIDE64] = 1;
        i->b = arith_operand(t, ARITH_ANY, 2, 0, ARITH_INTEGER);
        i->b.upper = arith_value(t, ARITH_INTEGER);
        i->d = arith_destination(t, 2);
    }
    if (i->op == ISA_OP_MOV)
        i->mod[ISA_MOD_MASK] = arith_below(t, 2) ? 15 : (uint8_t)arith_below(t, 16);
    if (i->op == ISA_OP_FLO) {
        i->mod[ISA_MOD_SIGNED] = (uint8_t)arith_below(t, 2);
        i->mod[ISA_MOD_NEGATE_COUNT] = (uint8_t)arith_below(t, 2);
        i->pu = arith_target(t, false);
    }
}

static void moves_and_counts(void **state)
{
    (void)state;
    arith_try(ISA_OP_MOV, make_one, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_MOV_SPILL, make_one, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_POPC, make_one, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_FLO, make_one, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_BREV, make_one, ARITH_INTEGER, TRIALS);
}

static void make_p2r(struct arith *t, struct isa_inst *i)
{
    i->a = arith_operand(t, ARITH_REG, 1, 0, ARITH_INTEGER);
    i->b = arith_operand(t, ARITH_ANY, 1, 0, ARITH_INTEGER);
    i->mod[ISA_MOD_BYTE] = (uint8_t)arith_below(t, 4);
    if (i->op == ISA_OP_P2R)
        i->d = arith_destination(t, 1);
}

static void predicates_and_registers(void **state)
{
    (void)state;
    arith_try(ISA_OP_P2R, make_p2r, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_R2P, make_p2r, ARITH_INTEGER, TRIALS);
}

UNIT_TESTS(UNIT(lop3), UNIT(plop3), UNIT(shf), UNIT(prmt), UNIT(sel), UNIT(fields), UNIT(moves_and_counts),
           UNIT(predicates_and_registers))
