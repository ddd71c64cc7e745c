#include "sm/l1i.h"

#include "sm/sm.h"

bool l1i_init(struct l1i *c, const struct config_icache *config, struct l15 *l15)
{
    c->config = config;
    c->l15 = l15;
    if (!tags_init(&c->tags, config->l1_sets, config->l1_ways))
        return false;
    l1i_clear(c);
    return true;
}

void l1i_free(struct l1i *c) { tags_free(&c->tags); }

void l1i_clear(struct l1i *c)
{
    tags_clear(&c->tags);
    c->port_free = c->fill_free = c->next_prefetch = 0;
    c->wants = c->turn = 0;
}

uint64_t l1i_pass_port(struct l1i *c, uint64_t now, uint32_t cycles)
{
    uint64_t slot = now + 1 > c->port_free ? now + 1 : c->port_free;
    c->port_free = slot + cycles;
    return slot;
}

/* Cycle from which the L1 has a line that it asks for at `slot`. */
static uint64_t fill(struct l1i *c, uint64_t line, uint64_t slot, struct sm_counters *n)
{
    uint64_t address = line * c->config->line;
    uint64_t start = slot > c->fill_free ? slot : c->fill_free;
    c->fill_free = start + (l15_has(c->l15, address) ? c->config->l15_interval : c->config->l2_interval);
    uint64_t there = l15_request(c->l15, address, start, n) + c->config->l15_latency;
    tags_insert(&c->tags, line, there);
    n->l1i_misses++;
    return there;
}

uint64_t l1i_request(struct l1i *c, uint64_t line, uint64_t slot, struct sm_counters *n)
{
    uint64_t there = tags_lookup(&c->tags, line);
    n->l1i_requests++;
    if (there == TAGS_MISS)
        there = fill(c, line, slot, n);
    return (there > slot ? there : slot) - 1 + c->config->l1_latency; /* which counts from the miss in the L0 */
}

uint64_t l1i_demand(struct l1i *c, uint64_t line, uint64_t now, struct sm_counters *n)
{
    return l1i_request(c, line, l1i_pass_port(c, now, c->config->l1_interval), n);
}

void l1i_want_prefetch(struct l1i *c, unsigned partition, uint64_t now)
{
    c->wants |= 1u << partition;
    c->next_prefetch = now + 1;
}

/* The sub-core whose prefetch can pass now, SM_PARTITIONS when there is none; a stream that has come to its end wants
 * no more. */
static unsigned choose(struct sm *sm, uint64_t now)
{
    struct l1i *c = &sm->l1i;
    for (unsigned i = 0; i < SM_PARTITIONS; i++) {
        unsigned partition = (c->turn + i) % SM_PARTITIONS;
        if (!(c->wants >> partition & 1))
            continue;
        const struct stream_buffer *stream = &sm->partition[partition].l0i.stream;
        if (!stream_buffer_wants(stream))
            c->wants &= ~(1u << partition);
        else if (c->fill_free <= now || tags_has(&c->tags, stream->next))
            return partition;
    }
    return SM_PARTITIONS;
}

bool l1i_prefetch_cycle(struct sm *sm, uint64_t now)
{
    struct l1i *c = &sm->l1i;
    if (!c->wants || now < c->next_prefetch)
        return false;
    if (now < c->port_free) {
        c->next_prefetch = c->port_free;
        return false;
    }
    unsigned partition = choose(sm, now);
    if (partition == SM_PARTITIONS) {
        c->next_prefetch = c->fill_free;
        return false;
    }
    struct stream_buffer *stream = &sm->partition[partition].l0i.stream;
    c->port_free = now + c->config->l1_interval;
    c->next_prefetch = c->port_free;
    c->turn = (partition + 1) % SM_PARTITIONS;
    stream_buffer_push(stream, l1i_request(c, stream->next, now, &sm->n));
    return true;
}

uint64_t l1i_next(const struct l1i *c, uint64_t now)
{
    if (!c->wants)
        return UINT64_MAX;
    return c->next_prefetch > now ? c->next_prefetch : now + 1;
}
