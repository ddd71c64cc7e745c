/* Packed and video arithmetic: two halves or four bytes a register, sums of their products and differences. */
#include "exec/arithmetic/lanes.h"

enum { TYPES = ISA_VECTOR_S8X4 + 1 };

/* ---- element by element ------------------------------------------------------------------------------------------ */

#define ELEMENTS(element)                                                                                              \
    enum { COUNT = sizeof(struct lanes) / sizeof(element) };                                                           \
    element x[COUNT], y[COUNT];                                                                                        \
    memcpy(x, a, sizeof x);                                                                                            \
    memcpy(y, b, sizeof y);

#define ORDER(name, element)                                                                                           \
    static void name(struct lanes *low, struct lanes *high, const uint32_t *a, const uint32_t *b)                      \
    {                                                                                                                  \
        ELEMENTS(element)                                                                                              \
        element least[COUNT], most[COUNT];                                                                             \
        for (unsigned i = 0; i < COUNT; ++i) {                                                                         \
            least[i] = x[i] < y[i] ? x[i] : y[i];                                                                      \
            most[i] = x[i] < y[i] ? y[i] : x[i];                                                                       \
        }                                                                                                              \
        memcpy(low, least, sizeof *low);                                                                               \
        memcpy(high, most, sizeof *high);                                                                              \
    }

ORDER(order_u32, uint32_t)
ORDER(order_s32, int32_t)
ORDER(order_u16, uint16_t)
ORDER(order_s16, int16_t)
ORDER(order_u8, uint8_t)
ORDER(order_s8, int8_t)

typedef void order_fn(struct lanes *low, struct lanes *high, const uint32_t *a, const uint32_t *b);
static order_fn *const orders[TYPES] = {order_u32, order_s32, order_u16, order_s16, order_u8, order_s8};

#define SUM(name, element)                                                                                             \
    static void name(uint32_t *r, const uint32_t *a, const uint32_t *b)                                                \
    {                                                                                                                  \
        ELEMENTS(element)                                                                                              \
        for (unsigned i = 0; i < COUNT; ++i)                                                                           \
            x[i] = (element)(x[i] + y[i]);                                                                             \
        memcpy(r, x, sizeof x);                                                                                        \
    }

SUM(sum_32, uint32_t)
SUM(sum_16, uint16_t)
SUM(sum_8, uint8_t)

#define DIFFERENCE(name, element)                                                                                      \
    static void name(uint32_t *r, const uint32_t *a, const uint32_t *b)                                                \
    {                                                                                                                  \
        ELEMENTS(element)                                                                                              \
        for (unsigned i = 0; i < COUNT; ++i)                                                                           \
            x[i] = (element)(x[i] - y[i]);                                                                             \
        memcpy(r, x, sizeof x);                                                                                        \
    }

DIFFERENCE(difference_32, uint32_t)
DIFFERENCE(difference_16, uint16_t)
DIFFERENCE(difference_8, uint8_t)

/* Sums and differences that wrap, in elements of 32, 16 or 8 bits. */
typedef void wrapping_fn(uint32_t *r, const uint32_t *a, const uint32_t *b);

static wrapping_fn *wrapping(unsigned bits, bool minus)
{
    if (bits == 32)
        return minus ? difference_32 : sum_32;
    if (bits == 16)
        return minus ? difference_16 : sum_16;
    return minus ? difference_8 : sum_8;
}

static unsigned vector_bits(unsigned vector)
{
    return vector <= ISA_VECTOR_S32 ? 32 : vector <= ISA_VECTOR_S16X2 ? 16 : 8;
}

/* The operand with its sign applied to each element. */
static const uint32_t *packed(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                              const struct isa_operand *op, unsigned bits, struct lanes *t)
{
    const uint32_t *v = lanes_raw(core, warp, inst, op, t);
    if (!(op->flags & ISA_NEG))
        return v;
    wrapping(bits, true)(t->v, exec_zero_row, v);
    return t->v;
}

/* ---- addition ---------------------------------------------------------------------------------------------------- */

