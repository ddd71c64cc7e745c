/* Products with block scaling (QMMA.SF, OMMA.SF), and sparse ones of small floats, against the documented sum in plain
 * doubles: every pair of types, dense and sparse, each place of the scale factors, and edges (zeros, NaN, infinities,
 * the largest and the smallest scale factors). */
#include <math.h>
#include <stdlib.h>

#include "arith.h"
#include "exact.h"
#include "unit.h"

enum { ROWS = 16, COLUMNS = 8, DEPTH = 128, STORED = 64, BLOCKS = 4 };
enum { REG_A = 8, REG_B = 16, REG_C = 24, REG_D = 32, REG_E = 40, REG_F = 44, UREG = 4, TRIALS = 1500 };

struct type {
    uint8_t code, exponent_bits, fraction_bits, shift;
    uint8_t infinity, first_nan; /* magnitudes (0: none) */
};

static const struct type eight[] = {
    {0, 4, 3, 0, 0, 0x7f}, {1, 5, 2, 0, 0x7c, 0x7d}, {3, 3, 2, 0, 0, 0}, {4, 2, 3, 0, 0, 0}, {5, 2, 1, 2, 0, 0}};
static const struct type four = {0, 2, 1, 0, 0, 0}, e4m3 = {0, 4, 3, 0, 0, 0x7f};

/* The computation of one instruction. */
struct problem {
    unsigned depth, bits, blocks; /* blocks: scale factors in a row of A, 0: none */
    bool sparse, ue4m3, f16;
    const struct type *type_a, *type_b;
    unsigned where; /* A's byte and thread, B's byte and thread, as the instruction has them */
    uint32_t a[ROWS][STORED], b[DEPTH][COLUMNS], c[ROWS][COLUMNS], d[ROWS][COLUMNS];
    uint8_t k[ROWS][STORED]; /* the place of A's stored element in its row */
    uint8_t scale_a[ROWS][BLOCKS], scale_b[COLUMNS][BLOCKS];
};

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* A number as the machine sees it: NaN and infinities as such. The exponent that is encoded. */
struct term {
    double value;
    int exponent;
};

static struct term read_small(uint32_t bits, const struct type *t)
{
    unsigned width = t->exponent_bits + t->fraction_bits;
    uint32_t v = bits >> t->shift, magnitude = v & ((1u << width) - 1), exponent = magnitude >> t->fraction_bits;
    uint32_t fraction = magnitude & ((1u << t->fraction_bits) - 1);
    int e = (int)(exponent ? exponent : 1) - (1 << (t->exponent_bits - 1)) + 1;
    double value = ldexp((exponent ? 1 << t->fraction_bits : 0) + (int)fraction, e - (int)t->fraction_bits);
    if (t->first_nan && magnitude >= t->first_nan)
        value = NAN;
    else if (t->infinity && magnitude == t->infinity)
        value = INFINITY;
    return (struct term){v >> width & 1 ? -value : value, e};
}

/* UE4M3 has no sign: that bit does not count. */
static struct term read_scale(uint32_t bits, bool ue4m3)
{
    if (ue4m3)
        return read_small(bits & 0x7f, &e4m3);
    return (struct term){bits == 0xff ? (double)NAN : ldexp(1, (int)bits - 127), (int)bits - 127};
}

static struct term times(struct term x, struct term y)
{
    return (struct term){x.value * y.value, x.exponent + y.exponent};
}

static struct term read_addend(uint32_t bits, bool f16)
{
    struct exact_value v = exact_read(bits, f16 ? &exact_f16 : &exact_f32);
    double magnitude = v.kind == EXACT_NAN        ? (double)NAN
                       : v.kind == EXACT_INFINITE ? (double)INFINITY
                                                  : ldexp((double)v.mantissa, v.exponent);
    int least = f16 ? -14 : -126, exponent = v.kind == EXACT_FINITE && v.mantissa ? ilogb(magnitude) : least;
    return (struct term){v.negative ? -magnitude : magnitude, exponent < least ? least : exponent};
}

