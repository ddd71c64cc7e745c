#include "umma_oracle.h"

#include <math.h>
#include <string.h>

/* ---- places ------------------------------------------------------------------------------------------------------ */

static uint32_t swizzled(const struct uoracle_place *p, uint32_t address)
{
    switch (p->swizzle) {
    case 1: return address ^ (address >> 7 & 3) << 5;
    case 2: return address ^ (address >> 7 & 7) << 4;
    case 4: return address ^ (address >> 7 & 3) << 4;
    case 6: return address ^ (address >> 7 & 1) << 4;
    default: return address;
    }
}

static unsigned span_of(const struct uoracle_place *p)
{
    static const unsigned spans[] = {0, 128, 128, 0, 64, 0, 32, 0};
    return spans[p->swizzle];
}

uint32_t uoracle_k_major(const struct uoracle_place *p, unsigned mn, unsigned byte)
{
    unsigned span = span_of(p);
    if (!span)
        return p->start + mn % 8 * 16 + mn / 8 * p->stride + byte / 16 * p->leading + byte % 16;
    unsigned place = p->start % 128 + byte;
    if (p->broken && place >= 128)
        return swizzled(p, p->leading + mn % 8 * 128 + mn / 8 * p->stride + (place - 128) / 16 * 16) + byte % 16;
    return swizzled(p, p->start + mn % 8 * span + mn / 8 * p->stride + byte / 16 * 16) + byte % 16;
}

uint32_t uoracle_mn_major(const struct uoracle_place *p, unsigned bytes, unsigned mn, unsigned k)
{
    unsigned span = span_of(p), chunk = 16 / bytes, tall = p->swizzle == 1 ? 4 : 8;
    if (!span)
        return p->start + mn % chunk * bytes + mn / chunk * p->stride + k % 8 * 16 + k / 8 * p->leading;
    unsigned wide = span / bytes;
    return swizzled(p, p->start + mn % wide * bytes + mn / wide * p->leading + k % tall * span + k / tall * p->stride);
}

uint64_t uoracle_descriptor(const struct uoracle_place *p)
{
    return (uint64_t)(p->start / 16) | (uint64_t)(p->leading / 16) << 16 | (uint64_t)(p->stride / 16) << 32 |
           UINT64_C(1) << 46 | (uint64_t)p->broken << 52 | (uint64_t)p->swizzle << 61;
}

