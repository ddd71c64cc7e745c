/* Conversions between floating-point formats: the nearest of the two neighbours that a format has for a value. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "oracle.h"

struct format {
    unsigned mantissa, exponent, width;
    int bias;
    uint32_t top; /* code of the largest number */
    bool infinite;
    uint32_t nan; /* written for NaN */
    bool reads_nan;
};

static const struct format f16 = {10, 5, 16, 15, 0x7bff, true, 0x7fff, true},
                           bf16 = {7, 8, 16, 127, 0x7f7f, true, 0x7fff, true},
                           f32 = {23, 8, 32, 127, 0x7f7fffff, true, 0x7fffffff, true},
                           tf32 = {10, 8, 19, 127, 0x3fbff, true, 0x3ffff, true},
                           e5m2 = {2, 5, 8, 15, 0x7b, true, 0x7f, true}, e4m3 = {3, 4, 8, 7, 0x7e, false, 0x7f, true},
                           e3m2 = {2, 3, 6, 3, 0x1f, false, 0x1f, false}, e2m3 = {3, 2, 6, 1, 0x1f, false, 0x1f, false},
                           e2m1 = {1, 2, 4, 1, 0x7, false, 0x7, false};

/* IEEE 754 binary128. */
#if defined(__aarch64__)
typedef long double quad;
#else
typedef __float128 quad;
#endif

static quad value_of(const struct format *f, uint32_t code)
{
    int e = (int)(code >> f->mantissa);
    uint32_t m = code & ((1u << f->mantissa) - 1);
    return (quad)ldexp((double)(e ? m | 1u << f->mantissa : m), (e ? e : 1) - f->bias - (int)f->mantissa);
}

static double read(const struct format *f, uint32_t code)
{
    uint32_t magnitude = code & ((1u << (f->width - 1)) - 1);
    bool negative = code >> (f->width - 1) & 1;
    double v = magnitude <= f->top || !f->reads_nan     ? (double)value_of(f, magnitude)
               : f->infinite && magnitude == f->top + 1 ? (double)INFINITY
                                                        : (double)NAN;
    return negative ? -v : v;
}

enum { NEAREST, DOWN, UP, ZERO };

static uint32_t write(const struct format *f, double v, unsigned mode, bool finite)
{
    if (isnan(v))
        return f->nan;
    bool negative = signbit(v);
    uint32_t sign = (uint32_t)negative << (f->width - 1), low = 0, high = f->top + 1;
    quad x = (quad)fabs(v);
    while (high - low > 1) { /* value(low) <= x < value(high) */
        uint32_t middle = low + (high - low) / 2;
        if (value_of(f, middle) <= x)
            low = middle;
        else
            high = middle;
    }
    bool grows = mode == (negative ? DOWN : UP), infinite = isinf(v);
    if (!infinite && value_of(f, low) == x)
        return sign | low;
    if (!infinite && mode == NEAREST) {
        quad below = x - value_of(f, low), above = value_of(f, high) - x;
        grows = below > above || (below == above && low % 2);
    }
    if (infinite)
        return sign | (finite || !f->infinite ? f->top : f->top + 1);
    uint32_t code = grows ? high : low;
    return sign | (code > f->top && (finite || !f->infinite) ? f->top : code);
}

/* ---- F2F and FRND ------------------------------------------------------------------------------------------------ */

static const struct format *const types[] = {NULL, &f16, &f32, NULL, &bf16};
enum { F32 = 2, F64 = 3 };

static double signs(const struct isa_operand *op, double v)
{
    if (op->flags & ISA_ABS)
        v = copysign(v, 1.0);
    return op->flags & ISA_NEG ? -v : v;
}

static double source(const struct oracle_lane *l, unsigned type)
{
    const struct isa_operand *op = &l->inst->b;
    uint32_t low = oracle_raw(l, op, 0);
    double v;
    if (type == F64) {
        uint64_t bits = op->kind == ISA_IMM ? (uint64_t)low << 32 : (uint64_t)oracle_raw(l, op, 1) << 32 | low;
        memcpy(&v, &bits, sizeof v);
    } else {
        const struct format *f = types[type];
        uint32_t code = type == F32 ? low : low >> 16 * op->swizzle & 0xffff, sign = 1u << (f->width - 1);
        if (l->inst->mod[ISA_MOD_FTZ] && (code & (sign - 1)) >> f->mantissa == 0)
            code &= sign;
        v = read(f, code);
    }
    return signs(op, v);
}