static int64_t element_of(uint32_t word, unsigned bits, unsigned k, bool is_signed)
{
    uint64_t v = word >> bits * k & (uint32_t)((UINT64_C(1) << bits) - 1);
    return is_signed ? sign_extend(v, bits) : (int64_t)v;
}

static uint32_t add_saturated(uint32_t a, uint32_t b, int sign_a, int sign_b, unsigned bits, bool is_signed)
{
    int64_t most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1, least = is_signed ? -most - 1 : 0;
    uint64_t r = 0;
    for (unsigned k = 0; k < 32 / bits; ++k) {
        int64_t v = sign_a * element_of(a, bits, k, is_signed) + sign_b * element_of(b, bits, k, is_signed);
        v = v > most ? most : v < least ? least : v;
        r |= ((uint64_t)v & ((UINT64_C(1) << bits) - 1)) << bits * k;
    }
    return (uint32_t)r;
}

EXEC_OP(VIADD)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned type = isa->mod[ISA_MOD_ADD_TYPE];
    unsigned bits = type == ISA_ADD_TYPE_32 || type == ISA_ADD_TYPE_S32       ? 32
                    : type == ISA_ADD_TYPE_16X2 || type == ISA_ADD_TYPE_S16X2 ? 16
                                                                              : 8;
    const struct isa_operand *second = operand_second(isa);
    bool saturates = isa->mod[ISA_MOD_SAT];
    if (type > ISA_ADD_TYPE_S8X4 || (saturates && (type == ISA_ADD_TYPE_32 || type == ISA_ADD_TYPE_16X2))) {
        exec_refuse(core, warp, inst, "the bounds to which this type saturates are not known");
        return;
    }
    struct lanes t[2], r;
    if (saturates) {
        const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
        const uint32_t *b = lanes_raw(core, warp, inst, second, &t[1]);
        int sign_a = isa->a.flags & ISA_NEG ? -1 : 1, sign_b = second->flags & ISA_NEG ? -1 : 1;
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = add_saturated(a[i], b[i], sign_a, sign_b, bits, type != ISA_ADD_TYPE_U8X4);
    } else {
        const uint32_t *a = packed(core, warp, inst, &isa->a, bits, &t[0]);
        const uint32_t *b = packed(core, warp, inst, second, bits, &t[1]);
        wrapping(bits, false)(r.v, a, b);
    }
    lanes_write(warp, isa->d.index, active, r.v);
}

/* ---- minimum and maximum ----------------------------------------------------------------------------------------- */

static void blend(uint32_t *r, uint32_t mask, const uint32_t *yes, const uint32_t *no)
{
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = mask & lanes_bit.v[i] ? yes[i] : no[i];
}

static void choose(uint32_t *r, const uint32_t *a, const uint32_t *b, unsigned type, uint32_t minimum)
{
    struct lanes low, high;
    orders[type](&low, &high, a, b);
    blend(r, minimum, low.v, high.v);
}

/* .RELU: no element is below 0. */
static void not_negative(uint32_t *r, unsigned type)
{
    struct lanes low, high;
    orders[type](&low, &high, r, exec_zero_row);
    memcpy(r, high.v, sizeof high);
}

static bool type_known(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned type = isa->mod[ISA_MOD_VECTOR];
    if (type < TYPES && (!isa->mod[ISA_MOD_RELU] || (type & 1)))
        return true;
    exec_refuse(core, warp, inst, "the type is not defined");
    return false;
}

/* Predicates: whether the first operand was chosen: in the word, or in both halves. */
static uint32_t chosen_first(const uint32_t *a, const uint32_t *r, unsigned from, unsigned bits)
{
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1, result = 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        result |= ((a[i] ^ r[i]) >> from & mask) == 0 ? lanes_bit.v[i] : 0;
    return result;
}