/* The sum of terms that are cut toward zero `fraction` bits behind the largest exponent of those that are not zero. */
static uint32_t cut_sum(const struct term *term, unsigned count, int fraction, bool f16)
{
    const struct exact_format *format = f16 ? &exact_f16 : &exact_f32;
    int largest = -100000;
    double special = 0, sum = 0;
    for (unsigned i = 0; i < count; i++) {
        special += isfinite(term[i].value) ? 0 : term[i].value;
        if (term[i].value != 0 && term[i].exponent > largest)
            largest = term[i].exponent;
    }
    if (isnan(special))
        return format->nan;
    uint32_t infinity = f16 ? 0x7c00 : 0x7f800000, sign = f16 ? 0x8000 : 0x80000000;
    if (isinf(special))
        return special < 0 ? infinity | sign : infinity;
    for (unsigned i = 0; i < count; i++)
        sum += trunc(ldexp(term[i].value, fraction - largest));
    struct exact x = {{0}};
    if (sum == 0)
        return 0;
    if (!f16 && fabs(ldexp(sum, largest - fraction)) >= 0x1p128)
        return sum < 0 ? infinity | sign : infinity;
    if (largest - fraction < -EXACT_SCALE) /* below the smallest number that the accumulator of this test can hold, and
                                            * any float */
        return fabs(ldexp(sum, largest - fraction)) < 0x1p-149 ? (sum < 0 ? sign : 0) : UINT32_MAX;
    exact_add(&x, sum < 0, (uint64_t)fabs(sum), largest - fraction);
    return exact_round(&x, format, f16 ? EXACT_NEAREST : EXACT_ZERO);
}

/* ---- expected ---------------------------------------------------------------------------------------------------- */

static struct term scale_of(const struct problem *p, unsigned row, unsigned column, unsigned block)
{
    if (!p->blocks)
        return (struct term){1, 0};
    return times(read_scale(p->scale_a[row][block], p->ue4m3), read_scale(p->scale_b[column][block], p->ue4m3));
}

/* All products and C in one sum, with 25 bits. The scale counts in each product's exponent. */
static uint32_t expect_eight(const struct problem *p, unsigned row, unsigned column)
{
    struct term term[STORED + 1];
    unsigned count = p->depth >> p->sparse;
    struct term scale = scale_of(p, row, column, 0);
    for (unsigned i = 0; i < count; i++)
        term[i] =
            times(times(read_small(p->a[row][i], p->type_a), read_small(p->b[p->k[row][i]][column], p->type_b)), scale);
    term[count] = read_addend(p->c[row][column], p->f16);
    return cut_sum(term, count + 1, 25, p->f16);
}

/* Sums of 16 products are exact. They are aligned by the exponents of their scale factors, with 35 bits. */
static uint32_t expect_four(const struct problem *p, unsigned row, unsigned column)
{
    enum { GROUP = 16 };
    struct term term[STORED / GROUP + 1];
    unsigned groups = (p->depth >> p->sparse) / GROUP;
    for (unsigned g = 0; g < groups; g++) {
        double sum = 0;
        for (unsigned i = g * GROUP; i < (g + 1) * GROUP; i++)
            sum += read_small(p->a[row][i], &four).value * read_small(p->b[p->k[row][i]][column], &four).value;
        term[g] = times((struct term){sum, 0}, scale_of(p, row, column, g * p->blocks / groups));
    }
    term[groups] = read_addend(p->c[row][column], false);
    return cut_sum(term, groups + 1, 35, false);
}

/* ---- registers, by the figures of the PTX ISA -------------------------------------------------------------------- */

static void put(struct arith *t, unsigned reg, unsigned lane, unsigned bits, unsigned index, uint32_t value)
{
    t->reg[reg][lane] |= value << bits * index;
}

