/* The uniform datapath against the oracle: the functions of the vector twins, one value, uniform predicates. */
#include "arith.h"
#include "unit.h"

enum { TRIALS = 6000 };

static void targets(struct arith *t, struct isa_inst *i)
{
    i->pu = arith_target(t, true);
    i->pv = arith_target(t, true);
    if (i->pv.index == i->pu.index)
        i->pv.index = ISA_PT;
}

static struct isa_operand source(struct arith *t, unsigned flags)
{
    return arith_operand(t, ARITH_UNIFORM, 1, flags, ARITH_INTEGER);
}

static void make_sum(struct arith *t, struct isa_inst *i)
{
    bool extended = arith_below(t, 2), high = i->op == ISA_OP_ULEA && arith_below(t, 2);
    unsigned flags = extended ? ISA_INV : ISA_NEG;
    i->mod[ISA_MOD_EXTENDED] = extended;
    i->a = arith_operand(t, ARITH_UREG, 1, flags, ARITH_INTEGER);
    i->b = source(t, flags);
    i->d = arith_uniform_destination(t, 1);
    targets(t, i);
    if (extended)
        i->pp = arith_source(t, true);
    if (i->op == ISA_OP_UIADD3) {
        i->c = arith_operand(t, ARITH_UREG, 1, flags, ARITH_INTEGER);
        i->pq = (struct isa_predicate){.index = ISA_PT, .inverted = true, .present = true};
        if (extended)
            i->pq = arith_source(t, true);
        return;
    }
    i->pv = (struct isa_predicate){0};
    i->mod[ISA_MOD_SHIFT] = (uint8_t)arith_below(t, 32);
    i->mod[ISA_MOD_HI] = high;
    i->mod[ISA_MOD_SX32] = high && arith_below(t, 2);
    if (high && !i->mod[ISA_MOD_SX32])
        i->c = source(t, 0);
}

static void additions(void **state)
{
    (void)state;
    arith_try(ISA_OP_UIADD3, make_sum, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_ULEA, make_sum, ARITH_INTEGER, TRIALS);
}

static void make_uimad(struct arith *t, struct isa_inst *i)
{
    bool extended = arith_below(t, 2);
    unsigned kind = arith_below(t, 3);
    i->mod[ISA_MOD_WIDE] = kind == 1;
    i->mod[ISA_MOD_HI] = kind == 2;
    i->mod[ISA_MOD_SIGNED] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_EXTENDED] = extended;
    i->a = arith_operand(t, ARITH_UREG, 1, 0, ARITH_INTEGER);
    i->b = source(t, 0);
    i->c = arith_operand(t, ARITH_UNIFORM, kind ? 2 : 1, extended ? ISA_INV : ISA_NEG, ARITH_INTEGER);
    i->d = arith_uniform_destination(t, kind == 1 ? 2 : 1);
    if (extended)
        i->pp = arith_source(t, true);
    if (kind)
        i->pu = arith_target(t, true);
}

static void uimad(void **state)
{
    (void)state;
    arith_try(ISA_OP_UIMAD, make_uimad, ARITH_INTEGER, TRIALS);
}

static void make_logic(struct arith *t, struct isa_inst *i)
{
    i->a = arith_operand(t, ARITH_UREG, 1, 0, ARITH_INTEGER);
    i->b = source(t, 0);
    i->d = arith_uniform_destination(t, 1);
    switch (i->op) {
    case ISA_OP_ULOP3:
        i->c = arith_operand(t, ARITH_UREG, 1, 0, ARITH_INTEGER);
        i->mod[ISA_MOD_LUT] = (uint8_t)arith_random(t);
        i->mod[ISA_MOD_PAND] = (uint8_t)arith_below(t, 2);
        i->pu = arith_target(t, true);
        i->pp = arith_source(t, true);
        break;
    case ISA_OP_USHF:
        i->c = source(t, 0);
        i->mod[ISA_MOD_SHF_TYPE] = (uint8_t)arith_below(t, 4);
        i->mod[ISA_MOD_WRAP] = (uint8_t)arith_below(t, 2);
        i->mod[ISA_MOD_RIGHT] = (uint8_t)arith_below(t, 2);
        i->mod[ISA_MOD_HI] = (uint8_t)arith_below(t, 2);
        break;
    case ISA_OP_USEL: i->pp = arith_source(t, true); break;
    default: i->a = (struct isa_operand){0}; break;
    }
}

static void logic_and_moves(void **state)
{
    (void)state;
    arith_try(ISA_OP_ULOP3, make_logic, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_USHF, make_logic, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_USEL, make_logic, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_UMOV, make_logic, ARITH_INTEGER, TRIALS);
}

static void make_predicates(struct arith *t, struct isa_inst *i)
{
    targets(t, i);
    i->pp = arith_source(t, true);
    if (i->op == ISA_OP_UPLOP3) {
        i->pq = arith_source(t, true);
        i->pr = arith_source(t, true);
        i->mod[ISA_MOD_LUT] = (uint8_t)arith_random(t);
        i->mod[ISA_MOD_LUT2] = (uint8_t)arith_random(t);
        return;
    }
    i->a = arith_operand(t, ARITH_UREG, 1, 0, ARITH_INTEGER);
    i->b = arith_below(t, 4) ? source(t, 0) : i->a;
    i->mod[ISA_MOD_CMP] = (uint8_t)arith_below(t, 8);
    i->mod[ISA_MOD_SIGNED] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_BOP] = (uint8_t)arith_below(t, 3);
    i->mod[ISA_MOD_EX] = (uint8_t)arith_below(t, 2);
    if (i->mod[ISA_MOD_EX])
        i->pr = arith_source(t, true);
}

static void predicates(void **state)
{
    (void)state;
    arith_try(ISA_OP_UISETP, make_predicates, ARITH_INTEGER, TRIALS);
    arith_try(ISA_OP_UPLOP3, make_predicates, ARITH_INTEGER, TRIALS);
}

static void make_uldc(struct arith *t, struct isa_inst *i)
{
    static const uint8_t bytes[] = {1, 1, 2, 2, 4, 8};
    unsigned size = arith_below(t, 6);
    i->mod[ISA_MOD_SIZE] = (uint8_t)size;
    i->b = (struct isa_operand){.kind = ISA_CONST, .bank = (uint8_t)arith_below(t, ORACLE_BANKS), .words = 1};
    i->b.value = arith_below(t, 200 / bytes[size]) * bytes[size];
    if (arith_below(t, 2)) {
        i->a = (struct isa_operand){.kind = ISA_UREG, .index = (uint8_t)arith_below(t, 60), .words = 1};
        i->b.value -= t->warp.ureg[i->a.index];
    }
    i->d = arith_uniform_destination(t, size == 5 ? 2 : 1);
}

static void uldc(void **state)
{
    (void)state;
    arith_try(ISA_OP_ULDC, make_uldc, ARITH_INTEGER, TRIALS);
}

UNIT_TESTS(UNIT(additions), UNIT(uimad), UNIT(logic_and_moves), UNIT(predicates), UNIT(uldc))
