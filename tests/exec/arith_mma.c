/* HMMA against exact sums. Elements go into registers by the formulas of the PTX ISA (mma, matrix fragments), written
 * here per element as they stand there. */
#include <math.h>

#include "arith.h"
#include "exact.h"
#include "unit.h"

enum { F16, BF16, TF32, TYPES };
enum { K8, K16, K4 }; /* as encoded */
enum { ROWS = 16, COLUMNS = 8, DEPTH = 16 };

struct problem {
    unsigned type, depth;
    bool f32;
    uint32_t a[ROWS][DEPTH], b[DEPTH][COLUMNS], c[ROWS][COLUMNS], d[ROWS][COLUMNS];
};

static const struct exact_format *input_format(const struct problem *p)
{
    return p->type == F16 ? &exact_f16 : p->type == BF16 ? &exact_bf16 : &exact_f32;
}

static void put(uint32_t *reg, unsigned bits, unsigned index, uint32_t value)
{
    if (bits == 32)
        *reg = value;
    else
        *reg = index & 1 ? (*reg & 0xffff) | value << 16 : (*reg & 0xffff0000) | value;
}

static uint32_t get(uint32_t reg, unsigned bits, unsigned index)
{
    return bits == 32 ? reg : index & 1 ? reg >> 16 : reg & 0xffff;
}

static unsigned a_row(const struct problem *p, unsigned group, unsigned i)
{
    bool upper = p->type == TF32 ? (i & 1) : p->depth == 8 ? i >= 2 : (i >= 2 && i < 4) || i >= 6;
    return group + (upper ? 8 : 0);
}

static unsigned a_column(const struct problem *p, unsigned thread, unsigned i)
{
    if (p->type == TF32)
        return thread + (i >= 2 ? 4 : 0);
    return thread * 2 + (i & 1) + (i >= 4 ? 8 : 0);
}

static unsigned b_row(const struct problem *p, unsigned thread, unsigned i)
{
    if (p->type == TF32)
        return thread + (i >= 1 ? 4 : 0);
    return thread * 2 + (i & 1) + (i >= 2 ? 8 : 0);
}

enum { REG_A = 8, REG_B = 16, REG_C = 24, REG_D = 32 };

static void load(struct arith *t, const struct problem *p)
{
    unsigned bits = p->type == TF32 ? 32 : 16, per = 32 / bits, out_bits = p->f32 ? 32 : 16;
    for (unsigned lane = 0; lane < EXEC_LANES; ++lane) {
        unsigned group = lane >> 2, thread = lane % 4;
        for (unsigned i = 0; i < p->depth / 2; ++i)
            put(&t->reg[REG_A + i / per][lane], bits, i, p->a[a_row(p, group, i)][a_column(p, thread, i)]);
        for (unsigned i = 0; i < p->depth / 4; ++i)
            put(&t->reg[REG_B + i / per][lane], bits, i, p->b[b_row(p, thread, i)][group]);
        for (unsigned i = 0; i < 4; ++i)
            put(&t->reg[REG_C + i * out_bits / 32][lane], out_bits, i,
                p->c[group + (i >= 2 ? 8 : 0)][thread * 2 + (i & 1)]);
    }
}

static void store(const struct arith *t, struct problem *p, unsigned base)
{
    unsigned bits = p->f32 ? 32 : 16;
    for (unsigned lane = 0; lane < EXEC_LANES; ++lane)
        for (unsigned i = 0; i < 4; ++i)
            p->d[(lane >> 2) + (i >= 2 ? 8 : 0)][lane % 4 * 2 + (i & 1)] =
                get(t->reg[base + i * bits / 32][lane], bits, i);
}

static void add_double(struct exact *x, double d)
{
    int exponent;
    double m = ldexp(frexp(d, &exponent), 53);
    if (exponent - 53 >= -EXACT_SCALE)
        exact_add(x, m < 0, (uint64_t)fabs(m), exponent - 53);
}

