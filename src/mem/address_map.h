/* Where a line lives: its slice, its group, its set in the slice, its row and bank in the DRAM channel.
 *
 *   line number = block * slices + place      slice = (place + hash(block)) mod slices,  local line = block
 *   local line  = block * sets + place        set   = (place + hash(block)) mod sets
 *   row number  = block * banks + place       bank  = (place + hash(block)) mod banks,   row = block
 *
 * One rule three times: numbers are cut into blocks, and each block is laid over the resources in rotated order. It
 * works for any number of slices, sets and banks, is a bijection (no two lines share a place), spreads consecutive
 * lines perfectly and strides like random numbers. Vendors do not publish their hashes; that traffic spreads uniformly
 * over the slices is measured ("Uncovering Real GPU NoC Characteristics", MICRO 2024). Real parts interleave DRAM
 * channels in chunks of some hundred bytes to some kilobytes; here the grain is a line. */
#ifndef SUBCORE_MEM_ADDRESS_MAP_H
#define SUBCORE_MEM_ADDRESS_MAP_H

#include <stdint.h>

/* Division by an invariant: exact while number * divisor < 2^64. */
struct divider {
    uint64_t inverse;
    uint32_t by;
};

struct divider divider_of(uint32_t by);

struct address_map {
    struct divider slices, sets;
    uint32_t groups;
};

struct address_place {
    uint32_t slice;
    uint64_t local; /* the line's number within the slice */
};

struct address_row {
    uint32_t bank;
    uint64_t row;
};

/* Channels beyond the number of slices cannot be told apart from the slices' side, so there are min(channels, slices)
 * groups. */
void address_map_init(struct address_map *map, uint32_t slices, uint32_t sets, uint32_t channels);

/* `line` is a device address; its low bits do not count. */
struct address_place address_map_place(const struct address_map *map, uint64_t line);
uint32_t address_map_set(const struct address_map *map, uint64_t local);

/* Groups take runs of slices whose lengths differ by one at most. */
uint32_t address_map_group(const struct address_map *map, uint32_t slice);
uint32_t address_map_first_slice(const struct address_map *map, uint32_t group);

/* Row of a line that is the channel's `number`th. */
struct address_row address_row_of(struct divider row_lines, struct divider banks, uint64_t number);

#endif