static void load_matrices(struct arith *t, const struct problem *p)
{
    unsigned per = 32 / p->bits, stored = p->depth >> p->sparse;
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned i = 0; i < stored; i++)
            put(t, REG_A + i / (4 * per) * 2 + row / 8, row % 8 * 4 + i / per % 4, p->bits, i % per, p->a[row][i]);
    for (unsigned k = 0; k < p->depth; k++)
        for (unsigned column = 0; column < COLUMNS; column++)
            put(t, REG_B + k / (4 * per), column * 4 + k / per % 4, p->bits, k % per, p->b[k][column]);
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned column = 0; column < COLUMNS; column++) {
            unsigned lane = row % 8 * 4 + column / 2;
            if (p->f16)
                put(t, REG_C + row / 8, lane, 16, column % 2, p->c[row][column]);
            else
                t->reg[REG_C + row / 8 * 2 + column % 2][lane] = p->c[row][column];
        }
}

/* Two of four neighbours, or two of four pairs of 4-bit elements: 16 indices of a row to a register. */
static void load_metadata(struct arith *t, const struct problem *p)
{
    unsigned size = p->bits == 4 ? 2 : 1, stored = p->depth / 2;
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned i = 0; i < stored; i += size) {
            unsigned number = i / size, index = p->k[row][i] / size % 4;
            put(t, REG_E, row % 8 * 4 + number / 16 * 2 + row / 8, 2, number % 16, index);
        }
}

static void load_scales(struct arith *t, const struct problem *p)
{
    unsigned byte_a = p->where & 3, thread_a = p->where >> 2 & 1, byte_b = p->where >> 3 & 3,
             thread_b = p->where >> 5 & 3;
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        t->reg[REG_E + p->sparse][lane] = arith_random(t);
        t->reg[REG_F][lane] = arith_random(t);
    }
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned i = 0; i < p->blocks; i++)
            ((uint8_t *)&t->reg[REG_E + p->sparse][row % 8 * 4 + 2 * thread_a + row / 8])[byte_a + i] =
                p->scale_a[row][i];
    for (unsigned column = 0; column < COLUMNS; column++)
        for (unsigned i = 0; i < p->blocks; i++)
            ((uint8_t *)&t->reg[REG_F][column * 4 + thread_b])[byte_b + i] = p->scale_b[column][i];
    t->warp.ureg[UREG] = p->where;
}

static void run(struct arith *t, struct problem *p)
{
    struct isa_inst *i = &t->inst.isa;
    memset(t->reg, 0, sizeof t->reg);
    i->a = arith_register(REG_A);
    i->b = arith_register(REG_B);
    i->c = arith_register(REG_C);
    i->d = arith_register(REG_D);
    i->e = arith_register(REG_E);
    i->f = arith_register(REG_F);
    i->g = (struct isa_operand){.kind = ISA_UREG, .index = UREG, .words = 1};
    i->mod[ISA_MOD_SPARSE] = p->sparse;
    i->mod[ISA_MOD_MMA_ACC] = !p->f16;
    i->mod[ISA_MOD_TYPE_A] = p->type_a->code;
    i->mod[ISA_MOD_TYPE_B] = p->type_b->code;
    load_matrices(t, p);
    if (p->blocks)
        load_scales(t, p);
    if (p->sparse)
        load_metadata(t, p);
    arith_run(t, exec_table(), UINT32_MAX);
    assert_string_equal(t->core.fault.text, "");
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned column = 0; column < COLUMNS; column++) {
            unsigned lane = row % 8 * 4 + column / 2;
            p->d[row][column] = p->f16 ? t->reg[REG_D + row / 8][lane] >> column % 2 * 16 & 0xffff
                                       : t->reg[REG_D + row / 8 * 2 + column % 2][lane];
        }
}

/* ---- random problems --------------------------------------------------------------------------------------------- */