static void result(struct oracle_lane *l, unsigned type, double v, unsigned mode)
{
    uint64_t bits;
    if (type == F64) {
        memcpy(&bits, &v, sizeof bits);
    } else {
        bits = write(types[type], v, mode, false);
        if (type == F32 && l->inst->mod[ISA_MOD_FTZ] && !(bits & 0x7f800000))
            bits &= 0x80000000;
    }
    l->d[0] = (uint32_t)bits;
    l->d[1] = (uint32_t)(bits >> 32);
}

/* A NaN on its way to FP64, or from FP64 to FP32: its sign after the operand's changes, the upper bits of its fraction
 * under the quiet bit. True if it is one. */
static bool moved_nan(struct oracle_lane *l, unsigned source_type, unsigned type)
{
    enum { TOP = 52, FLOAT_TOP = 23 };
    const struct isa_operand *op = &l->inst->b;
    if (!isnan(source(l, source_type)) || (type != F64 && (type != F32 || source_type != F64)))
        return false;
    uint32_t low = oracle_raw(l, op, 0);
    uint64_t bits = low, magnitude;
    if (source_type == F64)
        bits = op->kind == ISA_IMM ? (uint64_t)low << 32 : (uint64_t)oracle_raw(l, op, 1) << 32 | low;
    else if (source_type != F32)
        bits = low >> 16 * op->swizzle & 0xffff;
    unsigned width = source_type == F64 ? 64 : types[source_type]->width;
    unsigned fraction = source_type == F64 ? TOP : types[source_type]->mantissa;
    bool negative = !(op->flags & ISA_ABS) && bits >> (width - 1) & 1;
    negative = negative != !!(op->flags & ISA_NEG);
    magnitude = (bits & ((UINT64_C(1) << fraction) - 1)) << (TOP - fraction) | UINT64_C(0x7ff8) << 48;
    if (type == F32)
        magnitude = (magnitude & ((UINT64_C(1) << TOP) - 1)) >> (TOP - FLOAT_TOP) | 0x7f800000;
    magnitude |= (uint64_t)negative << (type == F32 ? 31 : 63);
    l->d[0] = (uint32_t)magnitude;
    l->d[1] = (uint32_t)(magnitude >> 32);
    return true;
}

static void f2f(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    if (moved_nan(l, i->mod[ISA_MOD_SRC_TYPE], i->mod[ISA_MOD_DST_TYPE]))
        return;
    result(l, i->mod[ISA_MOD_DST_TYPE], source(l, i->mod[ISA_MOD_SRC_TYPE]), i->mod[ISA_MOD_ROUND]);
}

static double integral(double v, unsigned mode)
{
    if (!(fabs(v) < 4503599627370496.0))
        return v;
    double whole = (double)(int64_t)v, rest = v - whole;
    bool away = mode == NEAREST ? fabs(rest) > 0.5 || (fabs(rest) == 0.5 && (int64_t)v % 2)
                : mode == DOWN  ? rest < 0
                : mode == UP    ? rest > 0
                                : false;
    return copysign(away ? whole + copysign(1.0, v) : whole, v);
}

static void frnd(struct oracle_lane *l)
{
    unsigned type = l->inst->mod[ISA_MOD_DST_TYPE];
    if (moved_nan(l, type, type))
        return;
    result(l, type, integral(source(l, type), l->inst->mod[ISA_MOD_ROUND]), NEAREST);
}

/* ---- packing ----------------------------------------------------------------------------------------------------- */

enum { AB, MERGE_C, UNPACK_B, B, UNPACK_B_MERGE_C, AB_MERGE_C };
enum { TO_TF32 = 5, TO_E8 = 12, FROM_E8 = 11 };

