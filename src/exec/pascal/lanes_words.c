/* Products of half words, bit fields, conversions, minimum and maximum. */
#include "exec/arithmetic/integer.h"
#include "exec/pascal/flags.h"

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* How XMAD takes its operands. */
struct halves {
    unsigned place_a, place_b, place_c; /* shifts */
    uint32_t sign_a, sign_b;            /* the sign of a half, 0 if it has none */
    uint32_t keep_c, with_b;            /* masks */
};

static struct halves halves_of(const struct isa_inst *isa)
{
    enum { PLAIN, LOWER, UPPER, SIGNS, WITH_B };
    unsigned mode = isa->mod[ISA_MOD_MODE], signs = isa->mod[ISA_MOD_SIGNS];
    return (struct halves){.place_a = isa->a.swizzle ? 0 : 16,
                           .place_b = isa->b.swizzle ? 0 : 16,
                           .place_c = mode == UPPER ? 16 : 0,
                           .sign_a = signs & 1 ? 0x8000 : 0,
                           .sign_b = signs & 2 ? 0x8000 : 0,
                           .keep_c = mode == LOWER ? 0xffff : UINT32_MAX,
                           .with_b = mode == WITH_B ? UINT32_MAX : 0};
}

/* .CSFU corrects the upper word of a signed product for the signs of two partial products, the one with A's lower half
 * and B's upper one and the other way round, which the addition behind it takes as unsigned. Found from compiled code,
 * whose results it makes right for all signs. No document tells. */
static __attribute__((noinline)) const uint32_t *correct_signs(const uint32_t *a, const uint32_t *b, const uint32_t *c,
                                                               struct lanes *t)
{
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        uint32_t first = b[i] >> 31 && a[i] & 0xffff ? 0x10000 : 0, second = a[i] >> 31 && b[i] & 0xffff ? 0x10000 : 0;
        t->v[i] = c[i] - first - second;
    }
    return t->v;
}

/* Returns the products in `product`, and their addends in `sum`. */
static inline void multiply_halves(const struct halves *h, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                                   unsigned shift, struct lanes *product, struct lanes *sum)
{
    const struct halves k = *h;
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        uint32_t x = ((a[i] << k.place_a >> 16) ^ k.sign_a) - k.sign_a;
        uint32_t y = ((b[i] << k.place_b >> 16) ^ k.sign_b) - k.sign_b;
        product->v[i] = x * y << shift;
        sum->v[i] = (c[i] >> k.place_c & k.keep_c) + (b[i] << 16 & k.with_b);
    }
}

EXEC_OP(XMAD)
{
    enum { SIGNS = 3 };
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], p, s;
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_raw(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_raw(core, warp, inst, &isa->c, &t[2]);
    const struct halves how = halves_of(isa);
    bool flags = isa->mod[ISA_MOD_CC], merge = isa->mod[ISA_MOD_MERGE];
    uint32_t in = isa->mod[ISA_MOD_EXTENDED] ? warp->stack->condition.carry : 0, carry = 0;
    if (isa->mod[ISA_MOD_MODE] == SIGNS)
        c = correct_signs(a, b, c, &t[2]);
    multiply_halves(&how, a, b, c, isa->mod[ISA_MOD_SHIFT] ? 16 : 0, &p, &s);
    for (unsigned i = 0; i < EXEC_LANES; i++)
        s.v[i] += p.v[i];
    if (flags)
        carry = lanes_below(s.v, p.v);
    if (in) {
        for (unsigned i = 0; i < EXEC_LANES; i++)
            s.v[i] += in & lanes_bit.v[i] ? 1u : 0u;
        carry |= flags ? in & ~lanes_mask(s.v) : 0;
    }
    for (unsigned i = 0; merge && i < EXEC_LANES; i++)
        s.v[i] = (s.v[i] & 0xffff) | b[i] << 16;
    write_result(warp, isa, active, s.v, carry, 0);
}

