/* Compiled with -frounding-math. The loops are functions of their own that take pointers, so that no operation can move
 * across the change of mode. */
#include "exec/arithmetic/rounding.h"

#include <fenv.h>
#include <math.h>

#include "exec/arithmetic/float64.h"
#include "isa/contract.h"

#define LOOP static __attribute__((noinline)) void

LOOP add(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    for (unsigned i = 0; i < ISA_LANES; ++i)
        r[i] = float_bits(float_of(a[i]) + float_of(b[i]));
}

/* The product of two floats and a small power of two is exact in double: only the conversion rounds. */
LOOP multiply(uint32_t *r, const uint32_t *a, const uint32_t *b, double scale)
{
    for (unsigned i = 0; i < ISA_LANES; ++i)
        r[i] = float_bits((float)((double)float_of(a[i]) * (double)float_of(b[i]) * scale));
}

LOOP fma_(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *c)
{
    for (unsigned i = 0; i < ISA_LANES; ++i)
        r[i] = float_bits(fmaf(float_of(a[i]), float_of(b[i]), float_of(c[i])));
}

LOOP add_double(uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    for (unsigned i = 0; i < ISA_LANES; ++i)
        r[i] = double_bits(double_of(a[i]) + double_of(b[i]));
}

LOOP multiply_double(uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    for (unsigned i = 0; i < ISA_LANES; ++i)
        r[i] = double_bits(double_of(a[i]) * double_of(b[i]));
}

LOOP fma_double(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *c)
{
    for (unsigned i = 0; i < ISA_LANES; ++i)
        r[i] = double_bits(fma(double_of(a[i]), double_of(b[i]), double_of(c[i])));
}

static __attribute__((noinline)) double dot_double(double c, const double *a, const double *b, unsigned count)
{
    for (unsigned i = 0; i < count; ++i) {
        double sum = fma(a[i], b[i], c);
        c = sum == sum ? sum : double_of(double_nan_of(double_bits(a[i]), double_bits(b[i]), double_bits(c)));
    }
    return c;
}

static int enter(enum rounding mode)
{
    static const int host[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    int before = fegetround();
    fesetround(host[mode]);
    return before;
}

void rounding_add(uint32_t *r, const uint32_t *a, const uint32_t *b, enum rounding mode)
{
    int before = enter(mode);
    add(r, a, b);
    fesetround(before);
}

void rounding_multiply(uint32_t *r, const uint32_t *a, const uint32_t *b, double scale, enum rounding mode)
{
    int before = enter(mode);
    multiply(r, a, b, scale);
    fesetround(before);
}

void rounding_fma(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *c, enum rounding mode)
{
    int before = enter(mode);
    fma_(r, a, b, c);
    fesetround(before);
}

void rounding_add_double(uint64_t *r, const uint64_t *a, const uint64_t *b, enum rounding mode)
{
    int before = enter(mode);
    add_double(r, a, b);
    fesetround(before);
}

void rounding_multiply_double(uint64_t *r, const uint64_t *a, const uint64_t *b, enum rounding mode)
{
    int before = enter(mode);
    multiply_double(r, a, b);
    fesetround(before);
}

void rounding_fma_double(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *c, enum rounding mode)
{
    int before = enter(mode);
    fma_double(r, a, b, c);
    fesetround(before);
}

double rounding_dot_double(double c, const double *a, const double *b, unsigned count, enum rounding mode)
{
    int before = enter(mode);
    double sum = dot_double(c, a, b, count);
    fesetround(before);
    return sum;
}
