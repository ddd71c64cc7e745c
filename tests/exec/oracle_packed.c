/* FP32 on pairs, with half operands, of three operands and across a quad; FSET; comparisons of halves. */
#include <stddef.h>

#include "exact.h"
#include "oracle.h"

static uint32_t signs(const struct isa_operand *op, uint32_t v, uint32_t sign)
{
    if (op->flags & ISA_ABS)
        v &= ~sign;
    return op->flags & ISA_NEG ? v ^ sign : v;
}

static struct exact_value read32(uint32_t v, bool flush)
{
    return exact_read(flush ? exact_flush(v, &exact_f32) : v, &exact_f32);
}

static const struct exact_value one = {EXACT_FINITE, false, 1, 0}, zero = {EXACT_FINITE, false, 0, 0};

static bool is_zero(struct exact_value v) { return v.kind == EXACT_FINITE && !v.mantissa; }

/* Float `which` of a pair: words 0 and 1, words 1 and 0, or word 0 twice. */
static struct exact_value part(const struct oracle_lane *l, const struct isa_operand *op, unsigned which, bool flush)
{
    static const uint8_t words[3][2] = {{0, 1}, {1, 0}, {0, 0}};
    unsigned word = op->kind == ISA_IMM ? 0 : words[op->swizzle][which];
    return read32(signs(op, oracle_raw(l, op, word), 0x80000000), flush);
}

static void pairs(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    unsigned mode = i->mod[ISA_MOD_ROUND], fmz = i->mod[ISA_MOD_FTZ] ? 2 : i->mod[ISA_MOD_FMZ];
    for (unsigned w = 0; w < 2; ++w) {
        struct exact_value a = part(l, &i->a, w, fmz), b = part(l, &i->b, w, fmz);
        uint32_t r, cut;
        if (i->op != ISA_OP_FADD2 && fmz == 1 && (is_zero(a) || is_zero(b)))
            a = b = zero;
        struct exact_value c = i->op == ISA_OP_FFMA2 ? part(l, &i->c, w, fmz) : b, factor = b;
        if (i->op == ISA_OP_FADD2)
            factor = one;
        r = i->op == ISA_OP_FMUL2 ? exact_multiply(a, b, &exact_f32, mode) : exact_fma(a, factor, c, &exact_f32, mode);
        cut = i->op == ISA_OP_FMUL2 ? exact_multiply(a, b, &exact_f32, EXACT_ZERO)
                                    : exact_fma(a, factor, c, &exact_f32, EXACT_ZERO);
        l->d[w] = fmz ? exact_flush_tiny(r, cut, &exact_f32) : r;
    }
}

static struct exact_value half(const struct oracle_lane *l, const struct isa_operand *op)
{
    uint32_t v = oracle_raw(l, op, 0) >> 16 * op->swizzle & 0xffff;
    return exact_read(signs(op, v, 0x8000), l->inst->mod[ISA_MOD_SRC_TYPE] ? &exact_bf16 : &exact_f16);
}

static void with_halves(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    bool sum = i->op == ISA_OP_FHADD;
    const struct isa_operand *last = sum ? &i->b : &i->c;
    struct exact_value c = read32(signs(last, oracle_raw(l, last, 0), 0x80000000), false);
    uint32_t r = exact_fma(half(l, &i->a), sum ? one : half(l, &i->b), c, &exact_f32, i->mod[ISA_MOD_ROUND]);
    if (i->mod[ISA_MOD_SAT])
        r = exact_read(r, &exact_f32).kind == EXACT_NAN || r >> 31 ? 0 : r > 0x3f800000 ? 0x3f800000 : r;
    l->d[0] = r;
}

/* Where a stands among numbers, -0 below +0. */
static int64_t place(uint32_t bits, uint32_t sign) { return bits & sign ? -(int64_t)(bits & ~sign) - 1 : bits; }

/* The least or most of the numbers. NaN where there is none, or with `strict` fewer than all. */
static uint32_t extreme(const uint32_t *v, unsigned count, bool least, bool strict, const struct exact_format *f)
{
    uint32_t sign = f == &exact_f32 ? 0x80000000 : 0x8000, best = f->nan;
    bool found = false;
    for (unsigned k = 0; k < count; ++k) {
        if (exact_read(v[k], f).kind == EXACT_NAN) {
            if (strict)
                return f->nan;
            continue;
        }
        if (!found || (least ? place(v[k], sign) < place(best, sign) : place(v[k], sign) > place(best, sign)))
            best = v[k];
        found = true;
    }
    return best;
}

static void fmnmx3(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    const struct isa_operand *const ops[] = {&i->a, &i->b, &i->c};
    uint32_t v[3];
    for (unsigned k = 0; k < 3; ++k) {
        v[k] = signs(ops[k], oracle_raw(l, ops[k], 0), 0x80000000);
        v[k] = i->mod[ISA_MOD_FTZ] ? exact_flush(v[k], &exact_f32) : v[k];
    }
    l->d[0] = extreme(v, 3, oracle_predicate(l, i->pp), i->mod[ISA_MOD_NAN], &exact_f32);
}