EXEC_OP(IMAD_60)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], r;
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_integer(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_integer(core, warp, inst, &isa->c, &t[2]);
    bool signed_a = isa->mod[ISA_MOD_SIGNS] & 1, signed_b = isa->mod[ISA_MOD_SIGNS] & 2;
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        int64_t x = signed_a ? (int32_t)a[i] : (int64_t)a[i], y = signed_b ? (int32_t)b[i] : (int64_t)b[i];
        uint64_t p = (uint64_t)x * (uint64_t)y;
        r.v[i] = (uint32_t)(isa->mod[ISA_MOD_HI] ? p >> 32 : p) + c[i];
    }
    lanes_write(warp, isa->d.index, active, r.v);
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

EXEC_OP(LOP3_60)
{
    enum { TRUE = 1, ZERO };
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], r;
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_integer(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_integer(core, warp, inst, &isa->c, &t[2]);
    for (unsigned i = 0; i < EXEC_LANES; i++)
        r.v[i] = integer_lop3(a[i], b[i], c[i], isa->mod[ISA_MOD_LUT]);
    uint32_t nonzero = lanes_mask(r.v), test = isa->mod[ISA_MOD_TEST];
    if (isa->mod[ISA_MOD_EXTENDED])
        nonzero |= ~warp->stack->condition.zero;
    exec_set_predicate(warp, isa->pu, active, test == TRUE ? UINT32_MAX : test == ZERO ? ~nonzero : nonzero);
    write_result(warp, isa, active, r.v, 0, 0);
}

/* PTX ISA, bfe: bits beyond the word are the field's sign, or 0. */
static uint32_t extract(uint32_t v, uint32_t where, bool is_signed)
{
    unsigned at = where & 0xff, length = where >> 8 & 0xff;
    if (length == 0)
        return 0;
    uint32_t fill = 0;
    if (is_signed)
        fill = v >> (at + length - 1 < 31 ? at + length - 1 : 31) & 1 ? UINT32_MAX : 0;
    uint32_t field = at < 32 ? v >> at : 0;
    unsigned kept = at >= 32 ? 0 : length < 32 - at ? length : 32 - at;
    uint32_t mask = kept < 32 ? (UINT32_C(1) << kept) - 1 : UINT32_MAX;
    return (field & mask) | (fill & ~mask);
}

EXEC_OP(BFE)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], r;
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_integer(core, warp, inst, &isa->b, &t[1]);
    bool is_signed = isa->mod[ISA_MOD_SIGNED], reversed = isa->mod[ISA_MOD_FLAG];
    for (unsigned i = 0; i < EXEC_LANES; i++)
        r.v[i] = extract(reversed ? integer_brev(a[i]) : a[i], b[i], is_signed);
    write_result(warp, isa, active, r.v, 0, 0);
}

/* PTX ISA, bfi: bits of A replace a field in C. */
EXEC_OP(BFI)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], r;
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_integer(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_integer(core, warp, inst, &isa->c, &t[2]);
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        unsigned at = b[i] & 0xff, length = b[i] >> 8 & 0xff;
        uint32_t mask = length < 32 ? (UINT32_C(1) << length) - 1 : UINT32_MAX;
        mask = at < 32 ? mask << at : 0;
        r.v[i] = (c[i] & ~mask) | (at < 32 ? a[i] << at & mask : 0);
    }
    write_result(warp, isa, active, r.v, 0, 0);
}

/* ---- conversions, minimum and maximum ---------------------------------------------------------------------------- */

static int64_t widen(uint32_t v, unsigned type, unsigned part)
{
    switch (type) {
    case ISA_INTEGER_U8: return v >> 8 * part & 0xff;
    case ISA_INTEGER_S8: return (int8_t)(v >> 8 * part);
    case ISA_INTEGER_U16: return v >> 16 * part & 0xffff;
    case ISA_INTEGER_S16: return (int16_t)(v >> 16 * part);
    case ISA_INTEGER_U32: return v;
    default: return (int32_t)v;
    }
}

