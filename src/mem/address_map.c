#include "mem/address_map.h"

#include <assert.h>

#include "mem/address_hash.h"
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
    *place = address_turn(block, (uint32_t)(number - block * d.by), d.by);
    return block;
}

static uint32_t greatest_common_divisor(uint32_t a, uint32_t b)
{
    return b == 0 ? a : greatest_common_divisor(b, a % b);
}

static struct address_home home_of(const struct address_map *map, uint32_t slice)
{
    uint32_t half = map->group_slices * map->groups, within = slice % half;
    uint32_t index = slice / half * map->group_slices + within % map->group_slices;
    return (struct address_home){(uint16_t)(within / map->group_slices), (uint16_t)index};
}

void address_map_init(struct address_map *map, uint32_t slices, uint32_t sets, uint32_t channels, uint32_t partitions)
{
    assert(slices <= ADDRESS_SLICES && slices % partitions == 0 && channels % partitions == 0);
    uint32_t groups = greatest_common_divisor(slices / partitions, channels / partitions);
    *map = (struct address_map){.slices = divider_of(slices),
                                .sets = divider_of(sets),
                                .channels = divider_of(channels / partitions / groups),
                                .partitions = partitions,
                                .groups = groups,
                                .group_slices = slices / partitions / groups};
    for (uint32_t slice = 0; slice < slices; slice++)
        map->home[slice] = home_of(map, slice);
}

/* The lines n and n ^ 3 become neighbours, an even number and the next one. */
static uint64_t neighbours(uint64_t number)
{
    return (number & ~UINT64_C(3)) | ((number ^ number >> 1) & 1) << 1 | (number >> 1 & 1);
}

static struct address_place place_of(const struct address_map *map, uint64_t number)
{
    struct address_place place;
    if (map->linear) {
        place.local = quotient(map->slices, number);
        place.slice = (uint32_t)(number - place.local * map->slices.by);
    } else {
        place.local = rotate(map->slices, number, &place.slice);
    }
    return place;
}

struct address_place address_map_place(const struct address_map *map, uint64_t line)
{
    uint64_t number = line / PORT_LINE;
    if (!map->pairs)
        return place_of(map, number);
    number = neighbours(number);
    struct address_place place = place_of(map, number / 2);
    place.local = place.local * 2 + number % 2;
    return place;
}

uint32_t address_map_set(const struct address_map *map, uint64_t local)
{
    uint32_t set;
    rotate(map->sets, local, &set);
    return set;
}

uint32_t address_map_slice(const struct address_map *map, struct address_home home)
{
    uint32_t half = map->group_slices * map->groups;
    return home.index / map->group_slices * half + home.group * map->group_slices + home.index % map->group_slices;
}

struct address_channel address_map_channel(const struct address_map *map, uint32_t index, uint64_t local)
{
    struct address_channel place;
    uint64_t number = local * map->group_slices + index % map->group_slices;
    place.line = rotate(map->channels, number, &place.channel);
    place.channel += index / map->group_slices * map->channels.by;
    return place;
}
