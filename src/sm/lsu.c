#include "sm/lsu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sm/dependence.h"
#include "sm/issue.h"
#include "sm/sm.h"

bool lsu_init(struct lsu *lsu)
{
    memset(lsu, 0, sizeof *lsu);
    lsu->access = calloc(LSU_TOKENS, sizeof *lsu->access);
    return lsu->access != NULL;
}

void lsu_free(struct lsu *lsu)
{
    free(lsu->access);
    lsu->access = NULL;
}

void lsu_begin(struct lsu *lsu, uint32_t pending)
{
    struct access *access = lsu->access;
    memset(lsu, 0, sizeof *lsu);
    lsu->access = access;
    lsu->free_count = pending < LSU_TOKENS ? pending : LSU_TOKENS;
    for (uint32_t i = 0; i < lsu->free_count; i++)
        lsu->free[i] = (uint16_t)(lsu->free_count - 1 - i);
}

static bool vector_address(const struct access *a) { return a->code->flags & CODE_VECTOR_ADDRESS; }
static bool is_global(const struct access *a) { return a->space == ISA_SPACE_GLOBAL || a->space == ISA_SPACE_LOCAL; }

/* Per-lane 64-bit addresses take longer to the shared part, and hold the address step longer, than shared-memory or
 * uniform ones (table 2: the load's WAR latency is this time; table 1: the spacing of a run). */
static uint32_t way_to_shared_part(const struct config_lsu *c, const struct access *a)
{
    return is_global(a) && vector_address(a) ? c->to_shared_part_vector : c->to_shared_part;
}

static uint32_t address_step(const struct config_lsu *c, const struct access *a)
{
    return is_global(a) && vector_address(a) ? c->address_vector : c->address_scalar;
}

static void note_addresses(struct sm *sm, struct access *a)
{
    const struct issued *is = &sm->issued;
    a->lines = 0;
    a->passes = a->least = 0;
    if (a->code->memory == ISA_MEM_SHUFFLE)
        return;
    if (is->space == ISA_SPACE_CONSTANT)
        a->lines = (uint8_t)constant_vl_blocks(&sm->config->constant, is, a->line);
    if (is->space == ISA_SPACE_GLOBAL || is->space == ISA_SPACE_LOCAL)
        a->lines = (uint8_t)coalesce_lines(is, is->active & ~is->zero_fill, a->line);
    uint32_t offset[32];
    if (a->code->memory == ISA_MEM_ASYNC_COPY) {
        memcpy(offset, is->shared, sizeof offset);
    } else if (is->space == ISA_SPACE_SHARED) {
        for (unsigned i = 0; i < 32; i++)
            offset[i] = (uint32_t)is->address[i];
    } else {
        return;
    }
    unsigned least;
    bool merge = a->code->memory != ISA_MEM_ATOMIC || is->bytes == 0;
    /* LDSM: lane i of each group of 8 gives a row of 16 bytes. */
    uint32_t lanes =
        a->code->matrices ? is->active & (uint32_t)((UINT64_C(1) << (8 * a->code->matrices)) - 1) : is->active;
    unsigned bytes = a->code->matrices ? 16 : is->bytes;
    a->passes = (uint8_t)shared_passes(offset, lanes, bytes, merge, &least);
    a->least = (uint8_t)least;
}

void lsu_issue(struct sm *sm, unsigned partition, unsigned warp, const struct code *code, uint16_t token, uint64_t now)
{
    struct access *a = &sm->lsu.access[token];
    struct partition *p = &sm->partition[partition];
    a->code = code;
    a->slot = (uint16_t)slot_of(partition, warp);
    a->partition = (uint8_t)partition;
    a->deferred = sm->issued.deferred;
    /* A generic access goes the way of the space that it was found in. */
    bool generic = code->space == ISA_SPACE_GENERIC;
    a->space = !generic ? code->space : sm->issued.space != ISA_SPACE_NONE ? sm->issued.space : ISA_SPACE_GLOBAL;
    a->returns = code->memory == ISA_MEM_LOAD || code->memory == ISA_MEM_ATOMIC || code->memory == ISA_MEM_SHUFFLE;
    a->bytes = (uint16_t)(32 * 4 * code->data_words);
    a->left = 0;
    a->posted = false;
    note_addresses(sm, a);
    struct sm_warp *w = &sm->warp[a->slot];
    w->accesses++;
    if (code->memory == ISA_MEM_ASYNC_COPY) {
        a->async_group = w->async.open;
        w->async.left[w->async.open]++;
    }
    *memory_ring_push(&p->queue.ring, now) = (struct queued){token, now + way_to_shared_part(&sm->config->lsu, a)};
}

static uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void complete_at(struct sm *sm, uint16_t token, uint64_t when)
{
    calendar_add(&sm->calendar, when, (struct event){EVENT_COMPLETE, (uint8_t)sm->lsu.access[token].slot, token});
}

/* Data ready at `ready` cross the return bus (bytes a cycle) and meet the register write port; the consumer may issue
 * at the end. */
static void return_data(struct sm *sm, uint16_t token, uint64_t ready, uint32_t bytes_per_cycle, uint32_t least)
{
    struct access *a = &sm->lsu.access[token];
    struct partition *p = &sm->partition[a->partition];
    uint32_t cycles = (a->bytes + bytes_per_cycle - 1) / bytes_per_cycle;
    uint64_t end = max64(ready, p->queue.return_free) + (cycles < least ? least : cycles);
    p->queue.return_free = end;
    if (a->code->write_words)
        end = register_file_write_load(&p->registers, a->code->write_first, a->code->write_words, end);
    dependence_result_written(sm, a->slot, a->code, end);
    complete_at(sm, token, end);
}

static void shared_memory(struct sm *sm, uint16_t token, uint64_t now)
{
    const struct config *c = sm->config;
    struct access *a = &sm->lsu.access[token];
    uint32_t extra = (uint32_t)(a->passes - a->least) * c->shared.pass_interval;
    sm->lsu.shared_free = now + a->least + extra;
    sm->n.shared_requests += a->passes > 0; /* not when the guard holds in no lane */
    sm->n.shared_wavefronts += a->passes;
    sm->n.shared_conflicts += (uint64_t)(a->passes - a->least);
    uint64_t ready = now + c->shared.latency + (vector_address(a) ? c->shared.vector_extra : 0) + extra;
    if (a->code->memory == ISA_MEM_ATOMIC)
        ready += c->shared.atomic_extra;
    if (a->returns)
        return_data(sm, token, ready, c->lsu.shared_return_bytes, 2);
    else
        complete_at(sm, token, ready);
}

static void send(struct sm *sm, uint16_t token, const struct line_access *line, uint8_t sectors, enum request_kind kind,
                 bool effect, bool by_line, uint64_t ready)
{
    const struct config_noc *noc = &sm->config->noc;
    struct outbox *out = &sm->out;
    bool data = kind != REQUEST_LOAD;
    uint32_t bytes = noc->header_bytes + (data ? line->bytes : 0u);
    uint64_t depart = max64(ready, out->port_free);
    out->port_free = depart + (bytes + noc->request_bytes - 1) / noc->request_bytes;
    assert(out->count < out->room);
    out->request[out->count++] = (struct request){.arrival = depart + noc->latency,
                                                  .line = line->line,
                                                  .lanes = line->lanes,
                                                  .partial = line->partial,
                                                  .sm = sm->id,
                                                  .token = by_line ? LSU_NO_TOKEN : token,
                                                  .sectors = sectors,
                                                  .kind = (uint8_t)kind,
                                                  .effect = effect,
                                                  .bytes = data ? line->bytes : 0};
    sm->lsu.in_network++;
    sm->n.noc_requests++;
    sm->n.noc_bytes_out += bytes;
}

/* Everything that an access waits for has come: `ready` is when its data are at the return bus. */
static void global_done(struct sm *sm, uint16_t token, uint64_t ready)
{
    const struct config_lsu *c = &sm->config->lsu;
    struct access *a = &sm->lsu.access[token];
    if (a->code->memory == ISA_MEM_ASYNC_COPY) {
        /* Visible in shared memory a fixed time after the global data, whatever the size (table 2, LDGSTS). */
        dependence_result_written(sm, a->slot, a->code, ready + 2 + c->async_extra);
        complete_at(sm, token, ready + 2 + c->async_extra);
    } else if (a->returns) {
        return_data(sm, token, ready, c->return_bytes, 1);
    } else {
        complete_at(sm, token, ready);
    }
}

