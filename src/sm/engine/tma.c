#include "sm/engine/tma.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "base/order.h"
#include "sm/engine/tma_parts.h"
#include "sm/memory/cache_policy.h"
#include "sm/memory/mbarrier_unit.h"
#include "sm/memory/pending_table.h"
#include "sm/warp.h"

static struct tma_command *ordered(struct tma *t, uint32_t number)
{
    return &t->command[t->order[number % TMA_COMMANDS]];
}

bool tma_init(struct tma *t, struct arena *arena)
{
    t->command = arena_take_sparse(arena, TMA_COMMANDS * sizeof *t->command);
    return t->command != NULL;
}

void tma_begin(struct tma *t)
{
    t->used = t->finishing = t->groups = 0;
    t->sends = t->sets = t->end = 0;
    t->set_up_free = t->write_free = t->send_free = t->look_ups = 0;
    memset(t->map, 0, sizeof t->map);
}

/* ---- the end of a command ---------------------------------------------------------------------------------------- */

static void free_place(struct tma *t, unsigned place)
{
    struct tma_command *c = &t->command[place];
    struct sm_warp *w = &t->to.warp[c->slot];
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++)
        gate_wake(&t->to.gates->subcore[subcore]);
    t->used &= ~tma_bit(place);
    t->finishing &= ~tma_bit(place);
    t->groups &= ~tma_bit(place);
    if (--w->queued_ops == 0)
        retire_warp_drained(t->to.retire, c->slot);
}

/* Groups that wait for nothing any more: their counters go down, oldest first as each waits for those before it. */
static void close_groups(struct tma *t, uint64_t ended, uint64_t now)
{
    while (ended) {
        uint64_t closed = 0;
        for (uint64_t left = t->groups; left; left &= left - 1) {
            unsigned place = lowest_bit64(left);
            struct tma_command *c = &t->command[place];
            c->waits &= ~ended;
            if (c->waits)
                continue;
            if (c->code->read_sb != ISA_NO_SB)
                retire_counter(t->to.retire, c->slot, c->code->read_sb, latest(now, c->from));
            closed |= tma_bit(place);
        }
        for (uint64_t left = closed; left; left &= left - 1)
            free_place(t, lowest_bit64(left));
        ended = closed;
    }
}

static void finish(struct tma *t, unsigned place, uint64_t now)
{
    struct tma_command *c = &t->command[place];
    if (c->deferred)
        t->to.source->complete(t->to.source->self, LSU_TOKENS + place);
    mbarrier_unit_look(t->to.objects, now);
    free_place(t, place);
    close_groups(t, tma_bit(place), now);
}

/* The CTA scheduler's answer is there: it goes to the CTAs that get it. */
static void take_answer(struct tma *t, unsigned place, uint64_t now)
{
    enum { ANSWER = 16 };
    struct tma_command *c = &t->command[place];
    c->sent = true;
    c->answers = (uint8_t)popcount32(c->peers);
    for (uint32_t left = c->peers; left; left &= left - 1)
        tma_tell(t, place, lowest_bit32(left), ANSWER, true, now);
}

/* The own CTA gets its data before the others have answered. Returns true if the command is over. */
static bool own_part(struct tma *t, unsigned place, uint64_t now)
{
    struct tma_command *c = &t->command[place];
    const struct sm_source *source = t->to.source;
    if (!c->answers)
        return true;
    t->finishing &= ~tma_bit(place);
    if (!c->own_done && c->deferred && c->transfer.targets >> c->rank & 1)
        source->serve(source->self,
                      &(struct request){
                          .sm = t->to.port->to.sm, .client = TMA_CLIENT, .token = (uint16_t)place, .lanes = c->rank});
    c->own_done = true;
    mbarrier_unit_look(t->to.objects, now);
    return false;
}

/* All CTAs have their data: sends messages to those whose barriers count data of others. Returns false if there are
 * none. */
static bool signal_others(struct tma *t, unsigned place, uint64_t now)
{
    struct tma_command *c = &t->command[place];
    uint32_t others = c->signals & ~(UINT32_C(1) << c->rank);
    if (!others)
        return false;
    c->signals = 0;
    c->answers = (uint8_t)popcount32(others);
    for (uint32_t left = others; left; left &= left - 1)
        tma_tell(t, place, lowest_bit32(left), 0, true, now);
    own_part(t, place, now);
    return true;
}

