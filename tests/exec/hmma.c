/* The products of HMMA from registers (exec/matrix/hmma.h) against the rule, element by element, in every variant that
 * this host has. Elements go into registers by the formulas of the PTX ISA (mma, matrix fragments). */
#include <stdlib.h>
#include <string.h>

#include "exec/matrix/wgmma.h"
#include "unit.h"

enum { COLUMNS = 8, CHUNK = 16, TRIALS = 400 };

struct problem {
    uint64_t random;
    struct wgmma_job plain; /* the same operands, as bytes of rows and columns */
    struct hmma_job job;
    unsigned bytes; /* of a row */
    _Alignas(64) uint32_t a[2 * HMMA_BLOCKS][EXEC_LANES], b[HMMA_BLOCKS][EXEC_LANES];
    _Alignas(64) uint32_t c[HMMA_RESULTS][EXEC_LANES], d[HMMA_RESULTS][EXEC_LANES];
};

static uint32_t any(struct problem *p)
{
    p->random = p->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(p->random >> 32);
}

/* How far exponents go. */
enum spread { NEAR, FAR, EXTREME, SPREADS };

static uint32_t half_element(struct problem *p, enum spread spread)
{
    uint32_t x = any(p) & 0xffff;
    if (any(p) % 8 == 0)
        return x & 0x8000; /* a zero */
    return spread == NEAR ? (x & 0x87ff) | 0x3800 : spread == FAR ? x & (any(p) % 2 ? 0xbfff : 0x83ff) : x;
}

/* The upper 16 bits of a float, or all. */
static uint32_t float_element(struct problem *p, enum spread spread)
{
    static const uint32_t width[] = {[NEAR] = 3, [FAR] = 101};
    uint32_t x = any(p), middle = spread == NEAR ? 126 : 77;
    if (any(p) % 8 == 0)
        return x & 0x80000000;
    return spread == EXTREME ? x : (x & 0x807fffff) | (middle + any(p) % width[spread]) << 23;
}

static uint32_t word(struct problem *p, enum spread spread)
{
    if (p->job.type == WGMMA_F16)
        return half_element(p, spread) | half_element(p, spread) << 16;
    if (p->job.type == WGMMA_BF16)
        return float_element(p, spread) >> 16 | (float_element(p, spread) & 0xffff0000);
    return float_element(p, spread);
}

static uint32_t addend(struct problem *p, enum spread spread)
{
    if (p->job.wide)
        return float_element(p, spread == EXTREME && any(p) % 64 ? FAR : spread);
    spread = spread == EXTREME && any(p) % 64 ? FAR : spread;
    return half_element(p, spread) | half_element(p, spread) << 16;
}

static void set_form(struct problem *p, unsigned type, unsigned blocks, bool whole, bool wide)
{
    unsigned element = type == WGMMA_TF32 ? 4 : 2;
    p->bytes = blocks * CHUNK;
    p->job = (struct hmma_job){.type = type,
                               .blocks = blocks,
                               .step = whole ? blocks : 1,
                               .fraction = whole ? 25 : 24,
                               .negative = any(p) % 2,
                               .wide = wide,
                               .d = p->d};
    p->plain.form = (struct wgmma_form){.type_a = (uint8_t)type,
                                        .type_b = (uint8_t)type,
                                        .element_bytes = (uint8_t)element,
                                        .depth = (uint8_t)(p->job.step * CHUNK / element),
                                        .columns = COLUMNS,
                                        .negative = p->job.negative,
                                        .wide = wide,
                                        .fraction = (uint8_t)p->job.fraction};
    memset(p->plain.present, 0xff, sizeof p->plain.present);
    for (unsigned r = 0; r < 2 * blocks; r++)
        p->job.a[r] = p->a[r];
    for (unsigned r = 0; r < blocks; r++)
        p->job.b[r] = p->b[r];
    for (unsigned r = 0; r < (wide ? 4u : 2u); r++)
        p->job.c[r] = p->c[r];
}

static void fill(struct problem *p, enum spread spread)
{
    uint32_t *rows[] = {p->a[0], p->a[1], p->a[2], p->a[3], p->b[0], p->b[1]};
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++)
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            rows[r][lane] = word(p, spread);
    for (unsigned r = 0; r < HMMA_RESULTS; r++)
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            p->c[r][lane] = addend(p, spread);
}

/* Bytes from block `first` on, as one sum takes them. */
static void load_rows(struct problem *p, unsigned first)
{
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        unsigned g = lane / 4, byte = lane % 4 * 4;
        for (unsigned j = first; j < first + p->job.step; j++) {
            unsigned at = (j - first) * CHUNK + byte;
            memcpy(p->plain.a[g] + at, &p->a[2 * j][lane], 4);
            memcpy(p->plain.a[g + 8] + at, &p->a[2 * j + 1][lane], 4);
            memcpy(p->plain.b[g] + at, &p->b[j][lane], 4);
        }
    }
}

