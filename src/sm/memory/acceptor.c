#include "sm/memory/acceptor.h"

#include "base/bits.h"
#include "sm/memory/lsu.h"
#include "sm/sm.h"

static uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }

void acceptor_new_head(struct sm *sm, unsigned subcore)
{
    struct acceptor *acceptor = &sm->lsu.acceptor;
    const struct memory_queue *q = &sm->subcore[subcore].memory;
    acceptor->waiting &= ~(UINT32_C(1) << subcore);
    if (memory_ring_empty(&q->ring))
        return;
    acceptor->waiting |= UINT32_C(1) << subcore;
    acceptor->head_leaves[subcore] =
        memory_queue_leaves(q, &sm->config->lsu, &sm->lsu.table.access[memory_queue_head(q)]);
}

/* Cycle from which the head of a sub-core's queue can be taken as far as time alone decides. */
static uint64_t head_free(const struct sm *sm, unsigned subcore, const struct access *a)
{
    uint64_t at = max64(sm->lsu.acceptor.free, sm->lsu.acceptor.head_leaves[subcore]);
    if (a->space == ISA_SPACE_SHARED)
        at = max64(at, shared_memory_free(&sm->lsu.shared));
    if (access_global(a))
        at = max64(at, global_path_free(sm));
    return at;
}

/* Operands are read while the instruction stands at the head of the queue and its address is calculated, by ports that
 * ALLOCATE leaves free: from three cycles after issue on, as others do; on the slower way from five. */
static bool operands_read(struct sm *sm, const struct memory_queue *q, const struct access *a, uint64_t now)
{
    enum { BEFORE_SHARED_PART = 6 };
    uint64_t since = max64(max64(memory_ring_next(&q->ring), BEFORE_SHARED_PART) - BEFORE_SHARED_PART, q->last_leave);
    return register_file_read_queued(&sm->subcore[a->subcore].registers, &sm->config->core, a->code, since, now,
                                     &sm->n);
}

bool acceptor_cycle(struct sm *sm, uint64_t now)
{
    struct lsu *lsu = &sm->lsu;
    const struct config_lsu *c = &sm->config->lsu;
    if (!lsu->acceptor.waiting || lsu->acceptor.free > now || lsu->table.entries >= c->pending)
        return false;
    for (unsigned i = 0; i < SM_SUBCORES; i++) {
        unsigned subcore = (lsu->acceptor.turn + i) % SM_SUBCORES;
        if (!(lsu->acceptor.waiting >> subcore & 1) || lsu->acceptor.head_leaves[subcore] > now)
            continue;
        struct memory_queue *q = &sm->subcore[subcore].memory;
        uint16_t token = memory_queue_head(q);
        struct access *a = &lsu->table.access[token];
        if (now < head_free(sm, subcore, a) || (access_global(a) && !global_path_room(sm, a)) ||
            !operands_read(sm, q, a, now))
            continue;
        gate_wake(&sm->gates.subcore[subcore]);
        memory_queue_leave(q, c, a, now);
        acceptor_new_head(sm, subcore);
        lsu->table.entries++;
        lsu->acceptor.free = now + lsu_interval(c, a);
        lsu->acceptor.turn = subcore + 1;
        lsu_accept(sm, token, now);
        return true;
    }
    return false;
}

uint64_t acceptor_next(const struct sm *sm, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    if (sm->lsu.table.entries >= sm->config->lsu.pending)
        return next;
    for (uint32_t left = sm->lsu.acceptor.waiting; left; left &= left - 1) {
        unsigned subcore = lowest_bit32(left);
        const struct access *a = &sm->lsu.table.access[memory_queue_head(&sm->subcore[subcore].memory)];
        if (access_global(a) && !global_path_room(sm, a))
            continue; /* only a reply changes that */
        uint64_t at = head_free(sm, subcore, a);
        if (at < next)
            next = at;
    }
    return next > now ? next : now + 1;
}