enum mood { TAME, CANCELS, SPECIAL, EXTREME_SCALES, MOODS };

static uint32_t element(struct arith *t, const struct type *type, enum mood mood)
{
    unsigned width = type->exponent_bits + type->fraction_bits;
    for (;;) {
        uint32_t bits = (arith_random(t) & ((2u << width) - 1)) << type->shift;
        if (arith_below(t, 8) == 0)
            bits = (arith_random(t) & 1u << width) << type->shift; /* zeros of both signs */
        if (mood == SPECIAL && arith_below(t, 12) == 0)
            return bits;
        if (isfinite(read_small(bits, type).value))
            return bits;
    }
}

static uint8_t scale(struct arith *t, const struct problem *p, enum mood mood)
{
    if (mood == SPECIAL && arith_below(t, 24) == 0)
        return p->ue4m3 ? 0x7f | (arith_random(t) & 0x80) : 0xff;
    if (p->ue4m3) {
        uint8_t bits = (uint8_t)arith_random(t);
        return (bits & 0x7f) == 0x7f ? 0 : bits;
    }
    if (mood == EXTREME_SCALES)
        return (uint8_t)(arith_below(t, 2) ? 190 + arith_below(t, 10) : arith_below(t, 64));
    return (uint8_t)(120 + arith_below(t, 16));
}

static uint32_t addend(struct arith *t, const struct problem *p, enum mood mood)
{
    if (p->f16)
        return (arith_random(t) & 0x83ff) | (mood == SPECIAL && arith_below(t, 9) == 0 ? 31 : arith_below(t, 21)) << 10;
    if (mood == SPECIAL || mood == EXTREME_SCALES)
        return arith_value(t, ARITH_FLOAT);
    return arith_below(t, 8) ? (arith_random(t) & 0x807fffff) | (110 + arith_below(t, 36)) << 23 : 0;
}

static void choose_places(struct arith *t, struct problem *p)
{
    static const uint8_t pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    unsigned size = p->bits == 4 ? 2 : 1;
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned i = 0; i < p->depth >> p->sparse; i++) {
            const uint8_t *pair = pairs[arith_below(t, 6)];
            unsigned first = i - i % (2 * size);
            for (unsigned j = 0; p->sparse && i == first && j < 2 * size; j++)
                p->k[row][i + j] = (uint8_t)(2 * first + pair[j / size] * size + j % size);
            if (!p->sparse)
                p->k[row][i] = (uint8_t)i;
        }
}

static void fill(struct arith *t, struct problem *p)
{
    enum mood mood = (enum mood)arith_below(t, MOODS);
    choose_places(t, p);
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned i = 0; i < STORED; i++)
            p->a[row][i] = element(t, p->type_a, row % 4 == 0 ? mood : TAME);
        for (unsigned column = 0; column < COLUMNS; column++)
            p->c[row][column] = addend(t, p, column % 4 == 1 ? mood : TAME);
    }
    for (unsigned column = 0; column < COLUMNS; column++)
        for (unsigned k = 0; k < DEPTH; k++)
            p->b[k][column] = element(t, p->type_b, column % 4 == 0 ? mood : TAME);
    for (unsigned i = 0; i < ROWS * BLOCKS; i++) {
        p->scale_a[i / BLOCKS][i % BLOCKS] = scale(t, p, mood);
        p->scale_b[i / BLOCKS % COLUMNS][i % BLOCKS] = scale(t, p, mood);
    }
    if (mood == CANCELS) /* the second half of the products takes back the first */
        for (unsigned row = 0; row < ROWS; row += 2)
            for (unsigned i = 0; i < (p->depth >> p->sparse) / 2; i++) {
                unsigned half = (p->depth >> p->sparse) / 2;
                uint32_t sign = 1u << (p->type_a->exponent_bits + p->type_a->fraction_bits + p->type_a->shift);
                p->a[row][half + i] = p->a[row][i] ^ sign;
            }
}

