#include "sm/front/l1i.h"

#include "base/order.h"

bool l1i_init(struct l1i *c, const struct config_icache *config, struct arena *arena)
{
    c->config = config;
    if (!tags_init(&c->tags, config->l1_sets, config->l1_ways, config->replacement == CONFIG_CODE_REPLACEMENT_RANDOM,
                   arena))
        return false;
    l1i_begin(c, false);
    return true;
}

void l1i_begin(struct l1i *c, bool keep)
{
    if (keep)
        tags_keep(&c->tags, TAGS_EMPTY);
    else
        tags_clear(&c->tags);
    c->port_free = c->next_prefetch = 0;
    for (unsigned i = 0; i < SM_SUBCORES; i++)
        c->link[i] = (struct l1i_link){0};
    c->wants = c->turn = 0;
}

uint64_t l1i_pass_port(struct l1i *c, uint64_t now)
{
    uint64_t slot = latest(now + 1, c->port_free);
    c->port_free = slot + 1;
    return slot;
}

/* The L1.5 will have a line that the L1 has asked for `there`. The L1 has it `delay` cycles later. */
static uint64_t take(struct l1i *c, uint64_t line, uint64_t there, uint64_t delay)
{
    there += there == TAGS_COMING ? 0 : delay;
    tags_insert(&c->tags, line, there);
    c->to.n->l1i_misses++;
    return there;
}

/* Asks for lines of code behind one that the L1 misses, and behind those that the L0 prefetches itself. Source:
 * no_instruction of an H200 (docs/core.md). */
static void run_ahead(struct l1i *c, uint64_t line, uint64_t start)
{
    for (uint32_t i = c->config->stream_buffer + 1; i <= c->config->l1_prefetch; i++) {
        uint64_t address = (line + i) * c->config->line;
        if (!l15_has(c->to.l15, address))
            return;
        if (!tags_has(&c->tags, line + i))
            take(c, line + i, l15_prefetch(c->to.l15, address, start),
                 c->config->l15_latency + i * c->config->l15_interval);
    }
}

/* Cycle from which the L1 has a line that it asks for at `slot`, for this link. */
static uint64_t fill(struct l1i *c, struct l1i_link *link, uint64_t line, uint64_t slot)
{
    uint64_t start = latest(slot, link->fill_free);
    bool near = l15_has(c->to.l15, line * c->config->line);
    link->fill_free = start + (near ? c->config->l15_interval : c->config->l2_interval);
    uint64_t there = take(c, line, l15_request(c->to.l15, line * c->config->line, start), c->config->l15_latency);
    run_ahead(c, line, start);
    return there;
}

/* Cycle at which the L0 has a line that the L1 has from `there` on; l1_latency counts from the miss in the L0. */
static uint64_t at_l0(const struct l1i *c, uint64_t there) { return there - 1 + c->config->l1_latency; }

/* A request that passes the port at cycle `slot`. Returns the cycle at which its line reaches the L0, or TAGS_COMING.
 */
static uint64_t request(struct l1i *c, struct l1i_link *link, uint64_t line, uint64_t slot)
{
    uint64_t there = tags_lookup(&c->tags, line), start = latest(slot, link->free);
    link->free = start + c->config->l1_interval;
    c->to.n->l1i_requests++;
    if (there == TAGS_MISS)
        there = fill(c, link, line, start);
    return there == TAGS_COMING ? there : at_l0(c, latest(there, start));
}

uint64_t l1i_demand(struct l1i *c, unsigned subcore, uint64_t line, uint64_t now)
{
    return request(c, &c->link[subcore], line, l1i_pass_port(c, now));
}

uint64_t l1i_arrive(struct l1i *c, uint64_t line, uint64_t there)
{
    uint64_t in_l1 = there + c->config->l15_latency;
    tags_arrive(&c->tags, line, in_l1);
    return at_l0(c, in_l1);
}

void l1i_want_prefetch(struct l1i *c, unsigned subcore, uint64_t now)
{
    c->wants |= 1u << subcore;
    c->next_prefetch = now + 1;
}

/* Cycle from which the sub-core's next prefetch can leave without waiting. */
static uint64_t prefetch_free(const struct l1i *c, unsigned subcore)
{
    const struct l1i_link *link = &c->link[subcore];
    return tags_has(&c->tags, c->to.stream[subcore]->next) ? link->free : latest(link->free, link->fill_free);
}

/* The sub-core whose prefetch can pass now, SM_SUBCORES when there is none; *next: cycle at which one can. A stream
 * that has come to its end wants no more. */
static unsigned choose(struct l1i *c, uint64_t now, uint64_t *next)
{
    *next = UINT64_MAX;
    for (unsigned i = 0; i < SM_SUBCORES; i++) {
        unsigned subcore = (c->turn + i) % SM_SUBCORES;
        if (!(c->wants >> subcore & 1))
            continue;
        if (!stream_buffer_wants(c->to.stream[subcore])) {
            c->wants &= ~(1u << subcore);
            continue;
        }
        uint64_t free = prefetch_free(c, subcore);
        if (free <= now)
            return subcore;
        *next = earliest(*next, free);
    }
    return SM_SUBCORES;
}

bool l1i_prefetch(struct l1i *c, uint64_t now)
{
    if (now < c->port_free) {
        c->next_prefetch = c->port_free;
        return false;
    }
    uint64_t next;
    unsigned subcore = choose(c, now, &next);
    if (subcore == SM_SUBCORES) {
        c->next_prefetch = next;
        return false;
    }
    struct stream_buffer *stream = c->to.stream[subcore];
    c->port_free = c->next_prefetch = now + 1;
    c->turn = (subcore + 1) % SM_SUBCORES;
    stream_buffer_push(stream, request(c, &c->link[subcore], stream->next, now));
    return true;
}

uint64_t l1i_next(const struct l1i *c, uint64_t now)
{
    if (!c->wants)
        return UINT64_MAX;
    return c->next_prefetch > now ? c->next_prefetch : now + 1;
}

void l1i_archive(struct archive *a, struct l1i *c)
{
    archive_keep(a, &c->config);
    archive_keep(a, &c->to);
    tags_archive(a, &c->tags);
}
