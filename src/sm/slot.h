/* Sizes of an SM, and the two numbers of a warp: `slot` is its place in the SM, 0 .. SM_WARPS - 1; `warp` is its index
 * in its sub-core, 0 .. SUBCORE_WARPS - 1. Neighbouring slots are on different sub-cores. */
#ifndef SUBCORE_SM_SLOT_H
#define SUBCORE_SM_SLOT_H

#include <stdint.h>

#include "isa/contract.h"
enum { SM_SUBCORES = ISA_SUBCORES, SUBCORE_WARPS = 16, SM_WARPS = SM_SUBCORES * SUBCORE_WARPS, SM_CTAS = 32 };

static inline uint32_t slot_of(unsigned subcore, unsigned warp) { return warp * SM_SUBCORES + subcore; }
static inline unsigned slot_subcore(uint32_t slot) { return slot % SM_SUBCORES; }
static inline unsigned slot_warp(uint32_t slot) { return slot / SM_SUBCORES; }

#endif
