#include "mem/dram_map.h"

#include "base/hash.h"

void dram_map_init(struct dram_map *map, uint32_t pseudo, uint32_t groups, uint32_t group_banks, uint32_t columns)
{
    *map = (struct dram_map){.pseudo = divider_of(pseudo),
                             .groups = divider_of(groups),
                             .columns = divider_of(columns),
                             .group_banks = divider_of(group_banks)};
}

/* Number above, and the place among `d.by` that is left. */
static inline uint64_t split(struct divider d, uint64_t number, uint32_t *place)
{
    uint64_t above = d.by == 1 ? number : (uint64_t)(((unsigned __int128)number * d.inverse) >> 64);
    *place = (uint32_t)(number - above * d.by);
    return above;
}

static inline uint32_t turn(struct divider d, uint32_t place, uint64_t by)
{
    uint32_t turned = place + (uint32_t)(((hash_mix(by) >> 32) * d.by) >> 32);
    return turned >= d.by ? turned - d.by : turned;
}

struct dram_place dram_map_place(const struct dram_map *map, uint64_t line)
{
    struct dram_place place;
    uint32_t group, column, bank;
    uint64_t rest = split(map->pseudo, line, &place.pseudo);
    place.pseudo = turn(map->pseudo, place.pseudo, rest);
    rest = split(map->groups, rest, &group);
    group = turn(map->groups, group, rest);
    rest = split(map->columns, rest, &column);
    place.row = split(map->group_banks, rest, &bank);
    place.bank = turn(map->group_banks, bank, place.row) * map->groups.by + group;
    return place;
}
