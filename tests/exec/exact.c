#include "exact.h"

#include <assert.h>
#include <math.h>

const struct exact_format exact_f32 = {24, 8, 0x7fffffff};
const struct exact_format exact_f16 = {11, 5, 0x7fff};
const struct exact_format exact_bf16 = {8, 8, 0x7fff};

static int bias(const struct exact_format *f) { return (1 << (f->exponent_bits - 1)) - 1; }

/* Exponent of the lowest denormal bit. */
static int lowest(const struct exact_format *f) { return 2 - bias(f) - (int)f->precision; }

static uint32_t sign_bit(const struct exact_format *f, bool negative)
{
    return (uint32_t)negative << (f->precision - 1 + f->exponent_bits);
}

static uint32_t infinity(const struct exact_format *f, bool negative)
{
    return ((1u << f->exponent_bits) - 1) << (f->precision - 1) | sign_bit(f, negative);
}

struct exact_value exact_read(uint32_t bits, const struct exact_format *f)
{
    unsigned width = f->precision - 1;
    uint32_t mantissa = bits & ((1u << width) - 1), exponent = bits >> width & ((1u << f->exponent_bits) - 1);
    struct exact_value v = {EXACT_FINITE, (bits & sign_bit(f, true)) != 0, mantissa, lowest(f)};
    if (exponent == (1u << f->exponent_bits) - 1) {
        v.kind = mantissa ? EXACT_NAN : EXACT_INFINITE;
    } else if (exponent) {
        v.mantissa |= UINT64_C(1) << width;
        v.exponent += (int)exponent - 1;
    }
    return v;
}

struct exact_value exact_integer(uint64_t magnitude, bool negative)
{
    return (struct exact_value){EXACT_FINITE, negative, magnitude, 0};
}

