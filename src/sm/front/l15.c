#include "sm/front/l15.h"

#include "base/bits.h"
#include "sm/front/constant_way.h"
#include "sm/sm.h"

bool l15_init(struct l15 *c, const struct config_l15 *config, struct arena *arena)
{
    c->config = config;
    c->port_free = 0;
    return tags_init(&c->tags, config->sets, config->ways, arena);
}

void l15_begin(struct l15 *c, bool keep)
{
    if (keep)
        tags_keep(&c->tags, L15_CONSTANTS / c->config->line);
    else
        tags_clear(&c->tags);
    c->port_free = 0;
}

bool l15_has(const struct l15 *c, uint64_t address) { return tags_has(&c->tags, address / c->config->line); }

/* The kernel's code and constants have device addresses of their own, which no allocation has. */
static void ask_l2(struct sm *sm, uint64_t address, uint64_t now)
{
    struct l15 *c = &sm->l15;
    const struct config_noc *noc = &sm->config->noc;
    uint64_t device = sm->code.address + address;
    uint32_t line = c->config->line < PORT_LINE ? c->config->line : PORT_LINE;
    uint64_t depart = now > c->port_free ? now : c->port_free;
    c->port_free = depart + (noc->header_bytes + noc->request_bytes - 1) / noc->request_bytes;
    unsigned first = (unsigned)(device % PORT_LINE / PORT_SECTOR);
    outbox_add(&sm->out, &(struct request){.arrival = depart,
                                           .line = device - device % PORT_LINE,
                                           .sm = sm->id,
                                           .token = PORT_CODE,
                                           .sectors = (uint8_t)(((1u << line / PORT_SECTOR) - 1) << first),
                                           .kind = REQUEST_LOAD});
    sm->n.l15_misses++;
    sm->n.noc_requests++;
    sm->n.noc_bytes_out += noc->header_bytes;
}

uint64_t l15_request(struct sm *sm, uint64_t address, uint64_t now)
{
    struct l15 *c = &sm->l15;
    uint64_t line = address / c->config->line;
    uint64_t there = tags_lookup(&c->tags, line);
    if (there == TAGS_MISS) {
        there = TAGS_COMING;
        tags_insert(&c->tags, line, there);
        ask_l2(sm, line * c->config->line, now);
    }
    return there > now ? there : now;
}

/* First sector of the reply, as an address of the L1.5. */
static uint64_t replied_address(const struct sm *sm, const struct reply *reply)
{
    return reply->line + PORT_SECTOR * lowest_bit32(reply->sectors) - sm->code.address;
}

void l15_fill(struct sm *sm, const struct reply *reply)
{
    uint64_t address = replied_address(sm, reply), end = address + sm->l15.config->line;
    tags_arrive(&sm->l15.tags, address / sm->l15.config->line, sm->now);
    if (address < L15_CONSTANTS)
        l1i_arrive(sm, address, end, sm->now);
    else
        constant_arrive(sm, address - L15_CONSTANTS, end - L15_CONSTANTS, sm->now);
}