/* The element must be what a sum within the documented bound of the exact one rounds to. */
static void check_element(const struct problem *p, unsigned row, unsigned column)
{
    const struct exact_format *in = input_format(p), *out = p->f32 ? &exact_f32 : &exact_f16;
    struct exact sum = {{0}};
    double magnitudes = 0;
    struct exact_value c = exact_read(p->c[row][column], out);
    bool nan = c.kind == EXACT_NAN, plus = c.kind == EXACT_INFINITE && !c.negative;
    bool minus = c.kind == EXACT_INFINITE && c.negative;
    exact_add(&sum, c.negative, c.kind == EXACT_FINITE ? c.mantissa : 0, c.exponent);
    magnitudes += ldexp((double)c.mantissa, c.exponent);
    for (unsigned k = 0; k < p->depth; ++k) {
        uint32_t mask = p->type == TF32 ? 0xffffe000 : UINT32_MAX;
        struct exact_value x = exact_read(p->a[row][k] & mask, in), y = exact_read(p->b[k][column] & mask, in);
        bool zero = (x.kind == EXACT_FINITE && !x.mantissa) || (y.kind == EXACT_FINITE && !y.mantissa);
        bool infinite = x.kind == EXACT_INFINITE || y.kind == EXACT_INFINITE, negative = x.negative != y.negative;
        nan |= x.kind == EXACT_NAN || y.kind == EXACT_NAN || (infinite && zero);
        plus |= infinite && !negative;
        minus |= infinite && negative;
        if (nan || infinite)
            continue;
        exact_add(&sum, negative, x.mantissa * y.mantissa, x.exponent + y.exponent);
        magnitudes += ldexp((double)(x.mantissa * y.mantissa), x.exponent + y.exponent);
    }
    uint32_t got = p->d[row][column];
    if (nan || (plus && minus)) {
        assert_int_equal(got, out->nan);
        return;
    }
    if (plus || minus) {
        assert_int_equal(got, (p->f32 ? 0x7f800000u : 0x7c00u) | (minus ? (p->f32 ? 0x80000000u : 0x8000u) : 0));
        return;
    }
    if (!exact_is_zero(&sum) && exact_round(&sum, out, EXACT_NEAREST) == got)
        return;
    double bound = (p->depth + 1) * 0x1p-53 * magnitudes;
    struct exact low = sum, high = sum;
    add_double(&low, -bound);
    add_double(&high, bound);
    bool below = !exact_is_zero(&low) && exact_round(&low, out, EXACT_NEAREST) == got;
    bool above = !exact_is_zero(&high) && exact_round(&high, out, EXACT_NEAREST) == got;
    bool zero = (got << 1 & (p->f32 ? UINT32_MAX : 0xffff)) == 0;
    if (!below && !above && !(zero && (exact_is_zero(&sum) || exact_is_zero(&low) || exact_is_zero(&high))))
        fail_msg("type %u depth %u: element (%u,%u) is %08x, exact sum %a", p->type, p->depth, row, column, got,
                 exact_double(&sum));
}

static uint32_t element(struct arith *t, const struct problem *p, bool wild)
{
    uint32_t v = arith_value(t, p->type == F16 ? ARITH_HALF : p->type == BF16 ? ARITH_BF16 : ARITH_FLOAT);
    v = p->type == TF32 ? v : v & 0xffff;
    if (wild)
        return v;
    /* Numbers near 1, so that sums round. */
    return p->type == F16    ? (v & 0x83ff) | (0x3400 + arith_below(t, 4) * 0x400)
           : p->type == BF16 ? (v & 0x807f) | (0x3f00 + arith_below(t, 3) * 0x80)
                             : (v & 0x807fffff) | (0x3f000000 + arith_below(t, 3) * 0x800000);
}

static void fill(struct arith *t, struct problem *p, bool wild)
{
    for (unsigned r = 0; r < ROWS; ++r)
        for (unsigned k = 0; k < p->depth; ++k)
            p->a[r][k] = element(t, p, wild && arith_below(t, 8) == 0);
    for (unsigned k = 0; k < p->depth; ++k)
        for (unsigned c = 0; c < COLUMNS; ++c)
            p->b[k][c] = element(t, p, wild && arith_below(t, 8) == 0);
    for (unsigned r = 0; r < ROWS; ++r) {
        for (unsigned c = 0; c < COLUMNS; ++c) {
            uint32_t v = arith_value(t, p->f32 ? ARITH_FLOAT : ARITH_HALF);
            p->c[r][c] =
                p->f32 ? (wild ? v : (v & 0x80ffffff) | 0x3f000000) : (wild ? v & 0xffff : (v & 0x87ff) | 0x3800);
        }
    }
}

