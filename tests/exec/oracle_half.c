/* Packed half arithmetic. */
#include <stddef.h>

#include "exact.h"
#include "oracle.h"

enum { F16, F32, BF16 };
enum { OOB = 3, OUTSIDE = 0x7ff7 }; /* flush mode .OOB, and the NaN that it looks for */

static const struct exact_format *stored(const struct oracle_lane *l)
{
    return l->inst->mod[ISA_MOD_HALF_FORMAT] == BF16 ? &exact_bf16 : &exact_f16;
}

static const struct exact_format *result(const struct oracle_lane *l)
{
    return l->inst->mod[ISA_MOD_HALF_FORMAT] == F32 ? &exact_f32 : stored(l);
}

static unsigned flush_mode(const struct oracle_lane *l)
{
    unsigned mode = l->inst->mod[ISA_MOD_FMZ];
    return l->inst->mod[ISA_MOD_FTZ] ? 2 : mode == OOB ? 0 : mode;
}

/* Half 0 or 1 of an operand. Selections: H1_H0, F32, H0_H0, H1_H1, H0_NH1. */
static const uint8_t from[5][2] = {{0, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 0}};

static bool is_outside(const struct oracle_lane *l, const struct isa_operand *op, unsigned half)
{
    return (oracle_raw(l, op, 0) >> 16 * from[op->swizzle][half] & 0x7fff) == OUTSIDE;
}

static struct exact_value operand(const struct oracle_lane *l, const struct isa_operand *op, unsigned half)
{
    uint32_t v = oracle_raw(l, op, 0);
    const struct exact_format *f = op->swizzle == 1 ? &exact_f32 : stored(l);
    unsigned width = op->swizzle == 1 ? 32 : 16;
    if (op->swizzle != 1)
        v = v >> 16 * from[op->swizzle][half] & 0xffff;
    if (flush_mode(l))
        v = exact_flush(v, f);
    uint32_t sign = 1u << (width - 1);
    if (op->flags & ISA_ABS)
        v &= ~sign;
    if (op->flags & ISA_NEG)
        v ^= sign;
    if (op->swizzle == 4 && half == 0)
        v ^= sign;
    return exact_read(v, f);
}

/* `cut`: the same result cut toward zero, which tells whether it was denormal before it was rounded. */
static uint32_t finished(const struct oracle_lane *l, uint32_t r, uint32_t cut)
{
    const struct exact_format *f = result(l);
    if (flush_mode(l))
        r = exact_flush_tiny(r, cut, f);
    struct exact_value v = exact_read(r, f);
    uint32_t one = f == &exact_f32 ? 0x3f800000 : f == &exact_bf16 ? 0x3f80 : 0x3c00;
    if (l->inst->mod[ISA_MOD_SAT])
        r = v.kind == EXACT_NAN || v.negative ? 0 : r > one ? one : r;
    if (l->inst->mod[ISA_MOD_RELU] && v.negative)
        r = 0;
    return r;
}

static bool is_zero(struct exact_value v) { return v.kind == EXACT_FINITE && !v.mantissa; }

static uint32_t half_of(const struct oracle_lane *l, unsigned half)
{
    static const struct exact_value one = {EXACT_FINITE, false, 1, 0}, zero = {EXACT_FINITE, false, 0, 0};
    const struct isa_inst *i = l->inst;
    struct exact_value a = operand(l, &i->a, half), b = operand(l, &i->b, half);
    if (i->mod[ISA_MOD_FMZ] == OOB && (is_outside(l, &i->a, half) || is_outside(l, &i->b, half)))
        return 0;
    if (i->op == ISA_OP_HADD2)
        return finished(l, exact_fma(a, one, b, result(l), EXACT_NEAREST), exact_fma(a, one, b, result(l), EXACT_ZERO));
    if (flush_mode(l) == 1 && (is_zero(a) || is_zero(b)))
        a = b = zero;
    if (i->op == ISA_OP_HMUL2)
        return finished(l, exact_multiply(a, b, result(l), EXACT_NEAREST), exact_multiply(a, b, result(l), EXACT_ZERO));
    struct exact_value c = operand(l, &i->c, half);
    return finished(l, exact_fma(a, b, c, result(l), EXACT_NEAREST), exact_fma(a, b, c, result(l), EXACT_ZERO));
}

/* -RZ * RZ + constant, plain: a move of all bits. */
static bool is_move(const struct isa_inst *i)
{
    bool zeros = i->a.kind == ISA_REG && i->a.index == ISA_RZ && i->b.kind == ISA_REG && i->b.index == ISA_RZ;
    bool plain = !i->mod[ISA_MOD_HALF_FORMAT] && !i->mod[ISA_MOD_FMZ] && !i->mod[ISA_MOD_SAT] && !i->mod[ISA_MOD_RELU];
    return zeros && plain && i->c.kind == ISA_IMM && (i->a.flags & ISA_NEG) != (i->b.flags & ISA_NEG);
}

static void half2(struct oracle_lane *l)
{
    if (is_move(l->inst)) {
        l->d[0] = l->inst->c.value;
        return;
    }
    l->d[0] = half_of(l, 0);
    if (result(l) != &exact_f32)
        l->d[0] |= half_of(l, 1) << 16;
}

oracle_fn *oracle_half_function(unsigned op)
{
    switch (op) {
    case ISA_OP_HADD2:
    case ISA_OP_HMUL2:
    case ISA_OP_HFMA2:
    case ISA_OP_HFMA2_MMA: return half2;
    default: return NULL;
    }
}
