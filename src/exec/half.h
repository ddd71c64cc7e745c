/* FP16 and BF16 values as bits, and arithmetic on them that rounds once.
 *
 * Results are formed in a wider format rounded to odd: to nearest first, then, when the result is inexact and its last
 * bit even, one step toward the error. A value rounded to odd with at least two bits to spare rounds to the narrow
 * format as the exact value would (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008). */
#ifndef SUBCORE_EXEC_HALF_H
#define SUBCORE_EXEC_HALF_H

#include "exec/float32.h"

#define HALF_NAN 0x7fffu            /* canonical NaN of both formats */
#define HALF_INFINITY 0x7c00u
#define HALF_ONE 0x3c00u
#define BF16_INFINITY 0x7f80u
#define BF16_ONE 0x3f80u

/* Exact; the payload of a NaN moves along. */
static inline uint32_t half_to_float(uint32_t h)
{
    uint32_t v = (h & 0x7fff) << 13, sign = (h & 0x8000) << 16;
    uint32_t exponent = v & 0x0f800000;
    uint32_t normal = v + (112u << 23);
    uint32_t denormal = float_bits(float_of(normal + (1u << 23)) - float_of(113u << 23));
    uint32_t special = v + (224u << 23);
    return sign | (exponent == 0 ? denormal : exponent == 0x0f800000 ? special : normal);
}

/* To nearest, ties to even; NaN becomes canonical. */
static inline uint32_t half_from_float(uint32_t bits)
{
    uint32_t v = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    uint32_t denormal = float_bits(float_of(v) + 0.5f) - float_bits(0.5f);
    uint32_t normal = (v + 0xfff - (112u << 23) + (v >> 13 & 1)) >> 13;
    uint32_t r = v < (113u << 23) ? denormal : v < 0x47800000 ? normal : HALF_INFINITY;
    return v > FLOAT_INFINITY ? HALF_NAN : sign | r;
}

static inline uint32_t bf16_to_float(uint32_t h) { return h << 16; }

static inline uint32_t bf16_from_float(uint32_t bits)
{
    uint32_t r = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return float_is_nan(bits) ? HALF_NAN : r;
}

/* a * b + c rounded to odd, for values of FP16: the product is exact. */
static inline uint32_t half_fma_odd(float a, float b, float c)
{
    float p = a * b, s = p + c;
    float t = s - p, error = (p - (s - t)) + (c - t);
    uint32_t bits = float_bits(s);
    uint32_t even = (bits & 1) - 1, away = 1 - 2 * ((float_bits(error) ^ bits) >> 31);
    uint32_t inexact = error != 0.0f ? UINT32_MAX : 0, finite = s - s == 0.0f ? UINT32_MAX : 0;
    return bits + (away & even & inexact & finite);
}

/* a * b + c rounded to odd, for any floats: the product is exact. */
static inline double float_fma_odd(float a, float b, float c)
{
    double p = (double)a * (double)b, d = (double)c, s = p + d;
    double t = s - p, error = (p - (s - t)) + (d - t);
    uint64_t bits = double_bits(s);
    uint64_t even = (bits & 1) - 1, away = 1 - 2 * ((double_bits(error) ^ bits) >> 63);
    uint64_t inexact = error != 0.0 ? UINT64_MAX : 0, finite = s - s == 0.0 ? UINT64_MAX : 0;
    return double_of(bits + (away & even & inexact & finite));
}

/* A double as float, rounded to odd; beyond the largest float it stays there. */
static inline uint32_t float_odd(double d)
{
    float f = (float)d;
    double error = d - (double)f;
    uint32_t bits = float_bits(f);
    uint32_t even = (bits & 1) - 1;
    uint32_t away = 1 - 2 * ((uint32_t)(double_bits(error) >> 63) ^ bits >> 31);
    uint32_t inexact = error != 0.0 ? UINT32_MAX : 0, finite = d - d == 0.0 ? UINT32_MAX : 0;
    return bits + (away & even & inexact & finite);
}

static inline uint32_t half_from_double(double d) { return half_from_float(float_odd(d)); }
static inline uint32_t bf16_from_double(double d) { return bf16_from_float(float_odd(d)); }

#endif
