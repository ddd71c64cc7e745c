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

/* ---- the sum ----------------------------------------------------------------------------------------------------- */

/* How a machine adds (MMA-Sim): bytes of a row that one sum takes, bits of fraction that a term keeps. */
static const struct machine {
    unsigned sm, bytes, fraction;
} machines[] = {{75, 16, 24}, {80, 16, 24}, {86, 16, 24}, {89, 16, 24}, {90, 64, 25}, {100, 64, 25}, {120, 64, 25}};

enum { MACHINES = sizeof machines / sizeof *machines, LEAST = -133 /* the exponent of a zero */ };

struct term {
    struct exact_value value;
    int exponent; /* the sum of the encoded ones */
};

static struct term term_of(uint32_t bits, const struct exact_format *f)
{
    struct exact_value v = exact_read(bits, f);
    return (struct term){v, v.exponent + (int)f->precision - 1};
}

static bool is_zero(struct exact_value v) { return v.kind == EXACT_FINITE && !v.mantissa; }

static struct term product_of(struct term x, struct term y)
{
    struct exact_value v = {EXACT_FINITE, x.value.negative != y.value.negative, 0, 0};
    bool infinite = x.value.kind == EXACT_INFINITE || y.value.kind == EXACT_INFINITE;
    if (x.value.kind == EXACT_NAN || y.value.kind == EXACT_NAN || (infinite && (is_zero(x.value) || is_zero(y.value))))
        v.kind = EXACT_NAN;
    else if (infinite)
        v.kind = EXACT_INFINITE;
    v.mantissa = x.value.mantissa * y.value.mantissa;
    v.exponent = x.value.exponent + y.value.exponent;
    return (struct term){v, x.exponent + y.exponent};
}

/* The terms shifted to the largest exponent, cut and added. An FP32 result is cut, one of FP16 rounded to nearest. */
static uint32_t cut_sum(const struct term *term, unsigned count, int fraction, bool f32)
{
    const struct exact_format *out = f32 ? &exact_f32 : &exact_f16;
    uint32_t infinity = f32 ? 0x7f800000 : 0x7c00, sign = f32 ? 0x80000000 : 0x8000;
    bool infinite[2] = {false, false};
    int largest = LEAST;
    double sum = 0; /* of integers below 2^32 */
    for (unsigned i = 0; i < count; i++) {
        if (term[i].value.kind == EXACT_NAN)
            return out->nan;
        infinite[term[i].value.negative] |= term[i].value.kind == EXACT_INFINITE;
        if (!is_zero(term[i].value) && term[i].exponent > largest)
            largest = term[i].exponent;
    }
    if (infinite[0] || infinite[1])
        return infinite[0] && infinite[1] ? out->nan : infinite[1] ? infinity | sign : infinity;
    for (unsigned i = 0; i < count; i++) {
        double units = trunc(ldexp((double)term[i].value.mantissa, term[i].value.exponent - largest + fraction));
        sum += term[i].value.negative ? -units : units;
    }
    if (sum == 0)
        return 0;
    if (ldexp(fabs(sum), largest - fraction) >= 0x1p128)
        return infinity | (sum < 0 ? sign : 0);
    struct exact x = {{0}};
    exact_add(&x, sum < 0, (uint64_t)fabs(sum), largest - fraction);
    return exact_round(&x, out, f32 ? EXACT_ZERO : EXACT_NEAREST);
}

static uint32_t expected(const struct problem *p, const struct machine *m, unsigned row, unsigned column)
{
    const struct exact_format *in = input_format(p);
    unsigned element = p->type == TF32 ? 4 : 2, step = m->bytes / element;
    uint32_t c = p->c[row][column], mask = p->type == TF32 ? 0xffffe000 : UINT32_MAX;
    for (unsigned first = 0; first < p->depth; first += step) {
        struct term term[DEPTH + 1] = {term_of(c, p->f32 ? &exact_f32 : &exact_f16)};
        unsigned count = 1;
        for (unsigned k = first; k < first + step && k < p->depth; k++)
            term[count++] = product_of(term_of(p->a[row][k] & mask, in), term_of(p->b[k][column] & mask, in));
        c = cut_sum(term, count, (int)m->fraction, p->f32);
    }
    return c;
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

/* HMMA chooses its variant itself: hmma.c tests all of them. */
static void check_problem(struct arith *t, struct problem *p, unsigned shape, const struct machine *m)
{
    t->module.sm = m->sm;
    struct isa_inst *i = arith_begin(t, ISA_OP_HMMA);
    i->mod[ISA_MOD_SHAPE] = (uint8_t)shape;
    i->mod[ISA_MOD_MMA_TYPE] = (uint8_t)p->type;
    i->mod[ISA_MOD_MMA_ACC] = p->f32;
    i->d = arith_register(REG_D);
    i->a = arith_register(REG_A);
    i->b = arith_register(REG_B);
    i->c = arith_register(REG_C);
    load(t, p);
    arith_run(t, exec_table(), UINT32_MAX);
    assert_int_equal(t->core.fault.code, STATUS_OK);
    store(t, p, REG_D);
    for (unsigned r = 0; r < ROWS; ++r)
        for (unsigned c = 0; c < COLUMNS; ++c)
            if (p->d[r][c] != expected(p, m, r, c))
                fail_msg("sm_%u, type %u, depth %u: element (%u,%u) is %08x, not %08x", m->sm, p->type, p->depth, r, c,
                         p->d[r][c], expected(p, m, r, c));
}

static void sums_are_cut_as_measurements_of_the_hardware_show(void **state)
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
        for (unsigned trial = 0; trial < 12 * MACHINES; ++trial) {
            p = (struct problem){.type = kinds[k].type, .depth = kinds[k].depth, .f32 = kinds[k].f32};
            fill(t, &p, trial % 3 == 0);
            check_problem(t, &p, kinds[k].shape, &machines[trial % MACHINES]);
        }
    }
    arith_destroy(t);
}

/* 1 and eight products of 2^-25, which 25 bits of fraction hold and 24 do not, two of them in the second step of sm_80,
 * where they meet a 1 that is C by then. */
static void small_terms_are_cut(void **state)
{
    (void)state;
    struct arith *t = arith_create(13);
    for (unsigned i = 0; i < MACHINES; i++) {
        struct problem p = {.type = F16, .depth = 16, .f32 = true};
        for (unsigned k = 0; k < 16; k++) {
            p.a[0][k] = k == 0 ? 0x3c00 : 0x0c00;                       /* 2^-12 */
            p.b[k][0] = k == 0 ? 0x3c00 : k < 7 || k > 13 ? 0x0800 : 0; /* 2^-13 */
        }
        check_problem(t, &p, K16, &machines[i]);
        assert_int_equal(p.d[0][0], machines[i].sm < 90 ? 0x3f800000 : 0x3f800002);
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
    check_problem(t, &p, K16, &machines[MACHINES - 1]);
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

UNIT_TESTS(UNIT(sums_are_cut_as_measurements_of_the_hardware_show), UNIT(small_terms_are_cut), UNIT(operands))