static bool choice_predicates(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                              uint32_t active, const uint32_t *a, const uint32_t *r)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned bits = vector_bits(isa->mod[ISA_MOD_VECTOR]);
    bool lower = isa->pu.present && isa->pu.index != ISA_PT, upper = isa->pv.present && isa->pv.index != ISA_PT;
    if ((upper && bits != 16) || (lower && bits == 8)) {
        exec_refuse(core, warp, inst, "the value that this predicate receives is not known");
        return false;
    }
    if (lower)
        exec_set_predicate(warp, isa->pu, active, chosen_first(a, r, 0, bits));
    if (upper)
        exec_set_predicate(warp, isa->pv, active, chosen_first(a, r, 16, bits));
    return true;
}

EXEC_OP(VIMNMX)
{
    const struct isa_inst *isa = &inst->isa;
    if (!type_known(core, warp, inst))
        return;
    struct lanes t[2], r;
    unsigned type = isa->mod[ISA_MOD_VECTOR];
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_raw(core, warp, inst, operand_second(isa), &t[1]);
    choose(r.v, a, b, type, operand_predicate(warp, isa->pp));
    if (!choice_predicates(core, warp, inst, active, a, r.v))
        return;
    if (isa->mod[ISA_MOD_RELU])
        not_negative(r.v, type);
    lanes_write(warp, isa->d.index, active, r.v);
}

/* The choice between c and `combine` of a and b. */
static void then_choose(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                        bool adds)
{
    const struct isa_inst *isa = &inst->isa;
    if (!type_known(core, warp, inst))
        return;
    struct lanes t[3], first, r;
    unsigned type = isa->mod[ISA_MOD_VECTOR], bits = vector_bits(type);
    uint32_t minimum = operand_predicate(warp, isa->pp);
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = packed(core, warp, inst, &isa->b, bits, &t[1]);
    const uint32_t *c = lanes_raw(core, warp, inst, &isa->c, &t[2]);
    if (adds)
        wrapping(bits, false)(first.v, a, b);
    else
        choose(first.v, a, b, type, minimum);
    choose(r.v, first.v, c, type, minimum);
    if (isa->mod[ISA_MOD_RELU])
        not_negative(r.v, type);
    lanes_write(warp, isa->d.index, active, r.v);
}

EXEC_OP(VIMNMX3) { then_choose(core, warp, inst, active, false); }

EXEC_OP(VIADDMNMX) { then_choose(core, warp, inst, active, true); }

/* ---- differences and products ------------------------------------------------------------------------------------ */

static bool predicate_unknown(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    if (!inst->isa.pu.present || inst->isa.pu.index == ISA_PT)
        return false;
    exec_refuse(core, warp, inst, "the value that the predicate receives is not known");
    return true;
}

EXEC_OP(VABSDIFF)
{
    const struct isa_inst *isa = &inst->isa;
    if (predicate_unknown(core, warp, inst))
        return;
    struct lanes t[3], low, high, r;
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_raw(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_raw(core, warp, inst, &isa->c, &t[2]);
    orders[isa->mod[ISA_MOD_SIGNED] ? ISA_VECTOR_S32 : ISA_VECTOR_U32](&low, &high, a, b);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = high.v[i] - low.v[i] + c[i];
    lanes_write(warp, isa->d.index, active, r.v);
}

/* Without .ACC the bytes are the result, and c is not used. */
EXEC_OP(VABSDIFF4)
{
    const struct isa_inst *isa = &inst->isa;
    if (predicate_unknown(core, warp, inst))
        return;
    struct lanes t[3], low, high, r;
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_raw(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_raw(core, warp, inst, &isa->c, &t[2]);
    orders[isa->mod[ISA_MOD_SIGNED] ? ISA_VECTOR_S8X4 : ISA_VECTOR_U8X4](&low, &high, a, b);
    difference_8(r.v, high.v, low.v);
    if (isa->mod[ISA_MOD_ACCUMULATE]) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = c[i] + (r.v[i] & 0xff) + (r.v[i] >> 8 & 0xff) + (r.v[i] >> 16 & 0xff) + (r.v[i] >> 24);
    }
    lanes_write(warp, isa->d.index, active, r.v);
}

static inline int32_t byte_of(uint32_t word, unsigned k, bool is_signed)
{
    return is_signed ? (int8_t)(word >> 8 * k) : (uint8_t)(word >> 8 * k);
}

static inline int32_t half_of(uint32_t word, unsigned k, bool is_signed)
{
    return is_signed ? (int16_t)(word >> 16 * k) : (uint16_t)(word >> 16 * k);
}

/* dot: 0 four bytes, 1 two halves by the lower bytes of b, 3 by the upper ones. */
static inline __attribute__((always_inline)) void dot_product(uint32_t *r, const uint32_t *a, const uint32_t *b,
                                                              unsigned dot, bool signed_a, bool signed_b)
{
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        for (unsigned k = 0; k < 4 && dot == 0; ++k)
            r[i] += (uint32_t)(byte_of(a[i], k, signed_a) * byte_of(b[i], k, signed_b));
        for (unsigned k = 0; k < 2 && dot; ++k)
            r[i] += (uint32_t)(half_of(a[i], k, signed_a) * byte_of(b[i], k + (dot & 2), signed_b));
    }
}

