#include "sm/front/l0i.h"

#include "base/bits.h"

bool l0i_init(struct l0i *c, const struct config_icache *config, unsigned subcore, struct arena *arena)
{
    c->config = config;
    c->subcore = subcore;
    c->line_shift = lowest_bit32(config->line);
    if (!tags_init(&c->tags, config->l0_sets, config->l0_ways, config->replacement == CONFIG_CODE_REPLACEMENT_RANDOM,
                   arena))
        return false;
    l0i_begin(c);
    return true;
}

void l0i_begin(struct l0i *c)
{
    tags_clear(&c->tags);
    for (unsigned i = 0; i < L0_RECENT; i++)
        c->recent[i] = TAGS_EMPTY;
    c->miss_count = 0;
    stream_buffer_clear(&c->stream, c->config->stream_buffer);
}

/* Returns the line behind the code that has this one. */
static uint64_t end_of_code(const struct l0i *c, uint64_t line)
{
    uint64_t bytes = 0, at = (line + 1) << c->line_shift;
    for (uint32_t i = 0; i < c->code->windows; i++) {
        const struct code_window *w = &c->code->window[i];
        if (w->base * UINT64_C(16) < at && w->end * UINT64_C(16) > line << c->line_shift &&
            w->end * UINT64_C(16) > bytes)
            bytes = w->end * UINT64_C(16);
    }
    return (bytes + c->config->line - 1) / c->config->line;
}

static void insert(struct l0i *c, uint64_t line, uint64_t ready)
{
    uint64_t replaced = tags_insert(&c->tags, line, ready);
    if (c->recent[replaced % L0_RECENT] == replaced)
        c->recent[replaced % L0_RECENT] = TAGS_EMPTY;
    c->recent[line % L0_RECENT] = line;
}

static void take_arrived(struct l0i *c, uint64_t now)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->miss_count; i++) {
        if (c->miss[i].ready <= now)
            insert(c, c->miss[i].line, c->miss[i].ready);
        else
            c->miss[kept++] = c->miss[i];
    }
    c->miss_count = kept;
}

static const struct stream_line *on_its_way(const struct l0i *c, uint64_t line)
{
    for (uint32_t i = 0; i < c->miss_count; i++) {
        if (c->miss[i].line == line)
            return &c->miss[i];
    }
    return NULL;
}

/* The stream continues, or a new one starts. */
static void prefetch(struct l0i *c, uint64_t now)
{
    if (stream_buffer_wants(&c->stream))
        l1i_want_prefetch(c->l1i, c->subcore, now);
}

/* Ends a stream: the L0 takes the lines that it has brought or asked for. */
static void keep_stream(struct l0i *c, uint64_t now)
{
    while (c->stream.count) {
        const struct stream_line *l = &c->stream.line[c->stream.first];
        if (l->ready <= now)
            insert(c, l->line, l->ready);
        else if (c->miss_count < L0_MISSES)
            c->miss[c->miss_count++] = *l;
        stream_buffer_pop(&c->stream);
    }
}

static uint64_t demand(struct l0i *c, uint64_t line, uint64_t now)
{
    uint64_t ready = l1i_demand(c->l1i, c->subcore, line, now);
    c->n->l0i_misses++;
    if (c->miss_count < L0_MISSES)
        c->miss[c->miss_count++] = (struct stream_line){line, ready};
    keep_stream(c, now);
    stream_buffer_start(&c->stream, line + 1, end_of_code(c, line));
    prefetch(c, now);
    return ready;
}

static uint64_t search(struct l0i *c, uint64_t line, uint64_t now)
{
    if (c->miss_count)
        take_arrived(c, now);
    if (tags_lookup(&c->tags, line) != TAGS_MISS) {
        c->n->l0i_hits++;
        c->recent[line % L0_RECENT] = line;
        if (c->stream.head == line) {
            stream_buffer_pop(&c->stream);
            prefetch(c, now);
        }
        return now;
    }
    if (c->stream.head == line) {
        uint64_t ready = c->stream.line[c->stream.first].ready;
        if (ready > now)
            return ready;
        insert(c, line, ready);
        c->n->l0i_prefetch_hits++;
        stream_buffer_pop(&c->stream);
        prefetch(c, now);
        return now;
    }
    const struct stream_line *miss = on_its_way(c, line);
    return miss ? miss->ready : demand(c, line, now);
}

uint64_t l0i_fetch(struct l0i *c, uint32_t pc, uint64_t now)
{
    if (!l0i_known(c, pc) && !c->config->perfect)
        return search(c, pc >> c->line_shift, now);
    c->n->l0i_hits++;
    return now;
}

void l0i_arrive(struct l0i *c, uint64_t line, uint64_t ready)
{
    for (uint32_t i = 0; i < c->miss_count; i++) {
        if (c->miss[i].line == line && c->miss[i].ready == TAGS_COMING)
            c->miss[i].ready = ready;
    }
    stream_buffer_arrive(&c->stream, line, ready);
}

void l0i_archive(struct archive *a, struct l0i *c)
{
    archive_keep(a, &c->config);
    archive_keep(a, &c->l1i);
    archive_keep(a, &c->code);
    archive_keep(a, &c->n);
    tags_archive(a, &c->tags);
}
