/* FP64 arithmetic as sums in one wide integer, and comparisons. */
#include <stddef.h>
#include <string.h>

#include "oracle.h"

enum { LIMBS = 144, SCALE = 2240, NEAREST = 0, DOWN, UP }; /* the lowest bit is worth 2^-SCALE */

struct number {
    enum { FINITE, INFINITE, NOT } kind;
    bool negative;
    uint64_t mantissa;
    int exponent;
};

struct wide {
    uint32_t limb[LIMBS]; /* two's complement */
};

static const uint64_t not_a_number = UINT64_C(0xfff8000000000000), infinity = UINT64_C(0x7ff0000000000000);
static const uint64_t quiet = UINT64_C(0x0008000000000000);

static uint64_t bits_of(const struct oracle_lane *l, const struct isa_operand *op)
{
    uint64_t v = op->kind == ISA_IMM ? (uint64_t)oracle_raw(l, op, 0) << 32
                                     : (uint64_t)oracle_raw(l, op, 1) << 32 | oracle_raw(l, op, 0);
    if (op->flags & ISA_ABS)
        v = v << 1 >> 1;
    return op->flags & ISA_NEG ? v ^ UINT64_C(1) << 63 : v;
}

static struct number read(uint64_t bits)
{
    struct number n = {FINITE, bits >> 63, bits & ((UINT64_C(1) << 52) - 1), -1074};
    unsigned e = (unsigned)(bits >> 52) & 0x7ff;
    if (e == 0x7ff)
        n.kind = n.mantissa ? NOT : INFINITE;
    else if (e)
        n.mantissa |= UINT64_C(1) << 52, n.exponent += (int)e - 1;
    return n;
}

