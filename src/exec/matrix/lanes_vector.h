/* Host vectors for sums of products (fused_sum.h): included by files that are compiled once for each instruction
 * set, which define EXEC_V3 and EXEC_V4. Integers only, and floats that are exact: all give the same bits. */
#ifndef SUBCORE_EXEC_LANES_VECTOR_H
#define SUBCORE_EXEC_LANES_VECTOR_H

#include <stdint.h>

#include "exec/matrix/fused_sum.h"

#ifdef EXEC_V3
#include <immintrin.h>
#endif

#ifdef EXEC_V4
enum { WIDTH = 16 };
#else
enum { WIDTH = 8 };
#endif

enum { EXPONENT_OF_ZERO = FUSED_ZERO };

typedef int32_t ints __attribute__((vector_size(4 * WIDTH)));
typedef int64_t longs __attribute__((vector_size(8 * WIDTH)));
typedef float floats __attribute__((vector_size(4 * WIDTH)));
typedef double doubles __attribute__((vector_size(8 * WIDTH)));

#define INLINE static inline __attribute__((always_inline))

INLINE ints spread(int32_t x) { return (ints){0} + x; }
INLINE ints choose(ints mask, ints x, ints y) { return (mask & x) | (~mask & y); }

/* Minimum, maximum, and shifts of magnitudes, of which nothing is left from 31 on: one instruction each where the host
 * has it, which the compiler does not find. */
#ifdef EXEC_V4
INLINE ints least(ints x, ints y) { return (ints)_mm512_min_epi32((__m512i)x, (__m512i)y); }
INLINE ints most(ints x, ints y) { return (ints)_mm512_max_epi32((__m512i)x, (__m512i)y); }
INLINE ints right(ints x, ints by) { return (ints)_mm512_srav_epi32((__m512i)x, (__m512i)by); }
#elif defined EXEC_V3
INLINE ints least(ints x, ints y) { return (ints)_mm256_min_epi32((__m256i)x, (__m256i)y); }
INLINE ints most(ints x, ints y) { return (ints)_mm256_max_epi32((__m256i)x, (__m256i)y); }
INLINE ints right(ints x, ints by) { return (ints)_mm256_srav_epi32((__m256i)x, (__m256i)by); }
#else
INLINE ints least(ints x, ints y) { return choose(x < y, x, y); }
INLINE ints most(ints x, ints y) { return choose(x > y, x, y); }
INLINE ints right(ints x, ints by) { return x >> least(by, spread(31)); }
#endif

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* An element of C: exponent and magnitude with F fraction bits, where `shift` of these are beyond its own. */
struct addend {
    ints exponent, magnitude, sign;
};

INLINE struct addend addend_of(ints bits, int exponent_bits, int fraction_bits)
{
    ints exponent = bits >> fraction_bits & spread((1 << exponent_bits) - 1), normal = -(exponent != 0);
    ints significand = (bits & spread((1 << fraction_bits) - 1)) | normal << fraction_bits;
    ints value = exponent + 1 - normal - spread((1 << (exponent_bits - 1)) - 1);
    return (struct addend){choose(significand != 0, value, spread(EXPONENT_OF_ZERO)), significand,
                           -(bits >> (exponent_bits + fraction_bits) & 1)};
}

/* To FP32, cut toward zero: bits that FP32 does not hold are taken off first, and a denormal that the conversion has
 * rounded up goes back. */
INLINE ints cut_to_float(doubles value)
{
    const longs sign = (longs){0} + INT64_MIN;
    doubles cut = (doubles)((longs)value & ~(longs){0} << 29);
    floats f = __builtin_convertvector(cut, floats);
    longs magnitude = (longs)value & ~sign, rounded = (longs) __builtin_convertvector(f, doubles) & ~sign;
    longs up = (rounded > magnitude) & (magnitude < ((longs){0} + ((INT64_C(1023) - 126) << 52)));
    return (ints)f + __builtin_convertvector(up, ints);
}

/* To FP32 rounded to odd, for a rounding to FP16. */
INLINE ints odd_float(doubles value)
{
    longs bits = (longs)value, lost = bits & ((INT64_C(1) << 29) - 1);
    longs odd = (bits & ~(longs){0} << 29) | (-(lost != 0) << 29);
    return (ints) __builtin_convertvector((doubles)odd, floats);
}

/* C + sum, which wraps or is clamped once. */
INLINE ints add_to(ints c, ints sum, bool saturate)
{
    typedef uint32_t words __attribute__((vector_size(4 * WIDTH)));
    ints total = (ints)((words)c + (words)sum);
    ints over = ((c ^ total) & (sum ^ total)) >> 31;
    return saturate ? choose(over, INT32_MAX ^ c >> 31, total) : total;
}

#endif
