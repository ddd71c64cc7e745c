#include "mem/address_map.h"

#include <assert.h>

#include "base/hash.h"
#include "port/message.h"

struct divider divider_of(uint32_t by)
{
    assert(by > 0);
    return (struct divider){.inverse = by == 1 ? 0 : UINT64_MAX / by + 1, .by = by};
}

/* Multiplies by the reciprocal, rounded up: its error stays below one part in number * by. */
static inline uint64_t quotient(struct divider d, uint64_t number)
{
    if (d.by == 1)
        return number;
    return (uint64_t)(((unsigned __int128)number * d.inverse) >> 64);
}

/* Block of a number, and the number's place in it after the rotation. */
static inline uint64_t rotate(struct divider d, uint64_t number, uint32_t *place)
{
    uint64_t block = quotient(d, number);
    uint32_t turn = (uint32_t)(((hash_mix(block) >> 32) * d.by) >> 32);
    uint32_t p = (uint32_t)(number - block * d.by) + turn;
    *place = p >= d.by ? p - d.by : p;
    return block;
}

void address_map_init(struct address_map *map, uint32_t slices, uint32_t sets, uint32_t channels)
{
    *map = (struct address_map){
        .slices = divider_of(slices), .sets = divider_of(sets), .groups = channels < slices ? channels : slices};
}

struct address_place address_map_place(const struct address_map *map, uint64_t line)
{
    struct address_place place;
    place.local = rotate(map->slices, line / PORT_LINE, &place.slice);
    return place;
}

uint32_t address_map_set(const struct address_map *map, uint64_t local)
{
    uint32_t set;
    rotate(map->sets, local, &set);
    return set;
}

uint32_t address_map_group(const struct address_map *map, uint32_t slice)
{
    return slice * map->groups / map->slices.by;
}

uint32_t address_map_first_slice(const struct address_map *map, uint32_t group)
{
    return (group * map->slices.by + map->groups - 1) / map->groups;
}

struct address_row address_row_of(struct divider row_lines, struct divider banks, uint64_t number)
{
    struct address_row row;
    row.row = rotate(banks, quotient(row_lines, number), &row.bank);
    return row;
}
