/* Binary floating point by exact fixed-point sums: slow, and simple enough to be believed. */
#ifndef SUBCORE_TESTS_EXEC_EXACT_H
#define SUBCORE_TESTS_EXEC_EXACT_H

#include <stdbool.h>
#include <stdint.h>

enum exact_mode { EXACT_NEAREST, EXACT_DOWN, EXACT_UP, EXACT_ZERO };

struct exact_format {
    unsigned precision; /* significant bits of normal numbers */
    unsigned exponent_bits;
    uint32_t nan; /* the NaN that operations return */
};

extern const struct exact_format exact_f32, exact_f16, exact_bf16;

/* A number (kind FINITE: +-mantissa * 2^exponent, zero included), infinity or NaN. */
struct exact_value {
    enum { EXACT_FINITE, EXACT_INFINITE, EXACT_NAN } kind;
    bool negative;
    uint64_t mantissa;
    int exponent;
};

struct exact_value exact_read(uint32_t bits, const struct exact_format *format);
struct exact_value exact_integer(uint64_t magnitude, bool negative);

/* Sum with room for any sum of floating-point products: two's complement, lowest bit worth 2^-EXACT_SCALE. */
enum { EXACT_LIMBS = 22, EXACT_SCALE = 340 };
struct exact {
    uint32_t limb[EXACT_LIMBS];
};

void exact_add(struct exact *x, bool negative, uint64_t mantissa, int exponent);
bool exact_is_zero(const struct exact *x);
/* Nonzero values only. */
uint32_t exact_round(const struct exact *x, const struct exact_format *format, enum exact_mode mode);
double exact_double(const struct exact *x);

/* a * b + c, and a * b, rounded once. The canonical NaN of the format where that is the result. */
uint32_t exact_fma(struct exact_value a, struct exact_value b, struct exact_value c, const struct exact_format *format,
                   enum exact_mode mode);
uint32_t exact_multiply(struct exact_value a, struct exact_value b, const struct exact_format *format,
                        enum exact_mode mode);

/* The result of a flushing operation: `bits`, or a zero of their sign if the exact value is denormal, which the same
 * operation `cut` toward zero tells. */
uint32_t exact_flush_tiny(uint32_t bits, uint32_t cut, const struct exact_format *format);

/* A denormal becomes a zero of its sign. */
uint32_t exact_flush(uint32_t bits, const struct exact_format *format);

#endif
