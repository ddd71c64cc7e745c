/* HGMMA, QGMMA, IGMMA and BGMMA against the plain oracle: every type and shape, operands in registers and in shared
 * memory in every layout, each by all four warps of a warpgroup. */
#include <stdlib.h>
#include <string.h>

#include "arith.h"
#include "exec/matrix/warpgroup.h"
#include "exec/matrix/wgmma.h"
#include "unit.h"
#include "wgmma_oracle.h"

enum { WARPS = 4, REGISTERS = 256, REG_A = 4, REG_E = 8, REG_C = 24, UR = 8 };

struct machine {
    struct exec_core core;
    struct cubin_kernel cubin;
    struct exec_kernel kernel;
    struct exec_launch launch;
    struct exec_cta cta;
    struct exec_warp warp[WARPS];
    struct exec_inst inst;
    uint64_t random;
    _Alignas(64) uint32_t reg[WARPS][REGISTERS][EXEC_LANES];
    uint8_t shared[ORACLE_SHARED];
    struct oracle_product product;
};

static struct machine *create(uint64_t seed)
{
    struct machine *m = aligned_alloc(64, (sizeof *m + 63) / 64 * 64);
    assert_non_null(m);
    memset(m, 0, sizeof *m);
    m->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    m->cubin.name = "wgmma";
    m->kernel = (struct exec_kernel){.cubin = &m->cubin, .count = 1};
    m->launch.kernel = &m->kernel;
    m->launch.shared_bytes = ORACLE_SHARED;
    m->launch.warps_per_cta = WARPS;
    m->cta.launch = &m->launch;
    m->cta.warps = m->warp;
    m->cta.shared = m->shared;
    m->core.immediate = true;
    for (uint32_t w = 0; w < WARPS; w++) {
        m->warp[w].reg = m->reg[w];
        m->warp[w].register_count = REGISTERS;
        m->warp[w].cta = &m->cta;
        m->warp[w].live = m->warp[w].launched = UINT32_MAX;
        m->warp[w].upred = 1 << ISA_PT;
        m->warp[w].index = w;
    }
    return m;
}

static uint32_t any(struct machine *m)
{
    m->random ^= m->random >> 12;
    m->random ^= m->random << 25;
    m->random ^= m->random >> 27;
    return (uint32_t)(m->random * UINT64_C(0x2545f4914f6cdd1d) >> 32);
}

static uint32_t below(struct machine *m, uint32_t limit) { return (uint32_t)((uint64_t)any(m) * limit >> 32); }

/* ---- elements ---------------------------------------------------------------------------------------------------- */

enum manner { TAME, WIDE, WILD, MANNERS }; /* near 1; any number; also infinities and NaNs */

static uint32_t any_float(struct machine *m, unsigned exponent_bits, unsigned fraction_bits, enum manner manner,
                          bool e4m3)
{
    uint32_t top = (1u << exponent_bits) - 1, fraction = any(m) & ((1u << fraction_bits) - 1);
    uint32_t exponent = manner == TAME ? (top >> 1) - 3 + below(m, 6) : below(m, top);
    if (manner != TAME && below(m, 8) == 0) /* zeros and denormals */
        exponent = 0, fraction = below(m, 2) ? fraction : 0;
    if (manner != TAME && e4m3 && below(m, 8) == 0)
        exponent = top, fraction = below(m, manner == WILD ? 8 : 7);
    else if (manner == WILD && below(m, 60) == 0)
        exponent = top, fraction = below(m, 3) ? 0 : fraction;
    return (any(m) & 1) << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction;
}

static uint32_t any_element(struct machine *m, enum oracle_type type, enum manner manner)
{
    switch (type) {
    case ORACLE_F16: return any_float(m, 5, 10, manner, false);
    case ORACLE_BF16: return any_float(m, 8, 7, manner, false);
    case ORACLE_TF32: return any_float(m, 8, 23, manner, false);
    case ORACLE_E4M3: return any_float(m, 4, 3, manner, true);
    case ORACLE_E5M2: return any_float(m, 5, 2, manner, false);
    case ORACLE_B1: return any(m);
    default: return manner == TAME ? any(m) & 0xff : below(m, 2) ? 0x80 : 0xff;
    }
}

