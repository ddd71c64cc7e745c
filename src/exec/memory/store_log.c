#include "exec/memory/store_log.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/hash.h"

enum { NEAR = 16, FIRST_ROOM = 512, MOST = EXEC_TOKENS * EXEC_LANES + 1 };

_Static_assert(MOST <= UINT16_MAX, "16 bits hold the number of an entry");

struct exec_store_log *store_log_create(struct arena *arena)
{
    struct exec_store_log *log = arena_take(arena, sizeof *log);
    if (!log)
        return NULL;
    *log = (struct exec_store_log){.fresh = 1,
                                   .arena = arena,
                                   .entry = arena_take(arena, FIRST_ROOM * sizeof *log->entry),
                                   .room = FIRST_ROOM,
                                   .operand = malloc(EXEC_TOKENS * sizeof *log->operand)};
    if (log->entry && log->operand)
        return log;
    store_log_free(log);
    return NULL;
}

void store_log_free(struct exec_store_log *log)
{
    if (log)
        free(log->operand);
}

/* Neighbouring sectors have neighbouring buckets: a warp's accesses touch few lines of the host's cache. */
static uint32_t bucket_of(uint64_t sector)
{
    return (uint32_t)((hash_mix(sector / NEAR) * NEAR + sector % NEAR) % LOG_BUCKETS);
}

static uint32_t first_entry(const struct exec_store_log *log, uint64_t sector)
{
    return log->bucket[bucket_of(sector)];
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
static bool make_room(struct exec_store_log *log, uint32_t entries)
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

bool store_log_reserve(struct exec_store_log *log) { return make_room(log, log->fresh + EXEC_LANES); }

static uint32_t new_entry(struct exec_store_log *log, struct exec_pending *access, uint32_t token, uint64_t sector,
                          uint16_t *bucket)
{
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
    access->offset[lane] = (uint8_t)(address % LOG_SECTOR);
    e->waiting |= UINT32_C(1) << lane;
    e->mask |= pending_bytes(access, address);
}

/* All lanes in a row, from `first` on. Returns the number of entries. */
static uint32_t log_row(struct exec_store_log *log, struct exec_pending *access, uint32_t token, uint64_t first)
{
    uint32_t count = 0;
    uint16_t *near = NULL; /* buckets of the sectors next to each other */
    for (unsigned lane = 0; lane < EXEC_LANES; count++) {
        uint64_t at = first + (uint64_t)lane * access->bytes, sector = at / LOG_SECTOR, end = (sector + 1) * LOG_SECTOR;
        if (count == 0 || sector % NEAR == 0)
            near = &log->bucket[bucket_of(sector) / NEAR * NEAR];
        uint32_t index = new_entry(log, access, token, sector, &near[sector % NEAR]);
        struct log_entry *e = &log->entry[index];
        unsigned from = lane, offset = (unsigned)(at % LOG_SECTOR);
        uint32_t bytes = pending_bytes(access, at);
        for (; lane < EXEC_LANES && at < end; lane++, at += access->bytes) {
            access->entry[lane] = (uint16_t)index;
            access->offset[lane] = (uint8_t)offset;
            e->mask |= bytes;
            offset += access->bytes;
            bytes <<= access->bytes % LOG_SECTOR; /* the next lane's, in the same sector */
        }
        e->waiting = (uint32_t)((UINT64_C(1) << lane) - (UINT64_C(1) << from));
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
        if (address[lane] / LOG_SECTOR != sector) {
            sector = address[lane] / LOG_SECTOR;
            index = own_entry(log, token, sector);
            count += index == 0;
            if (index == 0)
                index = new_entry(log, access, token, sector, &log->bucket[bucket_of(sector)]);
        }
        log_lane(access, &log->entry[index], index, lane, address[lane]);
    }
    return count;
}

void store_log_add(struct exec_store_log *log, struct exec_pending *access, uint32_t token,
                   const uint64_t address[EXEC_LANES])
{
    bool row = access->lanes == UINT32_MAX && issued_in_a_row(address, access->bytes);
    uint32_t count = row ? log_row(log, access, token, address[0]) : log_lanes(log, access, token, address);
    log->writes += writes(access->kind) ? count : 0;
    log->unknown += unknown(access->kind) ? count : 0;
}

void store_log_remove(struct exec_store_log *log, struct exec_pending *access)
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

bool store_log_empty(const struct exec_core *core) { return !core->log || core->log->writes == 0; }

bool store_log_undecided(const struct exec_core *core) { return core->log->unknown > 0; }

bool store_log_holds(const struct exec_core *core, uint64_t address)
{
    return first_entry(core->log, address / LOG_SECTOR) != 0;
}

bool store_log_holds_any(const struct exec_core *core, const uint64_t *address, uint32_t lanes)
{
    uint64_t sector = UINT64_MAX;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t next = address[lowest_bit32(left)] / LOG_SECTOR;
        if (next != sector && first_entry(core->log, next) != 0)
            return true;
        sector = next;
    }
    return false;
}

void store_log_overlay(const struct exec_core *core, uint64_t address, unsigned bytes, void *data)
{
    const struct exec_store_log *log = core->log;
    uint8_t *to = data;
    uint32_t wanted = sector_bytes(address, bytes);
    unsigned shift = (unsigned)(address % LOG_SECTOR);
    for (uint32_t i = first_entry(log, address / LOG_SECTOR); i && wanted; i = log->entry[i].older) {
        const struct log_entry *e = &log->entry[i];
        if (e->sector != address / LOG_SECTOR || unknown(e->kind))
            continue;
        for (uint32_t hit = e->mask & wanted; hit; hit &= hit - 1)
            to[lowest_bit32(hit) - shift] = e->data[lowest_bit32(hit)];
        wanted &= ~e->mask;
    }
}

bool store_log_unknown(const struct exec_core *core, const uint64_t *address, uint32_t lanes, unsigned bytes)
{
    const struct exec_store_log *log = core->log;
    if (!log || log->unknown == 0)
        return false;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t a = address[lowest_bit32(left)];
        for (uint32_t i = first_entry(log, a / LOG_SECTOR); i; i = log->entry[i].older)
            if (log->entry[i].sector == a / LOG_SECTOR && unknown(log->entry[i].kind) &&
                log->entry[i].mask & sector_bytes(a, bytes))
                return true;
    }
    return false;
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

void store_log_archive(struct archive *a, struct exec_core *core)
{
    struct exec_store_log *log = core->log;
    archive_plain(a, log, offsetof(struct exec_store_log, arena));
    if (log->fresh > MOST) {
        archive_fail(a, STATUS_FORMAT, "the saved run has more stores in flight than there can be");
        log->fresh = 1;
    }
    if (!make_room(log, log->fresh)) {
        archive_fail(a, STATUS_MEMORY, "no host memory for the stores in flight of a saved run");
        log->fresh = 1;
    }
    archive_plain(a, log->entry, log->fresh * sizeof *log->entry);
    for (uint32_t token = 0; token < EXEC_TOKENS; token++)
        if (core->pending[token].lanes)
            archive_plain(a, log->operand[token], sizeof *log->operand);
}
