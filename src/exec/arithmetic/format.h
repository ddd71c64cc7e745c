/* Floating-point formats of at most 32 bits, and doubles rounded to them. Every value of these formats is a double. */
#ifndef SUBCORE_EXEC_FORMAT_H
#define SUBCORE_EXEC_FORMAT_H

#include <stddef.h>

#include "exec/arithmetic/float64.h"
#include "exec/arithmetic/rounding.h"

/* Magnitudes as encoded: `infinity` is 0 where there is none, `nan` is the encoding of NaN. */
struct format {
    unsigned mantissa, sign; /* bits of the mantissa; place of the sign */
    int least;               /* exponent of the smallest normal number */
    uint32_t largest, infinity, nan;
};

enum format_id {
    FORMAT_F32,
    FORMAT_F16,
    FORMAT_BF16,
    FORMAT_TF32,
    FORMAT_E5M2,
    FORMAT_E4M3,
    FORMAT_E3M2,
    FORMAT_E2M3,
    FORMAT_E2M1
};

/* PTX ISA, alternate floating-point formats: E4M3 has NaN but no infinity, those of 6 and 4 bits have neither and take
 * their largest number for NaN. TF32 is written here as its upper 19 bits. */
static inline const struct format *format_of(enum format_id id)
{
    static const struct format formats[] = {
        [FORMAT_F32] = {23, 31, -126, 0x7f7fffff, 0x7f800000, 0x7fffffff},
        [FORMAT_F16] = {10, 15, -14, 0x7bff, 0x7c00, 0x7fff},
        [FORMAT_BF16] = {7, 15, -126, 0x7f7f, 0x7f80, 0x7fff},
        [FORMAT_TF32] = {10, 18, -126, 0x3fbff, 0x3fc00, 0x3ffff},
        [FORMAT_E5M2] = {2, 7, -14, 0x7b, 0x7c, 0x7f},
        [FORMAT_E4M3] = {3, 7, -6, 0x7e, 0, 0x7f},
        [FORMAT_E3M2] = {2, 5, -2, 0x1f, 0, 0x1f},
        [FORMAT_E2M3] = {3, 5, 0, 0x1f, 0, 0x1f},
        [FORMAT_E2M1] = {1, 3, 0, 0x7, 0, 0x7},
    };
    return &formats[id];
}

static inline bool format_up(bool negative, bool odd, uint64_t rest, uint64_t half, enum rounding mode)
{
    switch (mode) {
    case ROUND_NEAREST: return rest > half || (rest == half && odd);
    case ROUND_DOWN: return negative && rest;
    case ROUND_UP: return !negative && rest;
    default: return false;
    }
}

/* Rounds once. Beyond the largest number the mode decides between it and infinity; `finite` always takes the number. */
static inline uint32_t format_from_double(const struct format *f, uint64_t bits, enum rounding mode, bool finite)
{
    enum { BIAS = 1075, TOP = 52, FAR = 60 };
    bool negative = bits >> 63;
    uint32_t sign = (uint32_t)negative << f->sign;
    uint64_t m = bits & ((UINT64_C(1) << TOP) - 1);
    int exponent = (int)(bits >> TOP & 0x7ff);
    if (exponent == 0x7ff && m)
        return f->nan;
    if (exponent == 0x7ff)
        return sign | (finite || !f->infinity ? f->largest : f->infinity);
    m |= (uint64_t)(exponent != 0) << TOP;
    int e = exponent ? exponent - BIAS : 1 - BIAS, top = exponent ? e + TOP : -2000;
    int least = top > f->least ? top : f->least, drop = least - (int)f->mantissa - e;
    drop = drop > FAR ? FAR : drop;
    uint64_t kept = m >> drop, rest = m & ((UINT64_C(1) << drop) - 1);
    kept += format_up(negative, kept & 1, rest, UINT64_C(1) << (drop - 1), mode);
    uint64_t r = ((uint64_t)(least - f->least) << f->mantissa) + kept;
    if (r <= f->largest)
        return sign | (uint32_t)r;
    bool stays = mode == ROUND_ZERO || mode == (negative ? ROUND_UP : ROUND_DOWN);
    return sign | (finite || stays || !f->infinity ? f->largest : f->infinity);
}

/* Exact; NaN loses its payload. */
static inline uint64_t format_to_double(const struct format *f, uint32_t v)
{
    uint32_t magnitude = v & ((1u << f->sign) - 1);
    uint64_t sign = (uint64_t)(v >> f->sign & 1) << 63;
    if (f->infinity ? magnitude > f->infinity : f->nan != f->largest && magnitude == f->nan)
        return DOUBLE_NAN;
    if (f->infinity && magnitude == f->infinity)
        return sign | UINT64_C(0x7ff0000000000000);
    int exponent = (int)(magnitude >> f->mantissa);
    uint64_t m = magnitude & ((1u << f->mantissa) - 1);
    if (exponent)
        return sign | ((uint64_t)(exponent - 1 + f->least + 1023) << 52 | m << (52 - f->mantissa));
    double scaled = (double)m * double_of((uint64_t)(f->least - (int)f->mantissa + 1023) << 52);
    return sign | double_bits(scaled);
}

#endif
