#include "mem/group.h"

#include <string.h>

#include "base/order.h"

static bool create_slices(struct group *group, const struct l2_model *model, uint32_t number, struct arena *arena)
{
    uint32_t slices = model->map.group_slices * model->map.partitions;
    group->slice = arena_take(arena, slices * sizeof *group->slice);
    if (group->slice == NULL)
        return false;
    for (uint32_t i = 0; i < slices; i++) {
        group->slices = i + 1;
        uint32_t slice = address_map_slice(&model->map, (struct address_home){(uint16_t)number, (uint16_t)i});
        if (!l2_slice_create(&group->slice[i], model, i, slices, slice, arena))
            return false;
    }
    return true;
}

static bool create_channels(struct group *group, const struct l2_model *model, const struct config *config,
                            uint32_t number, struct arena *arena)
{
    uint32_t channels = model->map.channels.by * model->map.partitions;
    group->channel = arena_take(arena, channels * sizeof *group->channel);
    group->channel_wake = arena_take(arena, channels * sizeof *group->channel_wake);
    if (group->channel == NULL || group->channel_wake == NULL)
        return false;
    for (uint32_t i = 0; i < channels; i++) {
        group->channels = i + 1;
        if (!dram_channel_create(&group->channel[i], config, arena))
            return false;
        dram_channel_stagger(&group->channel[i], number * channels + i, model->map.groups * channels);
    }
    return true;
}

bool group_create(struct group *group, const struct l2_model *model, const struct memory_effects *effects,
                  const struct config *config, uint32_t number, struct arena *arena)
{
    memset(group, 0, sizeof *group);
    if (!request_pool_create(&group->pool, arena) || !create_slices(group, model, number, arena) ||
        !create_channels(group, model, config, number, arena))
        return false;
    group->context = (struct l2_context){
        .model = model, .effects = effects, .pool = &group->pool, .slice = group->slice, .n = &group->n};
    group->touched = true;
    group_reset(group, false);
    return true;
}

void group_reset(struct group *group, bool keep)
{
    request_queue_reset(&group->queue);
    group->wake = UINT64_MAX;
    if (!group->touched)
        return;
    group->touched = false;
    request_pool_reset(&group->pool);
    for (uint32_t i = 0; i < group->slices; i++)
        l2_slice_reset(&group->slice[i], keep);
    for (uint32_t i = 0; i < group->channels; i++) {
        dram_channel_reset(&group->channel[i]);
        group->channel_wake[i] = dram_channel_next(&group->channel[i]);
    }
    group->context.replies = 0;
    group->replies_taken = false;
    memset(&group->n, 0, sizeof group->n);
}

/* Room for a reply to everything that waits. */
static bool reserve(struct group *group)
{
    uint32_t needed = group->context.replies + group->pool.count;
    if (needed <= group->reply_capacity)
        return true;
    uint32_t capacity = needed > 2 * group->reply_capacity ? needed : 2 * group->reply_capacity;
    struct reply *reply = arena_more(group->pool.arena, group->context.reply, group->context.replies * sizeof *reply,
                                     capacity * sizeof *reply);
    if (reply == NULL)
        return false;
    group->context.reply = reply;
    group->reply_capacity = capacity;
    return true;
}

bool group_accept(struct group *group, const struct request *request, uint32_t home, uint32_t entry, uint64_t local)
{
    uint32_t index = request_pool_take(&group->pool);
    if (index == REQUEST_NONE)
        return false;
    group->pool.entry[index] = (struct pooled_request){.request = *request,
                                                       .local = local,
                                                       .set = address_map_set(&group->context.model->map, local),
                                                       .home = (uint16_t)home,
                                                       .entry = (uint16_t)entry};
    request_queue_push(&group->queue, &group->pool, index);
    group->touched = true;
    group->wake = 0;
    return reserve(group);
}

/* A read is known to its channel by its slice and its MSHR there. */
enum { MSHR_BITS = 16 };

