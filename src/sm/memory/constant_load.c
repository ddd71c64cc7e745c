#include "sm/memory/constant_load.h"

#include "base/order.h"
#include "sm/memory/address_unit.h"

/* MICRO 2025 paper, table 2: 26 cycles with an immediate address, 29 with a register, whatever the size. */
static uint32_t latency(const struct config_lsu *c, const struct access *a)
{
    return (access_vector(a) ? c->constant_latency_vector : c->constant_latency) - c->to_shared_part;
}

static void join(struct constant_order *o, struct access *access, uint16_t token)
{
    if (o->count++ == 0)
        o->oldest = token;
    else
        access[o->youngest].next = token;
    o->youngest = token;
}

void constant_load(struct constant_loads *c, uint16_t token, uint64_t now)
{
    struct access *access = c->to.table->access, *a = &access[token];
    struct constant_order *o = &c->order[a->subcore];
    unsigned coming;
    a->data_at = now + latency(c->to.config, a) + constant_vl_access(c->to.cache, a->line, a->lines, now, &coming);
    a->left = (uint8_t)coming;
    if (coming || o->count)
        join(o, access, token);
    else
        delivery_send(c->to.delivery, token, RETURN_CONSTANT, a->data_at, 0, 0);
}

static void take_line(const struct constant_loads *c, struct access *a, uint64_t line, uint64_t ready)
{
    for (unsigned i = 0; i < a->lines && a->left; i++) {
        struct line_access *block = &a->line[i];
        if (!block->sectors || block->line / c->to.cache->config->line != line)
            continue;
        block->sectors = 0;
        a->left--;
        a->data_at = latest(a->data_at, ready + latency(c->to.config, a));
    }
}

void constant_load_arrives(struct constant_loads *c, unsigned subcore, uint64_t line, uint64_t ready)
{
    struct access *access = c->to.table->access;
    struct constant_order *o = &c->order[subcore];
    uint16_t token = o->oldest;
    for (unsigned i = 0; i < o->count; i++) {
        take_line(c, &access[token], line, ready);
        token = access[token].next;
    }
    while (o->count && access[o->oldest].left == 0) {
        uint16_t oldest = o->oldest;
        o->oldest = access[oldest].next;
        o->count--;
        delivery_send(c->to.delivery, oldest, RETURN_CONSTANT, access[oldest].data_at, 0, 0);
    }
}
