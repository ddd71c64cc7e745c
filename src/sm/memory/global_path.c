#include "sm/memory/global_path.h"

#include <assert.h>

#include "base/bits.h"
#include "base/order.h"
#include "sm/memory/address_unit.h"
#include "sm/memory/cache_policy.h"
#include "sm/memory/load_order.h"
#include "sm/scheduler/warp_gate.h"
#include "sm/warp.h"

enum { WIDE = 4 }; /* registers of a 128-bit access */

uint64_t global_path_free(const struct global_path *g, bool others)
{
    uint64_t data = shared_memory_free(g->to.data), queue = others ? 0 : g->to.config->data_queue;
    uint64_t stages = latest(g->tags_free, data > queue ? data - queue : 0);
    return latest(stages, port_takes(g->to.port));
}

/* A store or reduction. Only its acknowledgements come back. */
static inline bool is_posted(const struct access *a)
{
    return !a->returns && a->code->memory != ISA_MEM_LOAD && a->code->memory != ISA_MEM_ASYNC_COPY;
}

static bool may_post(const struct global_path *g, const struct access *a)
{
    uint32_t most = g->to.config->stores_pending;
    return most == 0 || !is_posted(a) || g->stores == 0 || g->stores + a->lines <= most;
}

bool global_path_room(const struct global_path *g, const struct access *a)
{
    return may_post(g, a) && l1_can_miss(g->to.l1, a->line, a->lines) && port_room(g->to.port, a->lines);
}

/* Strong loads and LDGSTS.BYPASS are answered by the L2 (artifact of the MICRO 2025 paper). */
static bool past_l1(const struct access *a) { return a->deferred || (a->code->flags & CODE_BYPASS); }

/* These sectors of the access's line, at the port at `ready`. */
static void send_access(struct global_path *g, uint16_t token, const struct line_access *line, uint8_t sectors,
                        enum request_kind kind, uint64_t ready)
{
    const struct access *a = &g->to.table->access[token];
    bool by_line = kind == REQUEST_LOAD && !past_l1(a);
    enum request_policy policy = cache_policy_of(a->cache_policy, line->line, (enum request_policy)a->code->policy);
    port_send(g->to.port, PORT_DATA,
              (struct request){.arrival = ready,
                               .line = line->line,
                               .lanes = line->lanes,
                               .partial = line->partial & sectors,
                               .token = by_line ? LSU_NO_TOKEN : token,
                               .sectors = sectors,
                               .kind = (uint8_t)kind,
                               .effect = a->deferred,
                               .alone = a->code->flags & CODE_BYPASS,
                               .operations = line->operations,
                               .bytes = kind == REQUEST_LOAD ? 0 : line->bytes,
                               .policy = (uint8_t)policy,
                               .fetch = a->code->fetch});
}

/* Local memory that had to leave. */
static void write_back(struct global_path *g, uint64_t ready)
{
    struct l1_tags *tags = &g->to.l1->tags;
    for (uint32_t i = 0; i < tags->victims; i++) {
        const struct l1_victim *v = &tags->victim[i];
        unsigned sectors = popcount4(v->sectors);
        g->to.n->l1_sectors_written_back += sectors;
        port_send(g->to.port, PORT_DATA,
                  (struct request){.arrival = ready,
                                   .line = v->line,
                                   .token = LSU_NO_TOKEN,
                                   .sectors = v->sectors,
                                   .kind = REQUEST_STORE,
                                   .bytes = (uint8_t)(PORT_SECTOR * sectors)});
    }
    tags->victims = 0;
}

/* Cycles of a pass. A wide access whose lanes want one sector passes as fast as a narrow one: on a TU102 the 128-bit
 * loads of one address take 8 cycles each, those of different addresses 16. */
static uint32_t pass_interval(const struct config_l1 *c, const struct access *a)
{
    bool sector = a->lines == 1 && popcount4(a->line[0].sectors) == 1;
    return a->code->data_words >= WIDE && !sector ? c->wide_interval : c->pass_interval;
}

/* The access passes the data stage from the first free cycle on. Returns when its data have been read, the stage's own
 * time not counted. Wide data stream over the return path while they are read: only conflicts delay the result. */