static void hear_channel(struct group *group, uint32_t c, uint64_t now)
{
    enum { ROOM = 16 };
    struct dram_done done[ROOM];
    uint32_t count;
    do {
        count = dram_channel_run(&group->channel[c], now, done, ROOM);
        for (uint32_t i = 0; i < count; i++)
            l2_slice_fill(&group->slice[done[i].id >> MSHR_BITS], &group->context, now, (uint16_t)done[i].id,
                          done[i].sectors);
    } while (count == ROOM);
    group->channel_wake[c] = dram_channel_next(&group->channel[c]);
}

/* Requests that reach their slices in this cycle. The next one's tags are fetched meanwhile. */
static void take_arrivals(struct group *group, uint64_t now)
{
    while (request_queue_due(&group->queue, now)) {
        uint32_t index = request_queue_take(&group->queue, &group->pool);
        const struct pooled_request *entry = &group->pool.entry[index];
        struct l2_slice *slice = &group->slice[entry->entry];
        l2_slice_prefetch(slice, entry->set);
        l2_slice_arrive(slice, &group->context, index);
    }
}

/* From a slice's output to the channels, in order, as far as they take it. */
static void move_output(struct group *group, struct l2_slice *slice, struct l2_output *output, bool write, uint64_t now)
{
    bool moved = false;
    while (!l2_output_empty(output)) {
        const struct l2_access *access = l2_output_front(output);
        struct dram_channel *channel = &group->channel[access->channel];
        if (!dram_channel_room(channel, write))
            break;
        dram_channel_push(channel, now, access->line, access->sectors, write, slice->index << MSHR_BITS | access->mshr);
        group->channel_wake[access->channel] = dram_channel_next(channel);
        l2_output_pop(output);
        moved = true;
    }
    if (moved)
        l2_slice_unblock(slice, now);
}

static void step(struct group *group, uint64_t now)
{
    group->touched = true;
    for (uint32_t c = 0; c < group->channels; c++)
        if (group->channel_wake[c] <= now)
            hear_channel(group, c, now);
    take_arrivals(group, now);
    for (uint32_t i = 0; i < group->slices; i++) {
        struct l2_slice *slice = &group->slice[i];
        if (slice->wake <= now)
            l2_slice_run(slice, &group->context, now);
        if (!l2_output_empty(&slice->reads))
            move_output(group, slice, &slice->reads, false, now);
        if (!l2_output_empty(&slice->writes))
            move_output(group, slice, &slice->writes, true, now);
    }
}

/* The next cycle in which something happens. */
static uint64_t next_event(struct group *group, uint64_t end)
{
    struct request_queue *queue = &group->queue;
    bool due = queue->now < end && request_queue_due(queue, queue->now);
    uint64_t next = due ? queue->now : request_queue_next(queue, &group->pool, end);
    for (uint32_t c = 0; c < group->channels; c++)
        next = earliest(next, group->channel_wake[c]);
    for (uint32_t i = 0; i < group->slices; i++)
        next = earliest(next, group->slice[i].wake);
    return next;
}

void group_run(struct group *group, uint64_t end)
{
    if (group->replies_taken) {
        group->context.replies = 0;
        group->replies_taken = false;
    }
    while (group->wake < end) {
        uint64_t now = next_event(group, end);
        if (now < end)
            step(group, now);
        else
            group->wake = earliest(now, request_queue_first(&group->queue));
    }
}

const struct reply *group_replies(struct group *group, uint32_t *count)
{
    *count = group->replies_taken ? 0 : group->context.replies;
    group->replies_taken = true;
    return group->context.reply;
}

void group_counters(const struct group *group, struct mem_counters *out)
{
    *out = group->n;
    for (uint32_t i = 0; i < group->slices; i++)
        l2_slice_count(&group->slice[i], out);
    for (uint32_t i = 0; i < group->channels; i++)
        dram_channel_count(&group->channel[i], out);
}
