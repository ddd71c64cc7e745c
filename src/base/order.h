/* The first and last of two times, and the least and most of two counts. Times are cycles or ticks of one clock;
 * UINT64_MAX is "never". */
#ifndef SUBCORE_BASE_ORDER_H
#define SUBCORE_BASE_ORDER_H

#include <stdint.h>

static inline uint64_t earliest(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t latest(uint64_t a, uint64_t b) { return a > b ? a : b; }

static inline uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

#endif