static const struct format *const to[] = {&f16, &bf16, NULL, &e2m1, NULL, &tf32, &e2m3, &e3m2, &e5m2, &e4m3};
static const struct format *const from[] = {&f32, &f16, &e5m2, &e4m3, NULL, &e2m1, &e2m3, &e3m2, NULL, &bf16};

static uint32_t power(double v, unsigned mode, bool finite)
{
    v = fabs(v);
    if (isnan(v) || (isinf(v) && !finite))
        return 0xff;
    int code = 0;
    while (code < 255 && (mode == UP ? ldexp(1.0, code - 127) < v : ldexp(1.0, code - 126) <= v))
        ++code;
    return code == 255 && finite ? 0xfe : (uint32_t)code;
}

static uint32_t packed(const struct isa_inst *i, uint32_t code)
{
    unsigned source_format = i->mod[ISA_MOD_FROM_FORMAT], format = i->mod[ISA_MOD_TO_FORMAT];
    unsigned mode = i->mod[ISA_MOD_ROUND];
    bool finite = i->mod[ISA_MOD_SAT];
    double v = source_format == FROM_E8 ? (code == 255 ? (double)NAN : ldexp(1.0, (int)code - 127))
                                        : read(from[source_format], code);
    if (format == TO_E8)
        return power(v, mode, finite);
    uint32_t r = write(to[format], v, mode, finite);
    return i->mod[ISA_MOD_RELU] && !isnan(v) && signbit(v) ? 0 : r;
}

static void f2fp(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    unsigned pack = i->mod[ISA_MOD_PACK], format = i->mod[ISA_MOD_TO_FORMAT],
             source_format = i->mod[ISA_MOD_FROM_FORMAT];
    uint32_t a = i->a.kind ? oracle_raw(l, &i->a, 0) : 0, b = oracle_raw(l, &i->b, 0);
    uint32_t c = i->c.kind ? oracle_raw(l, &i->c, 0) >> 16 * i->c.swizzle : 0;
    unsigned bits = format <= 1 ? 16 : format == 3 ? 4 : 8;
    if (pack == UNPACK_B) {
        bool nibbles = source_format == 5;
        b >>= (nibbles ? 8 : 16) * i->b.swizzle;
        a = nibbles ? b >> 4 & 15 : b >> 8 & 255;
        b &= nibbles ? 15 : 255;
        if (source_format == 6 || source_format == 7)
            a &= 63, b &= 63;
    } else if (pack == UNPACK_B_MERGE_C) {
        a = b >> 16;
        b &= 0xffff;
    }
    uint32_t low = packed(i, b);
    switch (pack) {
    case B: l->d[0] = low << 13; break;
    case MERGE_C: l->d[0] = low | c << 16; break;
    case AB:
    case UNPACK_B: l->d[0] = low | packed(i, a) << bits; break;
    default: l->d[0] = low | packed(i, a) << bits | c << 2 * bits; break;
    }
}

static uint32_t byte_of(const struct isa_inst *i, uint32_t bits)
{
    double v = read(&f32, bits), least = i->mod[ISA_MOD_DST_TYPE] ? -128 : 0,
           most = i->mod[ISA_MOD_DST_TYPE] ? 127 : 255;
    if (isnan(v))
        return i->mod[ISA_MOD_NTZ] ? 0 : 128;
    v = integral(v, i->mod[ISA_MOD_ROUND]);
    v = v > most ? most : v < least ? least : v;
    return i->mod[ISA_MOD_RELU] && v < 0 ? 0 : (uint8_t)(int)v;
}

static void f2ip(struct oracle_lane *l)
{
    const struct isa_inst *i = l->inst;
    l->d[0] = byte_of(i, oracle_raw(l, &i->b, 0)) | byte_of(i, oracle_raw(l, &i->a, 0)) << 8 |
              oracle_raw(l, &i->c, 0) >> 16 * i->c.swizzle << 16;
}

oracle_fn *oracle_format_function(unsigned op)
{
    switch (op) {
    case ISA_OP_F2F:
    case ISA_OP_UF2F: return f2f;
    case ISA_OP_FRND:
    case ISA_OP_UFRND: return frnd;
    case ISA_OP_F2FP: return f2fp;
    case ISA_OP_F2IP: return f2ip;
    default: return NULL;
    }
}
