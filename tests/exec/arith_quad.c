/* HMMA.884 against its rule: four products and an addend, cut at 2^-23 of the largest exponent, added exactly, cut or
 * rounded once. Elements go into registers by the formulas of the PTX ISA (mma.m8n8k4), written here as they stand. */
#include <math.h>

#include "arith.h"
#include "exact.h"
#include "exec/arithmetic/half.h"
#include "unit.h"

enum { SIZE = 8, DEPTH = 4, QUADS = 4, REG_A = 8, REG_B = 16, REG_C = 24, REG_D = 32 };

struct problem {
    bool f32, addend_f32, column_a, column_b;
    uint32_t a[QUADS][SIZE][DEPTH], b[QUADS][DEPTH][SIZE], c[QUADS][SIZE][SIZE], d[QUADS][SIZE][SIZE];
};

static void put(uint32_t (*reg)[EXEC_LANES], unsigned lane, unsigned bits, unsigned i, uint32_t value)
{
    uint32_t *word = &reg[i * bits / 32][lane];
    if (bits == 32)
        *word = value;
    else
        *word = (i & 1) ? (*word & 0xffff) | value << 16 : (*word & ~0xffffu) | value;
}

static uint32_t get(uint32_t (*reg)[EXEC_LANES], unsigned lane, unsigned bits, unsigned i)
{
    return bits == 32 ? reg[i][lane] : reg[i / 2][lane] >> 16 * (i & 1) & 0xffff;
}

static unsigned row_of(unsigned lane, unsigned i, bool f32)
{
    unsigned row = f32 ? (lane & 1) + (i & 2) : lane % 4;
    return lane < 16 ? row : row + 4;
}

static unsigned column_of(unsigned lane, unsigned i, bool f32) { return f32 ? (i & 4) + (lane & 2) + (i & 1) : i; }

static void load(struct arith *t, const struct problem *p)
{
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        unsigned quad = lane % 16 / 4, upper = lane < 16 ? 0 : 4;
        for (unsigned i = 0; i < DEPTH; i++) {
            put(&t->reg[REG_A], lane, 16, i,
                p->column_a ? p->a[quad][i + upper][lane % 4] : p->a[quad][lane % 4 + upper][i]);
            put(&t->reg[REG_B], lane, 16, i,
                p->column_b ? p->b[quad][i][lane % 4 + upper] : p->b[quad][lane % 4][i + upper]);
        }
        for (unsigned i = 0; i < SIZE; i++)
            put(&t->reg[REG_C], lane, p->addend_f32 ? 32 : 16, i,
                p->c[quad][row_of(lane, i, p->addend_f32)][column_of(lane, i, p->addend_f32)]);
    }
}

/* Two or four steps, each with two registers of D. Two steps share a pair of C where C has halves. */
static void multiply(struct arith *t, struct problem *p)
{
    load(t, p);
    for (unsigned step = 0; step < (p->f32 ? 4 : 2); step++) {
        struct isa_inst *i = arith_begin(t, ISA_OP_HMMA_884);
        i->mod[ISA_MOD_DST_TYPE] = p->f32;
        i->mod[ISA_MOD_MMA_ACC] = p->addend_f32;
        i->mod[ISA_MOD_STEP] = (uint8_t)step;
        i->mod[ISA_MOD_COLUMN_A] = p->column_a;
        i->mod[ISA_MOD_COLUMN_B] = p->column_b;
        i->d = arith_register(REG_D + 2 * step);
        i->a = arith_register(REG_A);
        i->b = arith_register(REG_B);
        i->c = arith_register(REG_C + 2 * (p->f32 && !p->addend_f32 ? step / 2 : step));
        arith_run(t, exec_table(), UINT32_MAX);
        assert_int_equal(t->core.fault.code, STATUS_OK);
    }
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        for (unsigned i = 0; i < SIZE; i++)
            p->d[lane % 16 / 4][row_of(lane, i, p->f32)][column_of(lane, i, p->f32)] =
                get(&t->reg[REG_D], lane, p->f32 ? 32 : 16, i);
}

/* ---- oracle ------------------------------------------------------------------------------------------------------ */

/* The size of a number in its encoding: its exponent, of denormals the smallest normal one. */
static int exponent_of(uint32_t bits, bool f32)
{
    int exponent = (int)(f32 ? bits >> 23 & 0xff : bits >> 10 & 0x1f);
    return (exponent ? exponent : 1) - (f32 ? 127 : 15);
}

static double value_of(uint32_t bits, bool f32) { return (double)float_of(f32 ? bits : half_to_float(bits)); }

