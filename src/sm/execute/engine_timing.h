/* Times of tensor engine operations (tcgen05), from the opcode and from the instruction descriptor.
 *
 * A product with 128 rows of a CTA and 32 bytes of each A row takes N / 2 cycles of the tensor cores, whatever the
 * type. So does one of 64 rows, whose columns stand in one piece. Where they stand in two or four (a pair with 128
 * rows, stationary products of 64 and 32 rows) it takes as many times less (micro-benchmarks of a B200 by SemiAnalysis;
 * of stationary ones assumed). A sparse product is as fast as a dense one of half its depth (assumed). A is read from
 * shared memory before the product begins, B while it continues: 32 bytes of each row, in a sparse product 64 for B.
 * Each CTA of a pair reads half B. */
#ifndef SUBCORE_SM_ENGINE_TIMING_H
#define SUBCORE_SM_ENGINE_TIMING_H

#include <stdint.h>

#include "config/config.h"
#include "sm/code.h"

struct engine_timing {
    uint16_t interval; /* cycles for which it holds the tensor cores, or a copy the engine */
    uint16_t before;   /* cycles of the shared memory port for A, before it begins */
    uint16_t during;   /* the same for B, or for a copy, meanwhile */
    uint16_t latency;  /* from its end until a commit behind it arrives */
    bool product;      /* follows others without a gap */
};

/* UTC*MMA with this instruction descriptor; UTCCP and UTCSHIFT, whose `interval` is in the code. */
struct engine_timing engine_timing(const struct code *code, uint32_t descriptor, const struct config *config);

#endif
