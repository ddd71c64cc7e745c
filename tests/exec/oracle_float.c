/* FP32 arithmetic. */
#include <stddef.h>

#include "exact.h"
#include "oracle.h"

static uint32_t operand(const struct oracle_lane *l, const struct isa_operand *op)
{
    uint32_t v = oracle_raw(l, op, 0);
    if (op->flags & ISA_ABS)
        v &= 0x7fffffff;
    if (op->flags & ISA_NEG)
        v ^= 0x80000000;
    return v;
}

static uint32_t flushed(const struct oracle_lane *l, const struct isa_operand *op, bool flush)
{
    uint32_t v = operand(l, op);
    return flush ? exact_flush(v, &exact_f32) : v;
}

static bool is_nan(uint32_t bits) { return exact_read(bits, &exact_f32).kind == EXACT_NAN; }
static bool is_zero(uint32_t bits) { return (bits & 0x7fffffff) == 0; }

static uint32_t finished(const struct oracle_lane *l, uint32_t bits, bool flush)
{
    if (flush)
        bits = exact_flush(bits, &exact_f32);
    if (!l->inst->mod[ISA_MOD_SAT])
        return bits;
    if (is_nan(bits) || bits >> 31)
        return 0;
    return bits > 0x3f800000 ? 0x3f800000 : bits;
}

/* A result that was denormal before it was rounded is flushed. */
static uint32_t tiny(uint32_t bits, uint32_t cut, bool flush)
{
    return flush ? exact_flush_tiny(bits, cut, &exact_f32) : bits;
}

static struct exact_value read32(uint32_t bits) { return exact_read(bits, &exact_f32); }

static const struct exact_value one = {EXACT_FINITE, false, 1, 0};

static void fadd(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    bool flush = i->mod[ISA_MOD_FTZ];
    uint32_t a = flushed(l, &i->a, flush), b = flushed(l, &i->b, flush);
    l->d[0] = finished(l, exact_fma(read32(a), one, read32(b), &exact_f32, i->mod[ISA_MOD_ROUND]), flush);
}

static void fmul(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    bool flush = i->mod[ISA_MOD_FMZ] != 0;
    uint32_t a = flushed(l, &i->a, flush), b = flushed(l, &i->b, flush);
    struct exact_value x = read32(a);
    x.exponent += i->mod[ISA_MOD_SCALE] - 4;
    uint32_t r = exact_multiply(x, read32(b), &exact_f32, i->mod[ISA_MOD_ROUND]);
    r = tiny(r, exact_multiply(x, read32(b), &exact_f32, EXACT_ZERO), flush);
    if (i->mod[ISA_MOD_FMZ] == 1 && (is_zero(a) || is_zero(b)))
        r = 0;
    l->d[0] = finished(l, r, flush);
}

static void ffma(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    bool flush = i->mod[ISA_MOD_FMZ] != 0;
    uint32_t a = flushed(l, &i->a, flush), b = flushed(l, &i->b, flush), c = flushed(l, &i->c, flush);
    if (i->mod[ISA_MOD_FMZ] == 1 && (is_zero(a) || is_zero(b)))
        a = b = 0;
    uint32_t r = exact_fma(read32(a), read32(b), read32(c), &exact_f32, i->mod[ISA_MOD_ROUND]);
    r = tiny(r, exact_fma(read32(a), read32(b), read32(c), &exact_f32, EXACT_ZERO), flush);
    l->d[0] = finished(l, r, flush);
}

/* Where a stands among numbers: sign-magnitude bits as an integer, -0 below +0. */
static int64_t place(uint32_t bits)
{
    int64_t magnitude = bits & 0x7fffffff;
    return bits >> 31 ? -magnitude - 1 : magnitude;
}

static void fmnmx(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    uint32_t a = flushed(l, &i->a, i->mod[ISA_MOD_FTZ]), b = flushed(l, &i->b, i->mod[ISA_MOD_FTZ]), sign = 0;
    if (i->mod[ISA_MOD_XORSIGN]) { /* of the signs before |x| (PTX ISA, min) */
        struct isa_operand x = i->a, y = i->b;
        x.flags &= ISA_NEG;
        y.flags &= ISA_NEG;
        sign = (operand(l, &x) ^ operand(l, &y)) & 0x80000000;
        a &= 0x7fffffff;
        b &= 0x7fffffff;
    }
    if ((is_nan(a) && is_nan(b)) || (i->mod[ISA_MOD_NAN] && (is_nan(a) || is_nan(b))))
        l->d[0] = 0x7fffffff;
    else if (is_nan(a))
        l->d[0] = b | sign;
    else if (is_nan(b))
        l->d[0] = a | sign;
    else
        l->d[0] = ((place(a) < place(b)) == oracle_predicate(l, i->pp) ? a : b) | sign;
}

static void fsel(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    l->d[0] = flushed(l, oracle_predicate(l, i->pp) ? &i->a : &i->b, i->mod[ISA_MOD_FTZ]);
}

static void fsetp(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    uint32_t a = flushed(l, &i->a, i->mod[ISA_MOD_FTZ]), b = flushed(l, &i->b, i->mod[ISA_MOD_FTZ]);
    unsigned code = i->mod[ISA_MOD_CMP];
    bool unordered = is_nan(a) || is_nan(b), r;
    bool equal = a == b || (is_zero(a) && is_zero(b)), less = !equal && place(a) < place(b);
    if (unordered)
        r = code >= 8;
    else
        r = (code & 1 && less) || (code & 2 && equal) || (code & 4 && !less && !equal);
    bool p = oracle_predicate(l, i->pp);
    switch (i->mod[ISA_MOD_BOP]) {
    case 0: l->u = r && p, l->v = !r && p; break;
    case 1: l->u = r || p, l->v = !r || p; break;
    default: l->u = r != p, l->v = !r != p; break;
    }
}

oracle_fn *oracle_float_function(unsigned op)
{
    switch (op) {
    case ISA_OP_FADD:
    case ISA_OP_UFADD: return fadd;
    case ISA_OP_FMUL:
    case ISA_OP_UFMUL: return fmul;
    case ISA_OP_FFMA:
    case ISA_OP_UFFMA: return ffma;
    case ISA_OP_FMNMX:
    case ISA_OP_UFMNMX: return fmnmx;
    case ISA_OP_FSEL:
    case ISA_OP_UFSEL: return fsel;
    case ISA_OP_FSETP:
    case ISA_OP_UFSETP: return fsetp;
    default: return NULL;
    }
}
