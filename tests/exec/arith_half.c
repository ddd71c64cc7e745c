/* Packed half arithmetic against exact sums. */
#include "arith.h"
#include "unit.h"

enum { TRIALS = 8000, F16 = 0, F32 = 1, BF16 = 2 };
enum { HALF_FLAGS = ISA_NEG | ISA_ABS };

static struct isa_operand half_operand(struct arith *t, unsigned forms, bool is_b, unsigned format)
{
    struct isa_operand op = arith_operand(t, forms, 1, HALF_FLAGS, format == BF16 ? ARITH_BF16 : ARITH_HALF);
    if (op.kind != ISA_IMM) {
        static const uint8_t swizzles[] = {0, 0, 2, 3, 1, 4};
        op.swizzle = swizzles[arith_below(t, is_b ? 6 : 5)];
    }
    return op;
}

static void make_half(struct arith *t, struct isa_inst *i, unsigned format)
{
    bool c_varies = arith_below(t, 2), fma = i->op == ISA_OP_HFMA2 || i->op == ISA_OP_HFMA2_MMA;
    i->mod[ISA_MOD_HALF_FORMAT] = (uint8_t)format;
    i->a = half_operand(t, ARITH_REG, false, format);
    i->b = half_operand(t, fma && c_varies ? ARITH_REG : ARITH_ANY, true, format);
    if (fma)
        i->c = half_operand(t, c_varies ? ARITH_ANY : ARITH_REG, false, format);
    i->d = arith_destination(t, 1);
    if (i->op == ISA_OP_HADD2)
        i->mod[ISA_MOD_FTZ] = (uint8_t)arith_below(t, 2);
    else
        i->mod[ISA_MOD_FMZ] = arith_below(t, 2) ? 0 : (uint8_t)arith_below(t, 3);
    i->mod[ISA_MOD_SAT] = arith_below(t, 4) == 0;
    i->mod[ISA_MOD_RELU] = !i->mod[ISA_MOD_SAT] && arith_below(t, 4) == 0;
}

static void make_f16(struct arith *t, struct isa_inst *i) { make_half(t, i, F16); }
static void make_f32(struct arith *t, struct isa_inst *i) { make_half(t, i, F32); }
static void make_bf16(struct arith *t, struct isa_inst *i) { make_half(t, i, BF16); }

/* .OOB: neither FP32 operands nor flush to zero. */
static void make_outside(struct arith *t, struct isa_inst *i, unsigned format)
{
    make_half(t, i, format);
    i->mod[ISA_MOD_FMZ] = 3;
    struct isa_operand *operands[] = {&i->a, &i->b, &i->c};
    for (unsigned k = 0; k < 3; k++)
        if (operands[k]->swizzle == 1)
            operands[k]->swizzle = 0;
}

static void make_f16_outside(struct arith *t, struct isa_inst *i) { make_outside(t, i, F16); }
static void make_bf16_outside(struct arith *t, struct isa_inst *i) { make_outside(t, i, BF16); }

static void try_all(enum isa_op op)
{
    arith_try(op, make_f16, ARITH_HALF, TRIALS);
    arith_try(op, make_f32, ARITH_HALF, TRIALS / 4);
    arith_try(op, make_f32, ARITH_FLOAT, TRIALS / 4);
    arith_try(op, make_f16, ARITH_FLOAT, TRIALS / 4);
    arith_try(op, make_bf16, ARITH_BF16, TRIALS / 2);
}

static void hadd2(void **state)
{
    (void)state;
    try_all(ISA_OP_HADD2);
}

static void hmul2(void **state)
{
    (void)state;
    try_all(ISA_OP_HMUL2);
}

static void hfma2(void **state)
{
    (void)state;
    try_all(ISA_OP_HFMA2);
    try_all(ISA_OP_HFMA2_MMA);
}

static void hfma2_with_a_factor_outside_of_a_tensor_is_zero(void **state)
{
    (void)state;
    static const enum isa_op ops[] = {ISA_OP_HFMA2, ISA_OP_HFMA2_MMA};
    for (unsigned k = 0; k < 2; ++k) {
        arith_try(ops[k], make_f16_outside, ARITH_HALF, TRIALS);
        arith_try(ops[k], make_bf16_outside, ARITH_BF16, TRIALS);
    }
}