static uint32_t narrow(int64_t v, unsigned type, bool saturates)
{
    unsigned bits = 8u << type / 2;
    bool is_signed = type & 1;
    int64_t most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1, least = is_signed ? -most - 1 : 0;
    if (saturates)
        v = v > most ? most : v < least ? least : v;
    uint64_t low = (uint64_t)v & ((UINT64_C(1) << bits) - 1);
    return (uint32_t)(is_signed ? (uint64_t)((int64_t)(low << (64 - bits)) >> (64 - bits)) : low);
}

EXEC_OP(I2I_60)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t, r;
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t);
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        int64_t v = widen(a[i], isa->mod[ISA_MOD_SRC_TYPE], isa->a.swizzle);
        v = isa->a.flags & ISA_ABS && v < 0 ? -v : v;
        v = isa->a.flags & ISA_NEG ? -v : v;
        r.v[i] = narrow(v, isa->mod[ISA_MOD_DST_TYPE], isa->mod[ISA_MOD_SAT]);
    }
    write_result(warp, isa, active, r.v, 0, 0);
}

/* Numbers of several words, from the upper one on. .XHI notes in the condition code whether both are equal (zero) or A
 * is the one (carry); .XMED and .XLO follow. Which flags hardware uses is assumed, as nothing else reads them. */
EXEC_OP(IMNMX_60)
{
    enum { LOW = 1, MIDDLE, HIGH };
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], r;
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_integer(core, warp, inst, &isa->b, &t[1]);
    uint32_t minimum = operand_predicate(warp, isa->pp), bias = isa->mod[ISA_MOD_SIGNED] ? UINT32_C(1) << 31 : 0;
    const struct condition before = warp->stack->condition;
    unsigned mode = isa->mod[ISA_MOD_MODE];
    struct condition flags = {0};
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        bool less = (a[i] ^ bias) < (b[i] ^ bias), equal = a[i] == b[i];
        bool first = less == (minimum >> i & 1);
        if ((mode == LOW || mode == MIDDLE) && !(before.zero >> i & 1)) {
            first = before.carry >> i & 1;
            equal = false;
        }
        r.v[i] = first ? a[i] : b[i];
        flags.zero |= (uint32_t)equal << i;
        flags.carry |= (uint32_t)first << i;
        flags.sign |= (r.v[i] >> 31) << i;
    }
    if (isa->mod[ISA_MOD_CC])
        condition_set(warp, active, flags);
    lanes_write(warp, isa->d.index, active, r.v);
}

/* VMNMX and VABSDIFF of words: one of A and B, or how far they are apart, then combined with C. */
EXEC_OP(VIDEO_60)
{
    enum { ACCUMULATE = 4, MINIMUM, MAXIMUM, NOTHING };
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], r;
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_integer(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_integer(core, warp, inst, &isa->c, &t[2]);
    unsigned signs = isa->mod[ISA_MOD_SIGNS], mode = isa->mod[ISA_MOD_MODE];
    bool signed_result = isa->mod[ISA_MOD_DST_TYPE], maximum = isa->mod[ISA_MOD_FLAG];
    bool distance = isa->mod[ISA_MOD_FUNCTION] != 0;
    if (mode < ACCUMULATE) {
        exec_refuse(core, warp, inst, "a result that is merged into a part of C");
        return;
    }
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        int64_t x = signs & 2 ? (int32_t)a[i] : (int64_t)a[i], y = signs & 1 ? (int32_t)b[i] : (int64_t)b[i];
        int64_t z = signed_result ? (int32_t)c[i] : (int64_t)c[i], v = (x < y) != maximum ? x : y;
        v = distance ? (x < y ? y - x : x - y) : v;
        v = signed_result ? (int32_t)v : (int64_t)(uint32_t)v;
        r.v[i] = (uint32_t)(mode == ACCUMULATE ? v + z : mode == NOTHING ? v : (v < z) == (mode == MINIMUM) ? v : z);
    }
    lanes_write(warp, isa->d.index, active, r.v);
}
