/* Where a line of a channel lives: pseudo-channel, bank, row.
 *
 *   line = (((row * banks of a group + bank) * lines of a row + column) * groups + group) * pseudo-channels + p
 *
 * Consecutive lines go round the pseudo-channels, then round the bank groups, and fill a row in each of them, so that
 * a stream finds tCCD_S between bursts and opens a row for all its columns. The pseudo-channel, the group and the
 * bank are turned by hashes of the numbers above them, so that strides do not stay in one of them. A bijection for any
 * number of banks. Vendors do not publish their maps. GA102's rows are reported to enter it by exclusive-or. */
#ifndef SUBCORE_MEM_DRAM_MAP_H
#define SUBCORE_MEM_DRAM_MAP_H

#include <stdint.h>

#include "mem/address_map.h"

struct dram_map {
    struct divider pseudo, groups, columns, group_banks;
};

struct dram_place {
    uint64_t row;
    uint32_t pseudo, bank; /* bank: of the pseudo-channel; its group is bank mod groups */
};

/* `columns`: lines of a row; `groups` with `group_banks` banks in each of `pseudo` pseudo-channels. */
void dram_map_init(struct dram_map *map, uint32_t pseudo, uint32_t groups, uint32_t group_banks, uint32_t columns);
struct dram_place dram_map_place(const struct dram_map *map, uint64_t line);

#endif
