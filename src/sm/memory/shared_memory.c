#include "sm/memory/shared_memory.h"

#include "sm/memory/address_unit.h"

enum bank_use shared_memory_use(const struct code *code, unsigned bytes)
{
    if (code->memory == ISA_MEM_ASYNC_COPY)
        return BANK_EACH;
    if (code_operates(code))
        return code->mbarrier == CODE_MBARRIER_WAIT ? BANK_LOAD : BANK_EACH;
    bool changes = code->memory == ISA_MEM_ATOMIC || code->memory == ISA_MEM_REDUCTION;
    if (changes && bytes && !(code->flags & CODE_ONE_PASS))
        return BANK_EACH;
    return code->memory == ISA_MEM_LOAD && !code->matrices ? BANK_LOAD : BANK_STORE;
}

/* Further passes of a conflict, beyond those that the width asks for. */
static uint32_t conflict_cycles(const struct config_shared *c, struct bank_passes b)
{
    return (uint32_t)(b.passes - b.groups) * c->pass_interval;
}

static uint32_t hold_cycles(const struct config_shared *c, const struct code *code, struct bank_passes b)
{
    uint32_t cycles = b.groups * c->group_interval + conflict_cycles(c, b);
    return code->flags & CODE_COMPARE && cycles < c->compare_interval ? c->compare_interval : cycles;
}

/* From the data of the first pass to those of the last. Other accesses pass in between. */
static uint32_t delay_cycles(const struct config_shared *c, const struct code *code, struct bank_passes b)
{
    uint32_t later = b.passes > 1 ? (b.passes - 1u) * c->pass_latency : 0;
    bool twice = code->flags & CODE_COMPARE && c->compare_passes;
    return (conflict_cycles(c, b) + later) * (twice ? 2 : 1);
}

/* By kind of instruction, as profilers do. A barrier object's operation is an atomic one. */
static inline void count(struct sm_counters *n, const struct access *a)
{
    uint64_t passes = a->bank.passes, conflicts = (uint64_t)(passes - a->bank.groups);
    n->shared_wavefronts += passes;
    n->shared_conflicts += conflicts;
    switch (a->code->memory) {
    case ISA_MEM_LOAD:
        n->shared_wavefronts_load += passes;
        n->shared_conflicts_load += conflicts;
        break;
    case ISA_MEM_STORE:
        n->shared_wavefronts_store += passes;
        n->shared_conflicts_store += conflicts;
        break;
    case ISA_MEM_ASYNC_COPY:
        n->shared_wavefronts_copy += passes;
        n->shared_conflicts_copy += conflicts;
        break;
    default:
        n->shared_wavefronts_atomic += passes;
        n->shared_conflicts_atomic += conflicts;
        break;
    }
}

void shared_memory_count(struct sm_counters *n, const struct access *a)
{
    n->shared_requests++;
    count(n, a);
}

/* Beyond the load of a word. */
static uint32_t extra(const struct config_shared *c, const struct access *a)
{
    const struct code *code = a->code;
    uint32_t cycles = access_vector(a) ? c->vector_extra : 0;
    if (code->memory == ISA_MEM_ATOMIC)
        cycles += code->flags & CODE_COMPARE ? c->compare_extra : c->atomic_extra;
    if (code->matrices)
        return cycles + c->matrix_extra + (code->matrices > 1 ? c->matrices_extra : 0);
    return cycles + shared_model(c->model)->width_extra[shared_model_width(code->data_words)];
}

void shared_memory_access(struct shared_memory *s, uint16_t token, uint64_t now)
{
    enum { LEAST_RETURN = 2 }; /* cycles, table 2 of the MICRO 2025 paper: 32 bits take as long as 64 */
    const struct config_shared *c = s->to.config;
    const struct delivery *delivery = s->to.delivery;
    const struct access *a = &delivery->table->access[token];
    s->free = now + hold_cycles(c, a->code, a->bank);
    s->to.n->shared_requests += a->bank.passes > 0; /* not when the guard holds in no lane */
    count(s->to.n, a);
    uint64_t ready = now + c->latency + extra(c, a) + delay_cycles(c, a->code, a->bank);
    uint32_t bytes = shared_model(c->model)->streams ? s->to.lsu->shared_return_bytes : a->bytes;
    if (a->returns)
        delivery_send(delivery, token, RETURN_SHARED, ready, bytes, LEAST_RETURN);
    else
        delivery_complete(delivery, token, ready);
}

uint64_t shared_memory_object(struct shared_memory *s, const struct access *a, uint64_t now)
{
    const struct config_shared *c = s->to.config;
    s->free = now + c->group_interval;
    s->to.n->shared_requests += a->bank.passes > 0;
    count(s->to.n, a);
    return now + c->latency + (access_vector(a) ? c->vector_extra : 0);
}

void shared_memory_lanes(struct shared_memory *s, uint64_t now)
{
    s->to.n->lane_wavefronts++;
    shared_memory_take(s, now, s->to.config->group_interval);
}

uint64_t shared_memory_copy(struct shared_memory *s, const struct access *a, uint64_t now)
{
    s->free = (s->free > now ? s->free : now) + hold_cycles(s->to.config, a->code, a->bank);
    count(s->to.n, a);
    return s->free;
}
