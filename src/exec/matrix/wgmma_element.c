/* The sum of one element of a wgmma of floats, as measurements of the hardware show (MMA-Sim, "Bit-accurate reference
 * model of tensor cores and matrix cores"): all products and C are one sum. A product is exact and is not normalised:
 * its exponent is the sum of those of its factors. Every term is shifted to the largest exponent, where a zero counts
 * as 2^-133, cut toward zero after 25 bits of fraction (13 where the factors have 8 bits), and added exactly. An FP32
 * result is cut toward zero (to 13 bits of fraction for factors of 8 bits), an FP16 result is rounded to nearest.
 * Sparse forms have not been measured; they are taken as the dense ones with the elements that A has. */
#include <math.h>

#include "exec/arithmetic/half.h"
#include "exec/matrix/wgmma.h"

struct number {
    enum { FINITE, INFINITE, NOT } kind;
    int64_t significand;    /* with the sign */
    int exponent, fraction; /* value = significand * 2^(exponent - fraction) */
};

struct layout {
    uint8_t exponent_bits, fraction_bits, drop; /* drop: lowest bits that are ignored */
    bool finite;                                /* no infinities, and one NaN */
};

static struct number decode(uint32_t bits, struct layout f)
{
    bits >>= f.drop;
    uint32_t fraction = bits & ((1u << f.fraction_bits) - 1), top = (1u << f.exponent_bits) - 1;
    uint32_t exponent = bits >> f.fraction_bits & top;
    bool negative = bits >> (f.exponent_bits + f.fraction_bits) & 1;
    struct number n = {.kind = FINITE, .fraction = f.fraction_bits};
    if (exponent == top && !f.finite)
        n.kind = fraction ? NOT : INFINITE;
    else if (exponent == top && fraction == (1u << f.fraction_bits) - 1)
        n.kind = NOT;
    n.significand = exponent ? fraction | 1u << f.fraction_bits : fraction;
    n.significand = negative ? -n.significand : n.significand;
    n.exponent = (int)(exponent ? exponent : 1) - (int)(top >> 1);
    return n;
}

static struct number element_of(uint32_t bits, unsigned type)
{
    static const struct layout layouts[] = {[WGMMA_F16] = {5, 10, 0, false},
                                            [WGMMA_BF16] = {8, 7, 0, false},
                                            [WGMMA_TF32] = {8, 10, 13, false},
                                            [WGMMA_E4M3] = {4, 3, 0, true},
                                            [WGMMA_E5M2] = {5, 2, 0, false}};
    return decode(bits, layouts[type]);
}

static struct number product(struct number x, struct number y, bool negative)
{
    bool nan = x.kind == NOT || y.kind == NOT || (x.kind == INFINITE && !y.significand) ||
               (y.kind == INFINITE && !x.significand);
    int64_t significand = x.significand * y.significand;
    return (struct number){.kind = nan                                        ? NOT
                                   : x.kind == INFINITE || y.kind == INFINITE ? INFINITE
                                                                              : FINITE,
                           .significand = negative ? -significand : significand,
                           .exponent = x.exponent + y.exponent,
                           .fraction = x.fraction + y.fraction};
}

enum { EXPONENT_OF_ZERO = -133, TERMS = WGMMA_DEPTH + 1 };

static int64_t aligned(struct number n, int largest, int fraction_bits)
{
    int shift = n.exponent - n.fraction - largest + fraction_bits;
    int64_t magnitude = n.significand < 0 ? -n.significand : n.significand;
    magnitude = shift >= 0 ? magnitude << shift : shift > -63 ? magnitude >> -shift : 0;
    return n.significand < 0 ? -magnitude : magnitude;
}

/* The exact value of the cut sum; NaN and infinities come out as such. */
static double sum_of(const struct number *term, unsigned count, int fraction_bits)
{
    bool plus = false, minus = false;
    int largest = EXPONENT_OF_ZERO;
    for (unsigned i = 0; i < count; i++) {
        if (term[i].kind == NOT)
            return NAN;
        plus |= term[i].kind == INFINITE && term[i].significand > 0;
        minus |= term[i].kind == INFINITE && term[i].significand < 0;
        if (term[i].significand && term[i].exponent > largest)
            largest = term[i].exponent;
    }
    if (plus || minus)
        return plus && minus ? (double)NAN : plus ? (double)INFINITY : -(double)INFINITY;
    int64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += term[i].significand ? aligned(term[i], largest, fraction_bits) : 0;
    return sum ? ldexp((double)sum, largest - fraction_bits) : 0;
}

static uint32_t toward_zero(double d)
{
    float f = (float)d;
    uint32_t bits = float_canonical(float_bits(f));
    return fabs((double)f) > fabs(d) && fabs(d) < 0x1p128 ? bits - 1 : bits;
}

uint32_t wgmma_element(const struct wgmma_job *job, unsigned row, unsigned column, uint32_t c)
{
    const struct wgmma_form *form = &job->form;
    bool eight = form->type_a == WGMMA_E4M3 || form->type_a == WGMMA_E5M2;
    struct number term[TERMS];
    unsigned count = 0;
    for (unsigned k = 0; k < form->depth; k++)
        if (job->present[row] >> k & 1)
            term[count++] = product(element_of(wgmma_raw(form, job->a[row], k), form->type_a),
                                    element_of(wgmma_raw(form, job->b[column], k), form->type_b), form->negative);
    term[count++] = decode(c, form->wide ? (struct layout){8, 23, 0, false} : (struct layout){5, 10, 0, false});
    double sum = sum_of(term, count, eight ? 13 : 25);
    if (!form->wide)
        return half_from_double(sum);
    uint32_t bits = toward_zero(sum);
    return eight && !float_is_nan(bits) ? bits & ~UINT32_C(0x3ff) : bits;
}
