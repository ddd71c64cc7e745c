/* Lanes of one instruction that meet at one address.
 *
 * CUDA says that one of their stores is performed, and not which. On Volta and later GPUs the lowest lane's value has
 * been seen to stay (docs/memory.md, "Lanes that store to one address"): stores go from the highest lane to the lowest,
 * and the last one stays. Atomics and arrivals at barrier objects go from the lowest lane to the highest. Hardware's
 * order is not known. */
#ifndef SUBCORE_EXEC_LANE_ORDER_H
#define SUBCORE_EXEC_LANE_ORDER_H

#include "base/bits.h"
#include "exec/sizes.h"

/* Returns the lane that stores as number `n` of all 32. */
static inline unsigned lane_order_store(unsigned n) { return EXEC_LANES - 1 - n; }

/* Takes the lane that stores next out of the set, which is not empty. */
static inline unsigned lane_order_next_store(uint32_t *left)
{
    unsigned lane = highest_bit32(*left);
    *left ^= UINT32_C(1) << lane;
    return lane;
}

/* Takes the lane whose atomic operation comes next out of the set, which is not empty. */
static inline unsigned lane_order_next_atomic(uint32_t *left)
{
    unsigned lane = lowest_bit32(*left);
    *left &= *left - 1;
    return lane;
}

#endif
