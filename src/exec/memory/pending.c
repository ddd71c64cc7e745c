#include "exec/memory/pending.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/host_line.h"
#include "exec/executors.h"
#include "exec/launch/save.h"
#include "exec/memory/atomic.h"
#include "exec/memory/lane_order.h"

enum { SECTOR = 32, BUCKETS = 4096, NEAR = 16, UPPER = 4, FIRST_ROOM = 512, MOST = EXEC_TOKENS * EXEC_LANES + 1 };

/* What one access does to one sector. */
struct log_entry {
    _Alignas(HOST_LINE) uint64_t sector;
    uint32_t waiting;        /* lanes of the access that have not taken effect here */
    uint32_t mask;           /* bytes of the sector that wait for this */
    uint16_t token;          /* of the access */
    uint16_t older, younger; /* neighbours in the bucket; 0: none */
    uint16_t more;           /* next of the same access, or of the free entries */
    uint8_t kind;            /* enum pending_kind */
    uint8_t data[SECTOR];    /* of a store what it writes, of a load what it has read */
};

_Static_assert(sizeof(struct log_entry) == HOST_LINE, "an entry touches one line of the host's cache");

struct exec_store_log {
    uint32_t writes, unknown; /* entries in use that write; that have a value which the slice decides */
    uint32_t fresh, free;     /* first entry never used; list of returned ones */
    uint16_t bucket[BUCKETS]; /* youngest entry */
    /* up to here it is saved as it is */
    struct arena *arena;
    struct log_entry *entry;                    /* [room]; entry 0 is none */
    uint32_t room;                              /* doubled when it is full: few kernels have many stores in flight */
    uint64_t (*operand)[EXEC_LANES][EXEC_DATA]; /* of atomics, by token: 1 MiB, of which most is never touched */
};

_Static_assert(MOST <= UINT16_MAX, "16 bits hold the number of an entry");

static bool out_of_memory(struct status *status)
{
    return status_fail(status, STATUS_MEMORY, "no host memory for the accesses in flight of an SM");
}

bool pending_init(struct exec_core *core, struct arena *arena, struct status *status)
{
    core->pending = arena_take(arena, EXEC_TOKENS * sizeof *core->pending);
    core->log = arena_take(arena, sizeof *core->log);
    if (!core->pending || !core->log)
        return out_of_memory(status);
    *core->log = (struct exec_store_log){.fresh = 1,
                                         .arena = arena,
                                         .entry = arena_take(arena, FIRST_ROOM * sizeof *core->log->entry),
                                         .room = FIRST_ROOM,
                                         .operand = malloc(EXEC_TOKENS * sizeof *core->log->operand)};
    return (core->log->entry && core->log->operand) || out_of_memory(status);
}

void pending_free(struct exec_core *core)
{
    if (core->log)
        free(core->log->operand);
    core->pending = NULL;
    core->log = NULL;
}

/* ---- the store log --------------------------------------------------------------------------------------------- */

/* Neighbouring sectors have neighbouring buckets: a warp's accesses touch few lines of the host's cache. */
static uint32_t bucket_of(uint64_t sector)
{
    return (uint32_t)((hash_mix(sector / NEAR) * NEAR + sector % NEAR) % BUCKETS);
}

static uint32_t first_entry(const struct exec_store_log *log, uint64_t sector)
{
    return log->bucket[bucket_of(sector)];
}

static uint32_t byte_mask(uint64_t address, unsigned bytes)
{
    return (uint32_t)((UINT64_C(1) << bytes) - 1) << address % SECTOR;
}

static bool writes(enum pending_kind kind) { return kind != PENDING_LOAD; }
static bool unknown(enum pending_kind kind) { return kind != PENDING_STORE; }

/* The access's entry for the sector, 0 if it has none. The entries of the youngest access come first in a bucket. */
static uint32_t own_entry(const struct exec_store_log *log, uint32_t token, uint64_t sector)
{
    uint32_t i = log->bucket[bucket_of(sector)];
    while (i && log->entry[i].token == token && log->entry[i].sector != sector)
        i = log->entry[i].older;
    return i && log->entry[i].token == token ? i : 0;
}