static bool finish_all(struct tma *t, uint64_t now)
{
    bool moved = false;
    for (uint64_t left = t->finishing; left; left &= left - 1) {
        unsigned place = lowest_bit64(left);
        if (t->command[place].done > now)
            continue;
        if (t->command[place].transfer.kind == TRANSFER_WORK && !t->command[place].sent)
            take_answer(t, place, now);
        if (own_part(t, place, now) && !signal_others(t, place, now))
            finish(t, place, now);
        moved = true;
    }
    return moved;
}

/* All has been asked for, and all replies are there. */
static void end_of_data(struct tma *t, unsigned place, uint64_t now)
{
    struct tma_command *c = &t->command[place];
    bool arrives = c->transfer.kind == TRANSFER_LOAD || c->transfer.kind == TRANSFER_SHARED;
    c->done = latest(c->done, now) + (arrives ? t->to.config->signal : 0);
    t->finishing |= tma_bit(place);
    c->answers = (uint8_t)popcount32(c->peers);
    for (uint32_t left = c->transfer.kind == TRANSFER_LOAD ? c->peers : 0; left; left &= left - 1)
        tma_tell(t, place, lowest_bit32(left), 0, true, now);
}

/* Tells whether a command asks for rows. */
static bool has_requests(const struct tma_command *c)
{
    return c->transfer.kind >= TRANSFER_LOAD && c->transfer.kind <= TRANSFER_PREFETCH;
}

/* ---- issue ------------------------------------------------------------------------------------------------------- */

uint16_t tma_take(struct tma *t)
{
    unsigned place = lowest_bit64(~t->used);
    assert(!tma_full(t));
    t->used |= tma_bit(place);
    return (uint16_t)place;
}

static void begin_group(struct tma *t, unsigned place, uint64_t now)
{
    struct tma_command *group = &t->command[place];
    group->waits = 0;
    group->from = now + ISA_COUNTER_VISIBLE;
    for (uint64_t left = t->used & ~tma_bit(place); left; left &= left - 1) {
        const struct tma_command *c = &t->command[lowest_bit64(left)];
        bool writes = c->transfer.kind == TRANSFER_STORE || c->transfer.kind == TRANSFER_REDUCTION;
        if (c->slot == group->slot && (writes || c->transfer.kind == TRANSFER_GROUP))
            group->waits |= tma_bit(lowest_bit64(left));
    }
    if (group->waits) {
        t->groups |= tma_bit(place);
        return;
    }
    if (group->code->read_sb != ISA_NO_SB)
        retire_counter(t->to.retire, group->slot, group->code->read_sb, group->from);
    free_place(t, place);
}

void tma_issue(struct tma *t, uint16_t place, uint8_t slot, const struct code *code, const struct issued *issued,
               uint64_t now)
{
    struct tma_command *c = &t->command[place];
    const struct config_tma *config = t->to.config;
    *c = (struct tma_command){.code = code, .slot = slot, .map = TMA_MAPS, .deferred = issued->deferred};
    t->to.warp[slot].queued_ops++;
    if (issued->active)
        c->transfer = issued->transfer;
    c->policy = has_requests(c) ? issued->cache_policy : 0;
    if (c->transfer.kind == TRANSFER_GROUP) {
        begin_group(t, place, now);
        return;
    }
    retire_sources_read(t->to.retire, slot, code, now + config->operands);
    if (c->transfer.kind == TRANSFER_NONE) {
        free_place(t, place);
        return;
    }
    c->from = now + config->operands;
    const struct cluster_place *cluster = tma_cluster_of(t, c);
    c->rank = cluster->size > 1 ? cluster->rank : 0;
    if (cluster->size > 1 && c->deferred)
        c->signals = c->transfer.signals;
    if (cluster->size > 1 && c->deferred)
        c->peers = (uint16_t)(c->transfer.targets & ~(1u << c->rank));
    t->to.n->tma_commands++;
    if (c->transfer.kind == TRANSFER_WORK) { /* does not pass through the engine's pipeline */
        c->done = c->from + config->work;
        t->finishing |= tma_bit(place);
        return;
    }
    t->order[t->end++ % TMA_COMMANDS] = (uint8_t)place;
}

/* ---- set-up ------------------------------------------------------------------------------------------------------ */