static void global_load(struct sm *sm, uint16_t token, uint64_t ready)
{
    struct access *a = &sm->lsu.access[token];
    sm->n.l1_requests_load++;
    for (unsigned i = 0; i < a->lines; i++) {
        struct line_access *line = &a->line[i];
        uint8_t present = a->deferred ? 0 : l1_lookup(&sm->l1, line->line) & line->sectors;
        uint8_t missing = line->sectors & (uint8_t)~present;
        sm->n.l1_sectors_load += popcount32(line->sectors);
        sm->n.l1_sectors_load_hit += popcount32(present);
        if (!missing)
            continue;
        a->left++;
        if (a->deferred) { /* strong loads are answered by the slice, past the L1 */
            send(sm, token, line, missing, REQUEST_LOAD, true, false, ready);
            continue;
        }
        uint8_t ask = l1_miss(&sm->l1, line->line, missing, token);
        if (ask)
            send(sm, token, line, ask, REQUEST_LOAD, false, true, ready);
    }
    if (!a->left)
        global_done(sm, token, ready);
}

static void global_write(struct sm *sm, uint16_t token, uint64_t ready)
{
    struct access *a = &sm->lsu.access[token];
    bool store = a->code->memory == ISA_MEM_STORE;
    enum request_kind kind = store ? REQUEST_STORE : a->returns ? REQUEST_ATOMIC : REQUEST_REDUCTION;
    if (store)
        sm->n.l1_requests_store++;
    else
        sm->n.l1_requests_atomic++;
    for (unsigned i = 0; i < a->lines; i++) {
        struct line_access *line = &a->line[i];
        unsigned sectors = popcount32(line->sectors);
        if (store) {
            sm->n.l1_sectors_store += sectors;
            sm->n.l1_sectors_store_hit += popcount32(l1_lookup(&sm->l1, line->line) & line->sectors);
        } else {
            sm->n.l1_sectors_atomic += sectors;
        }
        a->left++;
        send(sm, token, line, line->sectors, kind, a->deferred, false, ready);
    }
    if (!a->left) {
        global_done(sm, token, ready);
    } else if (!a->returns) {
        a->posted = true;
        sm->warp[a->slot].posted++;
        fence_try(sm, a->slot);
    }
}

static void global_memory(struct sm *sm, uint16_t token, uint64_t now)
{
    const struct config_l1 *c = &sm->config->l1;
    struct access *a = &sm->lsu.access[token];
    uint32_t tag_cycles = (a->lines + c->tags_per_cycle - 1) / c->tags_per_cycle;
    uint32_t data_cycles = (a->bytes + c->data_bytes - 1) / c->data_bytes;
    uint32_t cycles = tag_cycles > data_cycles ? tag_cycles : data_cycles;
    sm->lsu.l1_free = now + cycles;
    sm->n.l1_wavefronts += a->lines;
    /* Wide data stream over the return bus while they are read: only look-ups beyond that delay the result. */
    uint64_t ready = now + c->latency + (vector_address(a) ? c->vector_extra : 0) + (tag_cycles ? tag_cycles - 1 : 0);
    sm->n.shared_wavefronts += a->passes; /* a copy's write to shared memory; it does not hold the banks here */
    if (a->code->memory == ISA_MEM_LOAD || a->code->memory == ISA_MEM_ASYNC_COPY)
        global_load(sm, token, ready);
    else
        global_write(sm, token, ready);
}