static void fswzadd(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    bool flush = i->mod[ISA_MOD_FTZ];
    struct exact_value a = read32(oracle_raw(l, &i->a, 0), flush), c = read32(oracle_raw(l, &i->c, 0), flush);
    uint32_t r;
    switch (i->mod[ISA_MOD_SIGNS] >> (6 - 2 * (l->lane % 4)) & 3) { /* lane 0 first */
    case 1: c.negative = !c.negative; break;
    case 2: a.negative = !a.negative; break;
    case 3: a = (struct exact_value){EXACT_FINITE, true, 0, 0}; break;
    default: break;
    }
    r = exact_fma(a, one, c, &exact_f32, i->mod[ISA_MOD_ROUND]);
    l->d[0] = flush ? exact_flush(r, &exact_f32) : r;
}

/* ---- comparisons ------------------------------------------------------------------------------------------------- */

static bool holds(unsigned code, uint32_t a, uint32_t b, const struct exact_format *f)
{
    uint32_t sign = f == &exact_f32 ? 0x80000000 : 0x8000;
    if (exact_read(a, f).kind == EXACT_NAN || exact_read(b, f).kind == EXACT_NAN)
        return code >= 8;
    bool equal = a == b || ((a | b) & ~sign) == 0, less = !equal && place(a, sign) < place(b, sign);
    return (code & 1 && less) || (code & 2 && equal) || (code & 4 && !less && !equal);
}

static bool combined(const struct oracle_lane *l, bool value)
{
    bool p = oracle_predicate(l, l->inst->pp);
    switch (l->inst->mod[ISA_MOD_BOP]) {
    case 0: return value && p;
    case 1: return value || p;
    default: return value != p;
    }
}

static void fset(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    uint32_t a = signs(&i->a, oracle_raw(l, &i->a, 0), 0x80000000);
    uint32_t b = signs(&i->b, oracle_raw(l, &i->b, 0), 0x80000000);
    if (i->mod[ISA_MOD_FTZ])
        a = exact_flush(a, &exact_f32), b = exact_flush(b, &exact_f32);
    l->d[0] = combined(l, holds(i->mod[ISA_MOD_CMP], a, b, &exact_f32)) ? 0x3f800000 : 0;
}

static const struct exact_format *stored(const struct oracle_lane *l)
{
    return l->inst->mod[ISA_MOD_HALF_FORMAT] == 2 ? &exact_bf16 : &exact_f16;
}

/* Half 0 or 1 of an operand. Selections: H1_H0, (F32), H0_H0, H1_H1. */
static uint32_t half_of(const struct oracle_lane *l, const struct isa_operand *op, unsigned which)
{
    static const uint8_t from[4][2] = {{0, 1}, {0, 1}, {0, 0}, {1, 1}};
    uint32_t v = oracle_raw(l, op, 0) >> 16 * from[op->swizzle][which] & 0xffff;
    v = signs(op, v, 0x8000);
    return l->inst->mod[ISA_MOD_FTZ] ? exact_flush(v, stored(l)) : v;
}

static bool half_holds(const struct oracle_lane *l, unsigned which)
{
    const struct isa_inst *i = l->inst;
    return holds(i->mod[ISA_MOD_CMP], half_of(l, &i->a, which), half_of(l, &i->b, which), stored(l));
}

static void hset2(struct oracle_lane *l)
{
    uint32_t yes = !l->inst->mod[ISA_MOD_BOOLEAN] ? 0xffff : stored(l) == &exact_bf16 ? 0x3f80 : 0x3c00;
    l->d[0] = (combined(l, half_holds(l, 0)) ? yes : 0) | (combined(l, half_holds(l, 1)) ? yes << 16 : 0);
}

static void hsetp2(struct oracle_lane *l)
{
    bool low = half_holds(l, 0), high = half_holds(l, 1);
    if (l->inst->mod[ISA_MOD_H_AND]) {
        low = low && high;
        high = !low;
    }
    l->u = combined(l, low);
    l->v = combined(l, high);
}

static void hmnmx2(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    l->d[0] = 0;
    for (unsigned w = 0; w < 2; ++w) {
        uint32_t v[2] = {half_of(l, &i->a, w), half_of(l, &i->b, w)}, sign = 0;
        if (i->mod[ISA_MOD_XORSIGN]) { /* of the signs before |x| (PTX ISA, min) */
            struct isa_operand a = i->a, b = i->b;
            a.flags &= ISA_NEG;
            b.flags &= ISA_NEG;
            sign = (half_of(l, &a, w) ^ half_of(l, &b, w)) & 0x8000;
            v[0] &= 0x7fff;
            v[1] &= 0x7fff;
        }
        uint32_t r = extreme(v, 2, oracle_predicate(l, i->pp), i->mod[ISA_MOD_NAN], stored(l));
        l->d[0] |= (exact_read(r, stored(l)).kind == EXACT_NAN ? r : r | sign) << 16 * w;
    }
}

oracle_fn *oracle_packed_function(unsigned op)
{
    switch (op) {
    case ISA_OP_FADD2:
    case ISA_OP_FMUL2:
    case ISA_OP_FFMA2: return pairs;
    case ISA_OP_FHADD:
    case ISA_OP_FHFMA: return with_halves;
    case ISA_OP_FMNMX3: return fmnmx3;
    case ISA_OP_FSWZADD: return fswzadd;
    case ISA_OP_FSET: return fset;
    case ISA_OP_HSET2: return hset2;
    case ISA_OP_HSETP2: return hsetp2;
    case ISA_OP_HMNMX2: return hmnmx2;
    default: return NULL;
    }
}