static void check(struct arith *t, struct problem *p, bool is_four)
{
    fill(t, p);
    run(t, p);
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned column = 0; column < COLUMNS; column++) {
            uint32_t expected = (is_four ? expect_four : expect_eight)(p, row, column);
            if (p->d[row][column] != expected)
                fail_msg("types %u and %u, depth %u, %u scales at 0x%x: element (%u,%u) is %08x, not %08x",
                         p->type_a->code, p->type_b->code, p->depth, p->blocks, p->where, row, column,
                         p->d[row][column], expected);
        }
}

static void begin(struct arith *t, struct exec_module *module)
{
    *module = (struct exec_module){.sm = 120};
    t->launch.module = module;
}

/* Bytes 0 to 3 and threads of A and B. With several scale factors those bytes that the ISA allows. */
static unsigned places(struct arith *t, unsigned blocks)
{
    unsigned where = arith_random(t) & 0x7f;
    return blocks == 1 ? where : blocks == 2 ? where & ~9u : where & ~27u;
}

static void scaled_products_of_bytes_have_one_factor_for_a_row_and_a_column(void **state)
{
    (void)state;
    struct arith *t = arith_create(31);
    struct exec_module module;
    struct problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    begin(t, &module);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct isa_inst *i = arith_begin(t, ISA_OP_QMMA_SF);
        *p = (struct problem){.bits = 8,
                              .blocks = 1,
                              .sparse = trial / 25 % 2,
                              .type_a = &eight[trial % 5],
                              .type_b = &eight[trial / 5 % 5]};
        p->depth = p->sparse ? 64 : 32;
        p->where = trial < 128 ? trial : places(t, 1);
        i->mod[ISA_MOD_SHAPE] = p->sparse ? 2 : 1;
        check(t, p, false);
    }
    free(p);
    arith_destroy(t);
}

static void scaled_products_of_nibbles_have_two_or_four_factors(void **state)
{
    (void)state;
    struct arith *t = arith_create(32);
    struct exec_module module;
    struct problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    begin(t, &module);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct isa_inst *i = arith_begin(t, ISA_OP_OMMA_SF);
        *p = (struct problem){.bits = 4,
                              .sparse = trial % 2,
                              .blocks = trial % 6 < 2 ? 2 : 4,
                              .ue4m3 = trial % 6 >= 4,
                              .type_a = &four,
                              .type_b = &four};
        p->depth = p->sparse ? 128 : 64;
        p->where = places(t, p->blocks);
        i->mod[ISA_MOD_SHAPE] = p->sparse;
        i->mod[ISA_MOD_SCALE_BLOCK] = p->blocks == 2;
        i->mod[ISA_MOD_SCALE_TYPE] = p->ue4m3;
        check(t, p, true);
    }
    free(p);
    arith_destroy(t);
}

static void sparse_products_of_bytes_sum_the_elements_that_a_has(void **state)
{
    (void)state;
    struct arith *t = arith_create(33);
    struct exec_module module;
    struct problem *p = calloc(1, sizeof *p);
    assert_non_null(p);
    begin(t, &module);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        struct isa_inst *i = arith_begin(t, ISA_OP_QMMA);
        *p = (struct problem){.bits = 8,
                              .depth = 64,
                              .sparse = true,
                              .f16 = trial / 25 % 2,
                              .type_a = &eight[trial % 5],
                              .type_b = &eight[trial / 5 % 5]};
        i->mod[ISA_MOD_SHAPE] = 2;
        check(t, p, false);
    }
    free(p);
    arith_destroy(t);
}

UNIT_TESTS(UNIT(scaled_products_of_bytes_have_one_factor_for_a_row_and_a_column),
           UNIT(scaled_products_of_nibbles_have_two_or_four_factors),
           UNIT(sparse_products_of_bytes_sum_the_elements_that_a_has))
