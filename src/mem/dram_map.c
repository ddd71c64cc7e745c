#include "mem/dram_map.h"

#include "mem/address_hash.h"

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

struct dram_place dram_map_place(const struct dram_map *map, uint64_t line)
{
    struct dram_place place;
    uint32_t group, column, bank;
    uint64_t rest = split(map->pseudo, line, &place.pseudo);
    place.pseudo = address_turn(rest, place.pseudo, map->pseudo.by);
    rest = split(map->groups, rest, &group);
    group = address_turn(rest, group, map->groups.by);
    rest = split(map->columns, rest, &column);
    place.row = split(map->group_banks, rest, &bank);
    place.bank = address_turn(place.row, bank, map->group_banks.by) * map->groups.by + group;
    return place;
}
