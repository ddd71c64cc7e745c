/* Where a line lives: its slice, its group, its set in the slice, its channel.
 *
 *   line number = block * slices + place      slice = (place + hash(block)) mod slices,  local line = block
 *   local line  = block * sets + place        set   = (place + hash(block)) mod sets
 *   number      = block * channels + place    channel likewise,  line of the channel = block
 *
 * where number counts the lines of a group's slices that share channels. One rule three times: numbers are cut into
 * blocks, and each block is laid over the resources in rotated order. Lines can go to the slices in pairs. It works for
 * any number of slices, sets and channels, is a bijection (no two lines share a place), spreads consecutive lines
 * perfectly and strides like random numbers. Vendors do not publish their hashes. That traffic spreads uniformly over
 * the slices is measured ("Uncovering Real GPU NoC Characteristics", MICRO 2024). Real parts interleave DRAM channels
 * in chunks of some hundred bytes to some kilobytes. Here the grain is a line. */
#ifndef SUBCORE_MEM_ADDRESS_MAP_H
#define SUBCORE_MEM_ADDRESS_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* Division by an invariant: exact while number * divisor < 2^64. */
struct divider {
    uint64_t inverse;
    uint32_t by;
};

struct divider divider_of(uint32_t by);

struct address_home {
    uint16_t group, index; /* index: of the slice within the group; slices of the second partition follow the first's */
};

enum { ADDRESS_SLICES = 512 };

/* Slices and channels form groups that share nothing with others: as many as both divide into, in each partition. A
 * group has a run of slices in each partition, the mirrors of one another, and channels for each partition's. */
struct address_map {
    struct divider slices, sets;
    struct divider channels; /* of a group, for one partition */
    uint32_t partitions, groups;
    bool linear;           /* blocks of lines are laid over the slices without rotation (l2.linear) */
    bool pairs;            /* lines 0 and 3, and 1 and 2, of each aligned four share a slice (l2.pairs) */
    uint32_t group_slices; /* of a group in one partition */
    struct address_home home[ADDRESS_SLICES];
};

struct address_place {
    uint32_t slice;
    uint64_t local; /* the line's number within the slice */
};

struct address_channel {
    uint32_t channel; /* within the group */
    uint64_t line;    /* within the channel */
};

/* `partitions` divides slices, at most ADDRESS_SLICES, and channels. Without pairs. */
void address_map_init(struct address_map *map, uint32_t slices, uint32_t sets, uint32_t channels, uint32_t partitions);

/* `line` is a device address. Its low bits do not count. */
struct address_place address_map_place(const struct address_map *map, uint64_t line);
uint32_t address_map_set(const struct address_map *map, uint64_t local);

/* Where a slice is, and the slice that is there. */
static inline struct address_home address_map_home(const struct address_map *map, uint32_t slice)
{
    return map->home[slice];
}
uint32_t address_map_slice(const struct address_map *map, struct address_home home);

/* The slice at which requests from a partition enter: the home, or its mirror. */
static inline uint32_t address_map_entry(const struct address_map *map, uint32_t home, uint32_t partition)
{
    uint32_t half = map->group_slices * map->groups;
    return partition * half + (home < half ? home : home - half);
}

/* Where the slice `index` of a group has its line `local` in memory. */
struct address_channel address_map_channel(const struct address_map *map, uint32_t index, uint64_t local);

#endif