/* Room for so many entries. */
static bool reserve(struct exec_store_log *log, uint32_t entries)
{
    uint32_t room = log->room;
    while (room < entries)
        room *= 2;
    if (room == log->room)
        return true;
    struct log_entry *entry = arena_more(log->arena, log->entry, log->room * sizeof *entry, room * sizeof *entry);
    if (!entry)
        return false;
    log->entry = entry;
    log->room = room;
    return true;
}

static uint32_t new_entry(struct exec_store_log *log, struct exec_pending *access, uint32_t token, uint64_t sector)
{
    uint16_t *bucket = &log->bucket[bucket_of(sector)];
    uint32_t index = log->free ? log->free : log->fresh++;
    assert(index < log->room);
    struct log_entry *e = &log->entry[index];
    if (log->free)
        log->free = e->more;
    e->sector = sector;
    e->token = (uint16_t)token;
    e->kind = access->kind;
    e->waiting = 0;
    e->mask = 0;
    e->older = *bucket;
    e->younger = 0;
    if (e->older)
        log->entry[e->older].younger = (uint16_t)index;
    *bucket = (uint16_t)index;
    e->more = (uint16_t)access->entries;
    access->entries = index;
    return index;
}

static void log_lane(struct exec_pending *access, struct log_entry *e, uint32_t index, unsigned lane, uint64_t address)
{
    access->entry[lane] = (uint16_t)index;
    access->offset[lane] = (uint8_t)(address % SECTOR);
    e->waiting |= UINT32_C(1) << lane;
    e->mask |= byte_mask(address, access->bytes);
}

/* All lanes in a row, from `first` on; returns the number of entries. */
static uint32_t log_row(struct exec_store_log *log, struct exec_pending *access, uint32_t token, uint64_t first)
{
    uint32_t count = 0;
    for (unsigned lane = 0; lane < EXEC_LANES; count++) {
        uint64_t at = first + (uint64_t)lane * access->bytes, end = (at / SECTOR + 1) * SECTOR;
        uint32_t index = new_entry(log, access, token, at / SECTOR);
        struct log_entry *e = &log->entry[index];
        for (; lane < EXEC_LANES && at < end; lane++, at += access->bytes)
            log_lane(access, e, index, lane, at);
    }
    return count;
}

static uint32_t log_lanes(struct exec_store_log *log, struct exec_pending *access, uint32_t token,
                          const uint64_t address[EXEC_LANES])
{
    uint64_t sector = UINT64_MAX; /* that of `index` */
    uint32_t index = 0, count = 0;
    for (uint32_t left = access->lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        if (address[lane] / SECTOR != sector) {
            sector = address[lane] / SECTOR;
            index = own_entry(log, token, sector);
            count += index == 0;
            if (index == 0)
                index = new_entry(log, access, token, sector);
        }
        log_lane(access, &log->entry[index], index, lane, address[lane]);
    }
    return count;
}

static void log_add(struct exec_store_log *log, struct exec_pending *access, uint32_t token,
                    const uint64_t address[EXEC_LANES])
{
    bool row = access->lanes == UINT32_MAX && issued_in_a_row(address, access->bytes);
    uint32_t count = row ? log_row(log, access, token, address[0]) : log_lanes(log, access, token, address);
    log->writes += writes(access->kind) ? count : 0;
    log->unknown += unknown(access->kind) ? count : 0;
}

static void log_remove(struct exec_store_log *log, struct exec_pending *access)
{
    uint32_t count = 0;
    for (uint32_t index = access->entries, next; index; index = next, count++) {
        struct log_entry *e = &log->entry[index];
        if (e->younger)
            log->entry[e->younger].older = e->older;
        else
            log->bucket[bucket_of(e->sector)] = e->older;
        if (e->older)
            log->entry[e->older].younger = e->younger;
        next = e->more;
        e->more = (uint16_t)log->free;
        log->free = index;
    }
    access->entries = 0;
    log->writes -= writes(access->kind) ? count : 0;
    log->unknown -= unknown(access->kind) ? count : 0;
}

bool pending_log_empty(const struct exec_core *core) { return !core->log || core->log->writes == 0; }

bool pending_undecided(const struct exec_core *core) { return core->log->unknown > 0; }

bool pending_holds(const struct exec_core *core, uint64_t address)
{
    return first_entry(core->log, address / SECTOR) != 0;
}

bool pending_holds_any(const struct exec_core *core, const uint64_t *address, uint32_t lanes)
{
    uint64_t sector = UINT64_MAX;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t next = address[lowest_bit32(left)] / SECTOR;
        if (next != sector && first_entry(core->log, next) != 0)
            return true;
        sector = next;
    }
    return false;
}

