/* FP32 arithmetic against exact sums. */
#include "arith.h"
#include "unit.h"

enum { TRIALS = 6000 };

static void two(struct arith *t, struct isa_inst *i)
{
    i->a = arith_operand(t, ARITH_REG, 1, ISA_NEG | ISA_ABS, ARITH_FLOAT);
    i->b = arith_operand(t, ARITH_ANY, 1, ISA_NEG | ISA_ABS, ARITH_FLOAT);
    i->d = arith_destination(t, 1);
}

static void rounding_and_saturation(struct arith *t, struct isa_inst *i)
{
    i->mod[ISA_MOD_ROUND] = arith_below(t, 2) ? 0 : (uint8_t)arith_below(t, 4);
    i->mod[ISA_MOD_SAT] = arith_below(t, 4) == 0;
}

/* The second source of FADD may stand in either role. */
static void make_fadd(struct arith *t, struct isa_inst *i)
{
    two(t, i);
    rounding_and_saturation(t, i);
    i->mod[ISA_MOD_FTZ] = (uint8_t)arith_below(t, 2);
}

static void fadd(void **state)
{
    (void)state;
    arith_try(ISA_OP_FADD, make_fadd, ARITH_FLOAT, TRIALS);
}

static void make_fmul(struct arith *t, struct isa_inst *i)
{
    two(t, i);
    rounding_and_saturation(t, i);
    i->mod[ISA_MOD_FMZ] = (uint8_t)arith_below(t, 3);
    i->mod[ISA_MOD_SCALE] = arith_below(t, 2) ? 4 : (uint8_t)(1 + arith_below(t, 7));
}

static void fmul(void **state)
{
    (void)state;
    arith_try(ISA_OP_FMUL, make_fmul, ARITH_FLOAT, TRIALS);
}

static void make_ffma(struct arith *t, struct isa_inst *i)
{
    bool c_varies = arith_below(t, 2);
    two(t, i);
    if (c_varies)
        i->b = arith_operand(t, ARITH_REG, 1, ISA_NEG | ISA_ABS, ARITH_FLOAT);
    i->c = arith_operand(t, c_varies ? ARITH_ANY : ARITH_REG, 1, ISA_NEG | ISA_ABS, ARITH_FLOAT);
    rounding_and_saturation(t, i);
    i->mod[ISA_MOD_FMZ] = (uint8_t)arith_below(t, 3);
}

static void ffma(void **state)
{
    (void)state;
    arith_try(ISA_OP_FFMA, make_ffma, ARITH_FLOAT, TRIALS);
}

/* Sums that land on or next to the middle between two floats, where rounding twice goes wrong. */
static void ffma_rounds_once(void **state)
{
    (void)state;
    struct arith *t = arith_create(99);
    arith_shuffle(t, ARITH_FLOAT);
    for (unsigned k = 0; k < 4000; ++k) {
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            uint32_t scale = 40 + arith_below(t, 170), far = 20 + arith_below(t, 40);
            t->reg[1][i] = (arith_random(t) & 0x80ffffff) | 0x3f000000;
            t->reg[2][i] = (arith_random(t) & 0x807fffff) | (arith_below(t, 2) ? scale << 23 : 0x3f800000);
            t->reg[3][i] = (arith_random(t) & 0x80000003) | (scale > far ? scale - far : 0) << 23;
            if (arith_below(t, 2)) { /* a product of few bits that ends below the sum's last place */
                t->reg[1][i] &= 0xffff8000;
                t->reg[2][i] &= 0xfffff000;
            }
        }
        struct isa_inst *i = arith_begin(t, ISA_OP_FFMA);
        i->d = arith_register(4);
        i->a = arith_register(1);
        i->b = arith_register(2);
        i->c = arith_register(3);
        arith_check(t, UINT32_MAX);
    }
    arith_destroy(t);
}

/* Factors whose product, with little added, lies within some units of the least normal number. */
static void near_the_least(struct arith *t, struct isa_inst *i)
{
    enum { A, B, C };
    for (unsigned lane = 0; lane < EXEC_LANES; ++lane) {
        uint32_t sign = arith_random(t) & 0x80000000;
        t->reg[A][lane] = sign | (0x3f7ffffc + arith_below(t, 8));
        t->reg[B][lane] = 0x007ffffc + arith_below(t, 8);
        t->reg[C][lane] = (arith_random(t) & 0x80000000) | 0x00800000 * arith_below(t, 3);
        if (arith_below(t, 2))
            t->reg[A][lane] = sign | (0x3f000000 + arith_below(t, 4)), t->reg[B][lane] = 0x01000000 - arith_below(t, 4);
    }
    i->a = arith_register(A);
    i->b = arith_register(B);
    if (i->op == ISA_OP_FFMA)
        i->c = arith_register(C);
    i->d = arith_destination(t, 1);
    i->mod[ISA_MOD_FMZ] = (uint8_t)(1 + arith_below(t, 2));
    i->mod[ISA_MOD_ROUND] = (uint8_t)arith_below(t, 4);
    i->mod[ISA_MOD_SCALE] = 4;
}

