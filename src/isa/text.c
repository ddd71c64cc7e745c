#include "isa/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->out + t->length, ISA_TEXT - t->length, format, args);
    va_end(args);
    t->length += n < 0 ? 0 : (size_t)n;
    if (t->length >= ISA_TEXT)
        t->length = ISA_TEXT - 1;
}

void text_signed(struct text *t, int64_t v)
{
    text_put(t, "%s0x%llx", v < 0 ? "-" : "", (unsigned long long)(v < 0 ? -(uint64_t)v : (uint64_t)v));
}

static double half_value(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31), mantissa = (int)(bits & 0x3ff);
    double v = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return bits & 0x8000 ? -v : v;
}

static double float_value(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return (double)v;
}

static void put_float(struct text *t, double v)
{
    if (v == 0 && signbit(v))
        text_put(t, "-0.0 ");
    else if (fabs(v) >= 1e9)
        text_put(t, "%.20e", v);
    else
        text_put(t, "%.20g", v);
}

/* A float of `mantissa` fraction bits whose exponent is all ones. */
static void put_special(struct text *t, uint32_t bits, unsigned mantissa, unsigned width)
{
    char sign = bits >> (width - 1) & 1 ? '-' : '+';
    if ((bits & ((UINT32_C(1) << mantissa) - 1)) == 0)
        text_put(t, "%cINF ", sign);
    else
        text_put(t, "%c%sNAN ", sign, bits >> (mantissa - 1) & 1 ? "Q" : "S");
}

void text_float(struct text *t, uint32_t bits)
{
    if ((bits & 0x7f800000) == 0x7f800000)
        put_special(t, bits, 23, 32);
    else
        put_float(t, float_value(bits));
}

void text_half(struct text *t, uint32_t bits, bool bfloat)
{
    if (bfloat ? (bits & 0x7f80) == 0x7f80 : (bits & 0x7c00) == 0x7c00)
        put_special(t, bits, bfloat ? 7 : 10, 16);
    else
        put_float(t, bfloat ? float_value(bits << 16) : half_value(bits));
}

/* The upper word of a double. The lower one is 0. */
void text_double(struct text *t, uint32_t upper)
{
    uint64_t bits = (uint64_t)upper << 32;
    double v;
    memcpy(&v, &bits, sizeof v);
    if ((upper & 0x7ff00000) == 0x7ff00000)
        put_special(t, upper, 20, 32);
    else
        put_float(t, v);
}