static uint32_t expected(const struct problem *p, unsigned quad, unsigned row, unsigned column)
{
    double term[DEPTH + 1] = {value_of(p->c[quad][row][column], p->addend_f32)}, sum = 0;
    int exponent[DEPTH + 1] = {exponent_of(p->c[quad][row][column], p->addend_f32)}, largest = -1000;
    for (unsigned k = 0; k < DEPTH; k++) {
        uint32_t x = p->a[quad][row][k], y = p->b[quad][k][column];
        term[k + 1] = value_of(x, false) * value_of(y, false);
        exponent[k + 1] = exponent_of(x, false) + exponent_of(y, false);
    }
    for (unsigned i = 0; i <= DEPTH; i++)
        largest = term[i] != 0 && exponent[i] > largest ? exponent[i] : largest;
    for (unsigned i = 0; i <= DEPTH; i++) /* infinities and NaNs go through as they are */
        sum += isfinite(term[i]) ? ldexp(trunc(ldexp(term[i], 23 - largest)), largest - 23) : term[i];
    if (!p->f32)
        return half_from_double(sum);
    if (isnan(sum))
        return 0x7fffffff;
    float f = (float)sum;
    return float_bits(isfinite(sum) && fabs((double)f) > fabs(sum) ? nextafterf(f, 0) : f);
}

static uint32_t element(struct arith *t, bool f32, bool wild)
{
    uint32_t v = arith_value(t, f32 ? ARITH_FLOAT : ARITH_HALF);
    if (wild)
        return f32 ? v : v & 0xffff;
    return f32 ? (v & 0x80ffffff) | 0x3f000000 : (v & 0x83ff) | (0x3000 + arith_below(t, 5) * 0x400);
}

static void fill(struct arith *t, struct problem *p, bool wild)
{
    for (unsigned i = 0; i < QUADS * SIZE * DEPTH; i++) {
        (&p->a[0][0][0])[i] = element(t, false, wild && arith_below(t, 8) == 0);
        (&p->b[0][0][0])[i] = element(t, false, wild && arith_below(t, 8) == 0);
    }
    for (unsigned i = 0; i < QUADS * SIZE * SIZE; i++)
        (&p->c[0][0][0])[i] = element(t, p->addend_f32, wild && arith_below(t, 4) == 0);
}

static void check(struct arith *t, struct problem *p)
{
    multiply(t, p);
    for (unsigned i = 0; i < QUADS * SIZE * SIZE; i++) {
        unsigned quad = i / 64, row = i / 8 % 8, column = i % 8;
        uint32_t want = expected(p, quad, row, column), got = p->d[quad][row][column];
        bool zeros = ((got | want) & (p->f32 ? 0x7fffffffu : 0x7fffu)) == 0; /* of either sign: nothing is known */
        if (got != want && !zeros)
            fail_msg("quad pair %u, element (%u,%u) is %08x, not %08x", quad, row, column, got, want);
    }
}

static void sums_are_cut_and_rounded_once_in_every_layout_and_type(void **state)
{
    struct arith *t = arith_create(21);
    (void)state;
    for (unsigned trial = 0; trial < 360; trial++) {
        unsigned kind = trial % 12, types = kind / 4; /* halves, floats from floats, floats from halves */
        struct problem p = {.f32 = types > 0, .addend_f32 = types == 1, .column_a = kind & 1, .column_b = kind & 2};
        fill(t, &p, trial % 3 == 0);
        check(t, &p);
    }
    arith_destroy(t);
}

/* 1 + 2^-24: below the last bit that the sum keeps. 1 + 2^-23 is not. */
static void a_product_below_the_cut_is_lost(void **state)
{
    struct arith *t = arith_create(22);
    struct problem p = {.f32 = true, .addend_f32 = true, .column_b = true};
    (void)state;
    p.a[0][0][0] = p.b[0][0][0] = 0x0c00; /* 2^-12 */
    p.c[0][0][0] = 0x3f800000;
    multiply(t, &p);
    assert_int_equal(p.d[0][0][0], 0x3f800000);
    p.b[0][0][0] = 0x1000; /* 2^-11 */
    multiply(t, &p);
    assert_int_equal(p.d[0][0][0], 0x3f800001);
    arith_destroy(t);
}

/* D on C, and lanes that take no part keep their registers. Forms that nothing is known of are refused. */
static void operands_and_refusals(void **state)
{
    struct arith *t = arith_create(23);
    struct problem p = {.f32 = true, .addend_f32 = true, .column_b = true};
    (void)state;
    fill(t, &p, false);
    load(t, &p);
    uint32_t before = t->reg[REG_C][20];
    struct isa_inst *i = arith_begin(t, ISA_OP_HMMA_884);
    i->mod[ISA_MOD_DST_TYPE] = i->mod[ISA_MOD_MMA_ACC] = i->mod[ISA_MOD_COLUMN_B] = 1;
    i->a = arith_register(REG_A);
    i->b = arith_register(REG_B);
    i->c = i->d = arith_register(REG_C);
    arith_run(t, exec_table(), 0x0000ffff);
    assert_int_equal(t->reg[REG_C][20], before);
    assert_int_equal(t->reg[REG_C][0], expected(&p, 0, 0, 0));
    i->mod[ISA_MOD_SAT] = 1;
    arith_run(t, exec_table(), UINT32_MAX);
    assert_int_equal(t->core.fault.code, STATUS_UNSUPPORTED);
    arith_destroy(t);
}

UNIT_TESTS(UNIT(sums_are_cut_and_rounded_once_in_every_layout_and_type), UNIT(a_product_below_the_cut_is_lost),
           UNIT(operands_and_refusals))