static uint64_t pass_data(struct global_path *g, const struct access *a, uint64_t from)
{
    const struct config_l1 *c = g->to.config;
    uint32_t interval = pass_interval(c, a);
    uint32_t further = (uint32_t)(a->bank.passes - a->bank.groups);
    g->to.n->l1_wavefronts += a->bank.passes;
    g->to.n->l1_conflicts += further;
    return shared_memory_take(g->to.data, from, a->bank.passes * interval) + (uint64_t)further * interval;
}

/* Everything that an access waits for has come: from `from` on its data pass the data stage, and are at the return path
 * `latency` cycles later, but not before the last of its tags, `tags` cycles after the first, has been looked up. */
static void done(struct global_path *g, uint16_t token, uint64_t from, uint64_t tags, uint64_t latency)
{
    struct access *a = &g->to.table->access[token];
    uint64_t data = a->returns ? pass_data(g, a, from) : from, ready = latest(data, from + tags) + latency;
    ready += a->code->pipe == ISA_PIPE_TEX ? (uint32_t)a->data_at : 0; /* filters, and the way of the texture unit */
    if (a->code->memory == ISA_MEM_ASYNC_COPY)
        async_copy_read(g->to.copies, token, ready);
    else if (a->code->flags & CODE_IN_ORDER)
        load_order_answer(&g->to.warp[a->slot].order, g->to.delivery, token, ready, g->to.lsu->return_bytes);
    else if (a->returns)
        delivery_send(g->to.delivery, token, RETURN_GLOBAL, ready, g->to.lsu->return_bytes, 1);
    else
        delivery_complete(g->to.delivery, token, ready);
}

/* The profiler looks a sector up in the tags, which have it from the miss on: a sector that an earlier load has asked
 * for is a hit (docs/memory.md). Misses are therefore the sectors that this load asks the L2 for. */
static void count_load(struct global_path *g, const struct access *a, const struct line_access *line, uint8_t missing,
                       uint8_t asked)
{
    bool local = a->space == ISA_SPACE_LOCAL;
    unsigned sectors = popcount4(line->sectors), hits = sectors - popcount4(asked);
    g->to.n->l1_sectors_load += sectors;
    g->to.n->l1_sectors_load_hit += hits;
    g->to.n->l1_sectors_load_pending += popcount4(missing & (uint8_t)~asked);
    g->to.n->l1_sectors_local_load += local ? sectors : 0;
    g->to.n->l1_sectors_local_load_hit += local ? hits : 0;
}

static void load(struct global_path *g, uint16_t token, uint64_t now, uint64_t tags, uint64_t latency)
{
    struct access *a = &g->to.table->access[token];
    enum l1_keep keep = (enum l1_keep)a->code->keep;
    bool local = a->space == ISA_SPACE_LOCAL, past = past_l1(a);
    g->to.n->l1_requests_load++;
    g->to.n->l1_requests_local_load += local;
    for (unsigned i = 0; i < a->lines; i++) {
        struct line_access *line = &a->line[i];
        uint8_t present = past ? 0 : l1_load(g->to.l1, line, keep);
        uint8_t missing = line->sectors & (uint8_t)~present, ask = missing;
        if (missing && !past)
            ask = l1_miss(g->to.l1, line->line, missing, token, keep, local);
        count_load(g, a, line, missing, ask);
        if (!missing)
            continue;
        a->left++;
        gates_missed(g->to.gates, a->slot, line->line);
        if (ask)
            send_access(g, token, line, ask, REQUEST_LOAD, now + tags + latency);
    }
    if (!a->left)
        done(g, token, now, tags, latency);
}

/* Stores to local memory stay in the L1, others are written through. */
static void store(struct global_path *g, uint16_t token, uint64_t ready)
{
    struct access *a = &g->to.table->access[token];
    enum l1_keep keep = (enum l1_keep)a->code->keep;
    bool local = a->space == ISA_SPACE_LOCAL;
    g->to.n->l1_requests_store++;
    g->to.n->l1_requests_local_store += local;
    for (unsigned i = 0; i < a->lines; i++) {
        struct line_access *line = &a->line[i];
        unsigned sectors = popcount4(line->sectors);
        uint8_t through = local ? l1_store_local(g->to.l1, line->line, line->sectors, line->partial) : line->sectors;
        uint8_t present = local ? line->sectors & (uint8_t)~through : l1_store(g->to.l1, line, keep);
        g->to.n->l1_sectors_store += sectors;
        g->to.n->l1_sectors_store_hit += popcount4(present);
        g->to.n->l1_sectors_local_store += local ? sectors : 0;
        write_back(g, ready);
        if (!through)
            continue;
        a->left++;
        send_access(g, token, line, through, REQUEST_STORE, ready);
    }
}