void pending_overlay(const struct exec_core *core, uint64_t address, unsigned bytes, void *data)
{
    const struct exec_store_log *log = core->log;
    uint8_t *to = data;
    uint32_t wanted = byte_mask(address, bytes);
    unsigned shift = (unsigned)(address % SECTOR);
    for (uint32_t i = first_entry(log, address / SECTOR); i && wanted; i = log->entry[i].older) {
        const struct log_entry *e = &log->entry[i];
        if (e->sector != address / SECTOR || unknown(e->kind))
            continue;
        for (uint32_t hit = e->mask & wanted; hit; hit &= hit - 1)
            to[lowest_bit32(hit) - shift] = e->data[lowest_bit32(hit)];
        wanted &= ~e->mask;
    }
}

bool pending_unknown(const struct exec_core *core, const uint64_t *address, uint32_t lanes, unsigned bytes)
{
    const struct exec_store_log *log = core->log;
    if (!log || log->unknown == 0)
        return false;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t a = address[lowest_bit32(left)];
        for (uint32_t i = first_entry(log, a / SECTOR); i; i = log->entry[i].older)
            if (log->entry[i].sector == a / SECTOR && unknown(log->entry[i].kind) &&
                log->entry[i].mask & byte_mask(a, bytes))
                return true;
    }
    return false;
}

/* ---- the life of an access ------------------------------------------------------------------------------------- */

static struct exec_pending *enter(struct exec_core *core, struct exec_warp *warp, enum pending_kind kind,
                                  uint32_t lanes, unsigned bytes, const uint64_t address[EXEC_LANES])
{
    assert(!core->immediate && core->token < EXEC_TOKENS);
    struct exec_pending *access = &core->pending[core->token];
    assert(access->lanes == 0);
    access->warp = warp;
    access->generation = warp ? warp->generation : 0;
    access->lanes = lanes;
    access->entries = 0;
    access->kind = (uint8_t)kind;
    access->bytes = (uint8_t)bytes;
    if (!reserve(core->log, core->log->fresh + EXEC_LANES)) { /* the launch ends; nobody asks for this access */
        access->lanes = 0;
        memset(access->entry, 0, sizeof access->entry);
        out_of_memory(&core->fault);
        return access;
    }
    log_add(core->log, access, core->token, address);
    return access;
}

struct exec_pending *pending_begin(struct exec_core *core, struct exec_warp *warp, enum pending_kind kind,
                                   uint32_t lanes, unsigned bytes, struct issued *out)
{
    out->deferred = true;
    return enter(core, warp, kind, lanes, bytes, out->address);
}

void pending_note(struct exec_core *core, enum pending_kind kind, uint32_t lanes, unsigned bytes,
                  const uint64_t address[EXEC_LANES])
{
    assert(!core->memory);
    enter(core, NULL, kind, lanes, bytes, address);
}

/* One loop for each width, so that the copies are single moves. */
#define PUT_ROWS(words)                                                                                                \
    for (uint32_t left = access->lanes; left;) {                                                                       \
        unsigned lane = lane_order_next_store(&left);                                                                  \
        uint32_t value[words];                                                                                         \
        for (unsigned w = 0; w < (words); w++)                                                                         \
            value[w] = row[w][lane];                                                                                   \
        memcpy(log->entry[access->entry[lane]].data + access->offset[lane], value, sizeof value);                      \
    }

void pending_put(struct exec_core *core, const struct exec_pending *access, const uint32_t *const row[])
{
    struct exec_store_log *log = core->log;
    switch (access->bytes) {
    case 4: PUT_ROWS(1) break;
    case 8: PUT_ROWS(2) break;
    case 16: PUT_ROWS(4) break;
    case 32: PUT_ROWS(8) break;
    default:
        for (uint32_t left = access->lanes; left;) {
            unsigned lane = lane_order_next_store(&left);
            memcpy(log->entry[access->entry[lane]].data + access->offset[lane], &row[0][lane], access->bytes);
        }
    }
}

uint64_t (*pending_operands(struct exec_core *core))[EXEC_DATA] { return core->log->operand[core->token]; }

