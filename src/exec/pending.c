#include "exec/pending.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/host_line.h"
#include "exec/atomic.h"
#include "exec/executors.h"

enum { SECTOR = 32, BUCKETS = 4096 };

/* What one access does to one sector. */
struct log_entry {
    _Alignas(HOST_LINE) uint64_t sector;
    struct exec_pending *access;
    uint32_t waiting; /* lanes of the access that have not taken effect here */
    uint32_t mask;    /* bytes of the sector that wait for this */
    uint32_t older;   /* next of the bucket, younger first; 0: none */
    uint32_t more;    /* next of the same access, or of the free entries */
    uint8_t data[SECTOR];
};

struct exec_store_log {
    uint32_t writes, unknown; /* entries in use that write; that have a value which the slice decides */
    uint32_t fresh, free;     /* first entry never used; list of returned ones */
    uint32_t bucket[BUCKETS];
    struct log_entry entry[EXEC_TOKENS * EXEC_LANES + 1]; /* entry 0 is none */
};

_Static_assert(EXEC_TOKENS *EXEC_LANES <= UINT16_MAX, "exec_pending.entry holds the number of an entry");

bool pending_init(struct exec_core *core, struct status *status)
{
    core->pending = calloc(EXEC_TOKENS, sizeof *core->pending);
    core->log = host_lines(sizeof *core->log);
    if (!core->pending || !core->log)
        return status_fail(status, STATUS_MEMORY, "no host memory for the accesses in flight of an SM");
    memset(core->log, 0, offsetof(struct exec_store_log, entry)); /* entries have nothing until they are taken */
    core->log->fresh = 1;
    return true;
}

void pending_free(struct exec_core *core)
{
    free(core->pending);
    free(core->log);
    core->pending = NULL;
    core->log = NULL;
}

/* ---- the store log --------------------------------------------------------------------------------------------- */

static uint32_t *bucket_of(struct exec_store_log *log, uint64_t sector)
{
    return &log->bucket[hash_mix(sector) % BUCKETS];
}

static uint32_t first_entry(const struct exec_store_log *log, uint64_t sector)
{
    return log->bucket[hash_mix(sector) % BUCKETS];
}

static uint32_t byte_mask(uint64_t address, unsigned bytes)
{
    return (uint32_t)((UINT64_C(1) << bytes) - 1) << address % SECTOR;
}

static bool writes(const struct exec_pending *access) { return access->kind != PENDING_LOAD; }
static bool unknown(const struct exec_pending *access) { return access->kind != PENDING_STORE; }

static uint32_t entry_for(struct exec_store_log *log, struct exec_pending *access, uint64_t sector)
{
    uint32_t *bucket = bucket_of(log, sector);
    for (uint32_t i = *bucket; i; i = log->entry[i].older)
        if (log->entry[i].access == access && log->entry[i].sector == sector)
            return i;
    uint32_t index = log->free ? log->free : log->fresh++;
    assert(index <= EXEC_TOKENS * EXEC_LANES);
    struct log_entry *e = &log->entry[index];
    if (log->free)
        log->free = e->more;
    e->sector = sector;
    e->access = access;
    e->waiting = 0;
    e->mask = 0;
    e->older = *bucket;
    e->more = access->entries;
    *bucket = index;
    access->entries = index;
    log->writes += writes(access);
    log->unknown += unknown(access);
    return index;
}

static void log_add(struct exec_store_log *log, struct exec_pending *access)
{
    for (uint32_t left = access->lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint64_t address = access->address[lane];
        uint32_t index = entry_for(log, access, address / SECTOR);
        struct log_entry *e = &log->entry[index];
        access->entry[lane] = (uint16_t)index;
        e->waiting |= UINT32_C(1) << lane;
        e->mask |= byte_mask(address, access->bytes);
        memcpy(e->data + address % SECTOR, access->data[lane], access->bytes);
    }
}

static void log_remove(struct exec_store_log *log, struct exec_pending *access)
{
    while (access->entries) {
        uint32_t index = access->entries;
        struct log_entry *e = &log->entry[index];
        uint32_t *link = bucket_of(log, e->sector);
        while (*link != index)
            link = &log->entry[*link].older;
        *link = e->older;
        access->entries = e->more;
        e->more = log->free;
        log->free = index;
        log->writes -= writes(access);
        log->unknown -= unknown(access);
    }
}

bool pending_log_empty(const struct exec_core *core) { return !core->log || core->log->writes == 0; }

