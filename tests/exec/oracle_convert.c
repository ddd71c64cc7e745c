/* Conversions between integers and floating point. */
#include <stddef.h>

#include "exact.h"
#include "oracle.h"

enum { U8, S8, U16, S16, U32, S32, U64, S64 };
enum { F16 = 1, F32, F64, BF16 };

static void i2f(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    unsigned type = i->mod[ISA_MOD_SRC_TYPE], bits = 8u << type / 2;
    uint64_t v = oracle_raw(l, &i->b, 0);
    if (bits == 64)
        v |= (uint64_t)oracle_raw(l, &i->b, 1) << 32;
    v >>= bits < 32 ? bits * i->b.swizzle : 0;
    v = bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
    bool negative = type & 1 && v >> (bits - 1) & 1;
    if (negative)
        v = bits == 64 ? 0 - v : (UINT64_C(1) << bits) - v;
    unsigned format = i->mod[ISA_MOD_DST_TYPE];
    if (format == F64) { /* every 53 bits fit, so that only 64-bit sources round: by hand, to the step of the top bit */
        uint64_t step = v >> 53 ? UINT64_C(1) << (11 - __builtin_clzll(v)) : 1, rest = v % step, down = v - rest;
        unsigned mode = i->mod[ISA_MOD_ROUND];
        bool up = mode == 0   ? 2 * rest > step || (2 * rest == step && down / step % 2)
                  : mode == 1 ? negative && rest
                  : mode == 2 ? !negative && rest
                              : false;
        unsigned __int128 whole = (unsigned __int128)down + (up ? step : 0);
        union {
            double d;
            uint64_t u;
        } r = {.d = (double)(uint64_t)(whole / step) * (double)step};
        r.u |= (uint64_t)negative << 63;
        l->d[0] = (uint32_t)r.u;
        l->d[1] = (uint32_t)(r.u >> 32);
        return;
    }
    static const struct exact_value one = {EXACT_FINITE, false, 1, 0};
    l->d[0] = exact_multiply(exact_integer(v, negative), one,
                             format == F16    ? &exact_f16
                             : format == BF16 ? &exact_bf16
                                              : &exact_f32,
                             i->mod[ISA_MOD_ROUND]);
    if (v == 0)
        l->d[0] = 0;
}

/* Position of the binary point: value = mantissa * 2^exponent, exponent >= -1100. */
static uint64_t to_integer(struct exact_value v, unsigned type, unsigned mode)
{
    unsigned bits = 8u << type / 2;
    bool is_signed = type & 1;
    uint64_t most = UINT64_MAX >> (64 - bits) >> is_signed, least = is_signed ? most + 1 : 0;
    uint64_t whole = 0;
    bool huge = v.kind == EXACT_INFINITE, half = false, rest = false;
    if (!huge && v.mantissa) {
        int top = 63 - __builtin_clzll(v.mantissa) + v.exponent;
        huge = top >= 64;
        if (!huge && v.exponent >= 0) {
            whole = v.mantissa << v.exponent;
        } else if (!huge) {
            int drop = -v.exponent;
            whole = drop < 64 ? v.mantissa >> drop : 0;
            half = drop <= 64 && v.mantissa >> (drop - 1) & 1;
            rest = drop > 64 || (v.mantissa & ((UINT64_C(1) << (drop - 1)) - 1));
        }
    }
    bool up = mode == 0   ? half && (rest || (whole & 1))
              : mode == 1 ? v.negative && (half || rest)
              : mode == 2 ? !v.negative && (half || rest)
                          : false;
    whole += up;
    if (v.negative)
        return huge || whole > least ? 0 - least : 0 - whole;
    return huge || whole > most ? most : whole;
}

static void f2i(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    unsigned format = i->mod[ISA_MOD_SRC_TYPE], type = i->mod[ISA_MOD_DST_TYPE];
    uint32_t low = oracle_raw(l, &i->b, 0);
    struct exact_value v;
    if (format == F64) {
        uint64_t bits = i->b.kind == ISA_IMM ? (uint64_t)low << 32 : (uint64_t)oracle_raw(l, &i->b, 1) << 32 | low;
        uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1), exponent = bits >> 52 & 0x7ff;
        v = (struct exact_value){EXACT_FINITE, bits >> 63, mantissa, -1074};
        if (exponent == 0x7ff)
            v.kind = mantissa ? EXACT_NAN : EXACT_INFINITE;
        else if (exponent)
            v.mantissa |= UINT64_C(1) << 52, v.exponent += (int)exponent - 1;
    } else {
        const struct exact_format *f = format == F16 ? &exact_f16 : format == BF16 ? &exact_bf16 : &exact_f32;
        uint32_t bits = format == F32 ? low : low >> 16 * i->b.swizzle & 0xffff;
        v = exact_read(i->mod[ISA_MOD_FTZ] ? exact_flush(bits, f) : bits, f);
    }
    if (i->b.flags & ISA_ABS)
        v.negative = false;
    if (i->b.flags & ISA_NEG)
        v.negative = !v.negative;
    uint64_t r;
    if (v.kind == EXACT_NAN)
        r = i->mod[ISA_MOD_NTZ] ? 0 : UINT64_C(1) << ((8u << type / 2) - 1);
    else
        r = to_integer(v, type, i->mod[ISA_MOD_ROUND]);
    l->d[0] = (uint32_t)r;
    l->d[1] = (uint32_t)(r >> 32);
}

oracle_fn *oracle_convert_function(unsigned op)
{
    switch (op) {
    case ISA_OP_I2F:
    case ISA_OP_I2FP:
    case ISA_OP_UI2F:
    case ISA_OP_UI2FP: return i2f;
    case ISA_OP_F2I:
    case ISA_OP_UF2I: return f2i;
    default: return NULL;
    }
}
