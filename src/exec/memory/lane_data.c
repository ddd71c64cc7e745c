#include "exec/memory/lane_data.h"

#include "base/bits.h"
#include "exec/executors.h"

void lane_data_write(struct exec_warp *warp, unsigned destination, uint32_t lanes, unsigned bytes, bool sign,
                     uint64_t data[EXEC_LANES][EXEC_DATA])
{
    if (destination == ISA_RZ)
        return;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        warp->reg[destination][lane] = lane_data_extended(data[lane][0], bytes, sign);
        for (unsigned word = 1; word < bytes / 4; word++)
            warp->reg[destination + word][lane] = (uint32_t)(data[lane][word / 2] >> word % 2 * 32);
    }
}

void lane_data_gather(const struct exec_warp *warp, unsigned index, unsigned words, uint32_t lanes, unsigned to,
                      uint64_t data[EXEC_LANES][EXEC_DATA])
{
    for (unsigned w = 0; w < words; w++) {
        const uint32_t *row = exec_row_word(warp, index, w);
        for (uint32_t left = lanes; left; left &= left - 1) {
            unsigned lane = lowest_bit32(left);
            uint64_t *into = &data[lane][(to + w) / 2];
            *into = (to + w) % 2 ? (uint32_t)*into | (uint64_t)row[lane] << 32 : row[lane];
        }
    }
}