/* Atomics and reductions are executed by the L2. Their operations leave the SM one after another, those on one line
 * behind the request that names it. */
static void change(struct global_path *g, uint16_t token, uint64_t ready)
{
    struct access *a = &g->to.table->access[token];
    const uint64_t interval = (uint64_t)(g->to.config->atomic_interval * GLOBAL_TICKS + 0.5);
    uint64_t from = latest(ready * GLOBAL_TICKS, g->atomics_free);
    g->to.n->l1_requests_atomic++;
    g->to.n->l1_requests_reduction += !a->returns;
    for (unsigned i = 0; i < a->lines; i++) {
        g->to.n->l1_sectors_atomic += popcount4(a->line[i].sectors);
        l1_change(g->to.l1, a->line[i].line);
        a->left++;
        send_access(g, token, &a->line[i], a->line[i].sectors, a->returns ? REQUEST_ATOMIC : REQUEST_REDUCTION,
                    from / GLOBAL_TICKS);
        from += interval * a->line[i].packets;
    }
    g->atomics_free = from;
}

/* Each sector that went to the L2 is acknowledged. Old values that come back pass the data stage then, in whole rows,
 * since no line holds them: on a TU102 a chain of atomics on 32 lines takes 311 cycles, on one word 300. Data that go
 * pass it in whole rows as well: whether they conflict in its banks is not known. */
static void write(struct global_path *g, uint16_t token, uint64_t now, uint64_t tags, uint64_t latency)
{
    struct access *a = &g->to.table->access[token];
    uint64_t ready = now + tags + latency;
    a->bank.passes = a->bank.groups;
    if (!a->returns)
        pass_data(g, a, now);
    if (a->code->memory == ISA_MEM_STORE)
        store(g, token, ready);
    else
        change(g, token, ready);
    if (!a->left) {
        done(g, token, ready, 0, 0);
    } else if (!a->returns) {
        struct sm_warp *w = &g->to.warp[a->slot];
        g->stores += a->left;
        a->posted = true;
        w->posted++;
        if (g->to.lsu->stores_leave)
            w->leaves = latest(w->leaves, port_sent(g->to.port));
        fence_try(g->to.fences, a->slot, now);
    }
}

void global_path_access(struct global_path *g, uint16_t token, uint64_t now)
{
    const struct config_l1 *c = g->to.config;
    struct access *a = &g->to.table->access[token];
    uint32_t passes = div_up32(a->lines, c->tags_per_cycle), tags = passes ? passes - 1 : 0;
    uint64_t latency = c->latency + (access_vector(a) ? c->vector_extra : 0);
    g->tags_free = now + tags + 1;
    g->to.n->l1_tags += a->lines;
    g->to.n->l1_tag_wavefronts += passes;
    if (a->code->memory == ISA_MEM_LOAD || a->code->memory == ISA_MEM_ASYNC_COPY)
        load(g, token, now, tags, latency);
    else
        write(g, token, now, tags, latency);
}

/* A line of the access has come. */
static void line_arrived(struct global_path *g, uint16_t token, uint64_t now)
{
    struct access *a = &g->to.table->access[token];
    assert(a->left);
    if (--a->left == 0)
        done(g, token, now, 0, 0);
}

struct arrival {
    struct global_path *path;
    uint64_t now;
};

static void waiter_served(void *context, uint16_t token)
{
    const struct arrival *arrival = context;
    line_arrived(arrival->path, token, arrival->now);
}

void global_path_reply(void *self, const struct reply *reply, uint64_t now)
{
    struct global_path *g = self;
    if (reply->token != LSU_NO_TOKEN) {
        g->stores -= g->to.table->access[reply->token].posted;
        line_arrived(g, reply->token, now);
    } else if (reply->kind == REQUEST_LOAD || reply->kind == REQUEST_ATOMIC) {
        l1_fill(g->to.l1, reply->line, reply->sectors, waiter_served, &(struct arrival){g, now});
        write_back(g, now);
    }
}