/* PTX ISA, data path layouts A to G. */
struct uoracle_cell uoracle_d(const struct uoracle *p, unsigned row, unsigned n, unsigned lane)
{
    unsigned half = p->n / 2, quarter = p->n / 4;
    if (p->stationary && p->m == 32)
        return (struct uoracle_cell){0, row + 32 * (n / quarter), n % quarter};
    if (p->stationary && p->m == 64)
        return (struct uoracle_cell){0, row + 64 * (n / half), n % half};
    if (p->pair && p->m == 256)
        return (struct uoracle_cell){row / 128, row % 128, n};
    if (p->pair && !p->sparse)
        return (struct uoracle_cell){row / 64, row % 64 + 64 * (n / half), n % half};
    if (p->m == 64 || p->pair)
        return (struct uoracle_cell){row / 64, row % 64 / 16 * 32 + row % 16 + lane, n};
    return (struct uoracle_cell){0, row, n};
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

struct value {
    double v;
    int exponent; /* of the encoding; of denormals the smallest */
};

/* special: 0 the largest exponent is infinity and NaN, 1 all ones are NaN, 2 all are finite */
static struct value read_float(uint32_t bits, int exponent_bits, int fraction_bits, int special)
{
    int top = (1 << exponent_bits) - 1, bias = top >> 1, exponent = (int)(bits >> fraction_bits) & top;
    int fraction = (int)(bits & ((1u << fraction_bits) - 1));
    double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
    if (special == 1 && exponent == top && fraction == (1 << fraction_bits) - 1)
        return (struct value){NAN, 0};
    if (special == 0 && exponent == top)
        return (struct value){fraction ? (double)NAN : sign * (double)INFINITY, 0};
    int e = (exponent ? exponent : 1) - bias;
    return (struct value){sign * ldexp((exponent ? 1 : 0) + ldexp(fraction, -fraction_bits), e), e};
}

static struct value read_element(uint32_t bits, enum uoracle_type type)
{
    switch (type) {
    case UTYPE_F16: return read_float(bits, 5, 10, 0);
    case UTYPE_BF16: return read_float(bits, 8, 7, 0);
    case UTYPE_TF32: return read_float(bits & 0xffffe000, 8, 23, 0);
    case UTYPE_E4M3: return read_float(bits, 4, 3, 1);
    case UTYPE_E5M2: return read_float(bits, 5, 2, 0);
    case UTYPE_E2M3: return read_float(bits, 2, 3, 2);
    case UTYPE_E3M2: return read_float(bits, 3, 2, 2);
    case UTYPE_U8: return (struct value){bits & 0xff, 0};
    case UTYPE_S8: return (struct value){(int8_t)bits, 0};
    default: return read_float(bits, 2, 1, 2);
    }
}

static struct value read_scale(const struct uoracle *p, uint8_t bits)
{
    if (!p->powers)
        return read_float(bits & 0x7f, 4, 3, 1);
    return bits == 0xff ? (struct value){NAN, 0} : (struct value){ldexp(1, bits - 127), bits - 127};
}

static uint32_t bits_of_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Toward zero. */
static uint32_t to_float(double d)
{
    if (d == 0)
        return 0;
    int e;
    frexp(d, &e);
    e = e - 1 < -126 ? -126 : e - 1;
    double cut = ldexp(trunc(ldexp(fabs(d), 23 - e)), e - 23);
    return bits_of_float((float)copysign(cut >= 0x1p128 ? (double)INFINITY : cut, d));
}

static uint32_t to_half(double d)
{
    if (d == 0)
        return 0;
    int e;
    frexp(d, &e);
    e = e - 1 < -14 ? -14 : e - 1;
    double units = nearbyint(ldexp(fabs(d), 10 - e));
    uint32_t sign = d < 0 ? 0x8000 : 0;
    if (ldexp(units, e - 10) > 65504)
        return sign | 0x7c00;
    return sign | ((uint32_t)(e + 14) * 1024 + (uint32_t)units);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

struct sum {
    struct value term[UORACLE_K + 1];
    unsigned count;
    double wild; /* of infinities and NaNs only */
};

static void add(struct sum *s, double v, int exponent)
{
    s->term[s->count++] = (struct value){v, exponent};
    s->wild += isfinite(v) ? 0 : v;
}

static uint32_t finish(const struct sum *s, int fraction, int least, bool f16)
{
    if (isnan(s->wild))
        return f16 ? 0x7fff : 0x7fffffff;
    if (isinf(s->wild))
        return (f16 ? 0x7c00u : 0x7f800000u) | (s->wild < 0 ? f16 ? 0x8000u : 0x80000000u : 0);
    int largest = least;
    for (unsigned i = 0; i < s->count; i++)
        if (s->term[i].v != 0 && s->term[i].exponent > largest)
            largest = s->term[i].exponent;
    double sum = 0; /* of integers below 2^53 */
    for (unsigned i = 0; i < s->count; i++)
        sum += s->term[i].v != 0 ? trunc(ldexp(s->term[i].v, fraction - largest)) : 0;
    double d = sum != 0 ? ldexp(sum, largest - fraction) : 0;
    return f16 ? to_half(d) : to_float(d);
}

static unsigned place(const struct uoracle *p, unsigned row, unsigned i) { return p->sparse ? p->where[row][i] : i; }

static void add_c(const struct uoracle *p, struct sum *s, unsigned row, unsigned column)
{
    bool f16 = p->result == URESULT_F16;
    struct value c = {0, 0};
    if (p->add)
        c = f16 ? read_float(p->c[row][column], 5, 10, 0) : read_float(p->c[row][column], 8, 23, 0);
    add(s, ldexp(c.v, -(int)p->scale_d), c.exponent - (int)p->scale_d);
}

static struct value product(const struct uoracle *p, unsigned row, unsigned column, unsigned i)
{
    struct value a = read_element(p->a[row][i], p->type_a);
    struct value b = read_element(p->b[column][place(p, row, i)], p->type_b);
    return (struct value){p->negative ? -(a.v * b.v) : a.v * b.v, a.exponent + b.exponent};
}

static uint32_t float_sum(const struct uoracle *p, unsigned row, unsigned column)
{
    struct sum s = {.count = 0};
    struct value x = {1, 0}, y = {1, 0};
    if (p->blocks) {
        x = read_scale(p, p->scale_a[row][0]);
        y = read_scale(p, p->scale_b[column][0]);
    }
    for (unsigned i = 0; i < (p->sparse ? p->k / 2 : p->k); i++) {
        struct value v = product(p, row, column, i);
        add(&s, v.v * x.v * y.v, v.exponent + x.exponent + y.exponent);
    }
    add_c(p, &s, row, column);
    return finish(&s, 25, p->blocks ? -2000 : -133, p->result == URESULT_F16);
}

/* 16 stored elements make a group. */
static uint32_t group_sum(const struct uoracle *p, unsigned row, unsigned column)
{
    struct sum s = {.count = 0};
    unsigned stored = p->sparse ? p->k / 2 : p->k;
    for (unsigned first = 0; first < stored; first += 16) {
        unsigned block = first * p->blocks / stored;
        struct value x = read_scale(p, p->scale_a[row][block]), y = read_scale(p, p->scale_b[column][block]);
        double group = 0;
        for (unsigned i = first; i < first + 16; i++)
            group += product(p, row, column, i).v;
        add(&s, group * x.v * y.v, x.exponent + y.exponent);
    }
    add_c(p, &s, row, column);
    return finish(&s, 35, -2000, false);
}

static uint32_t integer_sum(const struct uoracle *p, unsigned row, unsigned column)
{
    int64_t sum = p->add ? (int32_t)p->c[row][column] : 0;
    for (unsigned i = 0; i < (p->sparse ? p->k / 2 : p->k); i++)
        sum += (int64_t)product(p, row, column, i).v;
    if (p->saturate)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

void uoracle_multiply(struct uoracle *p)
{
    for (unsigned row = 0; row < p->m; row++)
        for (unsigned n = 0; n < p->n; n++)
            p->d[row][n] = p->kind == UORACLE_I8    ? integer_sum(p, row, n)
                           : p->kind == UORACLE_FP4 ? group_sum(p, row, n)
                                                    : float_sum(p, row, n);
}
