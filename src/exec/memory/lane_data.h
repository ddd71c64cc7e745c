/* Values that lanes load and store, up to 32 bytes each: between words of 64 bits, the lowest first, and rows of
 * registers. */
#ifndef SUBCORE_EXEC_LANE_DATA_H
#define SUBCORE_EXEC_LANE_DATA_H

#include "base/bits.h"
#include "exec/sizes.h"
#include "exec/warp_state.h"

/* A value as a 32-bit register holds it. */
static inline uint32_t lane_data_extended(uint64_t value, unsigned bytes, bool sign)
{
    if (bytes >= 4)
        return (uint32_t)value;
    return sign ? (uint32_t)sign_extend(value, bytes * 8) : (uint32_t)(value & ((1u << bytes * 8) - 1));
}

/* Writes values of `bytes` a lane to a range of registers; 1 and 2 bytes with `sign` are sign-extended. */
void lane_data_write(struct exec_warp *warp, unsigned destination, uint32_t lanes, unsigned bytes, bool sign,
                     uint64_t data[EXEC_LANES][EXEC_DATA]);

/* Copies `words` registers from `index` on into the lanes' data, from 32-bit word `to` on. */
void lane_data_gather(const struct exec_warp *warp, unsigned index, unsigned words, uint32_t lanes, unsigned to,
                      uint64_t data[EXEC_LANES][EXEC_DATA]);

#endif
