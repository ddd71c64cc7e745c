#include "sm/legacy/load_store.h"

#include <string.h>

#include "sm/code_table.h"
#include "sm/issue/dependence.h"
#include "sm/legacy/coalescer.h"
#include "sm/legacy/load_store_parts.h"
#include "sm/legacy/pipelines.h"
#include "sm/warp.h"

bool legacy_load_store_init(struct legacy_load_store *u, struct arena *arena)
{
    const struct config *config = u->to.config;
    u->reply = arena_take(arena, LEGACY_REPLIES * sizeof *u->reply);
    return u->reply &&
           legacy_l1_init(&u->l1, &config->legacy, config->sm.unified, u->to.lsu->table.records * 32, arena);
}

static void empty(struct legacy_stages *s)
{
    memset(s->at, 0xff, sizeof s->at);
    s->count = 0;
}

void legacy_load_store_begin(struct legacy_load_store *u)
{
    u->op.used = false;
    u->writes = u->past = LSU_NO_TOKEN;
    u->ready_first = u->ready_last = LEGACY_L1_NONE;
    u->turn = 0;
    u->reply_first = u->reply_end = 0;
    u->misses.head = u->misses.tail = 0;
    empty(&u->shared);
    for (unsigned i = 0; i < LEGACY_L1_BANKS; i++)
        empty(&u->bank[i]);
    legacy_l1_begin(&u->l1, u->to.code->l1_bytes);
}

bool legacy_load_store_idle(const struct legacy_load_store *u)
{
    uint32_t busy = u->shared.count | (u->reply_end - u->reply_first) | legacy_misses_count(&u->misses);
    for (uint32_t i = 0; i < u->to.config->legacy.l1_banks; i++)
        busy |= u->bank[i].count;
    return !busy && !u->op.used && u->writes == LSU_NO_TOKEN && u->past == LSU_NO_TOKEN &&
           u->ready_first == LEGACY_L1_NONE;
}

/* ---- issue ------------------------------------------------------------------------------------------------------- */

/* By sectors, as the legacy core's requests are. */
static void count_memory(struct sm_counters *n, const struct access *a)
{
    bool local = a->space == ISA_SPACE_LOCAL;
    if (legacy_is_atomic(a->code)) {
        n->l1_requests_atomic++;
        n->l1_requests_reduction += !a->returns;
        n->l1_sectors_atomic += a->lines;
    } else if (a->code->memory == ISA_MEM_STORE) {
        n->l1_requests_store++;
        n->l1_requests_local_store += local;
        n->l1_sectors_store += a->lines;
        n->l1_sectors_local_store += local ? a->lines : 0;
    } else {
        n->l1_requests_load++;
        n->l1_requests_local_load += local;
        n->l1_sectors_load += a->lines;
        n->l1_sectors_local_load += local ? a->lines : 0;
    }
}