static void constant_load(struct sm *sm, uint16_t token, uint64_t now)
{
    const struct config_lsu *c = &sm->config->lsu;
    struct access *a = &sm->lsu.access[token];
    uint32_t latency = (vector_address(a) ? c->constant_latency_vector : c->constant_latency) - c->to_shared_part;
    uint64_t delay = constant_vl_access(&sm->ldc_constants, &sm->l1i, a->line, a->lines, now, &sm->n);
    uint64_t end = max64(now + latency + delay, sm->partition[a->partition].queue.return_free);
    sm->partition[a->partition].queue.return_free = end;
    dependence_result_written(sm, a->slot, a->code, end);
    complete_at(sm, token, end);
}

/* When the source registers may be overwritten: loads when they leave the sub-core; stores when their data have been
 * read, 8 + (4 per-lane global, 2 per-lane shared) + bytes/64 after issue (table 2). */
static uint64_t sources_read(const struct sm *sm, const struct access *a, uint64_t now)
{
    const struct config_lsu *c = &sm->config->lsu;
    uint64_t issue = now - way_to_shared_part(c, a); /* as if uncontended */
    switch ((enum isa_memory)a->code->memory) {
    case ISA_MEM_STORE:
    case ISA_MEM_ATOMIC:
    case ISA_MEM_REDUCTION:
        return issue + c->store_read +
               (!vector_address(a) ? 0
                : is_global(a)     ? 4
                                   : 2) +
               (a->bytes + c->store_bytes - 1) / c->store_bytes;
    case ISA_MEM_ASYNC_COPY: return issue + c->async_war;
    case ISA_MEM_LOAD:
    case ISA_MEM_SHUFFLE:
    case ISA_MEM_NONE: break;
    }
    if (a->space != ISA_SPACE_CONSTANT)
        return now;
    /* LDC with an address register: the source is free when the data are there (table 2). */
    return vector_address(a) ? issue + c->constant_latency_vector : now + 1;
}

static void accept(struct sm *sm, uint16_t token, uint64_t now)
{
    struct access *a = &sm->lsu.access[token];
    dependence_sources_read(sm, a->slot, a->code, sources_read(sm, a, now));
    if (a->code->memory == ISA_MEM_SHUFFLE) {
        uint64_t end = now + sm->config->lsu.shuffle_latency - sm->config->lsu.to_shared_part;
        dependence_result_written(sm, a->slot, a->code, end);
        complete_at(sm, token, end);
    } else if (a->space == ISA_SPACE_CONSTANT) {
        constant_load(sm, token, now);
    } else if (a->space == ISA_SPACE_SHARED) {
        shared_memory(sm, token, now);
    } else {
        global_memory(sm, token, now);
    }
}

static bool uses_banks(const struct access *a) { return a->space == ISA_SPACE_SHARED; }

/* Room for the worst case of this access: each of its lines a miss and a message. One that is larger than all the
 * room goes alone. */
static bool room_behind(const struct sm *sm, const struct access *a)
{
    return l1_can_miss(&sm->l1, a->lines) &&
           (sm->lsu.in_network == 0 || sm->lsu.in_network + a->lines <= sm->config->l1.mshrs);
}

/* Cycle from which the stages behind the acceptor can take this access, as far as time alone decides. */
static uint64_t stages_free(const struct sm *sm, const struct access *a)
{
    uint64_t at = sm->lsu.accept_free;
    if (uses_banks(a))
        at = max64(at, sm->lsu.shared_free);
    if (is_global(a)) {
        uint32_t queue = sm->config->noc.egress_queue;
        at = max64(at, sm->lsu.l1_free);
        at = max64(at, sm->out.port_free > queue ? sm->out.port_free - queue : 0);
    }
    return at;
}

bool lsu_cycle(struct sm *sm, uint64_t now)
{
    if (sm->lsu.accept_free > now)
        return false;
    for (unsigned i = 0; i < SM_PARTITIONS; i++) {
        unsigned partition = (sm->lsu.turn + i) % SM_PARTITIONS;
        struct memory_queue *q = &sm->partition[partition].queue;
        if (memory_ring_empty(&q->ring))
            continue;
        struct queued *head = memory_ring_front(&q->ring);
        struct access *a = &sm->lsu.access[head->token];
        if (now < head->earliest || now < q->last_leave + address_step(&sm->config->lsu, a) ||
            now < stages_free(sm, a) || (is_global(a) && !room_behind(sm, a)))
            continue;
        uint16_t token = head->token;
        memory_ring_pop(&q->ring);
        q->last_leave = now;
        uint32_t interval = sm->config->lsu.accept_interval;
        if (a->code->memory == ISA_MEM_SHUFFLE && sm->config->lsu.shuffle_interval > interval)
            interval = sm->config->lsu.shuffle_interval;
        sm->lsu.accept_free = now + interval;
        sm->lsu.turn = partition + 1;
        accept(sm, token, now);
        return true;
    }
    return false;
}

