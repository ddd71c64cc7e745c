#include "sm/memory/global_path.h"

#include <assert.h>

#include "base/bits.h"
#include "sm/memory/address_unit.h"
#include "sm/memory/async_copy.h"
#include "sm/memory/cache_policy.h"
#include "sm/memory/load_order.h"
#include "sm/memory/lsu.h"
#include "sm/sm.h"

enum { WIDE = 4 }; /* registers of an access of 128 bits */

static uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }

uint64_t global_path_free(const struct sm *sm)
{
    uint64_t stages = max64(sm->lsu.global.tags_free, shared_memory_free(&sm->lsu.shared));
    return max64(stages, port_takes(&sm->port));
}

bool global_path_room(const struct sm *sm, const struct access *a)
{
    return l1_can_miss(&sm->l1, a->line, a->lines) && port_room(&sm->port, a->lines);
}

/* Strong loads and LDGSTS.BYPASS are answered by the L2 (artifact of the MICRO 2025 paper). */
static bool past_l1(const struct access *a) { return a->deferred || (a->code->flags & CODE_BYPASS); }

/* These sectors of a line of the access, at the port at `ready`. */
static void send_access(struct sm *sm, uint16_t token, const struct line_access *line, uint8_t sectors,
                        enum request_kind kind, uint64_t ready)
{
    const struct access *a = &sm->lsu.table.access[token];
    bool by_line = kind == REQUEST_LOAD && !past_l1(a);
    enum request_policy policy = cache_policy_of(a->cache_policy, line->line, (enum request_policy)a->code->policy);
    port_send(&sm->port, PORT_DATA,
              (struct request){.arrival = ready,
                               .line = line->line,
                               .lanes = line->lanes,
                               .partial = line->partial & sectors,
                               .token = by_line ? LSU_NO_TOKEN : token,
                               .sectors = sectors,
                               .kind = (uint8_t)kind,
                               .effect = a->deferred,
                               .bytes = kind == REQUEST_LOAD ? 0 : line->bytes,
                               .policy = (uint8_t)policy,
                               .fetch = a->code->fetch});
}

/* Local memory that had to leave. */
static void write_back(struct sm *sm, uint64_t ready)
{
    struct l1_tags *tags = &sm->l1.tags;
    for (uint32_t i = 0; i < tags->victims; i++) {
        const struct l1_victim *v = &tags->victim[i];
        unsigned sectors = popcount4(v->sectors);
        sm->n.l1_sectors_written_back += sectors;
        port_send(&sm->port, PORT_DATA,
                  (struct request){.arrival = ready,
                                   .line = v->line,
                                   .token = LSU_NO_TOKEN,
                                   .sectors = v->sectors,
                                   .kind = REQUEST_STORE,
                                   .bytes = (uint8_t)(PORT_SECTOR * sectors)});
    }
    tags->victims = 0;
}

/* The access passes the data stage from the first free cycle on; returns when its data have been read, the stage's own
 * time not counted. Wide data stream over the return path while they are read: only conflicts delay the result. */
static uint64_t pass_data(struct sm *sm, const struct access *a, uint64_t from)
{
    const struct config_l1 *c = &sm->config->l1;
    uint32_t interval = a->code->data_words >= WIDE ? c->wide_interval : c->pass_interval;
    uint32_t further = (uint32_t)(a->bank.passes - a->bank.groups);
    sm->n.l1_wavefronts += a->bank.passes;
    sm->n.l1_conflicts += further;
    return shared_memory_take(&sm->lsu.shared, from, a->bank.passes * interval) + (uint64_t)further * interval;
}

/* Everything that an access waits for has come: from `from` on its data pass the data stage, and are at the return path
 * `latency` cycles later, but not before the last of its tags, `tags` cycles after the first, has been looked up. */
static void done(struct sm *sm, uint16_t token, uint64_t from, uint64_t tags, uint64_t latency)
{
    struct access *a = &sm->lsu.table.access[token];
    uint64_t data = a->returns ? pass_data(sm, a, from) : from, ready = max64(data, from + tags) + latency;
    if (a->code->memory == ISA_MEM_ASYNC_COPY)
        async_copy_read(sm, token, ready);
    else if (a->code->flags & CODE_IN_ORDER)
        load_order_answer(sm, token, ready);
    else if (a->returns)
        lsu_return(sm, token, RETURN_GLOBAL, ready, sm->config->lsu.return_bytes, 1);
    else
        lsu_complete_at(sm, token, ready);
}

/* The profiler looks a sector up in the tags, which have it from the miss on: a sector that an earlier load has asked
 * for is a hit (docs/memory.md). Misses are therefore the sectors that this load asks the L2 for. */
static void count_load(struct sm *sm, const struct access *a, const struct line_access *line, uint8_t missing,
                       uint8_t asked)
{
    bool local = a->space == ISA_SPACE_LOCAL;
    unsigned sectors = popcount4(line->sectors), hits = sectors - popcount4(asked);
    sm->n.l1_sectors_load += sectors;
    sm->n.l1_sectors_load_hit += hits;
    sm->n.l1_sectors_load_pending += popcount4(missing & (uint8_t)~asked);
    sm->n.l1_sectors_local_load += local ? sectors : 0;
    sm->n.l1_sectors_local_load_hit += local ? hits : 0;
}

