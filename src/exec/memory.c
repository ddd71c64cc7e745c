#include "exec/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "base/hash.h"
#include "exec/heap.h"

/* Every block ends with a granule that belongs to nobody, so that a small overrun never lands in a neighbour. */

static void *reserve(uint64_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void release(void *p, uint64_t bytes)
{
    if (p)
        munmap(p, bytes);
}

struct memory *memory_create(uint64_t limit, struct status *status)
{
    struct memory *m = calloc(1, sizeof *m);
    if (!m) {
        status_fail(status, STATUS_MEMORY, "no host memory for the device memory's tables");
        return NULL;
    }
    m->limit = align_up(limit ? limit : 1, MEMORY_GRANULE);
    m->host = reserve(m->limit);
    m->valid = reserve(m->limit / MEMORY_GRANULE);
    m->used = reserve(m->limit / MEMORY_GRANULE);
    if (!m->host || !m->valid || !m->used) {
        status_fail(status, STATUS_MEMORY,
                    "the host cannot reserve %" PRIu64 " bytes of address space for device memory", m->limit);
        memory_destroy(m);
        return NULL;
    }
    return m;
}

void memory_destroy(struct memory *m)
{
    if (!m)
        return;
    release(m->host, m->limit);
    release(m->valid, m->limit / MEMORY_GRANULE);
    release(m->used, m->limit / MEMORY_GRANULE);
    heap_destroy(m->heap);
    free(m->blocks);
    free(m);
}

/* Bytes of the address range that an allocation takes, its guard granule included. */
static uint64_t footprint(uint64_t bytes) { return align_up(bytes, MEMORY_GRANULE) + MEMORY_GRANULE; }

static void mark(struct memory *m, uint64_t offset, uint64_t bytes, bool used)
{
    uint64_t first = offset / MEMORY_GRANULE, count = (bytes + MEMORY_GRANULE - 1) / MEMORY_GRANULE;
    memset(m->used + first, used, count);
    memset(m->valid + first, MEMORY_GRANULE - 1, count);
    if (bytes % MEMORY_GRANULE)
        m->valid[first + count - 1] = (uint8_t)(bytes % MEMORY_GRANULE - 1);
}

/* Whole host pages are given back, which is the quick way to make a large range zero. */
static void clear(struct memory *m, uint64_t offset, uint64_t bytes)
{
    enum { PAGE = 4096 };
    uint64_t first = align_up(offset, PAGE), last = (offset + bytes) / PAGE * PAGE;
    if (last <= first || madvise(m->host + first, last - first, MADV_DONTNEED) != 0) {
        memset(m->host + offset, 0, bytes);
        return;
    }
    memset(m->host + offset, 0, first - offset);
    memset(m->host + last, 0, offset + bytes - last);
}

static bool insert_block(struct memory *m, size_t at, struct memory_block block)
{
    if (m->block_count == m->block_room) {
        size_t room = m->block_room ? 2 * m->block_room : 64;
        struct memory_block *blocks = realloc(m->blocks, room * sizeof *blocks);
        if (!blocks)
            return false;
        m->blocks = blocks;
        m->block_room = room;
    }
    memmove(m->blocks + at + 1, m->blocks + at, (m->block_count - at) * sizeof *m->blocks);
    m->blocks[at] = block;
    m->block_count++;
    return true;
}

static void remove_block(struct memory *m, size_t at)
{
    memmove(m->blocks + at, m->blocks + at + 1, (m->block_count - at - 1) * sizeof *m->blocks);
    m->block_count--;
}

/* First free block that is large enough, or block_count. A free block's bytes are its whole footprint. */
static size_t find_free(const struct memory *m, uint64_t need)
{
    size_t i = 0;
    while (i < m->block_count && !(m->blocks[i].free && m->blocks[i].bytes >= need))
        i++;
    return i;
}

static bool reuse(struct memory *m, size_t at, uint64_t bytes)
{
    uint64_t address = m->blocks[at].address, left = m->blocks[at].bytes - footprint(bytes);
    if (left > 0) {
        struct memory_block rest = {address + footprint(bytes), left, true};
        if (!insert_block(m, at + 1, rest))
            return false;
    }
    m->blocks[at] = (struct memory_block){address, bytes, false};
    clear(m, address - MEMORY_BASE, bytes);
    return true;
}

uint64_t memory_alloc(struct memory *m, uint64_t bytes)
{
    if (bytes == 0)
        bytes = 1;
    if (bytes > m->limit)
        return 0;
    size_t at = find_free(m, footprint(bytes));
    uint64_t offset;
    if (at < m->block_count) {
        if (!reuse(m, at, bytes))
            return 0;
        offset = m->blocks[at].address - MEMORY_BASE;
    } else {
        offset = m->top;
        if (bytes > m->limit - offset || align_up(bytes, MEMORY_GRANULE) > m->limit - offset ||
            !insert_block(m, at, (struct memory_block){MEMORY_BASE + offset, bytes, false}))
            return 0;
        uint64_t end = offset + footprint(bytes);
        m->top = end < m->limit ? end : m->limit;
    }
    mark(m, offset, bytes, true);
    return MEMORY_BASE + offset;
}

/* Index of the last block that starts at or below the address; block_count when none does. */
static size_t block_below(const struct memory *m, uint64_t address)
{
    size_t low = 0, high = m->block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->blocks[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : m->block_count;
}

/* Free neighbours become one block; the last one goes back to the range that was never used. */
static void merge_free(struct memory *m, size_t at)
{
    if (at + 1 < m->block_count && m->blocks[at + 1].free) {
        m->blocks[at].bytes += m->blocks[at + 1].bytes;
        remove_block(m, at + 1);
    }
    if (at > 0 && m->blocks[at - 1].free) {
        at--;
        m->blocks[at].bytes += m->blocks[at + 1].bytes;
        remove_block(m, at + 1);
    }
    if (at + 1 == m->block_count) {
        m->top = m->blocks[at].address - MEMORY_BASE;
        clear(m, m->top, m->blocks[at].bytes);
        remove_block(m, at);
    }
}

bool memory_free(struct memory *m, uint64_t address)
{
    size_t at = block_below(m, address);
    if (at == m->block_count || m->blocks[at].free || m->blocks[at].address != address)
        return false;
    struct memory_block *block = &m->blocks[at];
    uint64_t offset = address - MEMORY_BASE, whole = footprint(block->bytes);
    mark(m, offset, block->bytes, false);
    block->free = true;
    block->bytes = whole <= m->limit - offset ? whole : m->limit - offset;
    merge_free(m, at);
    return true;
}

static bool inside(const struct memory *m, uint64_t address, uint64_t bytes)
{
    size_t at = block_below(m, address);
    if (at == m->block_count || m->blocks[at].free)
        return false;
    uint64_t from = address - m->blocks[at].address;
    return from <= m->blocks[at].bytes && bytes <= m->blocks[at].bytes - from;
}

bool memory_write(struct memory *m, uint64_t to, const void *from, uint64_t bytes)
{
    if (bytes == 0)
        return true;
    if (!inside(m, to, bytes))
        return false;
    memcpy(memory_at(m, to), from, bytes);
    return true;
}

bool memory_read(const struct memory *m, void *to, uint64_t from, uint64_t bytes)
{
    if (bytes == 0)
        return true;
    if (!inside(m, from, bytes))
        return false;
    memcpy(to, memory_at(m, from), bytes);
    return true;
}

/* Index of the allocation nearest to the address, or block_count when there is none; ties go to the lower one. */
static size_t nearest(const struct memory *m, uint64_t address)
{
    size_t best = m->block_count;
    uint64_t distance = UINT64_MAX;
    for (size_t i = 0; i < m->block_count; i++) {
        const struct memory_block *b = &m->blocks[i];
        if (b->free)
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
    snprintf(whose, sizeof whose, "the allocation 0x%" PRIx64 "-0x%" PRIx64 " (%" PRIu64 " bytes)", b->address, end,
             b->bytes);
    size_t below = block_below(m, address);
    if (below < m->block_count && m->blocks[below].free && address - m->blocks[below].address < m->blocks[below].bytes)
        snprintf(text, size, "in freed memory; the nearest is %s", whose);
    else if (address < b->address)
        snprintf(text, size, "%" PRIu64 " bytes before %s", b->address - address, whose);
    else if (address >= end)
        snprintf(text, size, "%" PRIu64 " bytes past the end of %s", address - end, whose);
    else
        snprintf(text, size, "%" PRIu64 " bytes into %s", address - b->address, whose);
}

void memory_describe(const struct memory *m, uint64_t address, char *text, size_t size)
{
    char place[160];
    memory_place(m, address, place, sizeof place);
    snprintf(text, size, "0x%" PRIx64 " is %s", address, place);
}

uint64_t memory_digest(const struct memory *m)
{
    uint64_t digest = HASH_SEED;
    for (size_t i = 0; i < m->block_count; i++) {
        const struct memory_block *b = &m->blocks[i];
        if (b->free)
            continue;
        digest = hash_bytes(digest, &b->address, sizeof b->address);
        digest = hash_bytes(digest, memory_at(m, b->address), b->bytes);
    }
    return digest;
}
