#include "sm/execute/tensor_engine.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "base/order.h"
#include "isa/matrix.h"
#include "sm/cta.h"
#include "sm/memory/mbarrier_unit.h"
#include "sm/warp.h"

void tensor_engine_begin(struct tensor_engine *e)
{
    struct tensor_engine_ports to = e->to;
    if (!e->touched)
        return;
    memset(e, 0, sizeof *e);
    e->to = to;
}

static const struct cluster_place *cluster_of(const struct tensor_engine *e, uint32_t slot)
{
    return &e->to.cta[e->to.warp[slot].cta].cluster.place;
}

static struct engine_command *head(struct tensor_engine *e)
{
    return e->first == e->end ? NULL : &e->queue[e->first % ENGINE_COMMANDS];
}

static void wake(const struct tensor_engine *e)
{
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++)
        gate_wake(&e->to.gates->subcore[subcore]);
}

static void leave(struct tensor_engine *e, uint32_t slot)
{
    if (--e->to.warp[slot].queued_ops == 0)
        retire_warp_drained(e->to.retire, slot);
}

/* ---- issue ------------------------------------------------------------------------------------------------------- */

uint16_t tensor_engine_take(struct tensor_engine *e)
{
    unsigned place = lowest_bit64(~e->used);
    e->used |= UINT64_C(1) << place;
    return (uint16_t)place;
}

/* Where a commit arrives, beside the own CTA. */
static void begin_commit(struct tensor_engine *e, uint8_t slot, uint16_t place, uint64_t operand)
{
    const struct cluster_place *cluster = cluster_of(e, slot);
    uint16_t targets = (uint16_t)(operand >> 32), own = (uint16_t)(1u << (cluster->size > 1 ? cluster->rank : 0));
    bool others = cluster->size > 1;
    e->commit[place] = (struct engine_commit){.targets = (uint16_t)(others ? targets & ~own : 0), .slot = slot};
    e->to.n->tcgen05_commits++;
}

void tensor_engine_issue(struct tensor_engine *e, uint8_t slot, const struct code *code, const struct issued *issued,
                         uint16_t place, uint64_t now)
{
    uint64_t from = now + e->to.config->tcgen05.operands;
    bool commit = code_engine_kind(code) == ISA_ENGINE_COMMIT;
    retire_sources_read(e->to.retire, slot, code, from);
    if (!issued->active) {
        e->used &= ~(commit ? UINT64_C(1) << place : 0);
        return;
    }
    bool descriptor = issued_has_operand((enum isa_op)code->op);
    uint64_t operand = descriptor ? issued->operand[lowest_bit32(issued->active)] : 0;
    e->touched = true;
    struct engine_command *c = &e->queue[e->end++ % ENGINE_COMMANDS];
    *c = (struct engine_command){.from = from,
                                 .slot = slot,
                                 .place = (uint8_t)place,
                                 .commit = commit,
                                 .pair = code->transfer & CODE_ENGINE_PAIR};
    e->to.warp[slot].queued_ops++;
    if (commit)
        begin_commit(e, slot, place, operand);
    else
        c->timing = engine_timing(code, (uint32_t)operand, e->to.config);
}

/* ---- the port of shared memory ----------------------------------------------------------------------------------- */

static void begin_reading(struct engine_reading *r, const struct tensor_engine *e, uint32_t cycles, uint32_t interval,
                          uint64_t now)
{
    *r = (struct engine_reading){.under_way = cycles > 0,
                                 .bursts = (uint16_t)div_up32(cycles, e->to.config->tcgen05.burst),
                                 .cycles = (uint16_t)cycles,
                                 .interval = (uint16_t)interval,
                                 .start = now};
}

static uint64_t burst_due(const struct engine_reading *r)
{
    return r->under_way ? r->start + (uint64_t)r->interval * r->done / r->bursts + r->late : UINT64_MAX;
}