static bool begin_set_up(struct tma *t, struct tma_command *c, uint64_t now)
{
    if (c->from > now || t->set_up_free > now)
        return false;
    if (c->transfer.kind == TRANSFER_FORGET)
        tma_forget_map(t, c->transfer.map);
    else if (c->transfer.map && !tma_look_up_map(t, c, now))
        return false;
    c->begun = true;
    c->from = now + t->to.config->latency;
    t->set_up_free = now + t->to.config->command;
    return true;
}

/* Sets the next command up. One whose map is in flight holds those behind it. */
static bool set_up(struct tma *t, uint64_t now)
{
    if (t->sets == t->end)
        return false;
    struct tma_command *c = ordered(t, t->sets);
    bool moved = !c->begun && begin_set_up(t, c, now);
    if (!c->begun || c->map != TMA_MAPS)
        return moved;
    t->sets++;
    return true;
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

/* Turns to the next row that the tensor has. Returns false if there is none; else its address. */
static bool find_row(struct tma_command *c, uint64_t *address)
{
    while (c->row < c->transfer.rows && !transfer_row(&c->transfer, c->row, address))
        c->row++;
    return c->row < c->transfer.rows;
}

/* The sectors of a line from `first` to before `end` that are covered in part. */
static uint32_t partial_sectors(const struct transfer *t, uint64_t first, uint64_t end, uint32_t sectors)
{
    uint32_t low = (uint32_t)(first % PORT_LINE) / PORT_SECTOR, high = (uint32_t)((end - 1) % PORT_LINE) / PORT_SECTOR;
    if (t->stride[0] != t->element_bytes)
        return sectors;
    return (first % PORT_SECTOR ? 1u << low : 0) | (end % PORT_SECTOR ? 1u << high : 0);
}

static void count_sectors(const struct tma *t, enum transfer_kind kind, unsigned sectors)
{
    struct sm_counters *n = t->to.n;
    switch (kind) {
    case TRANSFER_LOAD: n->tma_sectors_load += sectors; break;
    case TRANSFER_STORE: n->tma_sectors_store += sectors; break;
    case TRANSFER_REDUCTION: n->tma_sectors_reduction += sectors; break;
    default: n->tma_sectors_prefetch += sectors; break;
    }
}

/* Asks for the next line of a row that begins at `address`. */
static void send_line(struct tma *t, unsigned place, uint64_t address, uint64_t now)
{
    struct tma_command *c = &t->command[place];
    const struct transfer *transfer = &c->transfer;
    uint64_t span = transfer_span(transfer), first = address + c->offset, line = first / PORT_LINE * PORT_LINE;
    uint64_t end = earliest(address + span, line + PORT_LINE);
    uint32_t low = (uint32_t)(first - line) / PORT_SECTOR, high = (uint32_t)(end - 1 - line) / PORT_SECTOR;
    bool writes = transfer->kind == TRANSFER_STORE || transfer->kind == TRANSFER_REDUCTION;
    struct request request = {.arrival = now,
                              .line = line,
                              .lanes = c->row,
                              .token = (uint16_t)place,
                              .sectors = (uint8_t)((2u << high) - (1u << low)),
                              .kind = transfer->kind == TRANSFER_STORE       ? REQUEST_STORE
                                      : transfer->kind == TRANSFER_REDUCTION ? REQUEST_REDUCTION
                                                                             : REQUEST_LOAD,
                              .alone = c->peers != 0,
                              .policy = (uint8_t)cache_policy_of(c->policy, line, POLICY_NORMAL),
                              .fetch = transfer->fetch};
    unsigned sectors = popcount32(request.sectors);
    if (writes) {
        request.effect = c->deferred;
        request.bytes = (uint8_t)(PORT_SECTOR * sectors);
        request.partial = partial_sectors(transfer, first, end, request.sectors);
    }
    count_sectors(t, (enum transfer_kind)transfer->kind, sectors);
    if (transfer->kind == TRANSFER_PREFETCH) {
        port_post(t->to.port, request);
    } else {
        port_send(t->to.port, TMA_CLIENT, request);
        c->expected++;
    }
    c->offset += (uint32_t)(end - first);
    c->asked += (uint32_t)(end - first);
    if (c->offset == span) {
        c->offset = 0;
        c->row++;
    }
}

/* Everything of the command has been asked for, or there was nothing to ask for. */
static void all_sent(struct tma *t, unsigned place, uint64_t now)
{
    struct tma_command *c = &t->command[place];
    uint32_t fill = c->transfer.kind == TRANSFER_SHARED                                 ? c->transfer.bytes
                    : c->transfer.kind == TRANSFER_LOAD && c->transfer.bytes > c->asked ? c->transfer.bytes - c->asked
                                                                                        : 0;
    if (fill) /* elements outside of the tensor are written, too */
        c->done = latest(c->done, tma_write(t, fill, now));
    c->sent = true;
    t->sends++;
    if (c->expected == 0)
        end_of_data(t, place, now);
}

static bool send(struct tma *t, uint64_t now)
{
    if (t->sends == t->sets)
        return false;
    unsigned place = t->order[t->sends % TMA_COMMANDS];
    struct tma_command *c = &t->command[place];
    uint64_t address;
    if (c->from > now)
        return false;
    if (c->transfer.kind == TRANSFER_SHARED && c->peers) {
        if (t->send_free > now || port_takes(t->to.port) > now)
            return false;
        if (tma_send_copy(t, place, now))
            all_sent(t, place, now);
        return true;
    }
    if (has_requests(c) && find_row(c, &address)) {
        if (t->send_free > now || !tma_room(t, now))
            return false;
        send_line(t, place, address, now);
        t->send_free = now + t->to.config->interval;
    }
    if (!has_requests(c) || !find_row(c, &address))
        all_sent(t, place, now);
    return true;
}

void tma_reply(void *self, const struct reply *reply, uint64_t now)
{
    struct tma *t = self;
    if (reply->token >= TMA_COMMANDS) {
        unsigned entry = reply->token - TMA_COMMANDS;
        struct tma_command *c = ordered(t, t->sets);
        t->map[entry].coming = false;
        if (t->sets != t->end && c->begun && c->map == entry) {
            c->map = TMA_MAPS;
            c->from = now + t->to.config->latency;
        }
        return;
    }
    struct tma_command *c = &t->command[reply->token];
    if (c->transfer.kind == TRANSFER_LOAD)
        c->done = tma_write(t, (uint64_t)PORT_SECTOR * popcount32(reply->sectors), now);
    if (--c->expected == 0 && c->sent)
        end_of_data(t, reply->token, now);
}

/* ---- a cycle ----------------------------------------------------------------------------------------------------- */

bool tma_work(struct tma *t, uint64_t now)
{
    bool moved = finish_all(t, now);
    moved |= set_up(t, now);
    moved |= send(t, now);
    return moved;
}

/* The cycle from which the port takes a request (UINT64_MAX: a reply has to come first). */
static uint64_t port_from(const struct tma *t)
{
    return port_room(t->to.port, 1) ? port_takes(t->to.port) : UINT64_MAX;
}

uint64_t tma_next(const struct tma *t, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    if (!t->used)
        return next;
    for (uint64_t left = t->finishing; left; left &= left - 1)
        next = earliest(next, t->command[lowest_bit64(left)].done);
    if (t->sets != t->end) {
        const struct tma_command *c = &t->command[t->order[t->sets % TMA_COMMANDS]];
        bool asks = !c->begun && c->transfer.map;
        if (c->map == TMA_MAPS)
            next = earliest(next, latest(latest(c->from, t->set_up_free), asks ? earliest(port_from(t), now + 1) : 0));
    }
    if (t->sends != t->sets) {
        const struct tma_command *c = &t->command[t->order[t->sends % TMA_COMMANDS]];
        uint64_t from = has_requests(c) ? latest(latest(c->from, t->send_free), port_from(t)) : c->from;
        if (c->transfer.kind == TRANSFER_SHARED && c->peers)
            from = latest(latest(c->from, t->send_free), port_takes(t->to.port));
        next = earliest(next, from);
    }
    return latest(next, now + 1);
}

void tma_archive(struct archive *a, struct tma *t)
{
    archive_keep(a, &t->to);
    archive_keep(a, &t->command);
}

void tma_archive_commands(struct archive *a, struct tma *t)
{
    archive_begin(a, "bulk copies", t->command, TMA_COMMANDS * sizeof *t->command);
    for (unsigned i = 0; i < TMA_COMMANDS; i++)
        archive_entry(a, &t->command[i].code, t->to.code->code, t->to.code->count + 1u);
    archive_end(a);
}
