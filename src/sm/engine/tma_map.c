/* The engine's cache of tensor maps. */
#include "sm/engine/tma_parts.h"

/* Returns the entry of a map, else the one that makes room for it (TMA_MAPS: neither, as all are in flight). */
static unsigned find_map(const struct tma *t, uint64_t address)
{
    unsigned oldest = TMA_MAPS;
    for (unsigned i = 0; i < t->to.config->maps; i++) {
        if (t->map[i].address == address)
            return i;
        if (!t->map[i].coming && (oldest == TMA_MAPS || t->map[i].used < t->map[oldest].used))
            oldest = i;
    }
    return oldest;
}

void tma_forget_map(struct tma *t, uint64_t address)
{
    for (unsigned i = 0; i < TMA_MAPS; i++)
        if ((!address || t->map[i].address == address) && !t->map[i].coming)
            t->map[i].address = 0;
}

bool tma_look_up_map(struct tma *t, struct tma_command *c, uint64_t now)
{
    unsigned entry = find_map(t, c->transfer.map);
    if (entry == TMA_MAPS)
        return false;
    struct tma_map *map = &t->map[entry];
    if (map->address != c->transfer.map) {
        if (!tma_room(t, now))
            return false;
        port_send(t->to.port, TMA_CLIENT,
                  (struct request){.arrival = now,
                                   .line = c->transfer.map / PORT_LINE * PORT_LINE,
                                   .token = (uint16_t)(TMA_COMMANDS + entry),
                                   .sectors = (1 << PORT_SECTORS) - 1,
                                   .kind = REQUEST_LOAD});
        *map = (struct tma_map){.address = c->transfer.map, .coming = true};
        t->to.n->tma_map_misses++;
    }
    map->used = ++t->look_ups;
    if (map->coming && c->transfer.kind != TRANSFER_MAP)
        c->map = (uint8_t)entry;
    return true;
}
