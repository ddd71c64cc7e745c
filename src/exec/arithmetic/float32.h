/* FP32 values as bits, and the steps of instructions before and after the operation. */
#ifndef SUBCORE_EXEC_FLOAT32_H
#define SUBCORE_EXEC_FLOAT32_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FLOAT_NAN UINT32_C(0x7fffffff) /* the NaN that every operation returns */
#define FLOAT_INFINITY UINT32_C(0x7f800000)
#define FLOAT_LEAST UINT32_C(0x00800000) /* the least normal number */
#define FLOAT_ONE UINT32_C(0x3f800000)
#define FLOAT_SIGN UINT32_C(0x80000000)

static inline float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static inline uint64_t double_bits(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static inline bool float_is_nan(uint32_t bits) { return (int32_t)(bits & 0x7fffffff) > (int32_t)FLOAT_INFINITY; }

/* A denormal becomes a zero of its sign. */
static inline uint32_t float_flush(uint32_t bits) { return bits & FLOAT_INFINITY ? bits : bits & FLOAT_SIGN; }

static inline uint32_t float_canonical(uint32_t bits) { return float_is_nan(bits) ? FLOAT_NAN : bits; }

/* PTX ISA, .sat: clamped to [0, 1], NaN becomes +0. So does -0. */
static inline uint32_t float_saturate(uint32_t bits)
{
    int32_t v = (int32_t)bits;
    v = v > (int32_t)FLOAT_INFINITY ? 0 : v;
    v = v > (int32_t)FLOAT_ONE ? (int32_t)FLOAT_ONE : v;
    return (uint32_t)(v < 0 ? 0 : v);
}

/* Maps the bits of numbers to integers in the same order, with -0 below +0. */
static inline int32_t float_order(uint32_t bits)
{
    return (int32_t)bits < 0 ? (int32_t)(bits ^ 0x7fffffff) : (int32_t)bits;
}

#endif
