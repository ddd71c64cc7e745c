#include "wgmma_rig.h"

#include <stdlib.h>
#include <string.h>

#include "arith.h"
#include "unit.h"

struct wgmma_rig *wgmma_create(uint64_t seed)
{
    struct wgmma_rig *m = aligned_alloc(64, (sizeof *m + 63) / 64 * 64);
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

uint32_t wgmma_any(struct wgmma_rig *m)
{
    m->random ^= m->random >> 12;
    m->random ^= m->random << 25;
    m->random ^= m->random >> 27;
    return (uint32_t)(m->random * UINT64_C(0x2545f4914f6cdd1d) >> 32);
}

uint32_t wgmma_below(struct wgmma_rig *m, uint32_t limit) { return (uint32_t)((uint64_t)wgmma_any(m) * limit >> 32); }

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static uint32_t wgmma_any_float(struct wgmma_rig *m, unsigned exponent_bits, unsigned fraction_bits,
                                enum wgmma_manner manner, bool e4m3)
{
    uint32_t top = (1u << exponent_bits) - 1, fraction = wgmma_any(m) & ((1u << fraction_bits) - 1);
    uint32_t exponent = manner == TAME ? (top >> 1) - 3 + wgmma_below(m, 6) : wgmma_below(m, top);
    if (manner != TAME && wgmma_below(m, 8) == 0) /* zeros and denormals */
        exponent = 0, fraction = wgmma_below(m, 2) ? fraction : 0;
    if (manner != TAME && e4m3 && wgmma_below(m, 8) == 0)
        exponent = top, fraction = wgmma_below(m, manner == WILD ? 8 : 7);
    else if (manner == WILD && wgmma_below(m, 60) == 0)
        exponent = top, fraction = wgmma_below(m, 3) ? 0 : fraction;
    return (wgmma_any(m) & 1) << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction;
}

uint32_t wgmma_any_element(struct wgmma_rig *m, enum oracle_type type, enum wgmma_manner manner)
{
    switch (type) {
    case ORACLE_F16: return wgmma_any_float(m, 5, 10, manner, false);
    case ORACLE_BF16: return wgmma_any_float(m, 8, 7, manner, false);
    case ORACLE_TF32: return wgmma_any_float(m, 8, 23, manner, false);
    case ORACLE_E4M3: return wgmma_any_float(m, 4, 3, manner, true);
    case ORACLE_E5M2: return wgmma_any_float(m, 5, 2, manner, false);
    case ORACLE_B1: return wgmma_any(m);
    default: return manner == TAME ? wgmma_any(m) & 0xff : wgmma_below(m, 2) ? 0x80 : 0xff;
    }
}

uint32_t wgmma_any_c(struct wgmma_rig *m, const struct oracle_product *p, enum wgmma_manner manner)
{
    if (p->type_a >= ORACLE_U8) /* near the ends where sums wrap or are clamped */
        return manner == TAME ? wgmma_any(m)
                              : (wgmma_below(m, 2) ? 0x7fffffff : 0x80000000) + wgmma_below(m, 70000) - 35000;
    return p->f16_result ? wgmma_any_float(m, 5, 10, manner, false) : wgmma_any_float(m, 8, 23, manner, false);
}

void wgmma_fill(struct wgmma_rig *m, enum wgmma_manner manner)
{
    struct oracle_product *p = &m->product;
    unsigned stored = p->sparse ? p->k / 2 : p->k;
    for (unsigned row = 0; row < ORACLE_M; row++) {
        for (unsigned i = 0; i < stored; i++) {
            p->a[row][i] = wgmma_any_element(m, p->type_a, manner);
            unsigned group = oracle_bytes(p->type_a) == 4 ? 1 : 2; /* stored elements of each two or four */
            unsigned first = wgmma_below(m, 3), second = first + 1 + wgmma_below(m, 3 - first);
            p->where[row][i] = (uint8_t)(group == 1 ? 2 * i + wgmma_below(m, 2) : i / 2 * 4 + first);
            if (group == 2) {
                p->a[row][i + 1] = wgmma_any_element(m, p->type_a, manner);
                p->where[row][i + 1] = (uint8_t)(i / 2 * 4 + second);
                i++;
            }
        }
        for (unsigned n = 0; n < p->n; n++)
            p->c[row][n] = wgmma_any_c(m, p, manner);
    }
    for (unsigned k = 0; k < p->k; k++)
        for (unsigned n = 0; n < p->n; n++)
            p->b[k][n] = wgmma_any_element(m, p->type_b, manner);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

const struct oracle_place wgmma_plain_a = {.start = 1024, .leading = 128, .stride = 256};
const struct oracle_place wgmma_plain_b = {.start = 8192, .leading = 128, .stride = 256};

struct oracle_place wgmma_any_place(struct wgmma_rig *m, uint32_t start, unsigned bytes, bool mn_major)
{
    static const unsigned periods[] = {16, 1024, 512, 256};
    struct oracle_place p = {.mn_major = mn_major, .swizzle = wgmma_below(m, 4)};
    unsigned span = p.swizzle ? 16u << (4 - p.swizzle) : 16;
    uint32_t block = 8 * span; /* bytes of a core matrix, or a swizzle's rows */
    p.start = start + periods[p.swizzle] * wgmma_below(m, 8);
    if (p.swizzle == 0) {
        bool first = wgmma_below(m, 2);
        p.leading = first ? block + 16 * wgmma_below(m, 4) : (block + 16 * wgmma_below(m, 4)) * 40;
        p.stride = first ? p.leading * 9 : block;
        p.stride = first ? p.stride : 128 + 16 * wgmma_below(m, 3);
        if (!first)
            p.leading = p.stride * 33;
    } else if (mn_major) {
        p.leading = block * 5;
        p.stride = block;
    } else {
        p.stride = block * (1 + wgmma_below(m, 3));
        p.leading = 16 * wgmma_below(m, 100); /* without a meaning */
        p.start += 32 * wgmma_below(m, span / (bytes > 32 ? 64 : 32) ? span / (bytes > 32 ? 64 : 32) : 1);
    }
    return p;
}

void wgmma_put_shared(struct wgmma_rig *m, const struct oracle_place *place, unsigned bytes, unsigned mn, unsigned k,
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
static void put_a_registers(struct wgmma_rig *m, const struct oracle_product *p)
{
    unsigned bits = 8 * oracle_bytes(p->type_a), per = 32 / bits, stored = p->sparse ? p->k / 2 : p->k;
    for (unsigned row = 0; row < ORACLE_M; row++)
        for (unsigned k = 0; k < stored; k++) {
            unsigned lane = row % 8 * 4 + k / per % 4, r = row / 8 % 2 + 2 * (k / (4 * per));
            put_part(&m->reg[row / 16][REG_A + r][lane], bits, k % per, p->a[row][k]);
        }
}

static void put_metadata(struct wgmma_rig *m, const struct oracle_product *p, unsigned selector)
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

uint32_t *wgmma_accumulator(struct wgmma_rig *m, const struct oracle_product *p, unsigned row, unsigned n)
{
    unsigned lane = row % 8 * 4 + n % 8 / 2, h = row / 8 % 2;
    unsigned r = p->f16_result ? n / 8 * 2 + h : n / 8 * 4 + 2 * h + n % 2;
    return &m->reg[row / 16][REG_C + r][lane];
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static unsigned index_of(unsigned n) { return n <= 32 ? n / 8 - 1 : n / 16 + 1; }

void wgmma_build(struct wgmma_rig *m, const struct wgmma_fields *f)
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

void wgmma_descriptor(struct wgmma_rig *m, unsigned index, const struct oracle_place *place)
{
    uint64_t bits = oracle_descriptor(place);
    for (unsigned w = 0; w < WARPS; w++) {
        m->warp[w].ureg[index] = (uint32_t)bits;
        m->warp[w].ureg[index + 1] = (uint32_t)(bits >> 32);
    }
}

void wgmma_put(struct wgmma_rig *m, const struct wgmma_fields *f, const struct oracle_place *a,
               const struct oracle_place *b)
{
    const struct oracle_product *p = &m->product;
    unsigned bytes = oracle_bytes(p->type_a), stored = p->sparse ? p->k / 2 : p->k;
    if (!f->a_shared)
        put_a_registers(m, p);
    for (unsigned row = 0; f->a_shared && row < ORACLE_M; row++)
        for (unsigned k = 0; k < stored; k++)
            wgmma_put_shared(m, a, bytes, row, k, p->a[row][k]);
    for (unsigned n = 0; n < p->n; n++)
        for (unsigned k = 0; k < p->k; k++)
            wgmma_put_shared(m, b, bytes, n, k, p->b[k][n]);
    if (f->a_shared)
        wgmma_descriptor(m, UR, a);
    wgmma_descriptor(m, UR + 2, b); /* with A in registers, too: as ptxas places it */
    if (p->sparse)
        put_metadata(m, p, f->selector);
    for (unsigned row = 0; row < ORACLE_M; row++)
        for (unsigned n = 0; n < p->n; n++)
            put_part(wgmma_accumulator(m, p, row, n), p->f16_result ? 16 : 32, n % 2, p->c[row][n]);
}

void wgmma_run(struct wgmma_rig *m)
{
    struct issued out = {0};
    for (unsigned w = 0; w < WARPS; w++)
        m->inst.run(&m->core, &m->warp[w], &m->inst, UINT32_MAX, &out);
}

void wgmma_check(struct wgmma_rig *m, const struct wgmma_fields *f)
{
    struct oracle_product *p = &m->product;
    oracle_multiply(p);
    wgmma_run(m);
    assert_string_equal(m->core.fault.text, "");
    for (unsigned row = 0; row < ORACLE_M; row++)
        for (unsigned n = 0; n < p->n; n++) {
            uint32_t word = *wgmma_accumulator(m, p, row, n);
            uint32_t got = p->f16_result ? word >> 16 * (n % 2) & 0xffff : word;
            if (got != p->d[row][n])
                fail_msg("types %u %u, n %u k %u%s%s%s%s%s: element (%u,%u) is %08x, not %08x", p->type_a, p->type_b,
                         p->n, p->k, p->f16_result ? ", f16" : "", p->sparse ? ", sparse" : "",
                         f->a_shared ? ", A shared" : "", f->mn_a ? ", A MN" : "", f->mn_b ? ", B MN" : "", row, n, got,
                         p->d[row][n]);
        }
}