static uint32_t any_c(struct machine *m, const struct oracle_product *p, enum manner manner)
{
    if (p->type_a >= ORACLE_U8) /* near the ends where sums wrap or are clamped */
        return manner == TAME ? any(m) : (below(m, 2) ? 0x7fffffff : 0x80000000) + below(m, 70000) - 35000;
    return p->f16_result ? any_float(m, 5, 10, manner, false) : any_float(m, 8, 23, manner, false);
}

static void fill(struct machine *m, enum manner manner)
{
    struct oracle_product *p = &m->product;
    unsigned stored = p->sparse ? p->k / 2 : p->k;
    for (unsigned row = 0; row < ORACLE_M; row++) {
        for (unsigned i = 0; i < stored; i++) {
            p->a[row][i] = any_element(m, p->type_a, manner);
            unsigned group = oracle_bytes(p->type_a) == 4 ? 1 : 2; /* stored elements of each two or four */
            unsigned first = below(m, 3), second = first + 1 + below(m, 3 - first);
            p->where[row][i] = (uint8_t)(group == 1 ? 2 * i + below(m, 2) : i / 2 * 4 + first);
            if (group == 2) {
                p->a[row][i + 1] = any_element(m, p->type_a, manner);
                p->where[row][i + 1] = (uint8_t)(i / 2 * 4 + second);
                i++;
            }
        }
        for (unsigned n = 0; n < p->n; n++)
            p->c[row][n] = any_c(m, p, manner);
    }
    for (unsigned k = 0; k < p->k; k++)
        for (unsigned n = 0; n < p->n; n++)
            p->b[k][n] = any_element(m, p->type_b, manner);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* A layout with room for `mn` by `bytes` of K, in 64 KiB or so from `start` on. */
static struct oracle_place any_place(struct machine *m, uint32_t start, unsigned bytes, bool mn_major)
{
    static const unsigned periods[] = {16, 1024, 512, 256};
    struct oracle_place p = {.mn_major = mn_major, .swizzle = below(m, 4)};
    unsigned span = p.swizzle ? 16u << (4 - p.swizzle) : 16;
    uint32_t block = 8 * span; /* bytes of a core matrix, or a swizzle's rows */
    p.start = start + periods[p.swizzle] * below(m, 8);
    if (p.swizzle == 0) {
        bool first = below(m, 2);
        p.leading = first ? block + 16 * below(m, 4) : (block + 16 * below(m, 4)) * 40;
        p.stride = first ? p.leading * 9 : block;
        p.stride = first ? p.stride : 128 + 16 * below(m, 3);
        if (!first)
            p.leading = p.stride * 33;
    } else if (mn_major) {
        p.leading = block * 5;
        p.stride = block;
    } else {
        p.stride = block * (1 + below(m, 3));
        p.leading = 16 * below(m, 100); /* without a meaning */
        p.start += 32 * below(m, span / (bytes > 32 ? 64 : 32) ? span / (bytes > 32 ? 64 : 32) : 1);
    }
    return p;
}

static void put_shared(struct machine *m, const struct oracle_place *place, unsigned bytes, unsigned mn, unsigned k,
                       uint32_t value)
{
    uint32_t address = oracle_address(place, bytes, mn, k);
    assert_true(address + bytes <= ORACLE_SHARED);
    memcpy(m->shared + address, &value, bytes);
}

static void put_part(uint32_t *word, unsigned bits, unsigned index, uint32_t value)
{
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    *word = (*word & ~(mask << index * bits % 32)) | (value & mask) << index * bits % 32;
}

/* PTX ISA, wgmma: the fragment of A in registers. */
static void put_a_registers(struct machine *m, const struct oracle_product *p)
{
    unsigned bits = 8 * oracle_bytes(p->type_a), per = 32 / bits, stored = p->sparse ? p->k / 2 : p->k;
    for (unsigned row = 0; row < ORACLE_M; row++)
        for (unsigned k = 0; k < stored; k++) {
            unsigned lane = row % 8 * 4 + k / per % 4, r = row / 8 % 2 + 2 * (k / (4 * per));
            put_part(&m->reg[row / 16][REG_A + r][lane], bits, k % per, p->a[row][k]);
        }
}

static void put_metadata(struct machine *m, const struct oracle_product *p, unsigned selector)
{
    unsigned bytes = oracle_bytes(p->type_a);
    for (unsigned row = 0; row < ORACLE_M; row++)
        for (unsigned i = 0; i < p->k / 2; i++) {
            unsigned k = p->where[row][i], g = row % 8, upper = row / 8 % 2;
            if (bytes == 1) {
                unsigned lane = 4 * g + upper + 2 * (k / 32);
                put_part(&m->reg[row / 16][REG_E][lane], 2, i % 16, k % 4);
            } else if (bytes == 2) {
                unsigned lane = 4 * g + 2 * selector + k / 16;
                put_part(&m->reg[row / 16][REG_E][lane], 2, 8 * upper + i % 8, k % 4);
            } else {
                unsigned lane = 4 * g + 2 * selector + k / 8;
                put_part(&m->reg[row / 16][REG_E][lane], 4, 4 * upper + i % 4, k % 2 ? 0xe : 0x4);
            }
        }
}

/* Element (row, n) of C or D. */
static uint32_t *accumulator(struct machine *m, const struct oracle_product *p, unsigned row, unsigned n)
{
    unsigned lane = row % 8 * 4 + n % 8 / 2, h = row / 8 % 2;
    unsigned r = p->f16_result ? n / 8 * 2 + h : n / 8 * 4 + 2 * h + n % 2;
    return &m->reg[row / 16][REG_C + r][lane];
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

struct form {
    bool a_shared, mn_a, mn_b, negate_a, negate_b;
    unsigned selector;
};

static unsigned index_of(unsigned n) { return n <= 32 ? n / 8 - 1 : n / 16 + 1; }

static void build(struct machine *m, const struct form *f)
{
    static const enum isa_op ops[] = {ISA_OP_HGMMA, ISA_OP_HGMMA, ISA_OP_HGMMA, ISA_OP_QGMMA,
                                      ISA_OP_QGMMA, ISA_OP_IGMMA, ISA_OP_IGMMA, ISA_OP_BGMMA};
    const struct oracle_product *p = &m->product;
    struct isa_inst i = {.op = (uint16_t)ops[p->type_a]};
    unsigned shape = p->n / 8 - 1;
    switch ((enum isa_op)i.op) {
    case ISA_OP_HGMMA:
        shape += p->k == 16 ? 0 : p->k == 8 ? 32 : 64;
        i.mod[ISA_MOD_MMA_TYPE] = p->type_a == ORACLE_F16    ? ISA_MMA_TYPE_F16
                                  : p->type_a == ORACLE_BF16 ? ISA_MMA_TYPE_BF16
                                                             : ISA_MMA_TYPE_TF32;
        break;
    case ISA_OP_QGMMA: shape += p->k == 32 ? 0 : 32; break;
    case ISA_OP_IGMMA: shape = 3 * index_of(p->n) + (p->k == 64); break;
    default: shape = index_of(p->n); i.mod[ISA_MOD_FUNCTION] = ISA_BMMA_AND;
    }
    i.mod[ISA_MOD_SHAPE] = (uint8_t)shape;
    i.mod[ISA_MOD_MMA_ACC] = !p->f16_result;
    i.mod[ISA_MOD_TYPE_A] = p->type_a == ORACLE_E5M2 || p->type_a == ORACLE_S8;
    i.mod[ISA_MOD_TYPE_B] = p->type_b == ORACLE_E5M2 || p->type_b == ORACLE_S8;
    i.mod[ISA_MOD_SAT] = p->saturate;
    i.mod[ISA_MOD_SPARSE] = p->sparse;
    i.mod[ISA_MOD_SELECTOR] = (uint8_t)f->selector;
    i.mod[ISA_MOD_TRANSPOSE_A] = f->mn_a;
    i.mod[ISA_MOD_TRANSPOSE_B] = f->mn_b;
    i.mod[ISA_MOD_NEGATE_A] = f->a_shared && f->negate_a;
    i.mod[ISA_MOD_NEGATE_B] = f->negate_b;
    i.c = i.d = arith_register(REG_C);
    i.e = p->sparse ? arith_register(REG_E) : (struct isa_operand){.kind = ISA_NONE};
    i.a = f->a_shared ? (struct isa_operand){.kind = ISA_UREG, .index = UR} : arith_register(REG_A);
    i.a.flags = !f->a_shared && f->negate_a ? ISA_NEG : 0;
    i.b = f->a_shared ? (struct isa_operand){.kind = ISA_NONE} : (struct isa_operand){.kind = ISA_UREG, .index = UR};
    if (p->zero_c)
        i.pp = (struct isa_predicate){.index = 2, .present = true, .uniform = true};
    m->inst.isa = i;
    exec_inst_prepare(&m->inst);
}

static void descriptor(struct machine *m, unsigned index, const struct oracle_place *place)
{
    uint64_t bits = oracle_descriptor(place);
    for (unsigned w = 0; w < WARPS; w++) {
        m->warp[w].ureg[index] = (uint32_t)bits;
        m->warp[w].ureg[index + 1] = (uint32_t)(bits >> 32);
    }
}

/* Puts the product's operands where the instruction has them. */
static void put(struct machine *m, const struct form *f, const struct oracle_place *a, const struct oracle_place *b)
{
    const struct oracle_product *p = &m->product;
    unsigned bytes = oracle_bytes(p->type_a), stored = p->sparse ? p->k / 2 : p->k;
    if (!f->a_shared)
        put_a_registers(m, p);
    for (unsigned row = 0; f->a_shared && row < ORACLE_M; row++)
        for (unsigned k = 0; k < stored; k++)
            put_shared(m, a, bytes, row, k, p->a[row][k]);
    for (unsigned n = 0; n < p->n; n++)
        for (unsigned k = 0; k < p->k; k++)
            put_shared(m, b, bytes, n, k, p->b[k][n]);
    if (f->a_shared)
        descriptor(m, UR, a);
    descriptor(m, UR + 2, b); /* with A in registers, too: as ptxas places it */
    if (p->sparse)
        put_metadata(m, p, f->selector);
    for (unsigned row = 0; row < ORACLE_M; row++)
        for (unsigned n = 0; n < p->n; n++)
            put_part(accumulator(m, p, row, n), p->f16_result ? 16 : 32, n % 2, p->c[row][n]);
}

static void execute(struct machine *m)
{
    struct issued out = {0};
    for (unsigned w = 0; w < WARPS; w++)
        m->inst.run(&m->core, &m->warp[w], &m->inst, UINT32_MAX, &out);
}

static void check(struct machine *m, const struct form *f)
{
    struct oracle_product *p = &m->product;
    oracle_multiply(p);
    execute(m);
    assert_string_equal(m->core.fault.text, "");
    for (unsigned row = 0; row < ORACLE_M; row++)
        for (unsigned n = 0; n < p->n; n++) {
            uint32_t word = *accumulator(m, p, row, n);
            uint32_t got = p->f16_result ? word >> 16 * (n % 2) & 0xffff : word;
            if (got != p->d[row][n])
                fail_msg("types %u %u, n %u k %u%s%s%s%s%s: element (%u,%u) is %08x, not %08x", p->type_a, p->type_b,
                         p->n, p->k, p->f16_result ? ", f16" : "", p->sparse ? ", sparse" : "",
                         f->a_shared ? ", A shared" : "", f->mn_a ? ", A MN" : "", f->mn_b ? ", B MN" : "", row, n, got,
                         p->d[row][n]);
        }
}

static void try_one(struct machine *m, enum oracle_type type, unsigned n, bool sparse, enum manner manner)
{
    struct oracle_product *p = &m->product;
    unsigned bytes = oracle_bytes(type);
    bool eight = type == ORACLE_E4M3 || type == ORACLE_E5M2, integer = type == ORACLE_U8 || type == ORACLE_S8;
    p->type_a = p->type_b = type;
    if ((eight || integer) && below(m, 2))
        p->type_b = type ^ (eight ? ORACLE_E4M3 ^ ORACLE_E5M2 : ORACLE_U8 ^ ORACLE_S8);
    p->n = n;
    p->sparse = sparse;
    p->k = 32 / bytes << sparse;
    p->f16_result = (type == ORACLE_F16 || eight) && below(m, 2);
    p->saturate = integer && below(m, 2);
    p->zero_c = below(m, 5) == 0;
    struct form f = {.a_shared = below(m, 2), .selector = bytes > 1 ? below(m, 2) : 0};
    f.mn_a = bytes == 2 && f.a_shared && below(m, 2);
    f.mn_b = bytes == 2 && below(m, 2);
    f.negate_a = type <= ORACLE_E5M2 && below(m, 2);
    f.negate_b = type <= ORACLE_E5M2 && below(m, 2);
    p->negative = f.negate_a != f.negate_b;
    struct oracle_place a = any_place(m, 1024, 32, f.mn_a);
    struct oracle_place b = any_place(m, 96 * 1024, sparse ? 64 : 32, f.mn_b);
    if (sparse && b.swizzle == 3 && !f.mn_b)
        b.swizzle = 1, b.start = b.start / 1024 * 1024, b.stride = 1024;
    fill(m, manner);
    put(m, &f, &a, &b);
    build(m, &f);
    for (unsigned w = 0; w < WARPS; w++)
        m->warp[w].upred = (uint8_t)(1 << ISA_PT | (p->zero_c ? 0 : 1 << 2));
    check(m, &f);
}

static void types_at_all_widths(bool sparse, uint64_t seed)
{
    struct machine *m = create(seed);
    for (unsigned type = ORACLE_F16; type <= ORACLE_B1; type++)
        for (unsigned n = 8; n <= ORACLE_N; n += 8) {
            bool exists = type < ORACLE_U8 || n <= 24 || n % 16 == 0;
            if (exists && !(sparse && type == ORACLE_B1))
                for (unsigned i = 0; i < (unit_full() ? 12u : 2u); i++)
                    try_one(m, (enum oracle_type)type, n, sparse, (enum manner)below(m, MANNERS));
        }
    free(m);
}

static void dense_products_are_those_of_the_rule(void **state)
{
    (void)state;
    types_at_all_widths(false, 1);
}

static void sparse_products_are_those_of_the_rule(void **state)
{
    (void)state;
    types_at_all_widths(true, 2);
}

/* ---- known sums -------------------------------------------------------------------------------------------------- */

static const struct oracle_place plain_a = {.start = 1024, .leading = 128, .stride = 256};
static const struct oracle_place plain_b = {.start = 8192, .leading = 128, .stride = 256};

/* One A row times a column of ones. */
static uint32_t sum_of(struct machine *m, enum oracle_type type, bool f16, const uint32_t *a, unsigned count,
                       uint32_t one)
{
    struct oracle_product *p = &m->product;
    memset(p, 0, sizeof *p);
    *p = (struct oracle_product){
        .type_a = type, .type_b = type, .n = 8, .k = 32 / oracle_bytes(type), .f16_result = f16};
    for (unsigned k = 0; k < count; k++)
        p->a[0][k] = a[k];
    for (unsigned k = 0; k < p->k; k++)
        p->b[k][0] = one;
    const struct form f = {.a_shared = true};
    put(m, &f, &plain_a, &plain_b);
    build(m, &f);
    execute(m);
    return *accumulator(m, p, 0, 0) & (f16 ? 0xffff : UINT32_MAX);
}

static void one_sum_is_cut_once(void **state)
{
    (void)state;
    struct machine *m = create(3);
    /* 2048 + 1 + 1 is 2050 in one sum. One after the other they would vanish. */
    assert_int_equal(sum_of(m, ORACLE_F16, true, (const uint32_t[]){0x6800, 0x3c00, 0x3c00}, 3, 0x3c00), 0x6801);
    /* 13 fraction bits for 8-bit factors: 2^-13 stays beside 1, two of 2^-14 vanish. */
    assert_int_equal(sum_of(m, ORACLE_E4M3, false, (const uint32_t[]){0x38, 0x02}, 2, 0x38), 0x3f808000);
    assert_int_equal(sum_of(m, ORACLE_E5M2, false, (const uint32_t[]){0x3c, 0x08}, 2, 0x3c), 0x3f800400);
    assert_int_equal(sum_of(m, ORACLE_E5M2, false, (const uint32_t[]){0x3c, 0x04, 0x04}, 3, 0x3c), 0x3f800000);
    free(m);
}

static void terms_below_the_last_bit_of_fraction_vanish(void **state)
{
    (void)state;
    struct machine *m = create(4);
    uint32_t a[32] = {0x3c};
    for (unsigned i = 1; i < 32; i++)
        a[i] = 0x04; /* 2^-14 */
    assert_int_equal(sum_of(m, ORACLE_E5M2, false, a, 32, 0x3c), 0x3f800000);
    for (unsigned i = 1; i < 32; i++)
        a[i] = 0x08; /* 2^-13 */
    assert_int_equal(sum_of(m, ORACLE_E5M2, false, a, 32, 0x3c), 0x3f800000 + 31 * 0x400);
    /* FP16: 25 bits of fraction. 15 * 2^-24 beside 1 and beside 2^-1, cut to FP32. */
    uint32_t b[16] = {0x3c00};
    for (unsigned i = 1; i < 16; i++)
        b[i] = 0x0001; /* 2^-24 */
    assert_int_equal(sum_of(m, ORACLE_F16, false, b, 16, 0x3c00), 0x3f800000 + 7);
    assert_int_equal(sum_of(m, ORACLE_F16, false, b, 16, 0x3800), 0x3f000000 + 7);
    free(m);
}

static void specials_come_out_as_such(void **state)
{
    (void)state;
    struct machine *m = create(5);
    assert_int_equal(sum_of(m, ORACLE_F16, false, (const uint32_t[]){0x7c00}, 1, 0x3c00), 0x7f800000);
    assert_int_equal(sum_of(m, ORACLE_F16, true, (const uint32_t[]){0xfc00}, 1, 0x3c00), 0xfc00);
    assert_int_equal(sum_of(m, ORACLE_F16, false, (const uint32_t[]){0x7c00, 0xfc00}, 2, 0x3c00), 0x7fffffff);
    assert_int_equal(sum_of(m, ORACLE_F16, true, (const uint32_t[]){0x7c01}, 1, 0x3c00), 0x7fff);
    assert_int_equal(sum_of(m, ORACLE_F16, true, (const uint32_t[]){0x7bff, 0x7bff}, 2, 0x3c00), 0x7c00);
    assert_int_equal(sum_of(m, ORACLE_F16, false, (const uint32_t[]){0x3c00, 0xbc00}, 2, 0x3c00), 0);
    free(m);
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

static void software_steps_through_k_within_a_swizzle(void **state)
{
    (void)state;
    struct machine *m = create(6);
    struct oracle_product *p = &m->product;
    *p = (struct oracle_product){.type_a = ORACLE_F16, .type_b = ORACLE_F16, .n = 64, .k = 16};
    const struct form f = {.a_shared = true};
    for (unsigned step = 0; step < 4; step++) {
        /* A tile of 64 K elements: step i begins 32 bytes later. */
        struct oracle_place a = {.start = 2048, .stride = 1024, .swizzle = 1}, b = a;
        b.start = 16384;
        fill(m, TAME);
        for (unsigned row = 0; row < 64; row++)
            for (unsigned k = 0; k < 16; k++) {
                put_shared(m, &a, 2, row, 16 * step + k, p->a[row][k]);
                put_shared(m, &b, 2, row, 16 * step + k, p->b[k][row]);
            }
        for (unsigned row = 0; row < 64; row++)
            for (unsigned n = 0; n < 64; n++)
                *accumulator(m, p, row, n) = p->c[row][n];
        a.start += 32 * step;
        b.start += 32 * step;
        descriptor(m, UR, &a);
        descriptor(m, UR + 2, &b);
        build(m, &f);
        check(m, &f);
    }
    free(m);
}

static void a_base_offset_moves_the_rows_of_the_swizzle(void **state)
{
    (void)state;
    struct machine *m = create(7);
    struct oracle_product *p = &m->product;
    *p = (struct oracle_product){.type_a = ORACLE_BF16, .type_b = ORACLE_BF16, .n = 32, .k = 16};
    const struct form f = {.a_shared = true};
    for (unsigned base = 0; base < 8; base++) {
        const struct oracle_place a = {.start = 2048 + 128 * base, .stride = 1024, .swizzle = 1, .base = base};
        struct oracle_place b = a;
        b.start += 32768;
        fill(m, TAME);
        put(m, &f, &a, &b);
        build(m, &f);
        check(m, &f);
    }
    free(m);
}

static void a_matrix_beyond_shared_memory_is_a_fault(void **state)
{
    (void)state;
    struct machine *m = create(8);
    struct oracle_product *p = &m->product;
    *p = (struct oracle_product){.type_a = ORACLE_F16, .type_b = ORACLE_F16, .n = 8, .k = 16};
    const struct form f = {.a_shared = true};
    fill(m, TAME);
    put(m, &f, &plain_a, &plain_b);
    build(m, &f);
    m->launch.shared_bytes = 8192 + 256; /* just enough */
    execute(m);
    assert_int_equal(m->core.fault.code, STATUS_OK);
    m->launch.shared_bytes--;
    execute(m);
    assert_int_not_equal(m->core.fault.code, STATUS_OK);
    assert_int_equal(m->core.report.kind, EXEC_FAULT_ADDRESS);
    assert_int_equal(m->core.report.address, 8192 + 240);
    free(m);
}

static void a_warpgroup_is_whole(void **state)
{
    (void)state;
    struct machine *m = create(9);
    struct oracle_product *p = &m->product;
    *p = (struct oracle_product){.type_a = ORACLE_F16, .type_b = ORACLE_F16, .n = 8, .k = 16};
    const struct form f = {.a_shared = true};
    put(m, &f, &plain_a, &plain_b);
    build(m, &f);
    struct issued out = {0};
    m->inst.run(&m->core, &m->warp[0], &m->inst, 0x7fffffff, &out);
    assert_int_not_equal(m->core.fault.code, STATUS_OK);
    memset(&m->core.fault, 0, sizeof m->core.fault);
    m->launch.warps_per_cta = 3;
    m->inst.run(&m->core, &m->warp[0], &m->inst, UINT32_MAX, &out);
    assert_int_not_equal(m->core.fault.code, STATUS_OK);
    free(m);
}

/* ---- variants, order --------------------------------------------------------------------------------------------- */

static void the_variants_of_this_host_give_the_same_bits(void **state)
{
    (void)state;
    struct machine *m = create(10);
    static _Alignas(64) uint32_t d[WGMMA_VARIANTS][128][EXEC_LANES], c[128][EXEC_LANES];
    struct wgmma_job *job = aligned_alloc(64, (sizeof *job + 63) / 64 * 64);
    assert_non_null(job);
    for (unsigned trial = 0; trial < 3000; trial++) {
        memset(job, 0, sizeof *job);
        enum oracle_type type = (enum oracle_type)below(m, ORACLE_B1 + 1);
        unsigned bytes = oracle_bytes(type);
        enum manner manner = (enum manner)below(m, MANNERS);
        job->form = (struct wgmma_form){.type_a = (uint8_t)type, .type_b = (uint8_t)type, .columns = 32};
        job->form.sparse = type != ORACLE_B1 && below(m, 2);
        job->form.element_bytes = (uint8_t)bytes;
        job->form.depth = (uint8_t)(32 / bytes << job->form.sparse);
        job->form.wide = !(type == ORACLE_F16 || type == ORACLE_E4M3 || type == ORACLE_E5M2) || below(m, 2);
        job->form.fraction = type == ORACLE_E4M3 || type == ORACLE_E5M2 ? 13 : below(m, 2) ? 25 : 24;
        job->form.saturate = below(m, 2);
        job->form.negative = below(m, 2);
        for (unsigned row = 0; row < 32; row++)
            for (unsigned k = 0; k < job->form.depth; k++) {
                uint32_t x = any_element(m, type, manner), y = any_element(m, type, manner);
                memcpy(job->b[row] + k * bytes, &x, bytes);
                if (row < WGMMA_ROWS && !(job->form.sparse && k % 4 > 1))
                    memcpy(job->a[row] + k * bytes, &y, bytes);
            }
        memset(job->present, job->form.sparse ? 0x33 : 0xff, sizeof job->present);
        m->product.type_a = type;
        m->product.f16_result = false;
        for (unsigned r = 0; r < 64; r++)
            for (unsigned lane = 0; lane < EXEC_LANES; lane++)
                c[r][lane] = any_c(m, &m->product, manner);
        job->c = below(m, 4) ? (const uint32_t(*)[EXEC_LANES])c : NULL;
        for (unsigned v = 0; v < WGMMA_VARIANTS; v++) {
            job->d = d[v];
            if (!wgmma_variant(v).here)
                continue;
            wgmma_variant(v).multiply(job);
            if (memcmp(d[0], d[v], sizeof d[0]) != 0)
                fail_msg("type %u: %s differs from %s", type, wgmma_variant(v).name, wgmma_variant(0).name);
        }
    }
    free(job);
    free(m);
}

static void a_wait_ends_when_all_four_warps_have_issued(void **state)
{
    (void)state;
    struct machine *m = create(11);
    m->inst.isa = (struct isa_inst){.op = ISA_OP_WARPGROUP};
    m->inst.isa.mod[ISA_MOD_FUNCTION] = ISA_WARPGROUP_DEPBAR;
    exec_inst_prepare(&m->inst);
    assert_true(m->inst.joins);
    /* Warp 0 has two groups, with two products and one. The others have issued one product. */
    for (unsigned w = 0; w < WARPS; w++)
        warpgroup_issued(&m->warp[w].warpgroup, false);
    warpgroup_issued(&m->warp[0].warpgroup, true);
    warpgroup_issued(&m->warp[0].warpgroup, true);
    for (unsigned w = 1; w < WARPS; w++) {
        m->inst.isa.mod[ISA_MOD_COUNT] = 2;
        assert_true(warpgroup_may_pass(&m->warp[0], &m->inst));
        m->inst.isa.mod[ISA_MOD_COUNT] = 1;
        assert_false(warpgroup_may_pass(&m->warp[0], &m->inst));
        warpgroup_issued(&m->warp[w].warpgroup, true);
    }
    assert_true(warpgroup_may_pass(&m->warp[0], &m->inst));
    m->inst.isa.mod[ISA_MOD_COUNT] = 0;
    assert_false(warpgroup_may_pass(&m->warp[0], &m->inst));
    for (unsigned w = 1; w < WARPS - 1; w++)
        warpgroup_issued(&m->warp[w].warpgroup, true);
    assert_false(warpgroup_may_pass(&m->warp[0], &m->inst));
    m->warp[WARPS - 1].live = 0; /* one that has exited is not waited for */
    assert_true(warpgroup_may_pass(&m->warp[0], &m->inst));
    free(m);
}

UNIT_TESTS(UNIT(dense_products_are_those_of_the_rule), UNIT(sparse_products_are_those_of_the_rule),
           UNIT(one_sum_is_cut_once), UNIT(terms_below_the_last_bit_of_fraction_vanish),
           UNIT(specials_come_out_as_such), UNIT(software_steps_through_k_within_a_swizzle),
           UNIT(a_base_offset_moves_the_rows_of_the_swizzle), UNIT(a_matrix_beyond_shared_memory_is_a_fault),
           UNIT(a_warpgroup_is_whole), UNIT(the_variants_of_this_host_give_the_same_bits),
           UNIT(a_wait_ends_when_all_four_warps_have_issued))