bool pending_undecided(const struct exec_core *core) { return core->log->unknown > 0; }

bool pending_holds(const struct exec_core *core, uint64_t address)
{
    return first_entry(core->log, address / SECTOR) != 0;
}

void pending_overlay(const struct exec_core *core, uint64_t address, unsigned bytes, void *data)
{
    const struct exec_store_log *log = core->log;
    uint8_t *to = data;
    uint32_t wanted = byte_mask(address, bytes);
    unsigned shift = (unsigned)(address % SECTOR);
    for (uint32_t i = first_entry(log, address / SECTOR); i && wanted; i = log->entry[i].older) {
        const struct log_entry *e = &log->entry[i];
        if (e->sector != address / SECTOR || unknown(e->access))
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
            if (log->entry[i].sector == a / SECTOR && unknown(log->entry[i].access) &&
                log->entry[i].mask & byte_mask(a, bytes))
                return true;
    }
    return false;
}

/* ---- the life of an access ------------------------------------------------------------------------------------- */

struct exec_pending *pending_begin(struct exec_core *core, struct exec_warp *warp, uint32_t lanes,
                                   struct exec_pending *here)
{
    struct exec_pending *access = here;
    if (!core->immediate) {
        assert(core->token < EXEC_TOKENS);
        access = &core->pending[core->token];
        assert(access->lanes == 0);
    }
    access->warp = warp;
    access->generation = warp->generation;
    access->lanes = lanes;
    access->entries = 0;
    return access;
}

static void apply_lane(struct exec_core *core, struct exec_pending *access, unsigned lane)
{
    if (!core->memory)
        return;
    uint8_t *at = memory_at(core->memory, access->address[lane]);
    uint64_t *data = access->data[lane], value[2] = {0};
    switch ((enum pending_kind)access->kind) {
    case PENDING_LOAD: memcpy(data, at, access->bytes); break;
    case PENDING_STORE: memcpy(at, data, access->bytes); break;
    case PENDING_ATOMIC:
    case PENDING_REDUCTION:
        memcpy(value, at, access->bytes);
        atomic_apply(access->function, access->type, value, data);
        memcpy(at, value, access->bytes);
        break;
    }
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

static void finish(struct exec_pending *access)
{
    enum { GROUP = 16 };
    struct exec_warp *warp = access->warp;
    if (!warp || (access->kind != PENDING_LOAD && access->kind != PENDING_ATOMIC) ||
        warp->generation != access->generation)
        return;
    unsigned bytes = access->bytes < GROUP ? access->bytes : GROUP;
    pending_write_registers(warp, access->destination, access->lanes, bytes, access->sign, access->data);
    if (access->bytes <= GROUP)
        return;
    for (uint32_t left = access->lanes; left; left &= left - 1) {
        uint64_t *data = access->data[lowest_bit32(left)];
        memcpy(data, data + 2, GROUP);
    }
    pending_write_registers(warp, access->upper, access->lanes, GROUP, false, access->data);
}

void pending_issue(struct exec_core *core, struct exec_pending *access, struct issued *out)
{
    if (core->immediate) {
        for (uint32_t left = access->lanes; left; left &= left - 1)
            apply_lane(core, access, lowest_bit32(left));
        finish(access);
        return;
    }
    log_add(core->log, access);
    out->deferred = true;
}

void pending_note(struct exec_core *core, enum pending_kind kind, uint32_t lanes, unsigned bytes,
                  const uint64_t address[EXEC_LANES])
{
    struct exec_pending *access = &core->pending[core->token];
    assert(access->lanes == 0 && !core->memory);
    access->warp = NULL;
    access->lanes = lanes;
    access->entries = 0;
    access->kind = (uint8_t)kind;
    access->bytes = (uint8_t)bytes;
    memcpy(access->address, address, sizeof access->address);
    log_add(core->log, access);
}

/* Memory has the bytes now: an older store that completes later must not hide them, nor this one those that others
 * write from here on. */
static void take_effect(struct exec_core *core, struct log_entry *e, uint32_t lanes)
{
    struct exec_pending *access = e->access;
    e->waiting &= ~lanes;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        apply_lane(core, access, lane);
        e->mask &= ~byte_mask(access->address[lane], access->bytes);
    }
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

void exec_apply(struct exec_core *core, uint32_t token, uint32_t lanes)
{
    assert(token < EXEC_TOKENS);
    const struct exec_pending *access = &core->pending[token];
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
    finish(access);
    log_remove(core->log, access);
    access->lanes = 0;
}