void pending_operate(struct exec_core *core, uint64_t address, unsigned bytes, unsigned function, unsigned type,
                     uint64_t data[EXEC_DATA])
{
    uint8_t *at = memory_at(core->memory, address);
    uint64_t value[2] = {0};
    memcpy(value, at, bytes);
    atomic_apply(function, type, value, data);
    memcpy(at, value, bytes);
}

static uint32_t extended(uint64_t value, unsigned bytes, bool sign)
{
    if (bytes >= 4)
        return (uint32_t)value;
    return sign ? (uint32_t)sign_extend(value, bytes * 8) : (uint32_t)(value & ((1u << bytes * 8) - 1));
}

void pending_write_registers(struct exec_warp *warp, unsigned destination, uint32_t lanes, unsigned bytes, bool sign,
                             uint64_t data[EXEC_LANES][EXEC_DATA])
{
    if (destination == ISA_RZ)
        return;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        warp->reg[destination][lane] = extended(data[lane][0], bytes, sign);
        for (unsigned word = 1; word < bytes / 4; word++)
            warp->reg[destination + word][lane] = (uint32_t)(data[lane][word / 2] >> word % 2 * 32);
    }
}

void pending_gather(const struct exec_warp *warp, unsigned index, unsigned words, uint32_t lanes, unsigned to,
                    uint64_t data[EXEC_LANES][EXEC_DATA])
{
    for (unsigned w = 0; w < words; w++) {
        const uint32_t *row = exec_row_word(warp, index, w);
        for (uint32_t left = lanes; left; left &= left - 1) {
            unsigned lane = lowest_bit32(left);
            uint64_t *into = &data[lane][(to + w) / 2];
            *into = (to + w) % 2 ? (uint32_t)*into | (uint64_t)row[lane] << 32 : row[lane];
        }
    }
}

static void load_registers(const struct exec_store_log *log, const struct exec_pending *access)
{
    struct exec_warp *warp = access->warp;
    for (uint32_t left = access->lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        const uint8_t *data = log->entry[access->entry[lane]].data + access->offset[lane];
        uint32_t value[SECTOR / 4] = {0};
        memcpy(value, data, access->bytes);
        value[0] = extended(value[0], access->bytes, access->sign);
        for (unsigned word = 0; word < (access->bytes + 3u) / 4; word++) {
            unsigned first = word < UPPER ? access->destination : access->upper;
            if (first != ISA_RZ)
                warp->reg[first + word % UPPER][lane] = value[word];
        }
    }
}

static void finish(struct exec_core *core, uint32_t token)
{
    const struct exec_pending *access = &core->pending[token];
    if (!access->warp || access->warp->generation != access->generation)
        return;
    if (access->kind == PENDING_LOAD)
        load_registers(core->log, access);
    else if (access->kind == PENDING_ATOMIC)
        pending_write_registers(access->warp, access->destination, access->lanes, access->bytes, access->sign,
                                core->log->operand[token]);
}

/* Copies the bytes of a sector that `mask` names. */
static void copy_bytes(uint8_t *to, const uint8_t *from, uint32_t mask)
{
    enum { WORD = 4, WHOLE = (1 << WORD) - 1 };
    if (mask == UINT32_MAX) {
        memcpy(to, from, SECTOR);
        return;
    }
    while (mask) {
        unsigned at = lowest_bit32(mask) / WORD * WORD;
        if ((mask >> at & WHOLE) == WHOLE)
            memcpy(to + at, from + at, WORD);
        else
            for (unsigned i = at; i < at + WORD; i++)
                to[i] = mask >> i & 1 ? from[i] : to[i];
        mask &= ~((uint32_t)WHOLE << at);
    }
}

/* Bytes of the entry that these of its waiting lanes access. */
static uint32_t bytes_of(const struct log_entry *e, const struct exec_pending *access, uint32_t lanes)
{
    if (lanes == e->waiting)
        return e->mask;
    uint32_t bytes = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        bytes |= byte_mask(access->offset[lowest_bit32(left)], access->bytes);
    return bytes & e->mask;
}

