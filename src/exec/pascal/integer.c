/* Sums with the condition code, products of half words, bit fields. */
#include "exec/arithmetic/integer.h"
#include "exec/arithmetic/lanes.h"
#include "exec/pascal/stack_state.h"

/* Zero and sign come from the result; with .X zero is that of the whole number. */
static void write_flags(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, const uint32_t *r,
                        struct condition carries)
{
    if (!isa->mod[ISA_MOD_CC])
        return;
    struct condition flags = condition_of(r);
    carries.zero = isa->mod[ISA_MOD_EXTENDED] ? flags.zero & warp->stack->condition.zero : flags.zero;
    carries.sign = flags.sign;
    condition_set(warp, active, carries);
}

static void write_result(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, const uint32_t *r,
                         uint32_t carry, uint32_t overflow)
{
    write_flags(warp, isa, active, r, (struct condition){.carry = carry, .overflow = overflow});
    lanes_write(warp, isa->d.index, active, r);
}

/* a + b + k; with .X the carry instead of the ones that make -x of ~x. */
static void sum(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, const uint32_t *a,
                const uint32_t *b, uint32_t ones, struct lanes *r)
{
    uint32_t in = isa->mod[ISA_MOD_EXTENDED] ? warp->stack->condition.carry : 0;
    ones = isa->mod[ISA_MOD_EXTENDED] ? 0 : ones;
    struct lanes carry, overflow;
    if (!isa->mod[ISA_MOD_CC] && !isa->mod[ISA_MOD_SAT]) {
        for (unsigned i = 0; i < EXEC_LANES; i++)
            r->v[i] = a[i] + b[i] + ones + (in & lanes_bit.v[i] ? 1u : 0u);
        lanes_write(warp, isa->d.index, active, r->v);
        return;
    }
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        uint32_t s = a[i] + b[i], t = s + ones + (in & lanes_bit.v[i] ? 1u : 0u);
        carry.v[i] = (s < a[i] ? 1u : 0u) ^ (t < s ? 1u : 0u); /* bit 32 of the sum */
        overflow.v[i] = ((a[i] ^ t) & (b[i] ^ t)) >> 31;
        r->v[i] = t;
    }
    for (unsigned i = 0; isa->mod[ISA_MOD_SAT] && i < EXEC_LANES; i++)
        if (overflow.v[i])
            r->v[i] = a[i] >> 31 ? UINT32_C(0x80000000) : 0x7fffffff;
    bool flags = isa->mod[ISA_MOD_CC];
    write_result(warp, isa, active, r->v, flags ? lanes_mask(carry.v) : 0, flags ? lanes_mask(overflow.v) : 0);
}

/* An addend: -x is ~x, and one more in *ones. */
static const uint32_t *addend(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                              const struct isa_operand *op, struct lanes *t, uint32_t *ones)
{
    const uint32_t *v = lanes_raw(core, warp, inst, op, t);
    if (!(op->flags & ISA_NEG))
        return v;
    ++*ones;
    for (unsigned i = 0; i < EXEC_LANES; i++)
        t->v[i] = ~v[i];
    return t->v;
}

EXEC_OP(IADD_60)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], r;
    uint32_t ones = 0;
    const uint32_t *a = addend(core, warp, inst, &isa->a, &t[0], &ones);
    const uint32_t *b = addend(core, warp, inst, &isa->b, &t[1], &ones);
    sum(warp, isa, active, a, b, ones, &r);
}

/* Lanes whose generic address, its lower word shifted by nothing, is not in shared memory: the predicate of LEA.HI.
 * Compiled code makes it from an address and itself, and chooses by it between RED and ATOMS. */
static uint32_t outside_of_shared(const uint32_t *low, const uint32_t *high)
{
    uint32_t outside = 0;
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        uint64_t address = (uint64_t)high[i] << 32 | low[i];
        outside |= (uint32_t)(address - EXEC_SHARED_WINDOW >= EXEC_SHARED_BYTES) << i;
    }
    return outside;
}

/* The operand is shifted, then its sign is changed. .HI takes the upper word of {C, A}. */
EXEC_OP(LEA_60)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], shifted, r;
    uint32_t ones = isa->a.flags & ISA_NEG ? 1 : 0, flip = ones ? UINT32_MAX : 0;
    unsigned shift = isa->mod[ISA_MOD_SHIFT] & 31;
    bool upper = isa->mod[ISA_MOD_HI];
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *high = upper ? lanes_raw(core, warp, inst, &isa->c, &t[1]) : exec_zero_row;
    for (unsigned i = 0; i < EXEC_LANES; i++)
        shifted.v[i] = (upper ? integer_lea_high(a[i], high[i], shift) : a[i] << shift) ^ flip;
    const uint32_t *b = addend(core, warp, inst, &isa->b, &t[2], &ones);
    sum(warp, isa, active, shifted.v, b, ones, &r);
    if (isa->pu.present)
        exec_set_predicate(warp, isa->pu, active, outside_of_shared(a, r.v));
}