static void check_problem(struct arith *t, struct problem *p, unsigned shape)
{
    exec_fn *const *tables[] = {exec_table_base, exec_table_wide() ? exec_table_wide() : exec_table_base};
    uint32_t first[ROWS][COLUMNS];
    for (unsigned variant = 0; variant < 2; ++variant) {
        struct isa_inst *i = arith_begin(t, ISA_OP_HMMA);
        i->mod[ISA_MOD_SHAPE] = (uint8_t)shape;
        i->mod[ISA_MOD_MMA_TYPE] = (uint8_t)p->type;
        i->mod[ISA_MOD_MMA_ACC] = p->f32;
        i->d = arith_register(REG_D);
        i->a = arith_register(REG_A);
        i->b = arith_register(REG_B);
        i->c = arith_register(REG_C);
        load(t, p);
        arith_run(t, tables[variant], UINT32_MAX);
        assert_int_equal(t->core.fault.code, STATUS_OK);
        store(t, p, REG_D);
        if (variant)
            assert_memory_equal(first, p->d, sizeof first);
        memcpy(first, p->d, sizeof first);
    }
    for (unsigned r = 0; r < ROWS; ++r)
        for (unsigned c = 0; c < COLUMNS; ++c)
            check_element(p, r, c);
}

static void sums_are_rounded_once(void **state)
{
    (void)state;
    static const struct {
        unsigned type, shape, depth;
        bool f32;
    } kinds[] = {
        {F16, K16, 16, true},  {F16, K16, 16, false}, {F16, K8, 8, true},  {F16, K8, 8, false},
        {BF16, K16, 16, true}, {BF16, K8, 8, true},   {TF32, K8, 8, true}, {TF32, K4, 4, true},
    };
    struct arith *t = arith_create(11);
    struct problem p;
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        for (unsigned trial = 0; trial < 60; ++trial) {
            p = (struct problem){.type = kinds[k].type, .depth = kinds[k].depth, .f32 = kinds[k].f32};
            fill(t, &p, trial % 3 == 0);
            check_problem(t, &p, kinds[k].shape);
        }
    }
    arith_destroy(t);
}

/* D on C, C absent, negated factors, and lanes that take no part keep their registers. */
static void operands(void **state)
{
    (void)state;
    struct arith *t = arith_create(12);
    struct problem p = {.type = F16, .depth = 16, .f32 = true}, q;
    fill(t, &p, false);
    memset(p.c, 0, sizeof p.c);
    check_problem(t, &p, K16);
    q = p;
    load(t, &p);
    struct isa_inst *i = arith_begin(t, ISA_OP_HMMA);
    i->mod[ISA_MOD_SHAPE] = K16;
    i->mod[ISA_MOD_MMA_ACC] = 1;
    i->a = arith_register(REG_A);
    i->a.flags = ISA_NEG;
    i->b = arith_register(REG_B);
    i->b.flags = ISA_NEG;
    i->c = arith_register(ISA_RZ);
    i->d = arith_register(REG_C);
    arith_run(t, exec_table(), UINT32_MAX);
    store(t, &q, REG_C);
    assert_memory_equal(p.d, q.d, sizeof p.d);

    for (unsigned w = 0; w < 4; ++w)
        for (unsigned lane = 0; lane < EXEC_LANES; ++lane)
            t->reg[REG_C + w][lane] = 0x12345678;
    arith_run(t, exec_table(), 0x0000ffff);
    for (unsigned w = 0; w < 4; ++w)
        for (unsigned lane = 16; lane < EXEC_LANES; ++lane)
            assert_int_equal(t->reg[REG_C + w][lane], 0x12345678);
    arith_destroy(t);
}

UNIT_TESTS(UNIT(sums_are_rounded_once), UNIT(operands))