/* Every FP16 number survives the way through FP32 and back, and HADD2.F32 widens it exactly. */
/* Products and sums within some units of the least normal half. */
static void near_the_least(struct arith *t, struct isa_inst *i)
{
    enum { A, B, C };
    for (unsigned lane = 0; lane < EXEC_LANES; ++lane) {
        t->reg[A][lane] = (arith_random(t) & 0x80008000) | (0x3bfc + arith_below(t, 8)) * 0x00010001;
        t->reg[B][lane] = (0x03fe + arith_below(t, 4)) | (0x03fe + arith_below(t, 4)) << 16;
        t->reg[C][lane] = (arith_random(t) & 0x80008000) | 0x0400 * arith_below(t, 2);
    }
    i->a = arith_register(A);
    i->b = arith_register(B);
    if (i->op == ISA_OP_HFMA2)
        i->c = arith_register(C);
    i->d = arith_destination(t, 1);
    i->mod[ISA_MOD_FMZ] = (uint8_t)(1 + arith_below(t, 2));
}

/* Measured on an H200: (1 - 2^-11) * 2^-14 rounds to the least normal half, and .FTZ makes a zero of it. */
static void a_half_that_is_denormal_before_it_is_rounded_is_flushed(void **state)
{
    (void)state;
    struct arith *t = arith_create(3);
    for (unsigned fmz = 0; fmz < 3; fmz += 2) {
        near_the_least(t, arith_begin(t, ISA_OP_HMUL2));
        t->inst.isa.d = arith_register(3);
        t->inst.isa.mod[ISA_MOD_FMZ] = (uint8_t)fmz;
        t->reg[0][5] = 0xbbff3bff;
        t->reg[1][5] = 0x04000400;
        arith_run(t, exec_table(), UINT32_MAX);
        assert_int_equal(t->reg[3][5], fmz ? 0x80000000 : 0x84000400);
    }
    arith_destroy(t);
    arith_try(ISA_OP_HMUL2, near_the_least, ARITH_HALF, TRIALS);
    arith_try(ISA_OP_HFMA2, near_the_least, ARITH_HALF, TRIALS);
}

static void every_half_converts(void **state)
{
    (void)state;
    struct arith *t = arith_create(7);
    for (uint32_t h = 0; h < 0x10000; h += EXEC_LANES) {
        for (uint32_t i = 0; i < EXEC_LANES; ++i)
            t->reg[1][i] = (h + i) << 16 | (h + i);
        for (uint8_t format = F16; format <= BF16; ++format) {
            struct isa_inst *i = arith_begin(t, ISA_OP_HADD2);
            i->d = arith_register(2);
            i->a = arith_register(1);
            i->b = arith_register(ISA_RZ);
            i->b.flags = ISA_NEG;
            i->mod[ISA_MOD_HALF_FORMAT] = format;
            arith_check(t, UINT32_MAX);
        }
    }
    arith_destroy(t);
}

/* How the compiler moves 32-bit constants: all bits arrive. */
static void constant_moves(void **state)
{
    (void)state;
    struct arith *t = arith_create(8);
    static const enum isa_op ops[] = {ISA_OP_HFMA2, ISA_OP_HFMA2_MMA};
    for (unsigned k = 0; k < 20000; ++k) {
        struct isa_inst *i = arith_begin(t, ops[k & 1]);
        i->d = arith_register(2);
        i->a = arith_register(ISA_RZ);
        i->a.flags = ISA_NEG;
        i->b = arith_register(ISA_RZ);
        uint32_t value = arith_value(t, k & 2 ? ARITH_HALF : ARITH_INTEGER);
        i->c = arith_immediate(value);
        arith_run(t, exec_table(), UINT32_MAX);
        for (unsigned lane = 0; lane < EXEC_LANES; ++lane)
            assert_int_equal(t->reg[2][lane], value);
    }
    arith_destroy(t);
}

UNIT_TESTS(UNIT(hadd2), UNIT(hmul2), UNIT(hfma2), UNIT(hfma2_with_a_factor_outside_of_a_tensor_is_zero),
           UNIT(every_half_converts), UNIT(a_half_that_is_denormal_before_it_is_rounded_is_flushed),
           UNIT(constant_moves))
