#include "mem/dram_channel.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "base/order.h"
#include "port/message.h"

enum {
    MAP_SPREAD = 4,    /* bank groups that a stream goes round, also where each bank is its own group */
    FIRST_AGE = 1,     /* of the first access after a reset */
    MOST_DONE = 65536, /* reads under way for which there is a place; far more than of any real part */
};

static uint32_t spread(const struct dram_pseudo *pc)
{
    uint32_t groups = smaller(pc->rules.groups, MAP_SPREAD);
    while (pc->rules.banks % groups != 0)
        groups--;
    return groups;
}

/* Reads whose data are under way at once: a burst after the other for the whole latency. */
static uint64_t most_under_way(const struct dram_channel *channel)
{
    const struct dram_timing *t = &channel->pseudo[0].rules.t;
    uint64_t clocks = dram_ck(t, channel->latency) + t->RL + DRAM_BURST;
    return (clocks / DRAM_BURST + 2) * t->pseudo;
}

bool dram_channel_create(struct dram_channel *channel, const struct config *config, struct arena *arena)
{
    const struct config_dram *c = &config->dram;
    memset(channel, 0, sizeof *channel);
    channel->latency = c->latency;
    channel->limit[DRAM_READ] = c->queue;
    channel->limit[DRAM_WRITE] = c->write_queue;
    uint32_t entries = c->queue + c->write_queue;
    assert(entries < DRAM_NONE);
    channel->pool = arena_take(arena, entries * sizeof *channel->pool);
    bool created = channel->pool != NULL;
    for (uint32_t p = 0; p == 0 || p < channel->pseudo[0].rules.t.pseudo; p++)
        created = dram_pseudo_create(&channel->pseudo[p], config, channel->pool, arena) && created;
    const struct dram_pseudo *pc = &channel->pseudo[0];
    uint32_t groups = spread(pc), columns = c->row_bytes / PORT_LINE;
    dram_map_init(&channel->map, pc->rules.t.pseudo, groups, pc->rules.banks / groups, columns);
    uint32_t ring = 1;
    while (ring < most_under_way(channel) + c->queue && ring < MOST_DONE)
        ring *= 2;
    channel->done_mask = ring - 1;
    channel->done = arena_take(arena, ring * sizeof *channel->done);
    if (!created || channel->done == NULL)
        return false;
    dram_channel_reset(channel);
    return true;
}

void dram_channel_stagger(struct dram_channel *channel, uint32_t index, uint32_t count)
{
    for (uint32_t p = 0; p < channel->pseudo[0].rules.t.pseudo; p++) {
        dram_rules_stagger(&channel->pseudo[p].rules, index, count);
        dram_pseudo_reset(&channel->pseudo[p]);
    }
}

/* Nothing has come in, and no command was issued. */
static inline bool untouched(const struct dram_channel *channel)
{
    return channel->age == FIRST_AGE && channel->now == 0;
}

void dram_channel_reset(struct dram_channel *channel)
{
    if (untouched(channel))
        return;
    for (uint32_t p = 0; p < channel->pseudo[0].rules.t.pseudo; p++)
        dram_pseudo_reset(&channel->pseudo[p]);
    uint32_t entries = channel->limit[DRAM_READ] + channel->limit[DRAM_WRITE];
    for (uint32_t i = 0; i < entries; i++)
        channel->pool[i].newer = i + 1 < entries ? (uint16_t)(i + 1) : DRAM_NONE;
    channel->free = 0;
    channel->queued[DRAM_READ] = channel->queued[DRAM_WRITE] = 0;
    memset(channel->filter, 0, sizeof channel->filter);
    channel->age = FIRST_AGE;
    channel->now = channel->ck = 0;
    channel->done_head = channel->done_count = 0;
    channel->bytes[DRAM_READ] = channel->bytes[DRAM_WRITE] = channel->full = 0;
}

static inline uint16_t *filter_of(struct dram_channel *channel, uint64_t line)
{
    return &channel->filter[(line * UINT64_C(0x9e3779b97f4a7c15)) >> 58];
}

static inline bool comes_before(const struct dram_done *a, const struct dram_done *b)
{
    return a->when < b->when || (a->when == b->when && a->age < b->age);
}

static void add_done(struct dram_channel *channel, struct dram_done done)
{
    uint32_t place = channel->done_head + channel->done_count++, mask = channel->done_mask;
    for (; place != channel->done_head && comes_before(&done, &channel->done[(place - 1) & mask]); place--)
        channel->done[place & mask] = channel->done[(place - 1) & mask];
    channel->done[place & mask] = done;
}

static void finish(struct dram_channel *channel, uint64_t ck, const struct dram_pseudo *pc, uint16_t index)
{
    struct dram_entry *entry = &channel->pool[index];
    if (entry->write) {
        --*filter_of(channel, entry->line);
    } else {
        uint64_t when = dram_cycle(&pc->rules.t, ck + pc->rules.t.RL + DRAM_BURST) + channel->latency;
        add_done(channel, (struct dram_done){when, entry->age, entry->id, entry->sectors, .queued = false});
    }
    channel->queued[entry->write]--;
    entry->newer = channel->free;
    channel->free = index;
}

/* Issues all commands before `now`. */
static void advance(struct dram_channel *channel, uint64_t now)
{
    if (now <= channel->now)
        return;
    channel->now = now;
    uint64_t end = channel->ck = dram_ck(&channel->pseudo[0].rules.t, now);
    for (uint32_t p = 0; p < channel->pseudo[0].rules.t.pseudo; p++) {
        struct dram_pseudo *pc = &channel->pseudo[p];
        if (dram_pseudo_next(pc)->ck >= end)
            continue;
        dram_pseudo_skip(pc, end);
        for (uint64_t ck; (ck = dram_pseudo_next(pc)->ck) < end;) {
            if (channel->watch.command != NULL)
                channel->watch.command(channel->watch.self, p, dram_pseudo_next(pc));
            uint16_t index = dram_pseudo_issue(pc);
            if (index != DRAM_NONE)
                finish(channel, ck, pc, index);
        }
    }
}

