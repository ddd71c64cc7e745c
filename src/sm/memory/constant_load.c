#include "sm/memory/constant_load.h"

#include "sm/memory/address_unit.h"
#include "sm/memory/lsu.h"
#include "sm/sm.h"

/* MICRO 2025 paper, table 2: 26 cycles with an immediate address, 29 with a register, whatever the size. */
static uint32_t latency(const struct sm *sm, const struct access *a)
{
    const struct config_lsu *c = &sm->config->lsu;
    return (access_vector(a) ? c->constant_latency_vector : c->constant_latency) - c->to_shared_part;
}

static void join(struct sm *sm, struct constant_order *o, uint16_t token)
{
    if (o->count++ == 0)
        o->oldest = token;
    else
        sm->lsu.table.access[o->youngest].next = token;
    o->youngest = token;
}

void constant_load(struct sm *sm, uint16_t token, uint64_t now)
{
    struct access *a = &sm->lsu.table.access[token];
    struct constant_order *o = &sm->subcore[a->subcore].ldc;
    unsigned coming;
    a->data_at = now + latency(sm, a) + constant_vl_access(&sm->ldc_constants, a->line, a->lines, now, &coming);
    a->left = (uint8_t)coming;
    if (coming || o->count)
        join(sm, o, token);
    else
        lsu_return(sm, token, RETURN_CONSTANT, a->data_at, 0, 0);
}

static void take_line(struct sm *sm, struct access *a, uint64_t line, uint64_t ready)
{
    for (unsigned i = 0; i < a->lines && a->left; i++) {
        struct line_access *block = &a->line[i];
        if (!block->sectors || block->line / sm->config->constant.line != line)
            continue;
        block->sectors = 0;
        a->left--;
        if (ready + latency(sm, a) > a->data_at)
            a->data_at = ready + latency(sm, a);
    }
}

void constant_load_arrives(struct sm *sm, unsigned subcore, uint64_t line, uint64_t ready)
{
    struct access *access = sm->lsu.table.access;
    struct constant_order *o = &sm->subcore[subcore].ldc;
    uint16_t token = o->oldest;
    for (unsigned i = 0; i < o->count; i++) {
        take_line(sm, &access[token], line, ready);
        token = access[token].next;
    }
    while (o->count && access[o->oldest].left == 0) {
        uint16_t oldest = o->oldest;
        o->oldest = access[oldest].next;
        o->count--;
        lsu_return(sm, oldest, RETURN_CONSTANT, access[oldest].data_at, 0, 0);
    }
}
