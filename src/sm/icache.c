#include "sm/icache.h"

#include <string.h>

bool l1i_init(struct l1i *c, const struct config_icache *config)
{
    c->config = config;
    c->port_free = 0;
    return tags_init(&c->tags, config->l1_sets, config->l1_ways);
}

void l1i_free(struct l1i *c) { tags_free(&c->tags); }

void l1i_clear(struct l1i *c)
{
    tags_clear(&c->tags);
    c->port_free = 0;
}

bool l0i_init(struct l0i *c, const struct config_icache *config)
{
    c->config = config;
    if (!tags_init(&c->tags, config->l0_sets, config->l0_ways))
        return false;
    l0i_clear(c);
    return true;
}

void l0i_free(struct l0i *c) { tags_free(&c->tags); }

void l0i_clear(struct l0i *c)
{
    tags_clear(&c->tags);
    c->stream_count = c->miss_count = 0;
    c->stream_next = c->recent = TAGS_EMPTY;
}

/* Cycle at which a line requested from the L1 at `now` reaches the L0. */
static uint64_t l1i_request(struct l1i *c, uint64_t line, uint64_t now, struct sm_counters *n)
{
    uint64_t start = now > c->port_free ? now : c->port_free;
    c->port_free = start + 1;
    uint64_t there = tags_lookup(&c->tags, line);
    if (there == TAGS_MISS) {
        there = start + c->config->l2_latency;
        n->l1i_misses++;
        tags_insert(&c->tags, line, there);
    }
    return (there > start ? there : start) + c->config->l1_latency;
}

static void stream_fill(struct l0i *c, struct l1i *l1, uint64_t end_line, uint64_t now, struct sm_counters *n)
{
    uint64_t at = now + 1;
    while (c->stream_count < c->config->stream_buffer && c->stream_next < end_line) {
        uint64_t line = c->stream_next++;
        if (tags_lookup(&c->tags, line) != TAGS_MISS)
            continue;
        c->stream[c->stream_count++] = (struct stream_line){line, l1i_request(l1, line, at, n)};
        at++;
    }
}

static void take_arrived(struct l0i *c, uint64_t now)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->miss_count; i++) {
        if (c->miss[i].ready <= now)
            tags_insert(&c->tags, c->miss[i].line, c->miss[i].ready);
        else
            c->miss[kept++] = c->miss[i];
    }
    c->miss_count = kept;
}

/* Line in the stream buffer: it moves on to the L0 when it has arrived, and the stream continues behind it. */
static bool stream_lookup(struct l0i *c, struct l1i *l1, uint64_t line, uint64_t end_line, uint64_t now,
                          uint64_t *ready, struct sm_counters *n)
{
    for (uint32_t i = 0; i < c->stream_count; i++) {
        if (c->stream[i].line != line)
            continue;
        *ready = c->stream[i].ready;
        if (*ready <= now) {
            tags_insert(&c->tags, line, *ready);
            n->l0i_prefetch_hits++;
            c->stream_count -= i + 1;
            memmove(c->stream, c->stream + i + 1, c->stream_count * sizeof c->stream[0]);
            stream_fill(c, l1, end_line, now, n);
        }
        return true;
    }
    return false;
}

uint64_t l0i_fetch(struct l0i *c, struct l1i *l1, uint32_t pc, uint32_t code_end, uint64_t now, struct sm_counters *n)
{
    uint64_t line = pc / c->config->line;
    if (line == c->recent || c->config->perfect) {
        n->l0i_hits++;
        return now;
    }
    uint64_t end_line = (code_end + c->config->line - 1) / c->config->line;
    if (c->miss_count)
        take_arrived(c, now);
    if (tags_lookup(&c->tags, line) != TAGS_MISS) {
        n->l0i_hits++;
        c->recent = line;
        return now;
    }
    uint64_t ready;
    if (stream_lookup(c, l1, line, end_line, now, &ready, n))
        return ready > now ? ready : now;
    for (uint32_t i = 0; i < c->miss_count; i++) {
        if (c->miss[i].line == line)
            return c->miss[i].ready;
    }
    n->l0i_misses++;
    ready = l1i_request(l1, line, now, n);
    if (c->miss_count < L0_MISSES)
        c->miss[c->miss_count++] = (struct stream_line){line, ready};
    c->stream_count = 0;
    c->stream_next = line + 1;
    stream_fill(c, l1, end_line, now, n);
    return ready;
}
