#include "mem/network.h"

bool network_create(struct network *network, const struct noc *noc, const struct address_map *map,
                    const struct config *config, struct arena *arena)
{
    uint32_t gpcs = noc->topology.gpcs;
    gpc_model_init(&network->model, noc, map, config);
    network->gpcs = 0;
    network->gpc = arena_take(arena, gpcs * sizeof *network->gpc);
    for (uint32_t g = 0; network->gpc != NULL && g < gpcs; g++) {
        network->gpcs = g + 1;
        if (!gpc_create(&network->gpc[g], &network->model, &config->tlb, g, arena))
            return false;
    }
    return network->gpc != NULL;
}

void network_reset(struct network *network)
{
    for (uint32_t g = 0; g < network->gpcs; g++)
        gpc_reset(&network->gpc[g]);
}

uint32_t network_requests(const struct network *network)
{
    uint32_t sum = 0;
    for (uint32_t g = 0; g < network->gpcs; g++)
        sum += network->gpc[g].waiting;
    return sum;
}

uint32_t network_replies(const struct network *network)
{
    uint32_t sum = 0;
    for (uint32_t g = 0; g < network->gpcs; g++)
        sum += network->gpc[g].inlet.count;
    return sum;
}

void network_counters(const struct network *network, struct mem_counters *to)
{
    for (uint32_t g = 0; g < network->gpcs; g++) {
        struct mem_counters n;
        gpc_counters(&network->gpc[g], &n);
        mem_counters_add(to, &n);
    }
}
