/* FP64 values as bits, and the NaN of an operation.
 *
 * Measured on an H200 (2026-11-27; the recording is not kept in the repository): an operation with a NaN gives this
 * NaN, made quiet, with its sign and payload; conversions between FP32 and FP64 move the payload. An operation that
 * has no result, such as 0 * infinity, gives 0xfff8000000000000. ASSUMED: the first NaN among A, B and C is
 * the result, a sign change of an operand applies to a NaN as well, and other architectures do the same. */
#ifndef SUBCORE_EXEC_FLOAT64_H
#define SUBCORE_EXEC_FLOAT64_H

#include "exec/arithmetic/float32.h"

#define DOUBLE_NAN UINT64_C(0xfff8000000000000) /* the NaN of an operation that has no result */
#define DOUBLE_QUIET UINT64_C(0x0008000000000000)
#define DOUBLE_SIGN UINT64_C(0x8000000000000000)
#define DOUBLE_INFINITY UINT64_C(0x7ff0000000000000)

static inline bool double_is_nan(uint64_t bits) { return bits << 1 > DOUBLE_INFINITY << 1; }

/* Returns the number as it is, or the NaN made quiet. */
static inline uint64_t double_quiet(uint64_t bits) { return double_is_nan(bits) ? bits | DOUBLE_QUIET : bits; }

/* Returns the NaN of an operation with these operands. An operation of fewer repeats one. */
static inline uint64_t double_nan_of(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t chosen = double_is_nan(a) ? a : double_is_nan(b) ? b : c;
    return double_is_nan(chosen) ? chosen | DOUBLE_QUIET : DOUBLE_NAN;
}

enum { DOUBLE_MORE = 52 - 23 }; /* bits of fraction that a double has more than a float */

/* Returns the NaN of the other format with the sign and the upper part of the payload, made quiet. */
static inline uint64_t double_nan_of_float(uint32_t bits)
{
    uint64_t payload = (uint64_t)(bits & 0x7fffff) << DOUBLE_MORE;
    return (uint64_t)(bits >> 31) << 63 | DOUBLE_INFINITY | DOUBLE_QUIET | payload;
}

static inline uint32_t float_nan_of_double(uint64_t bits)
{
    uint32_t payload = (uint32_t)((bits | DOUBLE_QUIET) >> DOUBLE_MORE) & 0x7fffff;
    return (uint32_t)(bits >> 63) << 31 | FLOAT_INFINITY | payload;
}

#endif
