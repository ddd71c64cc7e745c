#include "wgmma_oracle.h"

#include <math.h>
#include <string.h>

unsigned oracle_bytes(enum oracle_type type)
{
    return type == ORACLE_TF32 || type == ORACLE_B1 ? 4 : type <= ORACLE_BF16 ? 2 : 1;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

uint32_t oracle_address(const struct oracle_place *p, unsigned bytes, unsigned mn, unsigned k)
{
    static const unsigned spans[] = {0, 128, 64, 32};
    unsigned span = spans[p->swizzle], chunk = 16 / bytes, offset;
    if (!p->mn_major && !span)
        offset = mn % 8 * 16 + mn / 8 * p->stride + k / chunk * p->leading + k % chunk * bytes;
    else if (!p->mn_major)
        offset = mn % 8 * span + mn / 8 * p->stride + k * bytes;
    else if (!span)
        offset = mn % chunk * bytes + mn / chunk * p->stride + k % 8 * 16 + k / 8 * p->leading;
    else
        offset = mn % (span / bytes) * bytes + mn / (span / bytes) * p->leading + k % 8 * span + k / 8 * p->stride;
    uint32_t address = p->start + offset, row = address / 128 - p->base;
    switch (span) {
    case 128: return address ^ (row % 8) * 16;
    case 64: return address ^ (row % 4) * 16;
    case 32: return address ^ (row % 2) * 16;
    default: return address;
    }
}

uint64_t oracle_descriptor(const struct oracle_place *p)
{
    return (uint64_t)(p->start / 16) | (uint64_t)(p->leading / 16) << 16 | (uint64_t)(p->stride / 16) << 32 |
           (uint64_t)p->base << 49 | (uint64_t)p->swizzle << 62;
}

/* ---- floats ------------------------------------------------------------------------------------------------------ */

struct value {
    double v;
    int exponent; /* of the encoding; of denormals the smallest */
};

static struct value read_float(uint32_t bits, int exponent_bits, int fraction_bits, bool e4m3)
{
    int bias = (1 << (exponent_bits - 1)) - 1, exponent = (int)(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    int fraction = (int)bits & ((1 << fraction_bits) - 1), top = (1 << exponent_bits) - 1;
    double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
    if (e4m3 && (bits & 0x7f) == 0x7f)
        return (struct value){NAN, 0};
    if (!e4m3 && exponent == top)
        return (struct value){fraction ? (double)NAN : sign * (double)INFINITY, 0};
    int e = (exponent ? exponent : 1) - bias;
    double significand = (exponent ? 1 : 0) + ldexp(fraction, -fraction_bits);
    return (struct value){sign * ldexp(significand, e), e};
}

static struct value read_element(uint32_t bits, enum oracle_type type)
{
    switch (type) {
    case ORACLE_F16: return read_float(bits, 5, 10, false);
    case ORACLE_BF16: return read_float(bits, 8, 7, false);
    case ORACLE_TF32: return read_float(bits & 0xffffe000, 8, 23, false);
    case ORACLE_E4M3: return read_float(bits, 4, 3, true);
    default: return read_float(bits, 5, 2, false);
    }
}

static uint32_t bits_of_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Toward zero, `keep` fraction bits. */
static uint32_t to_float(double d, int keep)
{
    if (d == 0)
        return 0;
    int e;
    frexp(d, &e);
    e = e - 1 < -126 ? -126 : e - 1;
    double cut = ldexp(trunc(ldexp(fabs(d), keep - e)), e - keep);
    return bits_of_float((float)copysign(cut >= 0x1p128 ? (double)INFINITY : cut, d));
}

static uint32_t to_half(double d)
{
    if (d == 0)
        return 0;
    int e;
    frexp(d, &e);
    e = e - 1 < -14 ? -14 : e - 1;
    double units = nearbyint(ldexp(fabs(d), 10 - e)); /* to nearest even */
    uint32_t sign = d < 0 ? 0x8000 : 0;
    if (ldexp(units, e - 10) > 65504)
        return sign | 0x7c00;
    uint32_t magnitude = (uint32_t)units; /* a carry goes into the exponent */
    return sign | ((uint32_t)(e + 14) * 1024 + magnitude);
}

struct sum {
    struct value term[ORACLE_K + 1];
    unsigned count;
    double total; /* of doubles, for infinities and NaNs only */
};

static void add(struct sum *s, double v, int exponent)
{
    s->term[s->count++] = (struct value){v, exponent};
    s->total += isfinite(v) ? 0 : v;
}

static uint32_t finish(const struct sum *s, bool eight, bool f16)
{
    if (isnan(s->total))
        return f16 ? 0x7fff : 0x7fffffff;
    if (isinf(s->total))
        return (f16 ? 0x7c00u : 0x7f800000u) | (s->total < 0 ? f16 ? 0x8000u : 0x80000000u : 0);
    int largest = -133, fraction = eight ? 13 : 25;
    for (unsigned i = 0; i < s->count; i++)
        if (s->term[i].v != 0 && s->term[i].exponent > largest)
            largest = s->term[i].exponent;
    double sum = 0; /* of integers below 2^32 */
    for (unsigned i = 0; i < s->count; i++)
        sum += trunc(ldexp(s->term[i].v, fraction - largest));
    double d = ldexp(sum, largest - fraction);
    return f16 ? to_half(d) : to_float(d, eight ? 13 : 23);
}

static uint32_t float_sum(const struct oracle_product *p, unsigned row, unsigned column)
{
    struct sum s = {.count = 0};
    unsigned stored = p->sparse ? p->k / 2 : p->k;
    for (unsigned i = 0; i < stored; i++) {
        unsigned k = p->sparse ? p->where[row][i] : i;
        struct value a = read_element(p->a[row][i], p->type_a), b = read_element(p->b[k][column], p->type_b);
        add(&s, p->negative ? -(a.v * b.v) : a.v * b.v, a.exponent + b.exponent);
    }
    /* An element that a sparse A does not have is zero, and zero times infinity is none of its products. */
    uint32_t c = p->zero_c ? 0 : p->c[row][column];
    struct value v = p->f16_result ? read_float(c, 5, 10, false) : read_float(c, 8, 23, false);
    add(&s, v.v, v.exponent);
    return finish(&s, p->type_a == ORACLE_E4M3 || p->type_a == ORACLE_E5M2, p->f16_result);
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

static int64_t integer(uint32_t bits, enum oracle_type type)
{
    return type == ORACLE_S8 ? (int8_t)bits : (int64_t)(bits & 0xff);
}

static uint32_t integer_sum(const struct oracle_product *p, unsigned row, unsigned column)
{
    int64_t sum = p->zero_c ? 0 : (int32_t)p->c[row][column];
    unsigned stored = p->sparse ? p->k / 2 : p->k;
    for (unsigned i = 0; i < stored; i++) {
        unsigned k = p->sparse ? p->where[row][i] : i;
        if (p->type_a == ORACLE_B1)
            for (unsigned bit = 0; bit < 32; bit++)
                sum += p->a[row][i] >> bit & p->b[k][column] >> bit & 1;
        else
            sum += integer(p->a[row][i], p->type_a) * integer(p->b[k][column], p->type_b);
    }
    if (p->saturate)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

void oracle_multiply(struct oracle_product *p)
{
    for (unsigned row = 0; row < ORACLE_M; row++)
        for (unsigned column = 0; column < p->n; column++)
            p->d[row][column] = p->type_a <= ORACLE_E5M2 ? float_sum(p, row, column) : integer_sum(p, row, column);
}
