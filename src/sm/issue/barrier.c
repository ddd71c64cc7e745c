#include "sm/issue/barrier.h"

#include "base/order.h"

/* When all that the barrier waits for have arrived it is free for its next use at once (PTX ISA, bar: the barrier is
 * reinitialised when it completes). Those that wait go on after a fixed time. */
static void complete(const struct barrier_unit *u, uint8_t cta_slot, unsigned k, uint64_t from)
{
    struct sm_cta *cta = &u->cta[cta_slot];
    struct cta_barriers *b = &cta->barriers;
    uint32_t expected = b->expected[k] ? b->expected[k] : cta->warps_left;
    if (!b->arrived[k] || b->arrived[k] < expected)
        return;
    b->arrived[k] = 0;
    if (!b->waiting[k])
        return; /* of arrivals alone: no warp continues, and the CTA may be gone before that time */
    b->released[k] |= b->waiting[k];
    b->waiting[k] = 0;
    calendar_add(u->calendar, from + u->core->barrier_base, (struct event){EVENT_BARRIER, cta_slot, (uint16_t)k});
}

void cta_barrier_arrive(const struct barrier_unit *u, uint8_t cta_slot, uint32_t slot, const struct issued *issued,
                        uint64_t now)
{
    struct cta_barriers *b = &u->cta[cta_slot].barriers;
    unsigned k = issued->barrier % CTA_BARRIERS;
    b->port_free = latest(b->port_free, now) + u->core->barrier_per_warp;
    b->arrived[k]++;
    b->expected[k] = issued->barrier_warps;
    if (issued->flow == ISSUED_AT_BARRIER) /* ARV counts and does not wait (PTX ISA, barrier.arrive) */
        b->waiting[k] |= UINT64_C(1) << slot;
    complete(u, cta_slot, k, b->port_free);
}

void cta_barrier_exit(const struct barrier_unit *u, uint8_t cta_slot, uint64_t now)
{
    uint64_t port_free = u->cta[cta_slot].barriers.port_free;
    u->cta[cta_slot].warps_left--;
    for (unsigned k = 0; k < CTA_BARRIERS; k++)
        complete(u, cta_slot, k, latest(port_free, now));
}

uint64_t cta_barrier_release(const struct barrier_unit *u, uint32_t cta_slot, uint32_t barrier)
{
    struct cta_barriers *b = &u->cta[cta_slot].barriers;
    uint64_t released = b->released[barrier];
    b->released[barrier] = 0;
    return released;
}