/* The element of D with number i of a lane, from the element of C. */
static uint32_t expected(struct problem *p, unsigned lane, unsigned i)
{
    unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    uint32_t c = p->job.wide ? p->c[i][lane] : p->c[i / 2][lane] >> i % 2 * 16 & 0xffff;
    for (unsigned first = 0; first < p->job.blocks; first += p->job.step) {
        load_rows(p, first);
        c = wgmma_element(&p->plain, row, column, c);
    }
    return c;
}

static void compare(struct problem *p, const char *name)
{
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        for (unsigned i = 0; i < 4; i++) {
            uint32_t d = p->job.wide ? p->d[i][lane] : p->d[i / 2][lane] >> i % 2 * 16 & 0xffff;
            if (d != expected(p, lane, i))
                fail_msg("%s, type %u, blocks %u, step %u, wide %u: element %u of lane %u is %08x, not %08x", name,
                         p->job.type, p->job.blocks, p->job.step, p->job.wide, i, lane, d, expected(p, lane, i));
        }
}

static const struct kind {
    unsigned type, blocks;
    bool whole, wide;
} kinds[] = {
    {WGMMA_F16, 2, true, true},   {WGMMA_F16, 2, false, true},  {WGMMA_F16, 2, true, false},
    {WGMMA_F16, 2, false, false}, {WGMMA_F16, 1, true, true},   {WGMMA_F16, 1, true, false},
    {WGMMA_BF16, 2, true, true},  {WGMMA_BF16, 2, false, true}, {WGMMA_BF16, 1, true, true},
    {WGMMA_TF32, 2, true, true},  {WGMMA_TF32, 2, false, true}, {WGMMA_TF32, 1, true, true},
};

static void check(struct problem *p, hmma_multiply *multiply, const char *name)
{
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        unsigned taken = 0;
        for (unsigned trial = 0; trial < TRIALS; trial++) {
            enum spread spread = (enum spread)(trial % SPREADS);
            set_form(p, kinds[k].type, kinds[k].blocks, kinds[k].whole, kinds[k].wide);
            fill(p, spread);
            bool done = multiply(&p->job);
            taken += done && spread == NEAR ? SPREADS : 0;
            if (done)
                compare(p, name);
        }
        assert_in_range(taken, TRIALS, TRIALS + SPREADS);
    }
}

static void every_variant_sums_as_the_rule_says(void **state)
{
    (void)state;
    struct problem *p = aligned_alloc(64, (sizeof *p + 63) / 64 * 64);
    assert_non_null(p);
    memset(p, 0, sizeof *p);
    p->random = 7;
    for (unsigned v = 0; v < WGMMA_VARIANTS; v++)
        if (wgmma_variant(v).here)
            check(p, wgmma_variant(v).hmma, wgmma_variant(v).name);
    free(p);
}

/* One infinity, or one number near the ends of the exponents, is enough. */
static void elements_of_no_moderate_size_are_left_to_others(void **state)
{
    (void)state;
    static const struct {
        unsigned type;
        uint32_t word;
    } cases[] = {{WGMMA_F16, 0x7c000000}, {WGMMA_F16, 0xfe01},      {WGMMA_BF16, 0x7f80},    {WGMMA_BF16, 0x00010000},
                 {WGMMA_BF16, 0x6080},    {WGMMA_TF32, 0x7f800000}, {WGMMA_TF32, 0x20000000}};
    struct problem *p = aligned_alloc(64, (sizeof *p + 63) / 64 * 64);
    assert_non_null(p);
    memset(p, 0, sizeof *p);
    for (unsigned v = 0; v < WGMMA_VARIANTS; v++) {
        for (unsigned i = 0; wgmma_variant(v).here && i < sizeof cases / sizeof *cases; i++) {
            set_form(p, cases[i].type, 2, true, true);
            fill(p, NEAR);
            assert_true(wgmma_variant(v).hmma(&p->job));
            uint32_t *row = i % 2 ? p->b[1] : p->a[3], before = row[i * 5 % EXEC_LANES];
            row[i * 5 % EXEC_LANES] = cases[i].word;
            assert_false(wgmma_variant(v).hmma(&p->job));
            row[i * 5 % EXEC_LANES] = before;
            p->c[i % 4][i] = 0xff800000;
            assert_false(wgmma_variant(v).hmma(&p->job));
        }
    }
    free(p);
}

UNIT_TESTS(UNIT(every_variant_sums_as_the_rule_says), UNIT(elements_of_no_moderate_size_are_left_to_others))