static void add(struct wide *x, bool negative, unsigned __int128 m, int exponent)
{
    unsigned place = (unsigned)(exponent + SCALE), k = place / 32, shift = place % 32;
    uint32_t part[5] = {0};
    for (unsigned i = 0; i < (shift ? 5u : 4u); ++i)
        part[i] = (uint32_t)(i ? m >> (32 * i - shift) : m << shift);
    uint64_t carry = negative;
    for (unsigned i = 0; k + i < LIMBS; ++i) {
        uint32_t p = i < 5 ? part[i] : 0;
        carry += (uint64_t)x->limb[k + i] + (negative ? ~p : p);
        x->limb[k + i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static bool bit(const struct wide *x, int place) { return x->limb[place / 32] >> place % 32 & 1; }

static uint64_t rounded(struct wide *x, unsigned mode)
{
    bool negative = x->limb[LIMBS - 1] >> 31, rest = false;
    uint64_t carry = 1, kept = 0;
    for (unsigned i = 0; negative && i < LIMBS; ++i) {
        carry += (uint32_t)~x->limb[i];
        x->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    int top = 32 * LIMBS - 1;
    while (!bit(x, top))
        --top;
    int lowest = top - 52 > SCALE - 1074 ? top - 52 : SCALE - 1074;
    for (int i = top > lowest ? top : lowest; i >= lowest; --i)
        kept = kept << 1 | bit(x, i);
    for (int i = 0; i < lowest - 1; ++i)
        rest = rest || bit(x, i);
    bool half = bit(x, lowest - 1);
    bool up = mode == NEAREST ? half && (rest || (kept & 1)) : mode == (negative ? DOWN : UP) && (half || rest);
    uint64_t r = kept + up + ((uint64_t)(lowest - (SCALE - 1074)) << 52);
    bool grows = mode == NEAREST || mode == (negative ? DOWN : UP);
    r = r < infinity ? r : grows ? infinity : infinity - 1;
    return r | (uint64_t)negative << 63;
}

static uint64_t fused(struct number a, struct number b, struct number c, unsigned mode)
{
    bool zero_a = a.kind == FINITE && !a.mantissa, zero_b = b.kind == FINITE && !b.mantissa;
    bool negative = a.negative != b.negative, infinite = a.kind == INFINITE || b.kind == INFINITE;
    if (a.kind == NOT || b.kind == NOT || c.kind == NOT || (infinite && (zero_a || zero_b)) ||
        (infinite && c.kind == INFINITE && c.negative != negative))
        return not_a_number;
    if (infinite || c.kind == INFINITE)
        return infinity | (uint64_t)(infinite ? negative : c.negative) << 63;
    struct wide sum;
    memset(&sum, 0, sizeof sum);
    if (!zero_a && !zero_b)
        add(&sum, negative, (unsigned __int128)a.mantissa * b.mantissa, a.exponent + b.exponent);
    if (c.mantissa)
        add(&sum, c.negative, c.mantissa, c.exponent);
    bool zero = true;
    for (unsigned i = 0; i < LIMBS; ++i)
        zero = zero && !sum.limb[i];
    if (!zero)
        return rounded(&sum, mode);
    bool both_zero = (zero_a || zero_b) && !c.mantissa;
    return (uint64_t)(both_zero && negative == c.negative ? negative : mode == DOWN) << 63;
}

static void put(struct oracle_lane *l, uint64_t r)
{
    l->d[0] = (uint32_t)r;
    l->d[1] = (uint32_t)(r >> 32);
}

/* The first operand that is a NaN, made quiet: true if there is one. */
static bool operand_nan(struct oracle_lane *l)
{
    const struct isa_operand *const operands[] = {&l->inst->a, &l->inst->b, &l->inst->c};
    for (unsigned k = 0; k < 3; ++k) {
        if (operands[k]->kind == ISA_NONE)
            continue;
        uint64_t bits = bits_of(l, operands[k]);
        if (read(bits).kind == NOT) {
            put(l, bits | quiet);
            return true;
        }
    }
    return false;
}

static void arithmetic(struct oracle_lane *l)
{
    static const struct number one = {FINITE, false, 1, 0};
    const struct isa_inst *i = l->inst;
    unsigned mode = i->mod[ISA_MOD_ROUND];
    if (operand_nan(l))
        return;
    struct number a = read(bits_of(l, &i->a)), b = one, c;
    if (i->op != ISA_OP_DADD)
        b = read(bits_of(l, &i->b));
    if (i->op == ISA_OP_DMUL)
        c = (struct number){FINITE, a.negative != b.negative, 0, 0};
    else
        c = read(bits_of(l, &i->c));
    put(l, fused(a, b, c, mode));
}

/* Numbers in order, -0 just below +0. */
static __int128 place(uint64_t bits) { return bits >> 63 ? -(__int128)(bits << 1 >> 1) - 1 : (__int128)bits; }

static void dsetp(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    uint64_t a = bits_of(l, &i->a), b = bits_of(l, &i->b);
    bool nan_a = read(a).kind == NOT, nan_b = read(b).kind == NOT, p = oracle_predicate(l, i->pp), u, v;
    unsigned code = i->mod[ISA_MOD_CMP];
    if (code == 0 || code == 15) {
        u = !nan_a && (nan_b || (code ? place(a) > place(b) : place(a) < place(b)));
        v = nan_a && nan_b;
    } else {
        bool equal = a == b || (a << 1 | b << 1) == 0, less = !equal && place(a) < place(b);
        u = nan_a || nan_b ? code >= 8 : (code & 1 && less) || (code & 2 && equal) || (code & 4 && !less && !equal);
        v = !u;
    }
    switch (i->mod[ISA_MOD_BOP]) {
    case 0: l->u = u && p, l->v = v && p; break;
    case 1: l->u = u || p, l->v = v || p; break;
    default: l->u = u != p, l->v = v != p; break;
    }
}

oracle_fn *oracle_double_function(unsigned op)
{
    switch (op) {
    case ISA_OP_DADD:
    case ISA_OP_DMUL:
    case ISA_OP_DFMA: return arithmetic;
    case ISA_OP_DSETP: return dsetp;
    default: return NULL;
    }
}
