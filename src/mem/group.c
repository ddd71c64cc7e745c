#include "mem/group.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* A group has as much of the DRAM as of the slices, also where the slices do not divide by the channels: the hash
 * gives it that part of the traffic. */
bool group_create(struct group *group, const struct l2_model *model, const struct config *config, uint32_t number)
{
    memset(group, 0, sizeof *group);
    uint32_t first = address_map_first_slice(&model->map, number);
    uint32_t slices = address_map_first_slice(&model->map, number + 1) - first;
    group->slice = calloc(slices, sizeof *group->slice);
    if (group->slice == NULL || !request_queue_create(&group->queue))
        return false;
    group->first = first;
    group->slices = slices;
    for (uint32_t i = 0; i < slices; i++)
        if (!l2_slice_create(&group->slice[i], model, i, slices))
            return false;
    double share = (double)slices / config->l2.slices;
    uint32_t banks = config->dram.banks * div_up32(config->dram.channels, model->map.groups);
    return dram_create(&group->dram, config, share, banks);
}

void group_destroy(struct group *group)
{
    request_queue_destroy(&group->queue);
    for (uint32_t i = 0; i < group->slices; i++)
        l2_slice_destroy(&group->slice[i]);
    free(group->slice);
    dram_destroy(&group->dram);
    free(group->reply);
}

void group_reset(struct group *group, const struct l2_model *model)
{
    request_queue_reset(&group->queue);
    for (uint32_t i = 0; i < group->slices; i++)
        l2_slice_reset(&group->slice[i], model);
    dram_reset(&group->dram);
    group->replies = 0;
    group->replies_taken = false;
    memset(&group->n, 0, sizeof group->n);
}

/* Room for a reply to everything that waits. */
static bool reserve(struct group *group)
{
    uint32_t needed = group->replies + group->queue.count;
    if (needed <= group->reply_capacity)
        return true;
    uint32_t capacity = needed > 2 * group->reply_capacity ? needed : 2 * group->reply_capacity;
    struct reply *reply = realloc(group->reply, capacity * sizeof *reply);
    if (reply == NULL)
        return false;
    group->reply = reply;
    group->reply_capacity = capacity;
    return true;
}

bool group_accept(struct group *group, const struct request *request, uint32_t slice, uint64_t local)
{
    return request_queue_push(&group->queue, request, slice, local) && reserve(group);
}

static struct reply serve(struct group *group, const struct l2_model *model, const struct memory_effects *effects,
                          const struct queued_request *queued)
{
    const struct request *request = &queued->request;
    struct l2_slice *slice = &group->slice[queued->slice];
    uint64_t arrival = l2_slice_serve(slice, model, &group->dram, request, queued->local, &group->n);
    uint32_t number = group->first + queued->slice;
    assert(arrival >= request->arrival + model->noc.topology.latency);
    if (request->effect)
        effects->apply(effects->self, request);
    return (struct reply){.arrival = arrival + noc_way(&model->noc, request->sm, number),
                          .line = request->line,
                          .sm = request->sm,
                          .token = request->token,
                          .sectors = request->sectors,
                          .kind = request->kind};
}

void group_run(struct group *group, const struct l2_model *model, const struct memory_effects *effects, uint64_t end)
{
    if (group->replies_taken) {
        group->replies = 0;
        group->replies_taken = false;
    }
    const struct queued_request *next = request_queue_pop(&group->queue, end);
    while (next != NULL) {
        const struct queued_request *now = next;
        next = request_queue_pop(&group->queue, end);
        if (next != NULL)
            l2_slice_prefetch(&group->slice[next->slice], model, next->local);
        group->reply[group->replies++] = serve(group, model, effects, now);
    }
}

const struct reply *group_replies(struct group *group, uint32_t *count)
{
    *count = group->replies_taken ? 0 : group->replies;
    group->replies_taken = true;
    return group->reply;
}

void group_counters(const struct group *group, struct mem_counters *out)
{
    *out = group->n;
    out->dram_busy_cycles = dram_busy(&group->dram);
}