/* The next burst, if it is due. `end` gets the cycle behind the last one. */
static bool read_burst(struct tensor_engine *e, struct engine_reading *r, uint64_t now, uint64_t *end)
{
    if (burst_due(r) > now)
        return false;
    uint32_t cycles = smaller(r->cycles, e->to.config->tcgen05.burst);
    uint64_t from = shared_memory_take(e->to.shared, now, cycles);
    e->to.n->tcgen05_port_cycles += cycles;
    r->late += from - now;
    r->cycles = (uint16_t)(r->cycles - cycles);
    r->under_way = ++r->done < r->bursts;
    *end = from + cycles;
    return true;
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

static void arrive_at(struct tensor_engine *e, uint8_t place, uint64_t cycle)
{
    *engine_arrivals_push(&e->arrivals, cycle) = place;
}

/* The command under way has left the tensor cores. */
static void end_running(struct tensor_engine *e, uint64_t end)
{
    e->free = end;
    e->over = latest(e->over, end + e->running.timing.latency);
    *engine_ends_push(&e->ends, e->over) = e->running.slot;
    for (uint32_t i = 0; i < e->held_count; i++)
        arrive_at(e, e->held[i], e->over);
    e->held_count = 0;
}

/* The other SM of the pair serves its part. */
static void tell_peer(struct tensor_engine *e, const struct engine_command *c, uint64_t now)
{
    const struct cluster_place *cluster = cluster_of(e, c->slot);
    if (cluster->size < 2)
        return;
    uint64_t port = (uint64_t)c->timing.before + c->timing.during;
    port_send_peer(e->to.port, ENGINE_CLIENT,
                   (struct request){.arrival = now,
                                    .line = c->timing.interval | port << 16,
                                    .kind = REQUEST_LOAD,
                                    .to = cluster->member[cluster->rank ^ 1].sm});
}

static void count(struct tensor_engine *e, const struct engine_timing *t)
{
    e->to.n->tcgen05_products += t->product;
    e->to.n->pipe_cycles[ISA_PIPE_TENSOR] += t->product ? (uint64_t)t->interval * SM_SUBCORES : 0;
}

/* The cycle from which the next command may take the tensor cores, when A has been read. */
static uint64_t may_begin(const struct tensor_engine *e, const struct engine_command *c)
{
    bool waited = c->from <= e->free && c->timing.product && e->alone;
    uint64_t ready = c->timing.before ? latest(c->from, e->loaded_at) : c->from;
    return latest(ready, e->free) + (waited ? e->to.config->tcgen05.train : 0);
}

static bool begin_command(struct tensor_engine *e, uint64_t now)
{
    struct engine_command *c = head(e);
    if (!c || c->commit || e->b.under_way || e->a.under_way || engine_ends_full(&e->ends))
        return false;
    if ((c->timing.before && !e->loaded) || may_begin(e, c) > now)
        return false;
    e->alone = c->timing.product && c->from > e->free;
    e->running = *c;
    e->loaded = false;
    e->first++;
    wake(e);
    count(e, &c->timing);
    if (c->pair && c->timing.product)
        tell_peer(e, c, now);
    begin_reading(&e->b, e, c->timing.during, c->timing.interval, now);
    e->free = now + c->timing.interval;
    if (!e->b.under_way)
        end_running(e, e->free);
    return true;
}

static bool read_b(struct tensor_engine *e, uint64_t now)
{
    uint64_t end;
    if (!read_burst(e, &e->b, now, &end))
        return false;
    if (!e->b.under_way)
        end_running(e, latest(e->b.start + e->b.interval + e->b.late, end));
    return true;
}

/* The cycle from which the next burst of A may be taken (UINT64_MAX: there is none, or one of B comes first). */
static uint64_t next_of_a(const struct tensor_engine *e, uint64_t now)
{
    const struct engine_command *c = e->first == e->end ? NULL : &e->queue[e->first % ENGINE_COMMANDS];
    if (!c || c->commit || !c->timing.before || e->loaded)
        return UINT64_MAX;
    uint64_t from = latest(e->a.under_way ? burst_due(&e->a) : c->from, now);
    return burst_due(&e->b) < from + e->to.config->tcgen05.burst ? UINT64_MAX : from;
}

/* A of the next product, between the bursts of B for the one under way. */
static bool read_a(struct tensor_engine *e, uint64_t now)
{
    uint64_t end = 0;
    if (next_of_a(e, now) != now)
        return false;
    const struct engine_command *c = head(e);
    if (!e->a.under_way)
        begin_reading(&e->a, e, c->timing.before, c->timing.before, now);
    read_burst(e, &e->a, now, &end);
    e->loaded = !e->a.under_way;
    e->loaded_at = end;
    return true;
}

static bool read_guest(struct tensor_engine *e, uint64_t now)
{
    uint64_t end;
    return read_burst(e, &e->guest, now, &end);
}

/* ---- commits ----------------------------------------------------------------------------------------------------- */

static bool take_commits(struct tensor_engine *e, uint64_t now)
{
    bool moved = false;
    for (struct engine_command *c = head(e); c && c->commit && c->from <= now; c = head(e)) {
        e->first++;
        moved = true;
        if (e->b.under_way)
            e->held[e->held_count++] = c->place;
        else
            arrive_at(e, c->place, latest(e->over, now));
    }
    if (moved)
        wake(e);
    return moved;
}

static void free_place(struct tensor_engine *e, unsigned place)
{
    e->used &= ~(UINT64_C(1) << place);
    wake(e);
    leave(e, e->commit[place].slot);
}

static void arrive(struct tensor_engine *e, unsigned place, uint64_t now)
{
    struct engine_commit *c = &e->commit[place];
    const struct cluster_place *cluster = cluster_of(e, c->slot);
    e->to.source->complete(e->to.source->self, ENGINE_TOKENS + place);
    mbarrier_unit_look(e->to.objects, now);
    for (uint32_t left = c->targets; left; left &= left - 1) {
        unsigned rank = lowest_bit32(left);
        port_send_peer(e->to.port, ENGINE_CLIENT,
                       (struct request){.arrival = now,
                                        .lanes = rank,
                                        .token = (uint16_t)place,
                                        .kind = REQUEST_STORE,
                                        .to = cluster->member[rank].sm});
        c->answers++;
    }
    if (!c->answers)
        free_place(e, place);
}

void tensor_engine_message(void *self, const struct request *message, uint64_t now)
{
    struct tensor_engine *e = self;
    const struct sm_source *source = e->to.source;
    e->touched = true;
    if (message->kind == REQUEST_ANSWER) {
        if (--e->commit[message->token].answers == 0)
            free_place(e, message->token);
    } else if (message->kind == REQUEST_LOAD) {
        uint32_t interval = (uint32_t)(message->line & 0xffff);
        e->to.n->pipe_cycles[ISA_PIPE_TENSOR] += (uint64_t)interval * SM_SUBCORES;
        begin_reading(&e->guest, e, (uint32_t)(message->line >> 16), interval, now);
    } else {
        if (source->serve)
            source->serve(source->self, message);
        mbarrier_unit_look(e->to.objects, now);
        port_send_peer(
            e->to.port, ENGINE_CLIENT,
            (struct request){.arrival = now, .token = message->token, .kind = REQUEST_ANSWER, .to = message->sm});
    }
}

/* ---- a cycle ----------------------------------------------------------------------------------------------------- */

static bool end_commands(struct tensor_engine *e, uint64_t now)
{
    bool moved = false;
    while (engine_ends_ready(&e->ends, now)) {
        uint8_t slot = *engine_ends_front(&e->ends);
        engine_ends_pop(&e->ends);
        leave(e, slot);
        moved = true;
    }
    while (engine_arrivals_ready(&e->arrivals, now)) {
        uint8_t place = *engine_arrivals_front(&e->arrivals);
        engine_arrivals_pop(&e->arrivals);
        arrive(e, place, now);
        moved = true;
    }
    return moved;
}

bool tensor_engine_work(struct tensor_engine *e, uint64_t now)
{
    bool moved = end_commands(e, now);
    moved |= read_b(e, now);
    moved |= read_guest(e, now);
    moved |= take_commits(e, now);
    moved |= begin_command(e, now);
    moved |= read_b(e, now);
    moved |= take_commits(e, now);
    return read_a(e, now) || moved;
}

uint64_t tensor_engine_due(const struct tensor_engine *e, uint64_t now)
{
    uint64_t next = earliest(engine_ends_next(&e->ends), engine_arrivals_next(&e->arrivals));
    next = earliest(next, earliest(burst_due(&e->b), burst_due(&e->guest)));
    next = earliest(next, next_of_a(e, now + 1));
    if (e->first != e->end) {
        const struct engine_command *c = &e->queue[e->first % ENGINE_COMMANDS];
        if (c->commit)
            next = earliest(next, c->from);
        else if (!e->b.under_way && (!c->timing.before || e->loaded))
            next = earliest(next, may_begin(e, c));
    }
    return latest(next, now + 1);
}
