#include "exec/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "exec/memory/blocks.h"
#include "exec/memory/undefined.h"

bool memory_inside(const struct memory *m, uint64_t address, uint64_t bytes)
{
    size_t at = blocks_below(m, address);
    if (at == m->block_count || m->blocks[at].kind == MEMORY_FREE)
        return false;
    uint64_t from = address - m->blocks[at].address;
    if (from > m->blocks[at].bytes || bytes > m->blocks[at].bytes - from)
        return false;
    if (m->blocks[at].kind != MEMORY_RESERVED || !bytes)
        return true;
    uint64_t first = (address - m->base) / MEMORY_GRANULE, last = (address - m->base + bytes - 1) / MEMORY_GRANULE;
    return !memchr(m->used + first, 0, last - first + 1);
}

bool memory_write(struct memory *m, uint64_t to, const void *from, uint64_t bytes)
{
    if (bytes == 0)
        return true;
    if (!memory_inside(m, to, bytes))
        return false;
    memcpy(memory_at(m, to), from, bytes);
    memory_define(m, to, bytes);
    return true;
}

bool memory_read(const struct memory *m, void *to, uint64_t from, uint64_t bytes)
{
    if (bytes == 0)
        return true;
    if (!memory_inside(m, from, bytes))
        return false;
    memcpy(to, memory_at(m, from), bytes);
    return true;
}

/* Index of the allocation nearest to the address, or block_count when there is none. Ties go to the lower one. */
static size_t nearest(const struct memory *m, uint64_t address)
{
    size_t best = m->block_count;
    uint64_t distance = UINT64_MAX;
    for (size_t i = 0; i < m->block_count; i++) {
        const struct memory_block *b = &m->blocks[i];
        if (b->kind == MEMORY_FREE)
            continue;
        uint64_t end = b->address + b->bytes;
        uint64_t d = address < b->address ? b->address - address : address >= end ? address - end + 1 : 0;
        if (d < distance) {
            best = i;
            distance = d;
        }
    }
    return best;
}

void memory_place(const struct memory *m, uint64_t address, char *text, size_t size)
{
    size_t at = nearest(m, address);
    if (at == m->block_count) {
        snprintf(text, size, "outside of all allocations: there are none");
        return;
    }
    const struct memory_block *b = &m->blocks[at];
    uint64_t end = b->address + b->bytes;
    char whose[96];
    snprintf(whose, sizeof whose, "the %s 0x%" PRIx64 "-0x%" PRIx64 " (%" PRIu64 " bytes)",
             b->kind == MEMORY_RESERVED ? "reserved range" : "allocation", b->address, end, b->bytes);
    size_t below = blocks_below(m, address);
    if (below < m->block_count && m->blocks[below].kind == MEMORY_FREE &&
        address - m->blocks[below].address < m->blocks[below].bytes)
        snprintf(text, size, "in freed memory; the nearest is %s", whose);
    else if (address < b->address)
        snprintf(text, size, "%" PRIu64 " bytes before %s", b->address - address, whose);
    else if (address >= end)
        snprintf(text, size, "%" PRIu64 " bytes past the end of %s", address - end, whose);
    else
        snprintf(text, size, "%" PRIu64 " bytes into %s%s", address - b->address, whose,
                 b->kind == MEMORY_RESERVED && !memory_ok(m, address, 1) ? ", where the device has no access" : "");
}

void memory_describe(const struct memory *m, uint64_t address, char *text, size_t size)
{
    char place[200];
    memory_place(m, address, place, sizeof place);
    snprintf(text, size, "0x%" PRIx64 " is %s", address, place);
}

uint64_t memory_digest(const struct memory *m)
{
    uint64_t digest = HASH_SEED;
    for (size_t i = 0; i < m->block_count; i++) {
        const struct memory_block *b = &m->blocks[i];
        if (b->kind == MEMORY_FREE || b->kind == MEMORY_RESERVED)
            continue;
        digest = hash_bytes(digest, &b->address, sizeof b->address);
        digest = hash_bytes(digest, memory_at(m, b->address), b->bytes);
    }
    return digest;
}
