#include "sm/issue/cluster_barrier.h"

#include "base/bits.h"

/* The warps that an event releases: a warp slot, or all whose phase is over. */
enum { ALL_THAT_WAITED = 0xff };

/* The contents of request.lanes in a message, beside the rank of its sender: the phase, or that the CTA has ended. */
enum { MESSAGE_ODD = 1 << 8, MESSAGE_GONE = 1 << 9, MESSAGE_RANK = MESSAGE_ODD - 1 };

static uint64_t bit(uint32_t slot) { return UINT64_C(1) << slot; }

void cluster_barrier_start(const struct cluster_barriers *u, uint8_t cta_slot)
{
    u->cta[cta_slot].cluster.barrier = (struct cluster_barrier){0};
}

/* ---- messages that a CTA has received ---------------------------------------------------------------------------- */

static void complete(const struct cluster_barriers *u, uint8_t cta_slot, uint64_t now)
{
    struct sm_cluster *c = &u->cta[cta_slot].cluster;
    struct cluster_barrier *b = &c->barrier;
    uint32_t all = (UINT32_C(1) << c->place.size) - 1;
    if (((uint32_t)b->heard[b->phase & 1] | b->gone) != all)
        return;
    b->heard[b->phase & 1] = 0;
    b->phase++;
    b->told = false;
    b->arrived = 0;
    if (!b->waiting)
        return;
    b->released |= b->waiting;
    b->waiting = 0;
    calendar_add(u->calendar, now + u->core->cluster_barrier, (struct event){EVENT_CLUSTER, cta_slot, ALL_THAT_WAITED});
}

static void hear(const struct cluster_barriers *u, uint8_t cta_slot, uint32_t lanes, uint64_t now)
{
    struct cluster_barrier *b = &u->cta[cta_slot].cluster.barrier;
    uint16_t rank = (uint16_t)(UINT32_C(1) << (lanes & MESSAGE_RANK));
    if (lanes & MESSAGE_GONE)
        b->gone |= rank;
    else
        b->heard[(lanes & MESSAGE_ODD) != 0] |= rank;
    complete(u, cta_slot, now);
}

void cluster_barrier_hear(void *self, const struct request *message, uint64_t now)
{
    const struct cluster_barriers *u = self;
    uint8_t cta_slot = (uint8_t)message->token;
    const struct sm_cta *cta = &u->cta[cta_slot];
    if (cta->used && cta->cluster.place.number == message->line) /* else it has ended: no warp waits there */
        hear(u, cta_slot, message->lanes, now);
}

/* ---- messages that it sends -------------------------------------------------------------------------------------- */

static void tell(const struct cluster_barriers *u, uint8_t cta_slot, uint32_t what, uint64_t now)
{
    const struct cluster_place *p = &u->cta[cta_slot].cluster.place;
    for (uint32_t rank = 0; rank < p->size; rank++)
        if (rank != p->rank)
            port_send_peer(u->port, PORT_CLUSTER,
                           (struct request){.arrival = now,
                                            .line = p->number,
                                            .lanes = what | p->rank,
                                            .token = p->member[rank].slot,
                                            .to = p->member[rank].sm,
                                            .kind = REQUEST_STORE});
    hear(u, cta_slot, what | p->rank, now);
}

/* All warps that have not exited have arrived. */
static void try_tell(const struct cluster_barriers *u, uint8_t cta_slot, uint64_t now)
{
    const struct sm_cta *cta = &u->cta[cta_slot];
    struct cluster_barrier *b = &u->cta[cta_slot].cluster.barrier;
    uint32_t arrived = popcount32((uint32_t)b->arrived) + popcount32((uint32_t)(b->arrived >> 32));
    if (b->told || arrived == 0 || arrived < cta->warps_left)
        return;
    b->told = true;
    tell(u, cta_slot, b->phase & 1 ? MESSAGE_ODD : 0, now);
}

/* ---- warps ------------------------------------------------------------------------------------------------------- */

void cluster_barrier_arrive(const struct cluster_barriers *u, uint8_t cta_slot, uint32_t slot, uint64_t now)
{
    u->cta[cta_slot].cluster.barrier.arrived |= bit(slot);
    try_tell(u, cta_slot, now);
}

void cluster_barrier_wait(const struct cluster_barriers *u, uint8_t cta_slot, uint32_t slot, uint64_t now)
{
    struct cluster_barrier *b = &u->cta[cta_slot].cluster.barrier;
    if (b->arrived & bit(slot)) {
        b->waiting |= bit(slot);
        return;
    }
    b->passing |= bit(slot);
    calendar_add(u->calendar, now + 1, (struct event){EVENT_CLUSTER, cta_slot, slot});
}

void cluster_barrier_exit(const struct cluster_barriers *u, uint8_t cta_slot, uint32_t slot, uint64_t now)
{
    const struct sm_cta *cta = &u->cta[cta_slot];
    struct cluster_barrier *b = &u->cta[cta_slot].cluster.barrier;
    b->arrived &= ~bit(slot);
    if (cta->warps_left > 0)
        try_tell(u, cta_slot, now);
    else if (cta->cluster.place.size > 1)
        tell(u, cta_slot, MESSAGE_GONE, now);
}

uint64_t cluster_barrier_release(const struct cluster_barriers *u, uint32_t cta_slot, uint32_t whom)
{
    struct cluster_barrier *b = &u->cta[cta_slot].cluster.barrier;
    if (whom != ALL_THAT_WAITED) {
        b->passing &= ~bit(whom);
        return bit(whom);
    }
    uint64_t released = b->released;
    b->released = 0;
    return released;
}
