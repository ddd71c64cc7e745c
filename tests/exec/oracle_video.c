/* Packed and video arithmetic, element by element in exact integers. */
#include <stddef.h>

#include "oracle.h"

struct shape {
    unsigned bits;
    bool is_signed;
};

/* Element k of a register. */
static int64_t element(uint32_t word, struct shape s, unsigned k)
{
    int64_t v = (int64_t)((uint64_t)word >> s.bits * k) % (INT64_C(1) << s.bits);
    return s.is_signed && v >> (s.bits - 1) ? v - (INT64_C(1) << s.bits) : v;
}

static int64_t operand_element(const struct oracle_lane *l, const struct isa_operand *op, struct shape s, unsigned k)
{
    int64_t v = element(oracle_raw(l, op, 0), s, k);
    return op->flags & ISA_NEG ? -v : v;
}

static void put(struct oracle_lane *l, struct shape s, unsigned k, int64_t v)
{
    l->d[0] |= (uint32_t)(((uint64_t)v & ((UINT64_C(1) << s.bits) - 1)) << s.bits * k);
}

static int64_t wrapped(int64_t v, struct shape s) { return element((uint32_t)v, s, 0); }

static int64_t clamped(int64_t v, struct shape s)
{
    int64_t top = INT64_C(1) << (s.is_signed ? s.bits - 1 : s.bits), bottom = s.is_signed ? -top : 0;
    return v >= top ? top - 1 : v < bottom ? bottom : v;
}

static void viadd(struct oracle_lane *l)
{
    static const struct shape shapes[] = {{32, false}, {16, false}, {32, true}, {16, true}, {8, false}, {8, true}};
    const struct isa_inst *i = l->inst;
    struct shape s = shapes[i->mod[ISA_MOD_ADD_TYPE]];
    for (unsigned k = 0; k < 32 / s.bits; ++k) {
        int64_t sum = operand_element(l, &i->a, s, k) + operand_element(l, &i->b, s, k);
        put(l, s, k, i->mod[ISA_MOD_SAT] ? clamped(sum, s) : sum);
    }
}

static const struct shape vectors[] = {{32, false}, {32, true}, {16, false}, {16, true}, {8, false}, {8, true}};

static int64_t pick(bool minimum, int64_t x, int64_t y) { return (x < y) == minimum ? x : y; }

static void vimnmx(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    struct shape s = vectors[i->mod[ISA_MOD_VECTOR]];
    bool minimum = oracle_predicate(l, i->pp);
    for (unsigned k = 0; k < 32 / s.bits; ++k) {
        int64_t a = operand_element(l, &i->a, s, k), b = operand_element(l, &i->b, s, k), r = pick(minimum, a, b);
        bool first = minimum ? a <= b : a >= b;
        if (k == 0)
            l->u = first;
        if (k == 1)
            l->v = first;
        put(l, s, k, i->mod[ISA_MOD_RELU] && r < 0 ? 0 : r);
    }
}

static void vimnmx3(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    struct shape s = vectors[i->mod[ISA_MOD_VECTOR]];
    bool minimum = oracle_predicate(l, i->pp), adds = i->op == ISA_OP_VIADDMNMX;
    for (unsigned k = 0; k < 32 / s.bits; ++k) {
        int64_t a = operand_element(l, &i->a, s, k), b = operand_element(l, &i->b, s, k);
        int64_t first = adds ? wrapped(a + b, s) : pick(minimum, a, b);
        int64_t r = pick(minimum, first, operand_element(l, &i->c, s, k));
        put(l, s, k, i->mod[ISA_MOD_RELU] && r < 0 ? 0 : r);
    }
}

static int64_t distance(int64_t x, int64_t y) { return x > y ? x - y : y - x; }

static void vabsdiff(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    struct shape s = {32, i->mod[ISA_MOD_SIGNED]};
    l->d[0] = (uint32_t)(distance(operand_element(l, &i->a, s, 0), operand_element(l, &i->b, s, 0)) +
                         oracle_raw(l, &i->c, 0));
}

static void vabsdiff4(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    struct shape s = {8, i->mod[ISA_MOD_SIGNED]};
    bool accumulates = i->mod[ISA_MOD_ACCUMULATE];
    uint32_t sum = oracle_raw(l, &i->c, 0);
    for (unsigned k = 0; k < 4; ++k) {
        int64_t v = distance(operand_element(l, &i->a, s, k), operand_element(l, &i->b, s, k));
        sum += (uint32_t)v;
        put(l, s, k, v);
    }
    if (accumulates)
        l->d[0] = sum;
}

/* PTX ISA, dp4a and dp2a. */
static void idp(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    unsigned dot = i->mod[ISA_MOD_DOT], count = dot ? 2 : 4, from = dot == 3 ? 2 : 0;
    struct shape a = {dot ? 16 : 8, i->mod[ISA_MOD_SIGNED]}, b = {8, i->mod[ISA_MOD_SIGNED_B]};
    int64_t sum = (int64_t)oracle_integer(l, &i->c);
    for (unsigned k = 0; k < count; ++k)
        sum += operand_element(l, &i->a, a, k) * operand_element(l, &i->b, b, k + from);
    l->d[0] = (uint32_t)sum;
}

static int64_t narrow(const struct oracle_lane *l, const struct isa_operand *op, struct shape s, unsigned clamp)
{
    int64_t v = (int32_t)oracle_raw(l, op, 0);
    v = clamp == 2 && v < 0 ? 0 : v;
    return clamp ? clamped(v, s) : v;
}

static struct shape packed_shape(unsigned type)
{
    static const unsigned bits[] = {8, 16, 2, 4};
    return (struct shape){bits[type / 2], type % 2};
}

static void i2i(struct oracle_lane *l)
{
    l->d[0] = (uint32_t)narrow(l, &l->inst->b, packed_shape(l->inst->mod[ISA_MOD_DST_TYPE]), 1);
}

static void i2ip(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    struct shape s = packed_shape(i->mod[ISA_MOD_DST_TYPE]);
    unsigned clamp = i->mod[ISA_MOD_CLAMP];
    uint32_t c = oracle_raw(l, &i->c, 0);
    put(l, s, 0, narrow(l, &i->b, s, clamp));
    put(l, s, 1, narrow(l, &i->a, s, clamp));
    for (unsigned k = 2 * s.bits; k < 32; ++k)
        l->d[0] |= (c >> (i->mod[ISA_MOD_PART] == 1 ? 16 : 0) >> (k - 2 * s.bits) & 1) << k;
}

oracle_fn *oracle_video_function(unsigned op)
{
    switch (op) {
    case ISA_OP_VIADD:
    case ISA_OP_UVIADD: return viadd;
    case ISA_OP_VIMNMX:
    case ISA_OP_UVIMNMX: return vimnmx;
    case ISA_OP_VIMNMX3:
    case ISA_OP_VIADDMNMX: return vimnmx3;
    case ISA_OP_VABSDIFF: return vabsdiff;
    case ISA_OP_VABSDIFF4: return vabsdiff4;
    case ISA_OP_IDP: return idp;
    case ISA_OP_I2I:
    case ISA_OP_UI2I: return i2i;
    case ISA_OP_I2IP:
    case ISA_OP_UI2IP: return i2ip;
    default: return NULL;
    }
}
