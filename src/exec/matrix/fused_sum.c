#include "exec/matrix/fused_sum.h"

#include <math.h>

#include "exec/arithmetic/half.h"

struct fused_number fused_decode(uint32_t bits, struct fused_format f)
{
    bits >>= f.drop;
    uint32_t fraction = bits & ((1u << f.fraction_bits) - 1), top = (1u << f.exponent_bits) - 1;
    uint32_t exponent = bits >> f.fraction_bits & top;
    bool negative = bits >> (f.exponent_bits + f.fraction_bits) & 1;
    struct fused_number n = {.kind = FUSED_FINITE, .fraction = f.fraction_bits};
    if (exponent == top && f.special == FUSED_IEEE)
        n.kind = fraction ? FUSED_NAN : FUSED_INFINITE;
    else if (exponent == top && f.special == FUSED_ONE_NAN && fraction == (1u << f.fraction_bits) - 1)
        n.kind = FUSED_NAN;
    n.significand = exponent ? fraction | 1u << f.fraction_bits : fraction;
    n.significand = negative ? -n.significand : n.significand;
    n.exponent = (int)(exponent ? exponent : 1) - (int)(top >> 1);
    return n;
}

struct fused_number fused_product(struct fused_number x, struct fused_number y)
{
    bool nan = x.kind == FUSED_NAN || y.kind == FUSED_NAN || (x.kind == FUSED_INFINITE && !y.significand) ||
               (y.kind == FUSED_INFINITE && !x.significand);
    bool infinite = x.kind == FUSED_INFINITE || y.kind == FUSED_INFINITE;
    return (struct fused_number){.kind = nan        ? FUSED_NAN
                                         : infinite ? FUSED_INFINITE
                                                    : FUSED_FINITE,
                                 .significand = x.significand * y.significand,
                                 .exponent = x.exponent + y.exponent,
                                 .fraction = x.fraction + y.fraction};
}

struct fused_number fused_signed(struct fused_number x, bool negative)
{
    x.significand = negative ? -x.significand : x.significand;
    return x;
}

static int64_t aligned(struct fused_number n, int largest, int fraction_bits)
{
    int shift = n.exponent - n.fraction - largest + fraction_bits;
    int64_t magnitude = n.significand < 0 ? -n.significand : n.significand;
    magnitude = shift >= 0 ? magnitude << shift : shift > -63 ? magnitude >> -shift : 0;
    return n.significand < 0 ? -magnitude : magnitude;
}

/* The upper 53 bits, since a double has no more. Below, a cut to FP32 does not see the rest. */
static double upper_bits(int64_t sum)
{
    int64_t magnitude = sum < 0 ? -sum : sum;
    unsigned lost = 0;
    while (magnitude >> lost >> 53)
        lost++;
    magnitude = magnitude >> lost << lost;
    return (double)(sum < 0 ? -magnitude : magnitude);
}

double fused_sum(const struct fused_number *term, unsigned count, int fraction_bits, int least)
{
    bool plus = false, minus = false;
    int largest = least;
    for (unsigned i = 0; i < count; i++) {
        if (term[i].kind == FUSED_NAN)
            return NAN;
        plus |= term[i].kind == FUSED_INFINITE && term[i].significand > 0;
        minus |= term[i].kind == FUSED_INFINITE && term[i].significand < 0;
        if (term[i].significand && term[i].exponent > largest)
            largest = term[i].exponent;
    }
    if (plus || minus)
        return plus && minus ? (double)NAN : plus ? (double)INFINITY : -(double)INFINITY;
    int64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += term[i].significand ? aligned(term[i], largest, fraction_bits) : 0;
    return sum ? ldexp(upper_bits(sum), largest - fraction_bits) : 0;
}

uint32_t fused_to_float(double d)
{
    float f = (float)d;
    uint32_t bits = float_canonical(float_bits(f));
    return fabs((double)f) > fabs(d) && fabs(d) < 0x1p128 ? bits - 1 : bits;
}