void legacy_load_store_issue(struct legacy_load_store *u, uint16_t token, const struct issued *issued)
{
    struct access *a = &u->to.lsu->table.access[token];
    pending_table_enter(&u->to.lsu->table, token);
    if (legacy_is_modern(a))
        return;
    if (legacy_is_atomic(a->code))
        u->to.warp[a->slot].atomics++;
    uint32_t lanes = issued->active & ~issued->zero_fill;
    if (a->space == ISA_SPACE_SHARED) {
        a->bank = (struct bank_passes){1, (uint8_t)(lanes ? legacy_shared_cycles(issued, lanes) : 0)};
        a->left = 1;
        if (lanes)
            shared_memory_count(u->to.n, a);
        return;
    }
    a->bank = (struct bank_passes){0, 0};
    a->left = a->lines = (uint8_t)legacy_coalesce(issued, lanes, a->line);
    if (legacy_is_atomic(a->code))
        coalesce_operations(issued, a->line, a->lines, PORT_SECTOR);
    count_memory(u->to.n, a);
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

/* Each moves on if the stage in front of it is empty. */
static void shift(struct legacy_stages *s, uint32_t stages)
{
    for (uint32_t i = 0; s->count && i + 1 < stages; i++) {
        if (s->at[i] != LEGACY_L1_NONE)
            continue;
        s->at[i] = s->at[i + 1];
        s->at[i + 1] = LEGACY_L1_NONE;
    }
}

static bool put(struct legacy_stages *s, uint32_t stages, uint16_t what)
{
    if (s->at[stages - 1] != LEGACY_L1_NONE)
        return false;
    s->at[stages - 1] = what;
    s->count++;
    return true;
}

static void remove_first(struct legacy_stages *s)
{
    s->at[0] = LEGACY_L1_NONE;
    s->count--;
}

/* ---- the end of an access ---------------------------------------------------------------------------------------- */

/* While an atomic of the warp is under way it issues nothing. */
static void atomic_over(struct legacy_load_store *u, uint32_t slot, uint64_t now)
{
    struct sm_warp *w = &u->to.warp[slot];
    w->atomics--;
    if (!w->exited)
        dependence_update(u->to.dependence[slot_subcore(slot)], slot_warp(slot), now);
}

static void finish(struct legacy_load_store *u, uint16_t token, uint64_t now)
{
    const struct access *a = &u->to.lsu->table.access[token];
    struct lsu *lsu = u->to.lsu;
    if (legacy_is_atomic(a->code))
        atomic_over(u, a->slot, now);
    if (a->code->memory == ISA_MEM_ASYNC_COPY) {
        async_copy_read(&lsu->copies, token, now);
        return;
    }
    if (a->code->flags & CODE_IN_ORDER) {
        load_order_answer(&u->to.warp[a->slot].order, &lsu->delivery, token, now, u->to.config->lsu.return_bytes);
        return;
    }
    if (a->returns)
        retire_result_written(u->to.retire, a->slot, a->code, now);
    delivery_complete(&lsu->delivery, token, now);
}

/* A request of the access has been answered. */
static void arrived(struct legacy_load_store *u, uint16_t token, uint64_t now)
{
    if (--u->to.lsu->table.access[token].left == 0)
        finish(u, token, now);
}

/* ---- write-back -------------------------------------------------------------------------------------------------- */

enum client { CLIENT_SHARED, CLIENT_TEXTURE, CLIENT_CONSTANT, CLIENT_PAST, CLIENT_L1, CLIENTS };

/* Returns the token of the access whose data this client has, or LSU_NO_TOKEN. */
static uint16_t next_of(struct legacy_load_store *u, enum client client)
{
    uint16_t token = LSU_NO_TOKEN;
    if (client == CLIENT_SHARED && u->shared.at[0] != LEGACY_L1_NONE) {
        token = u->shared.at[0];
        remove_first(&u->shared);
    } else if (client == CLIENT_PAST) {
        token = u->past;
        u->past = LSU_NO_TOKEN;
    } else if (client == CLIENT_L1 && u->ready_first != LEGACY_L1_NONE) {
        token = request_token(u->ready_first);
        u->ready_first = u->l1.next[u->ready_first];
    }
    return token;
}

static bool write_back(struct legacy_load_store *u, uint64_t now)
{
    bool moved = false;
    if (u->writes != LSU_NO_TOKEN) {
        const struct access *a = &u->to.lsu->table.access[u->writes];
        const struct code *code = a->code;
        unsigned bank = legacy_bank_of(&u->to.config->legacy, code->write_first, a->slot);
        if (!code->write_words || legacy_collectors_write(u->to.collectors, bank)) {
            arrived(u, u->writes, now);
            u->writes = LSU_NO_TOKEN;
            moved = true;
        }
    }
    for (unsigned i = 0; i < CLIENTS && u->writes == LSU_NO_TOKEN; i++) {
        unsigned client = (u->turn + i) % CLIENTS;
        u->writes = next_of(u, (enum client)client);
        if (u->writes == LSU_NO_TOKEN)
            continue;
        u->turn = (uint8_t)((client + 1) % CLIENTS);
        moved = true;
        break;
    }
    return moved;
}

/* ---- replies ----------------------------------------------------------------------------------------------------- */

void legacy_load_store_reply(void *self, const struct reply *reply, uint64_t now)
{
    struct legacy_load_store *u = self;
    bool data = reply->kind == REQUEST_LOAD || reply->kind == REQUEST_ATOMIC;
    (void)now;
    if (reply->token == LSU_NO_TOKEN && !data)
        return; /* local memory that had to leave */
    assert(u->reply_end - u->reply_first < LEGACY_REPLIES);
    u->reply[u->reply_end++ % LEGACY_REPLIES] =
        (struct legacy_reply){reply->line + PORT_SECTOR * lowest_bit32(reply->sectors), reply->token, data};
}

static void fill(struct legacy_load_store *u, uint64_t sector)
{
    uint16_t first = legacy_l1_fill(&u->l1, sector);
    if (u->ready_first == LEGACY_L1_NONE)
        u->ready_first = first;
    else
        u->l1.next[u->ready_last] = first;
    while (u->l1.next[first] != LEGACY_L1_NONE)
        first = u->l1.next[first];
    u->ready_last = first;
}

static bool take_reply(struct legacy_load_store *u, uint64_t now)
{
    if (u->reply_first == u->reply_end)
        return false;
    struct legacy_reply reply = u->reply[u->reply_first % LEGACY_REPLIES];
    if (reply.token == LSU_NO_TOKEN)
        fill(u, reply.sector);
    else if (!reply.data)
        arrived(u, reply.token, now);
    else if (u->past == LSU_NO_TOKEN)
        u->past = reply.token;
    else
        return false;
    u->reply_first++;
    return true;
}

/* ---- the L1 ------------------------------------------------------------------------------------------------------ */

static bool send_miss(struct legacy_load_store *u, uint64_t now)
{
    if (legacy_misses_empty(&u->misses) || !legacy_network_takes(u, now))
        return false;
    legacy_send(u, *legacy_misses_front(&u->misses), now);
    legacy_misses_pop(&u->misses);
    return true;
}

/* The bank's first request is looked up. It stays while the L1 cannot take it. */
static void look_up(struct legacy_load_store *u, struct legacy_stages *bank, uint64_t now)
{
    if (bank->at[0] == LEGACY_L1_NONE)
        return;
    uint16_t request = bank->at[0];
    bool room = legacy_misses_count(&u->misses) < u->to.config->legacy.l1_miss_queue;
    enum legacy_l1_answer answer = legacy_look_up(u, request, room, now);
    if (answer == LEGACY_L1_FULL)
        return;
    remove_first(bank);
    if (answer == LEGACY_L1_HIT)
        arrived(u, request_token(request), now);
    else if (answer == LEGACY_L1_MISS)
        *legacy_misses_push(&u->misses, now) = request;
}

static bool banks_cycle(struct legacy_load_store *u, uint64_t now)
{
    bool busy = false;
    for (uint32_t i = 0; i < u->to.config->legacy.l1_banks; i++) {
        struct legacy_stages *bank = &u->bank[i];
        if (!bank->count)
            continue;
        look_up(u, bank, now);
        shift(bank, u->to.config->legacy.l1_latency);
        busy = true;
    }
    return busy;
}

/* ---- the dispatch register --------------------------------------------------------------------------------------- */

static void accept(struct legacy_load_store *u)
{
    u->op = legacy_latch_take(u->to.in, LEGACY_MEM, legacy_latch_oldest(u->to.in, LEGACY_MEM));
    u->at = 0;
    u->cycles = u->op.token == LSU_NO_TOKEN ? 0 : u->to.lsu->table.access[u->op.token].bank.passes;
}

/* Returns true if the access leaves the register. */
static bool to_shared(struct legacy_load_store *u, const struct access *a, uint64_t now)
{
    if (u->cycles > 1) {
        u->cycles--;
        return false;
    }
    if (!a->returns)
        arrived(u, u->op.token, now);
    else if (!put(&u->shared, u->to.config->legacy.shared_latency, u->op.token))
        return false;
    return true;
}

static void to_banks(struct legacy_load_store *u, const struct access *a)
{
    const struct config_legacy *c = &u->to.config->legacy;
    for (uint32_t i = 0; i < c->l1_banks && u->at < a->lines; i++) {
        uint64_t sector = legacy_sector(&a->line[u->at]);
        if (!put(&u->bank[sector / PORT_SECTOR % c->l1_banks], c->l1_latency, request_number(u->op.token, u->at)))
            return;
        u->at++;
    }
}

static bool to_memory(struct legacy_load_store *u, struct access *a, uint64_t now)
{
    if (!a->lines) {
        a->left = 1;
        arrived(u, u->op.token, now);
        return true;
    }
    if (!legacy_past_l1(a)) {
        to_banks(u, a);
    } else if (legacy_network_takes(u, now)) {
        legacy_send(u, request_number(u->op.token, u->at), now);
        u->at++;
    }
    if (u->at < a->lines)
        return false;
    if (!a->returns && a->code->memory != ISA_MEM_ASYNC_COPY) { /* acknowledgements alone are missing */
        a->posted = true;
        u->to.warp[a->slot].posted++;
        fence_try(&u->to.lsu->fences, a->slot, now);
    }
    return true;
}

static void dispatch_op(struct legacy_load_store *u, uint64_t now)
{
    struct lsu *lsu = u->to.lsu;
    bool leaves = true;
    if (u->op.token == LSU_NO_TOKEN) { /* MEMBAR empties the L1 (GPGPU-Sim 4) */
        legacy_l1_invalidate(&u->l1);
        legacy_op_done(u->to.retire, &u->to.warp[u->op.slot], u->op.slot);
    } else {
        struct access *a = &lsu->table.access[u->op.token];
        if (legacy_is_modern(a))
            lsu_access(lsu, u->op.token, now);
        else
            leaves = a->space == ISA_SPACE_SHARED ? to_shared(u, a, now) : to_memory(u, a, now);
    }
    if (leaves)
        u->op.used = false;
}

bool legacy_load_store_cycle(struct legacy_load_store *u, uint64_t now)
{
    bool moved = write_back(u, now), busy = u->op.used || u->shared.count;
    shift(&u->shared, u->to.config->legacy.shared_latency);
    moved |= take_reply(u, now);
    moved |= send_miss(u, now);
    moved |= banks_cycle(u, now);
    if (u->op.used)
        dispatch_op(u, now);
    if (!u->op.used && u->to.in->taken[LEGACY_MEM]) {
        accept(u);
        moved = true;
    }
    return moved || busy;
}

void legacy_load_store_archive(struct archive *a, struct legacy_load_store *u)
{
    archive_keep(a, &u->to);
    archive_array(a, &u->reply, LEGACY_REPLIES);
    legacy_l1_archive(a, &u->l1);
}