static void load(struct sm *sm, uint16_t token, uint64_t now, uint64_t tags, uint64_t latency)
{
    struct access *a = &sm->lsu.table.access[token];
    enum l1_keep keep = (enum l1_keep)a->code->keep;
    bool local = a->space == ISA_SPACE_LOCAL, past = past_l1(a);
    sm->n.l1_requests_load++;
    sm->n.l1_requests_local_load += local;
    for (unsigned i = 0; i < a->lines; i++) {
        struct line_access *line = &a->line[i];
        uint8_t present = past ? 0 : l1_load(&sm->l1, line->line, line->sectors, keep);
        uint8_t missing = line->sectors & (uint8_t)~present, ask = missing;
        if (missing && !past)
            ask = l1_miss(&sm->l1, line->line, missing, token, keep, local);
        count_load(sm, a, line, missing, ask);
        if (!missing)
            continue;
        a->left++;
        if (ask)
            send_access(sm, token, line, ask, REQUEST_LOAD, now + tags + latency);
    }
    if (!a->left)
        done(sm, token, now, tags, latency);
}

/* Stores to local memory stay in the L1, others are written through. */
static void store(struct sm *sm, uint16_t token, uint64_t ready)
{
    struct access *a = &sm->lsu.table.access[token];
    bool local = a->space == ISA_SPACE_LOCAL;
    sm->n.l1_requests_store++;
    sm->n.l1_requests_local_store += local;
    for (unsigned i = 0; i < a->lines; i++) {
        struct line_access *line = &a->line[i];
        unsigned sectors = popcount4(line->sectors);
        uint8_t through = local ? l1_store_local(&sm->l1, line->line, line->sectors, line->partial) : line->sectors;
        uint8_t present = local ? line->sectors & (uint8_t)~through : l1_store(&sm->l1, line->line, line->sectors);
        sm->n.l1_sectors_store += sectors;
        sm->n.l1_sectors_store_hit += popcount4(present);
        sm->n.l1_sectors_local_store += local ? sectors : 0;
        if (local)
            write_back(sm, ready);
        if (!through)
            continue;
        a->left++;
        send_access(sm, token, line, through, REQUEST_STORE, ready);
    }
}

/* Atomics and reductions are executed by the L2. */
static void change(struct sm *sm, uint16_t token, uint64_t ready)
{
    struct access *a = &sm->lsu.table.access[token];
    sm->n.l1_requests_atomic++;
    sm->n.l1_requests_reduction += !a->returns;
    for (unsigned i = 0; i < a->lines; i++) {
        sm->n.l1_sectors_atomic += popcount4(a->line[i].sectors);
        a->left++;
        send_access(sm, token, &a->line[i], a->line[i].sectors, a->returns ? REQUEST_ATOMIC : REQUEST_REDUCTION, ready);
    }
}

/* Each sector that went to the L2 is acknowledged. Data that come back pass the data stage then. Data that go pass
 * it in whole rows: whether they too conflict in its banks is not known. */
static void write(struct sm *sm, uint16_t token, uint64_t now, uint64_t tags, uint64_t latency)
{
    struct access *a = &sm->lsu.table.access[token];
    uint64_t ready = now + tags + latency;
    if (!a->returns) {
        a->bank.passes = a->bank.groups;
        pass_data(sm, a, now);
    }
    if (a->code->memory == ISA_MEM_STORE)
        store(sm, token, ready);
    else
        change(sm, token, ready);
    if (!a->left) {
        done(sm, token, ready, 0, 0);
    } else if (!a->returns) {
        a->posted = true;
        sm->warp[a->slot].posted++;
        fence_try(sm, a->slot);
    }
}

void global_path_access(struct sm *sm, uint16_t token, uint64_t now)
{
    const struct config_l1 *c = &sm->config->l1;
    struct access *a = &sm->lsu.table.access[token];
    uint32_t passes = div_up32(a->lines, c->tags_per_cycle), tags = passes ? passes - 1 : 0;
    uint64_t latency = c->latency + (access_vector(a) ? c->vector_extra : 0);
    sm->lsu.global.tags_free = now + tags + 1;
    sm->n.l1_tags += a->lines;
    sm->n.l1_tag_wavefronts += passes;
    if (a->code->memory == ISA_MEM_LOAD || a->code->memory == ISA_MEM_ASYNC_COPY)
        load(sm, token, now, tags, latency);
    else
        write(sm, token, now, tags, latency);
}

static void line_arrived(void *context, uint16_t token)
{
    struct sm *sm = context;
    struct access *a = &sm->lsu.table.access[token];
    assert(a->left);
    if (--a->left == 0)
        done(sm, token, sm->now, 0, 0);
}

void global_path_reply(void *self, const struct reply *reply, uint64_t now)
{
    struct sm *sm = self;
    if (reply->token != LSU_NO_TOKEN) {
        line_arrived(sm, reply->token);
    } else if (reply->kind == REQUEST_LOAD || reply->kind == REQUEST_ATOMIC) {
        l1_fill(&sm->l1, reply->line, reply->sectors, line_arrived, sm);
        write_back(sm, now);
    }
}