uint64_t lsu_next(const struct sm *sm, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < SM_PARTITIONS; i++) {
        const struct memory_queue *q = &sm->partition[i].queue;
        if (memory_ring_empty(&q->ring))
            continue;
        const struct queued *head = &q->ring.item[q->ring.head % 64];
        const struct access *a = &sm->lsu.access[head->token];
        uint64_t at = max64(head->earliest, q->last_leave + address_step(&sm->config->lsu, a));
        at = max64(at, stages_free(sm, a));
        if (is_global(a) && !room_behind(sm, a))
            continue; /* only a reply changes that */
        if (at < next)
            next = at;
    }
    return next > now ? next : now + 1;
}

static void line_arrived(void *context, uint16_t token)
{
    struct sm *sm = context;
    struct access *a = &sm->lsu.access[token];
    assert(a->left);
    if (--a->left == 0)
        global_done(sm, token, sm->now);
}

bool lsu_replies(struct sm *sm, uint64_t now)
{
    bool moved = false;
    while (inbox_next(&sm->inbox) <= now && sm->inbox.port_free <= now) {
        struct reply reply;
        inbox_take(&sm->inbox, &reply);
        bool data = reply.kind == REQUEST_LOAD || reply.kind == REQUEST_ATOMIC;
        uint32_t bytes = sm->config->noc.header_bytes + (data ? PORT_SECTOR * popcount32(reply.sectors) : 0);
        sm->inbox.port_free = now + (bytes + sm->config->noc.reply_bytes - 1) / sm->config->noc.reply_bytes;
        sm->n.noc_bytes_in += bytes;
        sm->lsu.in_network--;
        if (reply.token == LSU_NO_TOKEN)
            l1_fill(&sm->l1, reply.line, reply.sectors, line_arrived, sm);
        else
            line_arrived(sm, reply.token);
        moved = true;
    }
    return moved;
}

static void async_landed(struct sm *sm, unsigned slot, uint64_t now)
{
    struct async_groups *g = &sm->warp[slot].async;
    uint64_t when = max64(now, g->raised);
    while (g->oldest != g->open && g->left[g->oldest] == 0) {
        if (g->sb[g->oldest] != ISA_NO_SB)
            calendar_add(&sm->calendar, when, (struct event){EVENT_SB_RELEASE, (uint8_t)slot, g->sb[g->oldest]});
        g->oldest = (uint8_t)((g->oldest + 1) % ASYNC_GROUPS);
    }
}

void lsu_async_close(struct sm *sm, unsigned slot, uint8_t sb, uint64_t now)
{
    struct async_groups *g = &sm->warp[slot].async;
    g->sb[g->open] = sb;
    g->open = (uint8_t)((g->open + 1) % ASYNC_GROUPS);
    assert(g->open != g->oldest);
    g->left[g->open] = 0;
    g->raised = now + 2;
    async_landed(sm, slot, now);
}

void lsu_complete(struct sm *sm, uint16_t token)
{
    struct access *a = &sm->lsu.access[token];
    struct sm_warp *w = &sm->warp[a->slot];
    if (a->deferred)
        sm->source.complete(sm->source.self, token);
    if (a->code->memory == ISA_MEM_ASYNC_COPY) {
        w->async.left[a->async_group]--;
        async_landed(sm, a->slot, sm->now);
    }
    sm->lsu.free[sm->lsu.free_count++] = token;
    w->posted -= a->posted;
    if (--w->accesses == w->posted)
        fence_try(sm, a->slot);
    if (w->accesses == 0)
        issue_try_retire(sm, a->slot);
}
