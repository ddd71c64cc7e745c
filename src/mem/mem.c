#include "mem/mem.h"

#include <stdlib.h>
#include <string.h>

#include "mem/group.h"
#include "mem/l2_warm.h"
#include "mem/save.h"

struct mem {
    struct l2_model model;
    struct memory_effects effects;
    uint32_t groups;
    struct group *group;
    struct network network;
    struct arena storage; /* of all this */
};

static bool create_groups(struct mem *mem, const struct config *config)
{
    uint32_t groups = mem->model.map.groups;
    mem->group = arena_take(&mem->storage, groups * sizeof *mem->group);
    if (mem->group == NULL)
        return false;
    for (mem->groups = 0; mem->groups < groups; mem->groups++)
        if (!group_create(&mem->group[mem->groups], &mem->model, &mem->effects, config, mem->groups, &mem->storage))
            return false;
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
        if (create_groups(mem, config) &&
            network_create(&mem->network, &mem->model.noc, &mem->model.map, config, &mem->storage))
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
    arena_free(&mem->storage);
    free(mem);
}

uint32_t mem_quantum(const struct mem *mem) { return mem->model.noc.topology.latency; }

unsigned mem_groups(const struct mem *mem) { return mem->groups; }

/* An SM enters at a slice of its own partition: the home, or its mirror. */
static struct address_home entry_of(const struct mem *mem, const struct request *request, uint32_t slice)
{
    const struct address_map *map = &mem->model.map;
    const struct topology *topology = &mem->model.noc.topology;
    if (map->partitions == 1 || request->client == PORT_NOBODY)
        return address_map_home(map, slice);
    uint32_t partition = topology_gpc_partition(topology, topology->gpc[request->sm]);
    return address_map_home(map, address_map_entry(map, slice, partition));
}

bool mem_accept(struct mem *mem, const struct request *request)
{
    struct address_place place = address_map_place(&mem->model.map, request->line);
    struct address_home home = address_map_home(&mem->model.map, place.slice);
    struct address_home entry = entry_of(mem, request, place.slice);
    return group_accept(&mem->group[home.group], request, home.index, entry.index, place.local);
}

void mem_warm(struct mem *mem, const struct request *request)
{
    struct address_place place = address_map_place(&mem->model.map, request->line);
    struct address_home home = address_map_home(&mem->model.map, place.slice);
    struct address_home entry = entry_of(mem, request, place.slice);
    struct group *group = &mem->group[home.group];
    group->touched = true;
    l2_warm(&group->slice[home.index], &group->slice[entry.index], group->slice, &mem->model, request, place.local);
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

/* The requests that a GPC has sent to a group. */
static bool take_from(struct group *to, const struct gpc *gpc, uint32_t group)
{
    for (uint32_t i = gpc->to[group].first; i != GPC_NONE; i = gpc->target[i].next) {
        const struct gpc_target *target = &gpc->target[i];
        if (!group_accept(to, &gpc->sent[i], target->home, target->entry, target->local))
            return false;
    }
    return true;
}

bool mem_take_requests(struct mem *mem, unsigned group)
{
    bool ok = true;
    for (uint32_t g = 0; ok && g < mem->network.gpcs; g++)
        ok = take_from(&mem->group[group], &mem->network.gpc[g], group);
    return ok;
}

bool mem_exchange_requests(struct mem *mem)
{
    bool ok = true;
    for (uint32_t g = 0; g < mem->network.gpcs; g++) {
        struct gpc *gpc = &mem->network.gpc[g];
        for (uint32_t i = 0; i < mem->groups && gpc->sent_count > 0; i++)
            ok &= take_from(&mem->group[i], gpc, i);
        if (gpc->sent_count > 0)
            gpc_forget_sent(gpc);
    }
    return ok;
}

/* Gives replies of all groups to one GPC, or to all. */
static bool give_replies(struct mem *mem, uint32_t gpc)
{
    const struct topology *topology = &mem->model.noc.topology;
    for (uint32_t g = 0; g < mem->groups; g++) {
        const struct group *from = &mem->group[g];
        const struct reply *reply = from->context.reply;
        uint32_t count = from->replies_taken ? 0 : from->context.replies;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t to = topology->gpc[reply[i].sm];
            bool wanted = (gpc == GPC_NONE || to == gpc) && reply[i].client != PORT_NOBODY;
            if (wanted && !gpc_return(&mem->network.gpc[to], &reply[i]))
                return false;
        }
    }
    return true;
}

bool mem_take_replies(struct mem *mem, unsigned gpc) { return give_replies(mem, gpc); }

bool mem_exchange_replies(struct mem *mem)
{
    bool ok = give_replies(mem, GPC_NONE);
    for (uint32_t g = 0; g < mem->groups; g++)
        mem_replies_taken(mem, g);
    return ok;
}

void mem_replies_taken(struct mem *mem, unsigned group) { mem->group[group].replies_taken = true; }

uint64_t mem_next(const struct mem *mem)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t g = 0; g < mem->groups; g++)
        if (mem->group[g].pool.count > 0 && mem->group[g].wake < next)
            next = mem->group[g].wake;
    return next;
}

uint32_t mem_waiting(const struct mem *mem)
{
    uint32_t sum = 0;
    for (uint32_t g = 0; g < mem->groups; g++)
        sum += mem->group[g].pool.count;
    for (uint32_t g = 0; g < mem->network.gpcs; g++)
        sum += mem->network.gpc[g].sent_count;
    return sum;
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
        if (!mem->group[g].touched && !mem->model.keep)
            continue; /* it has nothing to count */
        group_counters(&mem->group[g], &n);
        mem_counters_add(out, &n);
    }
    network_counters(&mem->network, out);
}

uint64_t mem_dirty_sectors(const struct mem *mem)
{
    uint64_t dirty = 0;
    for (uint32_t g = 0; g < mem->groups; g++)
        for (uint32_t i = 0; i < mem->group[g].slices; i++)
            dirty += mem->group[g].slice[i].tags.dirty;
    return dirty;
}

uint64_t mem_l2_sectors(const struct mem *mem)
{
    uint64_t slices = 0;
    for (uint32_t g = 0; g < mem->groups; g++)
        slices += mem->group[g].slices;
    return slices * mem->model.sets * mem->model.ways * PORT_SECTORS;
}

void mem_reset(struct mem *mem)
{
    for (uint32_t g = 0; g < mem->groups; g++)
        group_reset(&mem->group[g], mem->model.keep);
    network_reset(&mem->network);
}

void mem_archive(struct archive *a, struct mem *mem)
{
    for (uint32_t g = 0; g < mem->groups; g++)
        group_archive(a, &mem->group[g]);
    network_archive(a, &mem->network);
}
