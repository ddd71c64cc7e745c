#include "mem/mem.h"

#include <stdlib.h>
#include <string.h>

#include "mem/group.h"

enum { MOST_SLICES = 512 };

struct mem {
    struct l2_model model;
    struct memory_effects effects;
    struct {
        uint16_t group, index;
    } home[MOST_SLICES]; /* of each slice */
    uint32_t groups;     /* of those in group[] that are set up */
    struct group *group;
    struct network network;
};

static void find_homes(struct mem *mem)
{
    const struct address_map *map = &mem->model.map;
    for (uint32_t slice = 0; slice < map->slices.by; slice++) {
        struct address_home home = address_map_home(map, slice);
        mem->home[slice].group = (uint16_t)home.group;
        mem->home[slice].index = (uint16_t)home.index;
    }
}

static bool create_groups(struct mem *mem, const struct config *config)
{
    uint32_t groups = mem->model.map.groups;
    mem->group = aligned_alloc(_Alignof(struct group), groups * sizeof *mem->group);
    if (mem->group == NULL)
        return false;
    for (uint32_t g = 0; g < groups; g++) {
        mem->groups = g + 1;
        if (!group_create(&mem->group[g], &mem->model, &mem->effects, config, g))
            return false;
    }
    return true;
}

struct mem *mem_create(const struct config *config, struct memory_effects effects, struct status *status)
{
    if (config->l2.size < config->l2.slices * config->l2.ways * PORT_LINE) {
        status_fail(status, STATUS_CONFIG, "l2.size = %u is less than a set of %u lines in each of %u slices",
                    config->l2.size, config->l2.ways, config->l2.slices);
        return NULL;
    }
    struct mem *mem = calloc(1, sizeof *mem);
    if (mem != NULL) {
        l2_model_init(&mem->model, config);
        mem->effects = effects;
        find_homes(mem);
        if (create_groups(mem, config) && network_create(&mem->network, &mem->model.noc, &mem->model.map, config))
            return mem;
    }
    mem_destroy(mem);
    status_fail(status, STATUS_MEMORY, "no memory for a simulated L2 of %u bytes", config->l2.size);
    return NULL;
}

void mem_destroy(struct mem *mem)
{
    if (mem == NULL)
        return;
    for (uint32_t g = 0; g < mem->groups; g++)
        group_destroy(&mem->group[g]);
    free(mem->group);
    network_destroy(&mem->network);
    free(mem);
}

uint32_t mem_quantum(const struct mem *mem) { return mem->model.noc.topology.latency; }

unsigned mem_groups(const struct mem *mem) { return mem->groups; }

/* An SM enters at a slice of its own partition: the home, or its mirror. */
bool mem_accept(struct mem *mem, const struct request *request)
{
    const struct address_map *map = &mem->model.map;
    const struct topology *topology = &mem->model.noc.topology;
    struct address_place place = address_map_place(map, request->line);
    uint32_t home = mem->home[place.slice].index, entry = home;
    if (map->partitions > 1 && request->token != PORT_NOBODY) {
        uint32_t partition = topology_gpc_partition(topology, topology->gpc[request->sm]);
        entry = mem->home[address_map_entry(map, place.slice, partition)].index;
    }
    return group_accept(&mem->group[mem->home[place.slice].group], request, home, entry, place.local);
}

void mem_run(struct mem *mem, unsigned group, uint64_t end) { group_run(&mem->group[group], end); }

bool mem_idle(const struct mem *mem)
{
    for (uint32_t g = 0; g < mem->groups; g++)
        if (mem->group[g].pool.count > 0)
            return false;
    return network_requests(&mem->network) == 0;
}

struct network *mem_network(struct mem *mem) { return &mem->network; }

bool mem_exchange_requests(struct mem *mem)
{
    for (uint32_t g = 0; g < mem->network.gpcs; g++) {
        struct gpc *gpc = &mem->network.gpc[g];
        for (uint32_t i = 0; i < gpc->sent_count; i++)
            if (!mem_accept(mem, &gpc->sent[i]))
                return false;
        gpc->sent_count = 0;
    }
    return true;
}

bool mem_exchange_replies(struct mem *mem)
{
    for (uint32_t g = 0; g < mem->groups; g++) {
        uint32_t count;
        const struct reply *reply = mem_replies(mem, g, &count);
        for (uint32_t i = 0; i < count; i++)
            if (reply[i].token != PORT_NOBODY && !gpc_return(network_gpc(&mem->network, reply[i].sm), &reply[i]))
                return false;
    }
    return true;
}

const struct reply *mem_replies(struct mem *mem, unsigned group, uint32_t *count)
{
    return group_replies(&mem->group[group], count);
}

void mem_counters(const struct mem *mem, struct mem_counters *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t g = 0; g < mem->groups; g++) {
        struct mem_counters n;
        group_counters(&mem->group[g], &n);
        mem_counters_add(out, &n);
    }
    network_counters(&mem->network, out);
}

void mem_reset(struct mem *mem)
{
    for (uint32_t g = 0; g < mem->groups; g++)
        group_reset(&mem->group[g], mem->model.keep);
    network_reset(&mem->network);
}