EXEC_OP(IDP)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], r;
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_raw(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_integer(core, warp, inst, &isa->c, &t[2]);
    unsigned dot = isa->mod[ISA_MOD_DOT];
    bool signed_a = isa->mod[ISA_MOD_SIGNED], signed_b = isa->mod[ISA_MOD_SIGNED_B];
    memcpy(r.v, c, sizeof r);
    if (dot == 0 && signed_a && signed_b)
        dot_product(r.v, a, b, 0, true, true);
    else if (dot == 0 && !signed_a && !signed_b)
        dot_product(r.v, a, b, 0, false, false);
    else
        dot_product(r.v, a, b, dot, signed_a, signed_b);
    lanes_write(warp, isa->d.index, active, r.v);
}

/* ---- narrowing --------------------------------------------------------------------------------------------------- */

static uint32_t narrowed(uint32_t value, unsigned bits, bool is_signed, bool relu, bool saturates)
{
    int64_t most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1, least = is_signed ? -most - 1 : 0;
    int64_t v = (int32_t)value;
    v = relu && v < 0 ? 0 : v;
    v = !saturates ? v : v > most ? most : v < least ? least : v;
    return (uint32_t)v;
}

/* Types: 0 U8, 1 S8, 2 U16, 3 S16, 4 U2, 5 S2, 6 U4, 7 S4. */
static unsigned pack_bits(unsigned type)
{
    static const uint8_t bits[] = {8, 16, 2, 4};
    return bits[type >> 1 & 3];
}

/* The narrow value keeps its sign in the upper bits of the register. */
EXEC_OP(I2I)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned type = isa->mod[ISA_MOD_DST_TYPE];
    struct lanes t, r;
    const uint32_t *v = lanes_raw(core, warp, inst, operand_only(isa), &t);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = narrowed(v[i], pack_bits(type), type & 1, false, true);
    lanes_write(warp, isa->d.index, active, r.v);
}

/* PTX ISA, cvt.pack: b, above it a, above that the lower bits of c or, for bytes, its upper half. */
EXEC_OP(I2IP)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned type = isa->mod[ISA_MOD_DST_TYPE] & 7, bits = pack_bits(type), clamp = isa->mod[ISA_MOD_CLAMP];
    unsigned part = isa->mod[ISA_MOD_PART], usual = bits == 2 ? 3 : bits == 4 ? 2 : 0;
    if (clamp > ISA_CLAMP_SATRELU || (part != usual && !(bits >= 8 && part == 1))) {
        exec_refuse(core, warp, inst, "the modifiers are not defined");
        return;
    }
    struct lanes t[3], r;
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_raw(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_raw(core, warp, inst, &isa->c, &t[2]);
    uint32_t mask = (1u << bits) - 1;
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        uint64_t above = (uint64_t)(part == 1 ? c[i] >> 16 : c[i]) << 2 * bits;
        r.v[i] = (narrowed(b[i], bits, type & 1, clamp == ISA_CLAMP_SATRELU, clamp) & mask) |
                 (narrowed(a[i], bits, type & 1, clamp == ISA_CLAMP_SATRELU, clamp) & mask) << bits | (uint32_t)above;
    }
    lanes_write(warp, isa->d.index, active, r.v);
}
