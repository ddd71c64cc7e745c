/* IMMA, BMMA, DMMA and QMMA on random and edge operands. Elements go into registers by the formulas of the PTX ISA
 * (mma, matrix fragments) for elements of any width. Integers must come out exactly, doubles as a chain of the oracle's
 * DFMA, QMMA as the documented sum of cut terms and within the error that this can have. */
#include <math.h>
#include <stdlib.h>

#include "arith.h"
#include "exact.h"
#include "unit.h"

enum { ROWS = 16, COLUMNS = 8, DEPTH = 256 };
enum { REG_A = 8, REG_B = 24, REG_C = 32, REG_D = 40 };

struct problem {
    unsigned rows, depth, bits, bits_c;
    uint32_t a[ROWS][DEPTH], b[DEPTH][COLUMNS], c[ROWS][COLUMNS], d[ROWS][COLUMNS];
};

static void put(uint32_t *reg, unsigned bits, unsigned index, uint32_t value)
{
    *reg |= (bits == 32 ? value : value & ((1u << bits) - 1)) << index * bits % 32;
}

static unsigned c_row(const struct problem *p, unsigned lane, unsigned i)
{
    return lane / 4 + (p->rows == 16 && i >= 2 ? 8 : 0);
}

static void load(struct arith *t, const struct problem *p)
{
    unsigned per = 32 / p->bits, tall = p->rows / 8;
    memset(t->reg, 0, sizeof t->reg);
    for (unsigned lane = 0; lane < EXEC_LANES; ++lane) {
        unsigned group = lane / 4, thread = lane % 4;
        for (unsigned i = 0; i < p->rows * p->depth / 32; ++i) {
            unsigned reg = i / per, row = group + reg % tall * 8;
            put(&t->reg[REG_A + reg][lane], p->bits, i, p->a[row][thread * per + i % per + reg / tall * 4 * per]);
        }
        for (unsigned i = 0; i < p->depth / 4; ++i)
            put(&t->reg[REG_B + i / per][lane], p->bits, i, p->b[thread * per + i % per + i / per * 4 * per][group]);
        for (unsigned i = 0; i < p->rows / 4; ++i)
            put(&t->reg[REG_C + i * p->bits_c / 32][lane], p->bits_c, i, p->c[c_row(p, lane, i)][thread * 2 + i % 2]);
    }
}

