/* How accesses of a deferred core take effect: in slice order, and those of one core to a sector in their own order. */
#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "exec/exec.h"
#include "exec/memory/atomic.h"
#include "exec/memory/lane_order.h"
#include "exec/memory/store_log.h"

/* Copies the bytes of a sector that `mask` names. */
static void copy_bytes(uint8_t *to, const uint8_t *from, uint32_t mask)
{
    enum { WORD = 4, WHOLE = (1 << WORD) - 1 };
    if (mask == UINT32_MAX) {
        memcpy(to, from, LOG_SECTOR);
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

/* Bytes of the entry that these waiting lanes access. */
static uint32_t bytes_of(const struct log_entry *e, const struct exec_pending *access, uint32_t lanes)
{
    if (lanes == e->waiting)
        return e->mask;
    uint32_t bytes = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        bytes |= pending_bytes(access, access->offset[lowest_bit32(left)]);
    return bytes & e->mask;
}

static void change_memory(struct exec_core *core, struct log_entry *e, uint32_t lanes, uint32_t bytes)
{
    const struct exec_pending *access = &core->pending[e->token];
    uint64_t address = e->sector * LOG_SECTOR;
    switch ((enum pending_kind)e->kind) {
    case PENDING_LOAD: copy_bytes(e->data, memory_at(core->memory, address), bytes); break;
    case PENDING_STORE: copy_bytes(memory_at(core->memory, address), e->data, bytes); break;
    case PENDING_ATOMIC:
    case PENDING_REDUCTION:
        for (uint32_t left = lanes; left;) {
            unsigned lane = lane_order_next_atomic(&left);
            atomic_operate(core->memory, address + access->offset[lane], access->bytes, access->function, access->type,
                           core->log->operand[e->token][lane]);
        }
        break;
    default: assert(false); /* the others have no entries */
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

/* A core's accesses to a sector take effect in the order in which they issued, whichever message is served first:
 * its threads have seen each other's stores in that order, and coherence (PTX ISA, axioms of the memory model) wants
 * that order from all others. An access that is overtaken takes effect just before the one that overtakes it. */
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
