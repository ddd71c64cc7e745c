#include "sm/issue/barrier.h"

#include "base/bits.h"
#include "sm/issue/issue.h"
#include "sm/sm.h"

/* When all that the barrier waits for have arrived it is free for its next use at once (PTX ISA, bar: the barrier is
 * reinitialised when it completes); those that wait go on after a fixed time. */
static void complete(struct sm *sm, uint8_t cta_slot, unsigned k, uint64_t from)
{
    struct sm_cta *cta = &sm->cta[cta_slot];
    struct cta_barriers *b = &cta->barriers;
    uint32_t expected = b->expected[k] ? b->expected[k] : cta->warps_left;
    if (!b->arrived[k] || b->arrived[k] < expected)
        return;
    b->arrived[k] = 0;
    if (!b->waiting[k])
        return; /* of arrivals alone: nobody goes on, and the CTA may be gone before that time */
    b->released[k] |= b->waiting[k];
    b->waiting[k] = 0;
    calendar_add(&sm->calendar, from + sm->config->core.barrier_base,
                 (struct event){EVENT_BARRIER, cta_slot, (uint16_t)k});
}

void cta_barrier_arrive(struct sm *sm, uint32_t slot, uint64_t now)
{
    struct sm_cta *cta = &sm->cta[sm->warp[slot].cta];
    struct cta_barriers *b = &cta->barriers;
    const struct issued *is = &sm->issued;
    unsigned k = is->barrier % CTA_BARRIERS;
    b->port_free = (b->port_free > now ? b->port_free : now) + sm->config->core.barrier_per_warp;
    b->arrived[k]++;
    b->expected[k] = is->barrier_warps;
    if (is->flow == ISSUED_AT_BARRIER) /* ARV counts and does not wait (PTX ISA, barrier.arrive) */
        b->waiting[k] |= UINT64_C(1) << slot;
    complete(sm, sm->warp[slot].cta, k, b->port_free);
}

void cta_barrier_exit(struct sm *sm, uint8_t cta_slot, uint64_t now)
{
    uint64_t port_free = sm->cta[cta_slot].barriers.port_free;
    for (unsigned k = 0; k < CTA_BARRIERS; k++)
        complete(sm, cta_slot, k, port_free > now ? port_free : now);
}

void cta_barrier_release(struct sm *sm, uint32_t cta_slot, uint32_t barrier)
{
    struct cta_barriers *b = &sm->cta[cta_slot].barriers;
    uint64_t released = b->released[barrier];
    b->released[barrier] = 0;
    for (; released; released &= released - 1) {
        uint32_t slot = lowest_bit64(released);
        unsigned subcore = slot % SM_SUBCORES, warp = slot / SM_SUBCORES;
        const struct warp_gate *gate = &sm->gates.subcore[subcore];
        struct sm_warp *w = &sm->warp[slot];
        uint32_t next = sm->source.release(sm->source.self, slot);
        gate_open(gate, warp, STALL_BARRIER);
        if (next != w->pc) { /* another path of a divergent warp */
            gate_open(gate, warp, STALL_BRANCH_RESOLVING);
            gate_redirect(gate, warp, true);
            w->pc = next;
            fetch_redirect(sm, subcore, warp, next);
            issue_new_head(sm, subcore, warp);
        }
    }
}