static void run(struct arith *t, struct problem *p)
{
    struct isa_inst *i = &t->inst.isa;
    i->a = arith_register(REG_A);
    i->b = arith_register(REG_B);
    i->c = arith_register(REG_C);
    i->d = arith_register(REG_D);
    load(t, p);
    arith_run(t, exec_table(), UINT32_MAX);
    assert_int_equal(t->core.fault.code, STATUS_OK);
    for (unsigned lane = 0; lane < EXEC_LANES; ++lane) {
        for (unsigned k = 0; k < p->rows / 4; ++k) {
            uint32_t word = t->reg[REG_D + k * p->bits_c / 32][lane];
            p->d[c_row(p, lane, k)][lane % 4 * 2 + k % 2] = p->bits_c == 32 ? word : word >> k % 2 * 16 & 0xffff;
        }
    }
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

enum { U8, S8, U4 = 4, S4 };

static int64_t integer(uint32_t element, unsigned type)
{
    int64_t limit = type >= U4 ? 16 : 256;
    return type % 2 && element >= limit / 2 ? element - limit : element;
}

/* Elements of `bits` that are extreme for the whole matrix, so that sums leave the range of C, or random. */
static void fill_integers(struct arith *t, struct problem *p)
{
    unsigned style = arith_below(t, 3);
    uint32_t mask = p->bits == 32 ? UINT32_MAX : (1u << p->bits) - 1, top = mask ^ mask >> 1;
    const uint32_t extremes[] = {top, top - 1, mask};
    uint32_t a = extremes[arith_below(t, 3)], b = extremes[arith_below(t, 3)];
    for (unsigned k = 0; k < p->depth; ++k) {
        for (unsigned r = 0; r < p->rows; ++r)
            p->a[r][k] = style ? a : arith_random(t) & mask;
        for (unsigned c = 0; c < COLUMNS; ++c)
            p->b[k][c] = style ? b : arith_random(t) & mask;
    }
    for (unsigned r = 0; r < p->rows; ++r)
        for (unsigned c = 0; c < COLUMNS; ++c)
            p->c[r][c] = style == 2 ? (arith_below(t, 2) ? INT32_MAX : 1u << 31) + arith_below(t, 1 << 20) - (1 << 19)
                                    : arith_value(t, ARITH_INTEGER);
}

static void check_integers(const struct problem *p, unsigned type_a, unsigned type_b, bool saturates)
{
    for (unsigned r = 0; r < p->rows; ++r) {
        for (unsigned c = 0; c < COLUMNS; ++c) {
            int64_t sum = (int32_t)p->c[r][c];
            for (unsigned k = 0; k < p->depth; ++k)
                sum += integer(p->a[r][k], type_a) * integer(p->b[k][c], type_b);
            if (saturates && sum > INT32_MAX)
                sum = INT32_MAX;
            if (saturates && sum < INT32_MIN)
                sum = INT32_MIN;
            assert_int_equal(p->d[r][c], (uint32_t)sum);
        }
    }
}

static void sums_of_integers_wrap_or_saturate_once(void **state)
{
    static const struct {
        unsigned shape, rows, depth, bits;
    } shapes[] = {{0, 8, 16, 8}, {4, 16, 16, 8}, {5, 16, 32, 8}, {2, 8, 32, 4}, {5, 16, 32, 4}, {6, 16, 64, 4}};
    (void)state;
    struct arith *t = arith_create(13);
    struct problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    for (unsigned trial = 0; trial < 40 * 6; ++trial) {
        unsigned k = trial % 6, first = shapes[k].bits == 4 ? U4 : U8;
        unsigned type_a = first + arith_below(t, 2), type_b = first + arith_below(t, 2);
        struct isa_inst *i = arith_begin(t, ISA_OP_IMMA);
        i->mod[ISA_MOD_SHAPE] = (uint8_t)shapes[k].shape;
        i->mod[ISA_MOD_TYPE_A] = (uint8_t)type_a;
        i->mod[ISA_MOD_TYPE_B] = (uint8_t)type_b;
        i->mod[ISA_MOD_SAT] = (uint8_t)arith_below(t, 2);
        p->rows = shapes[k].rows, p->depth = shapes[k].depth, p->bits = shapes[k].bits, p->bits_c = 32;
        fill_integers(t, p);
        run(t, p);
        check_integers(p, type_a, type_b, i->mod[ISA_MOD_SAT]);
    }
    free(p);
    arith_destroy(t);
}

static void bits_that_differ_or_that_both_have_are_counted(void **state)
{
    enum { XOR = 0, AND = 2 };
    static const struct {
        unsigned rows, depth;
    } shapes[] = {{8, 128}, {16, 128}, {16, 256}};
    (void)state;
    struct arith *t = arith_create(14);
    struct problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    for (unsigned trial = 0; trial < 60; ++trial) {
        unsigned shape = trial % 3, function = arith_below(t, 2) ? AND : XOR;
        t->module.sm = trial % 2 ? 80 : 90;
        bool common = function == AND || t->module.sm == 90; /* as an H200 has it */
        struct isa_inst *i = arith_begin(t, ISA_OP_BMMA);
        i->mod[ISA_MOD_SHAPE] = (uint8_t)shape;
        i->mod[ISA_MOD_FUNCTION] = (uint8_t)function;
        p->rows = shapes[shape].rows, p->depth = shapes[shape].depth, p->bits = 1, p->bits_c = 32;
        fill_integers(t, p);
        run(t, p);
        for (unsigned r = 0; r < p->rows; ++r) {
            for (unsigned c = 0; c < COLUMNS; ++c) {
                uint32_t sum = p->c[r][c];
                for (unsigned k = 0; k < p->depth; ++k)
                    sum += common ? p->a[r][k] & p->b[k][c] : p->a[r][k] ^ p->b[k][c];
                assert_int_equal(p->d[r][c], sum);
            }
        }
    }
    free(p);
    arith_destroy(t);
}

/* ---- doubles ----------------------------------------------------------------------------------------------------- */

enum { DOUBLE_A = 0, DOUBLE_B = 16, DOUBLE_C = 24, DOUBLE_D = 32 };

static struct isa_operand double_register(unsigned index, uint8_t flags)
{
    struct isa_operand o = arith_register(index);
    o.words = 2;
    o.flags = flags;
    return o;
}

/* Edges, numbers of like size whose sums cancel and round, or both. */
static void fill_doubles(struct arith *t)
{
    unsigned style = arith_below(t, 3);
    for (unsigned r = 0; r < DOUBLE_D; r += 2) {
        for (unsigned lane = 0; lane < EXEC_LANES; ++lane) {
            bool edge = style == 0 || (style == 1 && arith_below(t, 32) == 0);
            t->reg[r][lane] = style == 2 ? arith_random(t) & 0xf8000000 : arith_random(t);
            t->reg[r + 1][lane] = edge ? arith_value(t, ARITH_DOUBLE) : (arith_random(t) & 0x803fffff) + 0x3fd00000;
        }
    }
}

static void copy_double(uint32_t (*to)[EXEC_LANES], unsigned to_lane, uint32_t (*from)[EXEC_LANES], unsigned lane)
{
    to[0][to_lane] = from[0][lane];
    to[1][to_lane] = from[1][lane];
}

/* Element i of every lane, as a DFMA chain, in registers SUM of `o`. PTX ISA, mma with f64: register k of A has row
 * g (+ 8 in the odd ones of 16 rows) and column t of its block, register k of B row t in its block and column g. */
enum { SUM, FACTOR_A = 2, FACTOR_B = 4 };

static void chain(struct oracle *o, struct arith *t, unsigned rows, unsigned depth, unsigned i)
{
    const struct isa_inst *dmma = &t->inst.isa;
    struct isa_inst dfma = {.op = ISA_OP_DFMA, .guard = dmma->guard};
    dfma.mod[ISA_MOD_ROUND] = dmma->mod[ISA_MOD_ROUND];
    dfma.a = double_register(FACTOR_A, dmma->a.flags);
    dfma.b = double_register(FACTOR_B, dmma->b.flags);
    dfma.c = double_register(SUM, dmma->c.flags);
    dfma.d = double_register(SUM, 0);
    for (unsigned lane = 0; lane < EXEC_LANES; ++lane)
        copy_double(&o->reg[SUM], lane, &t->reg[DOUBLE_C + 2 * i], lane);
    for (unsigned k = 0; k < depth; ++k) {
        unsigned reg_a = k / 4 * (rows / 8) + i / 2;
        for (unsigned lane = 0; lane < EXEC_LANES; ++lane) {
            unsigned row = lane / 4, column = lane % 4 * 2 + i % 2;
            copy_double(&o->reg[FACTOR_A], lane, &t->reg[DOUBLE_A + 2 * reg_a], row * 4 + k % 4);
            copy_double(&o->reg[FACTOR_B], lane, &t->reg[DOUBLE_B + 2 * (k / 4)], column * 4 + k % 4);
        }
        assert_true(oracle_step(o, &dfma, UINT32_MAX));
        dfma.c.flags = 0;
    }
}

static void doubles_are_chains_of_fused_steps_in_every_rounding_mode(void **state)
{
    static const uint8_t shapes[][2] = {{8, 4}, {16, 4}, {16, 8}, {16, 16}};
    (void)state;
    struct arith *t = arith_create(15);
    struct oracle *o = calloc(1, sizeof *o);
    assert_non_null(o);
    for (unsigned trial = 0; trial < 4 * 4 * 6; ++trial) {
        unsigned rows = shapes[trial % 4][0], depth = shapes[trial % 4][1];
        struct isa_inst *inst = arith_begin(t, ISA_OP_DMMA);
        inst->mod[ISA_MOD_SHAPE] = (uint8_t)(trial % 4);
        inst->mod[ISA_MOD_ROUND] = (uint8_t)(trial / 4 % 4);
        inst->a = double_register(DOUBLE_A, (uint8_t)(arith_random(t) & (ISA_NEG | ISA_ABS)));
        inst->b = double_register(DOUBLE_B, (uint8_t)(arith_random(t) & (ISA_NEG | ISA_ABS)));
        inst->c = double_register(DOUBLE_C, (uint8_t)(arith_random(t) & (ISA_NEG | ISA_ABS)));
        inst->d = double_register(DOUBLE_D, 0);
        fill_doubles(t);
        arith_run(t, exec_table(), UINT32_MAX);
        assert_int_equal(t->core.fault.code, STATUS_OK);
        for (unsigned i = 0; i < rows / 4; ++i) {
            chain(o, t, rows, depth, i);
            assert_memory_equal(o->reg[SUM], t->reg[DOUBLE_D + 2 * i], sizeof o->reg[SUM]);
            assert_memory_equal(o->reg[SUM + 1], t->reg[DOUBLE_D + 2 * i + 1], sizeof o->reg[SUM]);
        }
    }
    free(o);
    arith_destroy(t);
}

/* ---- small floats ------------------------------------------------------------------------------------------------ */

/* How a machine adds: products in a step, fraction bits in a term and in a result. */
struct machine {
    unsigned sm, step, fraction, result;
};

struct small {
    unsigned code, exponent_bits, fraction_bits, shift;
    unsigned infinity, first_nan; /* encodings without sign (0: none) */
};

static const struct small small_types[] = {
    {0, 4, 3, 0, 0, 0x7f}, {1, 5, 2, 0, 0x7c, 0x7d}, {3, 3, 2, 0, 0, 0}, {4, 2, 3, 0, 0, 0}, {5, 2, 1, 2, 0, 0}};

static struct exact_value read_small(uint32_t bits, const struct small *f)
{
    unsigned width = f->exponent_bits + f->fraction_bits;
    uint32_t magnitude = bits >> f->shift & ((1u << width) - 1), exponent = magnitude >> f->fraction_bits;
    struct exact_value v = {EXACT_FINITE, bits >> f->shift >> width & 1, magnitude, 0};
    if (f->first_nan && magnitude >= f->first_nan)
        v.kind = EXACT_NAN;
    else if (f->infinity && magnitude == f->infinity)
        v.kind = EXACT_INFINITE;
    if (exponent)
        v.mantissa = (magnitude & ((1u << f->fraction_bits) - 1)) | 1u << f->fraction_bits;
    v.exponent = (int)(exponent ? exponent : 1) - (1 << (f->exponent_bits - 1)) + 1 - (int)f->fraction_bits;
    return v;
}

/* The exact sum, its special values, the sum of magnitudes and the largest encoded exponent. */
struct small_sum {
    struct exact exact;
    bool nan, plus, minus;
    double magnitudes;
    int largest;
};

static void add_product(struct small_sum *s, struct exact_value x, struct exact_value y, int exponent)
{
    bool zero = (x.kind == EXACT_FINITE && !x.mantissa) || (y.kind == EXACT_FINITE && !y.mantissa);
    bool infinite = x.kind == EXACT_INFINITE || y.kind == EXACT_INFINITE, negative = x.negative != y.negative;
    s->nan |= x.kind == EXACT_NAN || y.kind == EXACT_NAN || (infinite && zero);
    s->plus |= infinite && !negative;
    s->minus |= infinite && negative;
    if (s->nan || infinite)
        return;
    exact_add(&s->exact, negative, x.mantissa * y.mantissa, x.exponent + y.exponent);
    s->magnitudes += ldexp((double)(x.mantissa * y.mantissa), x.exponent + y.exponent);
    if (!zero && exponent > s->largest)
        s->largest = exponent;
}

static double float_value(struct exact_value v)
{
    double magnitude = v.kind == EXACT_INFINITE ? INFINITY : ldexp((double)v.mantissa, v.exponent);
    return v.negative ? -magnitude : magnitude;
}

/* Each step cuts its terms, by less than 2^-fraction of the largest exponent, and rounds its sum once. */
static void check_small(const struct machine *m, const struct small_sum *s, unsigned depth, bool f32, uint32_t got)
{
    const struct exact_format *out = f32 ? &exact_f32 : &exact_f16;
    struct exact_value v = exact_read(got, out);
    if (s->nan || (s->plus && s->minus)) {
        assert_int_equal(got, out->nan);
        return;
    }
    if (s->plus || s->minus) {
        assert_true(v.kind == EXACT_INFINITE && v.negative == s->minus);
        return;
    }
    int top;
    frexp(s->magnitudes, &top);
    int largest = s->largest > top ? s->largest : top;
    double steps = depth > m->step ? 2 : 1;
    double cut = ldexp(depth / steps + 1, largest - (int)m->fraction);
    double round = ldexp(1, top - (f32 ? (int)m->result : 11)) + ldexp(1, f32 ? -149 + 23 - (int)m->result : -25);
    double bound = steps * (cut + round), limit = f32 ? 0x1p128 : 65504, exact = exact_double(&s->exact);
    if (v.kind == EXACT_INFINITE && fabs(exact) + bound >= limit && v.negative == (exact < 0))
        return;
    assert_int_equal(v.kind, EXACT_FINITE);
    struct exact error = s->exact;
    exact_add(&error, !v.negative, v.mantissa, v.exponent);
    if (fabs(exact_double(&error)) > bound)
        fail_msg("sm_%u: %a for the sum %a, whose bound is %a", m->sm, float_value(v), exact, bound);
}

/* The documented sum of finite terms, in doubles, where all of it but the cuts is exact. */
static uint32_t cut_sum(const struct machine *m, const double *product, const int *exponent, unsigned depth, uint32_t c,
                        bool f32)
{
    const struct exact_format *out = f32 ? &exact_f32 : &exact_f16;
    for (unsigned k = 0; k < depth; k += m->step) {
        struct exact_value addend = exact_read(c, out);
        struct exact x = {{0}};
        int largest = addend.mantissa ? addend.exponent + (f32 ? 23 : 10) : -126, fraction = (int)m->fraction;
        for (unsigned i = k; i < k + m->step && i < depth; ++i)
            largest = product[i] != 0 && exponent[i] > largest ? exponent[i] : largest;
        double sum = trunc(ldexp(float_value(addend), fraction - largest));
        for (unsigned i = k; i < k + m->step && i < depth; ++i)
            sum += trunc(ldexp(product[i], fraction - largest));
        exact_add(&x, sum < 0, (uint64_t)fabs(sum), largest - fraction);
        c = sum == 0 ? 0 : exact_round(&x, out, f32 ? EXACT_ZERO : EXACT_NEAREST);
        c &= f32 ? UINT32_MAX << (23 - m->result) : UINT32_MAX;
    }
    return c;
}

/* Numbers near 1, or any encoding. Of FP16 sums, which one step could make infinite, no large numbers. */
enum wildness { TAME, SPECIAL, WILD };

static uint32_t small_element(struct arith *t, const struct small *f, enum wildness wildness)
{
    for (;;) {
        uint32_t bits = (arith_random(t) & ((2u << (f->exponent_bits + f->fraction_bits)) - 1)) << f->shift;
        struct exact_value v = read_small(bits, f);
        if (wildness == WILD || (v.kind == EXACT_FINITE ? fabs(float_value(v)) <= 8 : wildness == SPECIAL))
            return bits;
    }
}

static uint32_t small_addend(struct arith *t, bool f32, enum wildness wildness)
{
    if (f32)
        return wildness ? arith_value(t, ARITH_FLOAT)
                        : (arith_random(t) & 0x807fffff) | (96 + arith_below(t, 48)) << 23;
    return (arith_random(t) & 0x83ff) | (wildness && arith_below(t, 4) == 0 ? 31 : arith_below(t, 21)) << 10;
}

static void check_small_problem(struct arith *t, struct problem *p, const struct machine *m, const struct small *a,
                                const struct small *b)
{
    bool f32 = p->bits_c == 32;
    enum wildness wildness = arith_below(t, 3) ? TAME : f32 ? WILD : SPECIAL;
    for (unsigned k = 0; k < p->depth; ++k) {
        for (unsigned r = 0; r < ROWS; ++r)
            p->a[r][k] = small_element(t, a, arith_below(t, 16) ? TAME : wildness);
        for (unsigned c = 0; c < COLUMNS; ++c)
            p->b[k][c] = small_element(t, b, arith_below(t, 16) ? TAME : wildness);
    }
    for (unsigned r = 0; r < ROWS; ++r)
        for (unsigned c = 0; c < COLUMNS; ++c)
            p->c[r][c] = small_addend(t, f32, wildness);
    run(t, p);
    for (unsigned r = 0; r < ROWS; ++r) {
        for (unsigned c = 0; c < COLUMNS; ++c) {
            const struct exact_value one = {EXACT_FINITE, false, 1, 0};
            struct small_sum s = {.largest = -1000};
            struct exact_value addend = exact_read(p->c[r][c], f32 ? &exact_f32 : &exact_f16);
            double product[32];
            int exponent[32];
            add_product(&s, addend, one, addend.exponent + (f32 ? 23 : 10));
            for (unsigned k = 0; k < p->depth; ++k) {
                struct exact_value x = read_small(p->a[r][k], a), y = read_small(p->b[k][c], b);
                exponent[k] = x.exponent + y.exponent + (int)(a->fraction_bits + b->fraction_bits);
                product[k] = float_value(x) * float_value(y);
                add_product(&s, x, y, exponent[k]);
            }
            check_small(m, &s, p->depth, f32, p->d[r][c]);
            if (!s.nan && !s.plus && !s.minus)
                assert_int_equal(p->d[r][c], cut_sum(m, product, exponent, p->depth, p->c[r][c], f32));
        }
    }
}

static void sums_of_small_floats_err_as_little_as_their_cut_terms(void **state)
{
    static const struct machine machines[] = {{89, 16, 13, 13}, {120, 32, 25, 23}};
    (void)state;
    struct arith *t = arith_create(16);
    struct problem *p = calloc(1, sizeof *p);
    struct exec_module module = {0};
    assert_non_null(p);
    t->launch.module = &module;
    for (unsigned trial = 0; trial < 240; ++trial) {
        const struct machine *m = &machines[trial % 2];
        unsigned types = m->sm == 89 ? 2 : sizeof small_types / sizeof *small_types;
        const struct small *a = &small_types[arith_below(t, types)], *b = &small_types[arith_below(t, types)];
        struct isa_inst *i = arith_begin(t, ISA_OP_QMMA);
        module.sm = m->sm;
        i->mod[ISA_MOD_SHAPE] = (uint8_t)arith_below(t, 2);
        i->mod[ISA_MOD_MMA_ACC] = (uint8_t)arith_below(t, 2);
        i->mod[ISA_MOD_TYPE_A] = (uint8_t)a->code;
        i->mod[ISA_MOD_TYPE_B] = (uint8_t)b->code;
        p->rows = ROWS, p->depth = i->mod[ISA_MOD_SHAPE] ? 32 : 16, p->bits = 8;
        p->bits_c = i->mod[ISA_MOD_MMA_ACC] ? 32 : 16;
        check_small_problem(t, p, m, a, b);
    }
    free(p);
    arith_destroy(t);
}

UNIT_TESTS(UNIT(sums_of_integers_wrap_or_saturate_once), UNIT(bits_that_differ_or_that_both_have_are_counted),
           UNIT(doubles_are_chains_of_fused_steps_in_every_rounding_mode),
           UNIT(sums_of_small_floats_err_as_little_as_their_cut_terms))