/* Part of an addend: the word, its lower or its upper half. */
static void take_part(uint32_t *v, const uint32_t *from, unsigned part)
{
    for (unsigned i = 0; i < EXEC_LANES; i++)
        v[i] = part == 0 ? from[i] : part == 1 ? from[i] & 0xffff : from[i] >> 16;
}

/* The 33-bit sum of the first two may be shifted by 16 before the third comes to it. Three words may carry two,
 * and the next sum of three takes both: compiled code adds three numbers of 64 bits by such a pair. It keeps the four
 * flags in a register meanwhile, so the second carry is one of them, assumed to be the overflow. -x is ~x and one
 * more, which only the lower words add: the pair is right for -a + b - c as well. */
EXEC_OP(IADD3_60)
{
    enum { RIGHT = 1, LEFT };
    const struct isa_inst *isa = &inst->isa;
    const struct isa_operand *const op[] = {&isa->a, &isa->b, &isa->c};
    struct lanes t, part[3], r;
    const struct condition before = warp->stack->condition;
    struct condition carries = {0};
    unsigned shift = isa->mod[ISA_MOD_SHIFT], ones[3] = {0};
    bool extended = isa->mod[ISA_MOD_EXTENDED];
    for (unsigned k = 0; k < 3; k++) {
        take_part(part[k].v, lanes_raw(core, warp, inst, op[k], &t), op[k]->swizzle);
        if (!(op[k]->flags & ISA_NEG))
            continue;
        ones[k] = !extended;
        for (unsigned i = 0; i < EXEC_LANES; i++)
            part[k].v[i] = ~part[k].v[i];
    }
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        uint64_t first = (uint64_t)part[0].v[i] + part[1].v[i] + ones[0] + ones[1];
        first = shift == RIGHT ? first >> 16 : shift == LEFT ? first << 16 & UINT32_MAX : first;
        uint64_t s = first + part[2].v[i] + ones[2];
        s += extended ? (before.carry >> i & 1) + (before.overflow >> i & 1) : 0;
        r.v[i] = (uint32_t)s;
        carries.carry |= (uint32_t)(s >> 32 != 0) << i;
        carries.overflow |= (uint32_t)(s >> 32 > 1) << i;
    }
    write_flags(warp, isa, active, r.v, carries);
    lanes_write(warp, isa->d.index, active, r.v);
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

static uint32_t half_of(uint32_t v, bool upper, bool is_signed)
{
    uint32_t half = upper ? v >> 16 : v & 0xffff;
    return is_signed ? (uint32_t)(int32_t)(int16_t)half : half;
}

/* .CSFU corrects the upper word of a signed product for the signs of two partial products, the one with A's lower half
 * and B's upper one and the other way round, which the addition behind it takes as unsigned. Found from compiled code,
 * whose results it makes right for all signs. No document tells. */
static uint32_t sign_correction(uint32_t a, uint32_t b)
{
    uint32_t first = b >> 31 && a & 0xffff ? 0x10000 : 0, second = a >> 31 && b & 0xffff ? 0x10000 : 0;
    return first + second;
}

/* How XMAD takes C. */
static uint32_t addend_of(unsigned mode, uint32_t a, uint32_t b, uint32_t c)
{
    enum { PLAIN, LOWER, UPPER, SIGNS, WITH_B };
    switch (mode) {
    case LOWER: return c & 0xffff;
    case UPPER: return c >> 16;
    case WITH_B: return c + (b << 16);
    case SIGNS: return c - sign_correction(a, b);
    default: return c;
    }
}

EXEC_OP(XMAD)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], r;
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_raw(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_raw(core, warp, inst, &isa->c, &t[2]);
    unsigned signs = isa->mod[ISA_MOD_SIGNS], mode = isa->mod[ISA_MOD_MODE], shift = isa->mod[ISA_MOD_SHIFT] ? 16 : 0;
    bool upper_a = isa->a.swizzle, upper_b = isa->b.swizzle, merge = isa->mod[ISA_MOD_MERGE];
    uint32_t in = isa->mod[ISA_MOD_EXTENDED] ? warp->stack->condition.carry : 0;
    struct lanes carry;
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        uint32_t x = half_of(a[i], upper_a, signs & 1), y = half_of(b[i], upper_b, signs & 2), p = x * y << shift;
        uint32_t s = p + addend_of(mode, a[i], b[i], c[i]), u = s + (in & lanes_bit.v[i] ? 1u : 0u);
        r.v[i] = merge ? (u & 0xffff) | b[i] << 16 : u;
        carry.v[i] = (s < p ? 1u : 0u) | (u < s ? 1u : 0u);
    }
    write_result(warp, isa, active, r.v, isa->mod[ISA_MOD_CC] ? lanes_mask(carry.v) : 0, 0);
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
