/* FP32 and FP64 arithmetic in the directed rounding modes, on rows of 32 lanes. The processor's mode is changed for the
 * duration of a call and restored. */
#ifndef SUBCORE_EXEC_ROUNDING_H
#define SUBCORE_EXEC_ROUNDING_H

#include <stdint.h>

#include "isa/isa.h"

enum rounding {
    ROUND_NEAREST = ISA_ROUND_RN,
    ROUND_DOWN = ISA_ROUND_RM,
    ROUND_UP = ISA_ROUND_RP,
    ROUND_ZERO = ISA_ROUND_RZ
};

void rounding_add(uint32_t *r, const uint32_t *a, const uint32_t *b, enum rounding mode);
void rounding_multiply(uint32_t *r, const uint32_t *a, const uint32_t *b, double scale, enum rounding mode);
void rounding_fma(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *c, enum rounding mode);

void rounding_add_double(uint64_t *r, const uint64_t *a, const uint64_t *b, enum rounding mode);
void rounding_multiply_double(uint64_t *r, const uint64_t *a, const uint64_t *b, enum rounding mode);
void rounding_fma_double(uint64_t *r, const uint64_t *a, const uint64_t *b, const uint64_t *c, enum rounding mode);
/* c + a[0] * b[0] + a[1] * b[1] ..., a fused step each, in double, with the NaN of each step (float64.h). */
double rounding_dot_double(double c, const double *a, const double *b, unsigned count, enum rounding mode);

#endif