static void negate(struct exact *x)
{
    uint64_t carry = 1;
    for (unsigned k = 0; k < EXACT_LIMBS; ++k) {
        carry += (uint32_t)~x->limb[k];
        x->limb[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

static bool is_negative(const struct exact *x) { return x->limb[EXACT_LIMBS - 1] >> 31; }

void exact_add(struct exact *x, bool negative, uint64_t mantissa, int exponent)
{
    struct exact y = {{0}};
    unsigned at = (unsigned)(exponent + EXACT_SCALE);
    assert(exponent + EXACT_SCALE >= 0 && at / 32 + 3 < EXACT_LIMBS);
    unsigned __int128 shifted = (unsigned __int128)mantissa << at % 32;
    for (unsigned k = 0; k < 3; ++k)
        y.limb[at / 32 + k] = (uint32_t)(shifted >> 32 * k);
    if (negative)
        negate(&y);
    uint64_t carry = 0;
    for (unsigned k = 0; k < EXACT_LIMBS; ++k) {
        carry += (uint64_t)x->limb[k] + y.limb[k];
        x->limb[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

bool exact_is_zero(const struct exact *x)
{
    for (unsigned k = 0; k < EXACT_LIMBS; ++k)
        if (x->limb[k])
            return false;
    return true;
}

static bool bit_at(const struct exact *x, int position)
{
    return position >= 0 && (x->limb[position / 32] >> position % 32 & 1);
}

uint32_t exact_round(const struct exact *signed_value, const struct exact_format *f, enum exact_mode mode)
{
    struct exact x = *signed_value;
    bool negative = is_negative(&x);
    if (negative)
        negate(&x);
    int top = EXACT_LIMBS * 32 - 1;
    while (!bit_at(&x, top))
        --top;
    /* The last bit that the format keeps. */
    int last = top - (int)f->precision + 1;
    if (last < lowest(f) + EXACT_SCALE)
        last = lowest(f) + EXACT_SCALE;
    uint64_t kept = 0;
    for (int p = top; p >= last; --p)
        kept = kept << 1 | bit_at(&x, p);
    bool half = bit_at(&x, last - 1), below = false;
    for (int p = last - 2; p >= 0; --p)
        below |= bit_at(&x, p);
    bool inexact = half || below;
    bool up = mode == EXACT_NEAREST ? half && (below || (kept & 1))
              : mode == EXACT_DOWN  ? negative && inexact
              : mode == EXACT_UP    ? !negative && inexact
                                    : false;
    kept += up;
    if (kept >> f->precision) {
        kept >>= 1;
        ++last;
    }
    uint64_t hidden = UINT64_C(1) << (f->precision - 1);
    uint64_t exponent = kept & hidden ? (uint64_t)(last - EXACT_SCALE - lowest(f) + 1) : 0;
    if (exponent >= (1u << f->exponent_bits) - 1) {
        bool to_infinity = mode == EXACT_NEAREST || mode == (negative ? EXACT_DOWN : EXACT_UP);
        return to_infinity ? infinity(f, negative) : infinity(f, negative) - 1;
    }
    return sign_bit(f, negative) | (uint32_t)(exponent << (f->precision - 1)) | (uint32_t)(kept & (hidden - 1));
}

double exact_double(const struct exact *signed_value)
{
    struct exact x = *signed_value;
    bool negative = is_negative(&x);
    if (negative)
        negate(&x);
    double sum = 0;
    for (unsigned k = 0; k < EXACT_LIMBS; ++k)
        sum += ldexp((double)x.limb[k], (int)(32 * k) - EXACT_SCALE);
    return negative ? -sum : sum;
}

static uint32_t zero_or_round(const struct exact *x, const struct exact_format *f, enum exact_mode mode,
                              bool zero_negative)
{
    return exact_is_zero(x) ? sign_bit(f, zero_negative) : exact_round(x, f, mode);
}

static bool product_is_nan(struct exact_value a, struct exact_value b)
{
    bool zero = (a.kind == EXACT_FINITE && !a.mantissa) || (b.kind == EXACT_FINITE && !b.mantissa);
    return a.kind == EXACT_NAN || b.kind == EXACT_NAN ||
           ((a.kind == EXACT_INFINITE || b.kind == EXACT_INFINITE) && zero);
}

uint32_t exact_fma(struct exact_value a, struct exact_value b, struct exact_value c, const struct exact_format *f,
                   enum exact_mode mode)
{
    bool negative = a.negative != b.negative;
    bool infinite = a.kind == EXACT_INFINITE || b.kind == EXACT_INFINITE;
    if (product_is_nan(a, b) || c.kind == EXACT_NAN || (infinite && c.kind == EXACT_INFINITE && negative != c.negative))
        return f->nan;
    if (infinite || c.kind == EXACT_INFINITE)
        return infinity(f, infinite ? negative : c.negative);
    struct exact x = {{0}};
    exact_add(&x, negative, a.mantissa * b.mantissa, a.exponent + b.exponent);
    exact_add(&x, c.negative, c.mantissa, c.exponent);
    return zero_or_round(&x, f, mode, negative == c.negative ? negative : mode == EXACT_DOWN);
}

uint32_t exact_multiply(struct exact_value a, struct exact_value b, const struct exact_format *f, enum exact_mode mode)
{
    bool negative = a.negative != b.negative;
    if (product_is_nan(a, b))
        return f->nan;
    if (a.kind == EXACT_INFINITE || b.kind == EXACT_INFINITE)
        return infinity(f, negative);
    struct exact x = {{0}};
    exact_add(&x, negative, a.mantissa * b.mantissa, a.exponent + b.exponent);
    return zero_or_round(&x, f, mode, negative);
}

uint32_t exact_flush(uint32_t bits, const struct exact_format *f)
{
    return bits & infinity(f, false) ? bits : bits & sign_bit(f, true);
}

uint32_t exact_flush_tiny(uint32_t bits, uint32_t cut, const struct exact_format *f)
{
    return exact_flush(cut, f) != cut ? exact_flush(cut, f) : exact_flush(bits, f);
}
