#include "sm/memory/acceptor.h"

#include "base/bits.h"
#include "base/order.h"

void acceptor_begin(struct acceptor *a) { *a = (struct acceptor){.to = a->to}; }

static const struct access *head_of(const struct acceptor *a, unsigned subcore)
{
    return &a->to.table->access[memory_queue_head(a->to.queue[subcore])];
}

static inline bool passes_array(const struct access *head)
{
    return head->space == ISA_SPACE_SHARED || code_passes_array(head->code);
}

void acceptor_new_head(struct acceptor *a, unsigned subcore)
{
    const struct memory_queue *q = a->to.queue[subcore];
    a->looks = a->free;
    a->waiting &= ~(UINT32_C(1) << subcore);
    a->banks &= ~(UINT32_C(1) << subcore);
    if (memory_ring_empty(&q->ring))
        return;
    const struct access *head = head_of(a, subcore);
    a->waiting |= UINT32_C(1) << subcore;
    a->banks |= (uint32_t)passes_array(head) << subcore;
    a->head_leaves[subcore] = memory_queue_leaves(q, a->to.config, head);
}

/* Cycle from which the head of a sub-core's queue can be taken as far as time alone decides. `global`: the path to
 * global memory is free. */
static inline uint64_t head_free(const struct acceptor *a, unsigned subcore, const struct access *head, uint64_t global)
{
    uint64_t at = latest(a->free, a->head_leaves[subcore]);
    if (passes_array(head))
        at = latest(at, shared_memory_free(a->to.shared));
    if (code_operates(head->code) && head->space == ISA_SPACE_SHARED)
        at = latest(at, a->to.objects->free);
    if (head->space == ISA_SPACE_CLUSTER)
        at = latest(at, port_takes(a->to.global->to.port));
    if (access_global(head))
        at = latest(at, global);
    return at;
}

/* Returns true if there is room behind the acceptor for the head's needs. A completion or a reply makes room. */
static bool head_has_room(const struct acceptor *a, const struct access *head)
{
    bool entry = head->returns || a->to.table->stores < a->to.config->stores;
    return entry && (!access_global(head) || global_path_room(a->to.global, head));
}

/* Operands are read while the instruction stands at the head of the queue and its address is calculated, by ports that
 * ALLOCATE leaves free: from three cycles after issue on, as others do; on the slower way from five. */
static bool operands_read(const struct acceptor *a, unsigned subcore, const struct access *head, uint64_t now)
{
    enum { BEFORE_SHARED_PART = 6 };
    const struct memory_queue *q = a->to.queue[subcore];
    uint64_t since = latest(latest(memory_ring_next(&q->ring), BEFORE_SHARED_PART) - BEFORE_SHARED_PART, q->last_leave);
    return register_file_read_queued(a->to.registers[subcore], a->to.core, head->code, since, now, a->to.n);
}

/* Cycles for which an instruction keeps the acceptor. */
static uint32_t interval_of(const struct config_lsu *c, const struct access *a)
{
    uint32_t passes = code_only_passes(a->code) ? access_share(a, a->code->interval) : 0;
    uint32_t interval = passes > c->accept_interval ? passes : c->accept_interval;
    return a->halved && c->half_warps ? (interval + 1) / 2 : interval;
}

static uint16_t take(struct acceptor *a, unsigned subcore, uint64_t now)
{
    struct memory_queue *q = a->to.queue[subcore];
    uint16_t token = memory_queue_head(q);
    const struct access *head = &a->to.table->access[token];
    gate_wake(&a->to.gates->subcore[subcore]);
    memory_queue_leave(q, a->to.config, head, now);
    acceptor_new_head(a, subcore);
    pending_table_enter(a->to.table, token);
    a->free = a->looks = now + interval_of(a->to.config, head);
    a->turn = subcore + 1;
    return token;
}

uint16_t acceptor_cycle(struct acceptor *a, uint64_t now)
{
    if (a->to.table->entries >= a->to.config->pending)
        return LSU_NO_TOKEN;
    uint64_t global = global_path_free(a->to.global, a->banks), looks = UINT64_MAX;
    bool refused = false;
    for (unsigned i = 0; i < SM_SUBCORES; i++) {
        unsigned subcore = (a->turn + i) % SM_SUBCORES;
        if (!(a->waiting >> subcore & 1))
            continue;
        const struct access *head = head_of(a, subcore);
        uint64_t at = head_free(a, subcore, head, global);
        if (at <= now && !head_has_room(a, head)) {
            refused = true;
            continue;
        }
        if (at <= now && operands_read(a, subcore, head, now))
            return take(a, subcore, now);
        looks = earliest(looks, latest(at, now + 1));
    }
    a->looks = looks;
    a->refused = refused;
    return LSU_NO_TOKEN;
}