static uint32_t product(uint32_t a, uint32_t b, unsigned fmz)
{
    struct arith *t = arith_create(1);
    struct isa_inst *i = arith_begin(t, ISA_OP_FMUL);
    t->reg[0][0] = a;
    t->reg[1][0] = b;
    i->a = arith_register(0);
    i->b = arith_register(1);
    i->d = arith_register(2);
    i->mod[ISA_MOD_FMZ] = (uint8_t)fmz;
    i->mod[ISA_MOD_SCALE] = 4;
    arith_run(t, exec_table(), UINT32_MAX);
    uint32_t r = t->reg[2][0];
    arith_destroy(t);
    return r;
}

/* Measured on an H200: 2^-126 - 2^-150 rounds to the least normal number, and .FTZ makes a zero of it. */
static void a_result_that_is_denormal_before_it_is_rounded_is_flushed(void **state)
{
    enum { NONE, FTZ = 2 };
    (void)state;
    assert_int_equal(product(0x3f7fffff, 0x00800000, NONE), 0x00800000);
    assert_int_equal(product(0x3f7fffff, 0x00800000, FTZ), 0);
    assert_int_equal(product(0xbf7fffff, 0x00800000, FTZ), 0x80000000);
    assert_int_equal(product(0x3f800000, 0x00800000, FTZ), 0x00800000);
    arith_try(ISA_OP_FMUL, near_the_least, ARITH_FLOAT, TRIALS);
    arith_try(ISA_OP_FFMA, near_the_least, ARITH_FLOAT, TRIALS);
}

static void make_fmnmx(struct arith *t, struct isa_inst *i)
{
    two(t, i);
    i->pp = arith_source(t, false);
    i->mod[ISA_MOD_FTZ] = (uint8_t)arith_below(t, 2);
    if (i->op == ISA_OP_FSEL)
        return;
    i->mod[ISA_MOD_NAN] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_XORSIGN] = arith_below(t, 3) == 0;
}

/* As compilers write min.xorsign.abs: FMNMX.XORSIGN R2, |R0|, |R1|, PT. */
static void xorsign_takes_the_signs_before_the_magnitudes(void **state)
{
    (void)state;
    struct arith *t = arith_create(4);
    struct isa_inst *i = arith_begin(t, ISA_OP_FMNMX);
    i->a = arith_register(0);
    i->b = arith_register(1);
    i->a.flags = i->b.flags = ISA_ABS;
    i->d = arith_register(2);
    i->pp = (struct isa_predicate){.index = ISA_PT, .present = true};
    i->mod[ISA_MOD_XORSIGN] = 1;
    t->warp.pred[ISA_PT] = UINT32_MAX;
    t->reg[0][0] = 0xc0000000; /* -2 */
    t->reg[1][0] = 0x40400000; /* 3 */
    t->reg[0][1] = t->reg[1][1] = 0xc0000000;
    t->reg[0][2] = 0xffc00000; /* NaN, whose sign counts as well */
    t->reg[1][2] = 0x3f800000;
    arith_run(t, exec_table(), UINT32_MAX);
    assert_int_equal(t->reg[2][0], 0xc0000000);
    assert_int_equal(t->reg[2][1], 0x40000000);
    assert_int_equal(t->reg[2][2], 0xbf800000);
    arith_destroy(t);
}

static void minimum_maximum_and_selection(void **state)
{
    (void)state;
    arith_try(ISA_OP_FMNMX, make_fmnmx, ARITH_FLOAT, TRIALS);
    arith_try(ISA_OP_FSEL, make_fmnmx, ARITH_FLOAT, TRIALS);
}

static void make_fsetp(struct arith *t, struct isa_inst *i)
{
    two(t, i);
    i->d = (struct isa_operand){0};
    if (arith_below(t, 4) == 0)
        i->b = i->a;
    i->mod[ISA_MOD_FTZ] = (uint8_t)arith_below(t, 2);
    i->mod[ISA_MOD_CMP] = (uint8_t)arith_below(t, 16);
    i->mod[ISA_MOD_BOP] = (uint8_t)arith_below(t, 3);
    i->pu = arith_target(t, false);
    i->pv = arith_target(t, false);
    if (i->pv.index == i->pu.index)
        i->pv.index = ISA_PT;
    i->pp = arith_source(t, false);
}

static void fsetp(void **state)
{
    (void)state;
    arith_try(ISA_OP_FSETP, make_fsetp, ARITH_FLOAT, TRIALS);
}

UNIT_TESTS(UNIT(fadd), UNIT(fmul), UNIT(ffma), UNIT(ffma_rounds_once),
           UNIT(a_result_that_is_denormal_before_it_is_rounded_is_flushed),
           UNIT(xorsign_takes_the_signs_before_the_magnitudes), UNIT(minimum_maximum_and_selection), UNIT(fsetp))
