#include "exec/memory/blocks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "exec/memory/undefined.h"

/* Every block ends with a granule that belongs to no allocation, so that a small overrun never lands in a neighbour. */
static uint64_t extent_of(const struct block_wish *wish)
{
    return align_up(align_up(wish->bytes, MEMORY_GRANULE) + MEMORY_GRANULE, wish->pages ? MEMORY_PAGE : MEMORY_GRANULE);
}

void blocks_mark(struct memory *m, uint64_t address, uint64_t bytes, bool used)
{
    uint64_t first = (address - m->base) / MEMORY_GRANULE, count = (bytes + MEMORY_GRANULE - 1) / MEMORY_GRANULE;
    memset(m->used + first, used, count);
    memset(m->valid + first, MEMORY_GRANULE - 1, count);
    if (bytes % MEMORY_GRANULE)
        m->valid[first + count - 1] = (uint8_t)(bytes % MEMORY_GRANULE - 1);
}

/* Whole host pages are given back, which is the quick way to make a large range zero. */
void blocks_clear(struct memory *m, uint64_t address, uint64_t bytes)
{
    uint64_t offset = address - m->base;
    if (offset >= m->ready) /* never touched */
        return;
    bytes = bytes < m->ready - offset ? bytes : m->ready - offset;
    uint64_t first = align_up(offset, MEMORY_PAGE), last = (offset + bytes) / MEMORY_PAGE * MEMORY_PAGE;
    if (last <= first || madvise(m->host + first, last - first, MADV_DONTNEED) != 0) {
        memset(m->host + offset, 0, bytes);
        return;
    }
    memset(m->host + offset, 0, first - offset);
    memset(m->host + last, 0, offset + bytes - last);
}

static bool make_room(struct memory *m, size_t more)
{
    if (m->block_count + more <= m->block_room)
        return true;
    size_t room = m->block_room ? 2 * m->block_room : 64;
    struct memory_block *blocks = realloc(m->blocks, room * sizeof *blocks);
    if (!blocks)
        return false;
    m->blocks = blocks;
    m->block_room = room;
    return true;
}

static void insert(struct memory *m, size_t at, struct memory_block block)
{
    memmove(m->blocks + at + 1, m->blocks + at, (m->block_count - at) * sizeof *m->blocks);
    m->blocks[at] = block;
    m->block_count++;
}

static void remove_block(struct memory *m, size_t at)
{
    memmove(m->blocks + at, m->blocks + at + 1, (m->block_count - at - 1) * sizeof *m->blocks);
    m->block_count--;
}

static struct memory_block free_block(uint64_t address, uint64_t extent)
{
    return (struct memory_block){address, extent, extent, MEMORY_FREE};
}

/* The rest of the block, before and behind the wish, is free. */
static void use(struct memory *m, size_t *at, uint64_t start, uint64_t extent, const struct block_wish *wish)
{
    struct memory_block whole = m->blocks[*at];
    uint64_t before = start - whole.address, behind = whole.extent - before - extent;
    m->blocks[*at] = (struct memory_block){start, wish->bytes, extent, wish->kind};
    if (behind)
        insert(m, *at + 1, free_block(start + extent, behind));
    if (before)
        insert(m, (*at)++, free_block(whole.address, before));
    blocks_clear(m, start, extent);
}

static bool append(struct memory *m, size_t *at, uint64_t extent, const struct block_wish *wish)
{
    uint64_t end = m->base + m->top, start = align_up(end, wish->alignment), offset = start - m->base;
    if (offset > m->limit || wish->bytes > m->limit - offset ||
        align_up(wish->bytes, wish->pages ? MEMORY_PAGE : MEMORY_GRANULE) > m->limit - offset)
        return false;
    if (start > end)
        insert(m, m->block_count, free_block(end, start - end));
    extent = extent < m->limit - offset ? extent : m->limit - offset;
    *at = m->block_count;
    insert(m, *at, (struct memory_block){start, wish->bytes, extent, wish->kind});
    m->top = offset + extent;
    return true;
}

bool blocks_take(struct memory *m, const struct block_wish *wish, size_t *at)
{
    if (wish->bytes > m->limit || !make_room(m, 2))
        return false;
    uint64_t extent = extent_of(wish);
    for (size_t i = 0; i < m->block_count; i++) {
        const struct memory_block *b = &m->blocks[i];
        uint64_t start = align_up(b->address, wish->alignment);
        if (b->kind != MEMORY_FREE || b->extent < extent || start - b->address > b->extent - extent)
            continue;
        *at = i;
        use(m, at, start, extent, wish);
        return true;
    }
    return append(m, at, extent, wish);
}

/* Free neighbours become one block. The last one goes back to the range that was never used. */
void blocks_release(struct memory *m, size_t at)
{
    m->blocks[at] = free_block(m->blocks[at].address, m->blocks[at].extent);
    if (at + 1 < m->block_count && m->blocks[at + 1].kind == MEMORY_FREE) {
        m->blocks[at].extent += m->blocks[at + 1].extent;
        remove_block(m, at + 1);
    }
    if (at > 0 && m->blocks[at - 1].kind == MEMORY_FREE) {
        at--;
        m->blocks[at].extent += m->blocks[at + 1].extent;
        remove_block(m, at + 1);
    }
    m->blocks[at].bytes = m->blocks[at].extent;
    if (at + 1 == m->block_count) {
        m->top = m->blocks[at].address - m->base;
        blocks_clear(m, m->blocks[at].address, m->blocks[at].extent);
        remove_block(m, at);
    }
}

size_t blocks_below(const struct memory *m, uint64_t address)
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

/* The simulator's view can be accessed up to `end`. It grows in large steps: each is a call of the system. */
static bool make_ready(struct memory *m, uint64_t end)
{
    const uint64_t step = UINT64_C(64) << 20;
    if (end <= m->ready)
        return true;
    uint64_t to = align_up(end, step) < m->limit ? align_up(end, step) : m->limit;
    if (mprotect(m->host + m->ready, to - m->ready, PROT_READ | PROT_WRITE) != 0)
        return false;
    m->ready = to;
    return true;
}

struct memory_block *memory_take(struct memory *m, const struct block_wish *wish)
{
    size_t at;
    if (!blocks_take(m, wish, &at))
        return NULL;
    const struct memory_block *b = &m->blocks[at];
    if (b->kind != MEMORY_RESERVED)
        memory_define(m, b->address, b->extent);
    if (make_ready(m, b->address - m->base + b->extent))
        return &m->blocks[at];
    blocks_release(m, at);
    return NULL;
}
