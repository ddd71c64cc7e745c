/* Steps of FP32 instructions before and after the operation. */
#ifndef SUBCORE_EXEC_LANES_FLOAT_H
#define SUBCORE_EXEC_LANES_FLOAT_H

#include "exec/arithmetic/float32.h"
#include "exec/arithmetic/lanes.h"
#include "exec/arithmetic/rounding.h"

/* a * b + c rounded once, to nearest. Without a fused instruction: the product is exact in double, the sum is rounded
 * to odd (its error, by TwoSum, decides about an even last bit), and an odd result of 53 bits rounds to 24 as the exact
 * sum would. */
static inline float float_fused(float a, float b, float c)
{
#ifdef EXEC_V3
    return __builtin_fmaf(a, b, c);
#else
    double p = (double)a * (double)b, d = (double)c, s = p + d;
    double t = s - p, error = (p - (s - t)) + (d - t);
    uint64_t bits = double_bits(s);
    uint64_t even = (bits & 1) - 1;
    uint64_t away = 1 - 2 * ((double_bits(error) ^ bits) >> 63);
    uint64_t inexact = error != 0.0 ? UINT64_MAX : 0, finite = s - s == 0.0 ? UINT64_MAX : 0;
    return (float)double_of(bits + (away & even & inexact & finite));
#endif
}

static __attribute__((unused)) void float_flush_row(uint32_t *r, const uint32_t *v)
{
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = float_flush(v[i]);
}

/* Not a number is the one NaN that operations return. */
static inline void float_canonical_row(uint32_t *r)
{
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = float_canonical(r[i]);
}

static __attribute__((unused)) void float_finish(uint32_t *r, bool flush, bool saturate)
{
    if (flush) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r[i] = float_flush(float_canonical(r[i]));
    } else {
        float_canonical_row(r);
    }
    if (saturate) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r[i] = float_saturate(r[i]);
    }
}

/* .FTZ flushes a product or fused sum that is denormal before it is rounded. Measured on an H200 (2026-11-27; the
 * recording is not kept in the repository). Only the least normal number may have been rounded up to: where a row has
 * one, the same row cut toward zero tells. */
static __attribute__((unused)) bool float_may_be_tiny(const uint32_t *r)
{
    bool any = false;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        any |= (r[i] & 0x7fffffff) == FLOAT_LEAST;
    return any;
}

static __attribute__((unused)) void float_flush_tiny(uint32_t *r, const uint32_t *cut)
{
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = (cut[i] & 0x7fffffff) - 1 < FLOAT_LEAST - 1 ? cut[i] & FLOAT_SIGN : r[i];
}

static __attribute__((unused)) void float_flush_product(uint32_t *r, const uint32_t *a, const uint32_t *b, double scale)
{
    struct lanes cut;
    if (!float_may_be_tiny(r))
        return;
    rounding_multiply(cut.v, a, b, scale, ROUND_ZERO);
    float_flush_tiny(r, cut.v);
}

static __attribute__((unused)) void float_flush_fused(uint32_t *r, const uint32_t *a, const uint32_t *b,
                                                      const uint32_t *c)
{
    struct lanes cut;
    if (!float_may_be_tiny(r))
        return;
    rounding_fma(cut.v, a, b, c, ROUND_ZERO);
    float_flush_tiny(r, cut.v);
}

/* FMZ: a zero times anything is +0. */
static __attribute__((unused)) void float_zero_products(uint32_t *a, uint32_t *b)
{
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        bool zero = !(a[i] & 0x7fffffff) || !(b[i] & 0x7fffffff);
        a[i] = zero ? 0 : a[i];
        b[i] = zero ? 0 : b[i];
    }
}

#endif