static void change_memory(struct exec_core *core, struct log_entry *e, uint32_t lanes, uint32_t bytes)
{
    const struct exec_pending *access = &core->pending[e->token];
    uint64_t address = e->sector * SECTOR;
    switch ((enum pending_kind)e->kind) {
    case PENDING_LOAD: copy_bytes(e->data, memory_at(core->memory, address), bytes); break;
    case PENDING_STORE: copy_bytes(memory_at(core->memory, address), e->data, bytes); break;
    case PENDING_ATOMIC:
    case PENDING_REDUCTION:
        for (uint32_t left = lanes; left;) {
            unsigned lane = lane_order_next_atomic(&left);
            pending_operate(core, address + access->offset[lane], access->bytes, access->function, access->type,
                            core->log->operand[e->token][lane]);
        }
        break;
    }
}

/* Memory has the bytes now: an older store that completes later must not hide them, nor this one those that others
 * write from here on. */
static void take_effect(struct exec_core *core, struct log_entry *e, uint32_t lanes)
{
    uint32_t bytes = bytes_of(e, &core->pending[e->token], lanes);
    if (core->memory)
        change_memory(core, e, lanes, bytes);
    e->waiting &= ~lanes;
    e->mask &= ~bytes;
}

/* The oldest access to the entry's sector that waits and is no younger than it. Those older than one that has taken
 * effect have too. */
static uint32_t oldest_waiting(const struct exec_store_log *log, uint32_t index)
{
    uint32_t oldest = index;
    for (uint32_t i = log->entry[index].older; i; i = log->entry[i].older) {
        if (log->entry[i].sector != log->entry[index].sector)
            continue;
        if (!log->entry[i].waiting)
            break;
        oldest = i;
    }
    return oldest;
}

/* A core's accesses to a sector take effect in the order in which they issued, whichever message is served first: its
 * threads have seen each other's stores in that order, and coherence (PTX ISA, axioms of the memory model) wants that
 * order from all others. What is overtaken takes effect just before what overtakes it. */
static void reach(struct exec_core *core, uint32_t index, uint32_t lanes)
{
    struct exec_store_log *log = core->log;
    for (uint32_t i; (i = oldest_waiting(log, index)) != index;)
        take_effect(core, &log->entry[i], log->entry[i].waiting);
    take_effect(core, &log->entry[index], lanes);
}

/* Hint to the host: they are needed together, and long out of its cache. */
static void fetch_entries(const struct exec_store_log *log, const struct exec_pending *access, uint32_t lanes)
{
    uint32_t last = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t index = access->entry[lowest_bit32(left)];
        if (index != last)
            __builtin_prefetch(&log->entry[index], 1);
        last = index;
    }
}

void exec_apply(struct exec_core *core, uint32_t token, uint32_t lanes)
{
    assert(token < EXEC_TOKENS);
    const struct exec_pending *access = &core->pending[token];
    fetch_entries(core->log, access, lanes & access->lanes);
    for (uint32_t left = lanes & access->lanes; left;) {
        uint32_t index = access->entry[lowest_bit32(left)];
        uint32_t here = core->log->entry[index].waiting & left;
        left &= ~here & (left - 1);
        if (here)
            reach(core, index, here);
    }
}

void pending_settle(struct exec_core *core)
{
    for (uint32_t token = 0; core->pending && token < EXEC_TOKENS; token++) {
        const struct exec_pending *access = &core->pending[token];
        for (uint32_t i = access->lanes ? access->entries : 0; i; i = core->log->entry[i].more)
            if (core->log->entry[i].waiting)
                reach(core, i, core->log->entry[i].waiting);
    }
}

void exec_complete(struct exec_core *core, uint32_t token)
{
    assert(token < EXEC_TOKENS);
    struct exec_pending *access = &core->pending[token];
    finish(core, token);
    log_remove(core->log, access);
    access->lanes = 0;
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

void pending_log_archive(struct archive *a, struct exec_core *core)
{
    struct exec_store_log *log = core->log;
    archive_plain(a, log, offsetof(struct exec_store_log, arena));
    if (log->fresh > MOST) {
        archive_fail(a, STATUS_FORMAT, "the saved run has more stores in flight than there can be");
        log->fresh = 1;
    }
    if (!reserve(log, log->fresh)) {
        archive_fail(a, STATUS_MEMORY, "no host memory for the stores in flight of a saved run");
        log->fresh = 1;
    }
    archive_plain(a, log->entry, log->fresh * sizeof *log->entry);
    for (uint32_t token = 0; token < EXEC_TOKENS; token++)
        if (core->pending[token].lanes)
            archive_plain(a, log->operand[token], sizeof *log->operand);
}
