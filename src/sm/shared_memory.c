#include "sm/shared_memory.h"

#include "sm/address_unit.h"
#include "sm/lsu.h"
#include "sm/sm.h"

/* Further passes of a conflict, beyond those that the width asks for. */
static uint32_t conflict_cycles(const struct config_shared *c, struct bank_passes b)
{
    return (uint32_t)(b.passes - b.groups) * c->pass_interval;
}

static uint32_t hold_cycles(const struct config_shared *c, struct bank_passes b)
{
    return b.groups * c->group_interval + conflict_cycles(c, b);
}

static void count(struct sm *sm, struct bank_passes b)
{
    sm->n.shared_requests += b.passes > 0; /* not when the guard holds in no lane */
    sm->n.shared_wavefronts += b.passes;
    sm->n.shared_conflicts += (uint64_t)(b.passes - b.groups);
}

void shared_memory_access(struct sm *sm, uint16_t token, uint64_t now)
{
    enum { LEAST_RETURN = 2 }; /* cycles, table 2 of the MICRO 2025 paper: 32 bits take as long as 64 */
    const struct config_shared *c = &sm->config->shared;
    struct access *a = &sm->lsu.table.access[token];
    sm->lsu.shared.free = now + hold_cycles(c, a->bank);
    count(sm, a->bank);
    uint64_t ready = now + c->latency + (access_vector(a) ? c->vector_extra : 0) + conflict_cycles(c, a->bank);
    if (a->code->memory == ISA_MEM_ATOMIC)
        ready += a->code->flags & CODE_COMPARE ? c->compare_extra : c->atomic_extra;
    if (a->code->matrices > 1)
        ready += c->matrix_extra;
    if (a->returns)
        lsu_return(sm, token, RETURN_SHARED, ready, sm->config->lsu.shared_return_bytes, LEAST_RETURN);
    else
        lsu_complete_at(sm, token, ready);
}

uint64_t shared_memory_copy(struct sm *sm, const struct access *a, uint64_t now)
{
    struct shared_memory *s = &sm->lsu.shared;
    s->free = (s->free > now ? s->free : now) + hold_cycles(&sm->config->shared, a->bank);
    return s->free;
}
