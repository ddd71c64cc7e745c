/* FP64 arithmetic against sums in wide integers. */
#include "arith.h"
#include "unit.h"

enum { TRIALS = 1500 };
enum { DOUBLE_FLAGS = ISA_NEG | ISA_ABS };

static struct isa_operand operand(struct arith *t, unsigned forms)
{
    return arith_operand(t, forms, 2, DOUBLE_FLAGS, ARITH_DOUBLE);
}

static void make_sum(struct arith *t, struct isa_inst *i)
{
    i->a = operand(t, ARITH_REG);
    i->c = operand(t, ARITH_ANY);
    i->d = arith_destination(t, 2);
    i->mod[ISA_MOD_ROUND] = (uint8_t)arith_below(t, 4);
}

static void make_product(struct arith *t, struct isa_inst *i)
{
    i->a = operand(t, ARITH_REG);
    i->b = operand(t, ARITH_ANY);
    i->d = arith_destination(t, 2);
    i->mod[ISA_MOD_ROUND] = (uint8_t)arith_below(t, 4);
}

static void make_fma(struct arith *t, struct isa_inst *i)
{
    bool c_varies = arith_below(t, 2);
    i->a = operand(t, ARITH_REG);
    i->b = operand(t, c_varies ? ARITH_REG : ARITH_ANY);
    i->c = operand(t, c_varies ? ARITH_ANY : ARITH_REG);
    i->d = arith_destination(t, 2);
    i->mod[ISA_MOD_ROUND] = (uint8_t)arith_below(t, 4);
}

static void sums_products_and_fused_ones_round_once_in_every_mode(void **state)
{
    (void)state;
    arith_try(ISA_OP_DADD, make_sum, ARITH_DOUBLE, TRIALS);
    arith_try(ISA_OP_DMUL, make_product, ARITH_DOUBLE, TRIALS);
    arith_try(ISA_OP_DFMA, make_fma, ARITH_DOUBLE, TRIALS);
}

/* Addends near the product: cancellation, ties and the ends of the range, where a second rounding would show. */
static void fused_sums_that_cancel_keep_every_bit(void **state)
{
    (void)state;
    struct arith *t = arith_create(11);
    for (unsigned k = 0; k < 1000; ++k) {
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            uint32_t scale = arith_below(t, 1900) << 20, other = arith_below(t, 3) << 20;
            t->reg[0][i] = arith_random(t) & (0u - arith_below(t, 2));
            t->reg[1][i] = (scale / 2 & 0x7ff00000) + 0x10000000 + (arith_random(t) & 0x000fffff);
            t->reg[2][i] = arith_random(t) & 7;
            t->reg[3][i] = 0x3ff00000;
            t->reg[4][i] = t->reg[0][i] + arith_below(t, 3) - 1;
            t->reg[5][i] = (t->reg[1][i] + other) ^ 0x80000000;
        }
        struct isa_inst *inst = arith_begin(t, ISA_OP_DFMA);
        struct isa_operand *const operands[] = {&inst->a, &inst->b, &inst->c, &inst->d};
        for (unsigned o = 0; o < 4; ++o) {
            *operands[o] = arith_register(2 * o);
            operands[o]->words = 2;
        }
        inst->mod[ISA_MOD_ROUND] = (uint8_t)(k & 3);
        arith_check(t, UINT32_MAX);
    }
    arith_destroy(t);
}

static void expect_double(enum isa_op op, uint64_t a, uint64_t b, uint64_t c, uint64_t expected)
{
    const uint64_t values[] = {a, b, c};
    struct arith *t = arith_create(1);
    struct isa_inst *inst = arith_begin(t, op);
    struct isa_operand *const operands[] = {&inst->a, op == ISA_OP_DADD ? &inst->c : &inst->b, &inst->c, &inst->d};
    for (unsigned o = 0; o < 4; o++) {
        if (o == 2 && op != ISA_OP_DFMA)
            continue;
        *operands[o] = arith_register(2 * o);
        operands[o]->words = 2;
        for (unsigned i = 0; i < EXEC_LANES && o < 3; i++) {
            t->reg[2 * o][i] = (uint32_t)values[o];
            t->reg[2 * o + 1][i] = (uint32_t)(values[o] >> 32);
        }
    }
    arith_run(t, exec_table(), UINT32_MAX);
    assert_int_equal(t->reg[6][7] | (uint64_t)t->reg[7][7] << 32, expected);
    arith_destroy(t);
}

/* Measured on an H200. That the first of two NaNs is the result is assumed. */
static void a_nan_keeps_its_sign_and_payload_and_becomes_quiet(void **state)
{
    const uint64_t one = UINT64_C(0x3ff0000000000000), infinity = UINT64_C(0x7ff0000000000000);
    const uint64_t signalling = UINT64_C(0xfff0000000001234), quiet = UINT64_C(0x7ffc00000000abcd);
    const uint64_t invalid = UINT64_C(0xfff8000000000000);
    (void)state;
    expect_double(ISA_OP_DADD, signalling, one, 0, UINT64_C(0xfff8000000001234));
    expect_double(ISA_OP_DMUL, one, quiet, 0, quiet);
    expect_double(ISA_OP_DFMA, one, one, quiet, quiet);
    expect_double(ISA_OP_DFMA, quiet, signalling, one, quiet);
    expect_double(ISA_OP_DFMA, infinity, 0, quiet, quiet);
    expect_double(ISA_OP_DMUL, infinity, 0, 0, invalid);
    expect_double(ISA_OP_DADD, infinity, infinity | UINT64_C(1) << 63, 0, invalid);
}

static void make_dsetp(struct arith *t, struct isa_inst *i)
{
    i->a = operand(t, ARITH_REG);
    i->b = operand(t, ARITH_ANY);
    if (arith_below(t, 4) == 0)
        i->b = i->a, i->b.flags = (uint8_t)(arith_random(t) & DOUBLE_FLAGS);
    i->pu = arith_target(t, false);
    do {
        i->pv = arith_target(t, false);
    } while (i->pv.index == i->pu.index && i->pu.index != ISA_PT);
    i->pp = arith_source(t, false);
    i->mod[ISA_MOD_CMP] = (uint8_t)arith_below(t, 16);
    i->mod[ISA_MOD_BOP] = (uint8_t)arith_below(t, 3);
}

static void comparisons_know_every_code_minimum_and_maximum(void **state)
{
    (void)state;
    arith_try(ISA_OP_DSETP, make_dsetp, ARITH_DOUBLE, 4 * TRIALS);
}

UNIT_TESTS(UNIT(sums_products_and_fused_ones_round_once_in_every_mode), UNIT(fused_sums_that_cancel_keep_every_bit),
           UNIT(a_nan_keeps_its_sign_and_payload_and_becomes_quiet),
           UNIT(comparisons_know_every_code_minimum_and_maximum))