static struct dram_entry *waiting_write(struct dram_channel *channel, uint64_t line, struct dram_place place)
{
    if (*filter_of(channel, line) == 0)
        return NULL;
    const struct dram_bank *bank = &channel->pseudo[place.pseudo].rules.bank[place.bank];
    uint16_t index = bank->list[DRAM_WRITE].newest;
    while (index != DRAM_NONE && channel->pool[index].line != line)
        index = channel->pool[index].older;
    return index == DRAM_NONE ? NULL : &channel->pool[index];
}

/* Merges an access into a waiting write; true if all of it. Sectors that already went to the bank do not count.
 * `rest` receives those that are left. */
static bool absorbed(struct dram_channel *channel, uint64_t now, struct dram_entry *other, struct dram_entry *access)
{
    if (access->write) {
        other->sectors |= access->rest;
        channel->bytes[DRAM_WRITE] += popcount4(access->rest & ~(uint32_t)other->rest) * PORT_SECTOR;
        other->rest |= access->rest;
        return true;
    }
    access->rest &= (uint8_t)~other->rest;
    if (access->rest != 0)
        return false;
    struct dram_done done = {now + channel->latency, access->age, access->id, access->sectors, .queued = true};
    add_done(channel, done);
    channel->queued[DRAM_READ]++;
    return true;
}

void dram_channel_push(struct dram_channel *channel, uint64_t now, uint64_t line, uint8_t sectors, bool write,
                       uint32_t id)
{
    assert(dram_channel_room(channel, write) && sectors != 0 && sectors < 1 << PORT_SECTORS);
    advance(channel, now);
    struct dram_place place = dram_map_place(&channel->map, line);
    struct dram_entry access = {.line = line,
                                .row = place.row,
                                .age = channel->age++,
                                .id = id,
                                .sectors = sectors,
                                .rest = sectors,
                                .pseudo = (uint8_t)place.pseudo,
                                .bank = (uint8_t)place.bank,
                                .write = write};
    uint32_t queued = channel->queued[write];
    struct dram_entry *other = waiting_write(channel, line, place);
    if (other == NULL || !absorbed(channel, now, other, &access)) {
        uint16_t index = channel->free;
        channel->free = channel->pool[index].newer;
        channel->pool[index] = access;
        channel->bytes[write] += popcount4(access.rest) * PORT_SECTOR;
        channel->queued[write]++;
        *filter_of(channel, line) += write;
        struct dram_pseudo *pc = &channel->pseudo[place.pseudo];
        dram_pseudo_add(pc, channel->ck, index);
    }
    channel->full += channel->queued[write] != queued && channel->queued[write] == channel->limit[write];
}

/* Reads that have not been issued come after all that have. */
uint64_t dram_channel_next(struct dram_channel *channel)
{
    const struct dram_timing *t = &channel->pseudo[0].rules.t;
    uint64_t next = channel->done_count > 0 ? channel->done[channel->done_head & channel->done_mask].when : UINT64_MAX;
    for (uint32_t p = 0; channel->done_count == 0 && p < t->pseudo; p++) {
        const struct dram_pseudo *pc = &channel->pseudo[p];
        if (pc->waiting[DRAM_READ] > 0)
            next = earliest(next, dram_cycle(t, dram_pseudo_soonest(pc)) + channel->latency);
    }
    if (dram_channel_room(channel, DRAM_READ) && dram_channel_room(channel, DRAM_WRITE))
        return next;
    for (uint32_t p = 0; p < t->pseudo; p++) {
        struct dram_pseudo *pc = &channel->pseudo[p];
        if (pc->waiting[DRAM_READ] + pc->waiting[DRAM_WRITE] > 0)
            next = earliest(next, dram_cycle(t, dram_pseudo_room(pc)) + 1);
    }
    return next;
}

uint32_t dram_channel_run(struct dram_channel *channel, uint64_t now, struct dram_done done[], uint32_t room)
{
    advance(channel, now);
    uint32_t count = 0;
    for (; count < room && channel->done_count > 0; count++) {
        const struct dram_done *first = &channel->done[channel->done_head & channel->done_mask];
        if (first->when > now)
            break;
        channel->queued[DRAM_READ] -= first->queued;
        done[count] = *first;
        channel->done_head++;
        channel->done_count--;
    }
    return count;
}

void dram_channel_count(const struct dram_channel *channel, struct mem_counters *n)
{
    const struct dram_timing *t = &channel->pseudo[0].rules.t;
    uint64_t bursts = 0;
    for (uint32_t p = 0; p < t->pseudo; p++) {
        const struct dram_counts *c = &channel->pseudo[p].n;
        n->dram_row_hits += c->row_hits;
        n->dram_row_misses += c->row_misses;
        n->dram_row_conflicts += c->row_conflicts;
        n->dram_activates += c->activates;
        n->dram_precharges += c->precharges;
        n->dram_refreshes += c->refreshes;
        n->dram_turnarounds += c->turnarounds;
        bursts += c->bursts;
    }
    n->dram_bytes_read += channel->bytes[DRAM_READ];
    n->dram_bytes_written += channel->bytes[DRAM_WRITE];
    n->dram_queue_full += channel->full;
    n->dram_busy_cycles += dram_cycle(t, bursts * DRAM_BURST) / t->pseudo;
}

void dram_channel_watch(struct dram_channel *channel, struct dram_watch watch) { channel->watch = watch; }
