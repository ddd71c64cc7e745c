/* Sums of products as tensor cores form them, one element at a time: the rule that every executor of a floating-point
 * matrix product keeps to, and the way that is taken for infinities and NaNs.
 *
 * Measurements of the hardware show it (MMA-Sim, "Bit-accurate reference model of tensor cores and matrix cores"). A
 * product is exact and is not normalised: its exponent is the sum of its factors' exponents. Every term is shifted to
 * the largest exponent, cut toward zero after so many bits of fraction, and added exactly. An FP32 result is cut toward
 * zero, an FP16 result is rounded to nearest. */
#ifndef SUBCORE_EXEC_FUSED_SUM_H
#define SUBCORE_EXEC_FUSED_SUM_H

#include <stdbool.h>
#include <stdint.h>

enum fused_kind { FUSED_FINITE, FUSED_INFINITE, FUSED_NAN };

/* value = significand * 2^(exponent - fraction); `exponent` is that of the encoding, also for denormals. */
struct fused_number {
    enum fused_kind kind;
    int64_t significand; /* with the sign */
    int exponent, fraction;
};

enum fused_special {
    FUSED_IEEE,      /* the largest exponent is that of infinities and NaNs */
    FUSED_ONE_NAN,   /* only its largest fraction is, a NaN */
    FUSED_ALL_FINITE /* nothing is */
};

struct fused_format {
    uint8_t exponent_bits, fraction_bits;
    uint8_t drop; /* lowest bits that are ignored */
    enum fused_special special;
};

enum {
    FUSED_ZERO = -133,     /* the exponent of a zero, where zeros count */
    FUSED_NONE = INT32_MIN /* zeros do not count */
};

/* Returns the value of a format's bits. */
struct fused_number fused_decode(uint32_t bits, struct fused_format format);
/* Returns x * y; x * 2^n with the sign changed or not. */
struct fused_number fused_product(struct fused_number x, struct fused_number y);
struct fused_number fused_signed(struct fused_number x, bool negative);

/* Returns the value of the cut sum. If it has more than 53 bits, the upper ones count. NaN and infinities come out as
 * such. No exponent below `least` is the largest one: FUSED_ZERO or FUSED_NONE. */
double fused_sum(const struct fused_number *term, unsigned count, int fraction_bits, int least);
/* Returns a double cut toward zero to FP32, as bits. */
uint32_t fused_to_float(double d);

#endif
