/* Allocation of device memory. */
#include "base/bits.h"
#include "exec/memory/blocks.h"

static uint64_t counted(uint64_t bytes) { return align_up(bytes, MEMORY_GRANULE); }

uint64_t memory_alloc_aligned(struct memory *m, uint64_t bytes, uint64_t alignment)
{
    const struct block_wish wish = {.bytes = bytes ? bytes : 1,
                                    .alignment = alignment > MEMORY_GRANULE ? alignment : MEMORY_GRANULE,
                                    .kind = MEMORY_PLAIN};
    if (wish.bytes > m->capacity || counted(wish.bytes) > m->capacity - m->allocated)
        return 0;
    const struct memory_block *block = memory_take(m, &wish);
    if (!block)
        return 0;
    m->allocated += counted(wish.bytes);
    blocks_mark(m, block->address, wish.bytes, true);
    return block->address;
}

uint64_t memory_alloc(struct memory *m, uint64_t bytes) { return memory_alloc_aligned(m, bytes, MEMORY_GRANULE); }

static bool is_mapped(enum memory_kind kind) { return kind == MEMORY_VISIBLE || kind == MEMORY_RESERVED; }

bool memory_free(struct memory *m, uint64_t address)
{
    size_t at = blocks_below(m, address);
    if (at == m->block_count || m->blocks[at].kind == MEMORY_FREE || m->blocks[at].address != address)
        return false;
    const struct memory_block *block = &m->blocks[at];
    blocks_mark(m, address, block->bytes, false);
    if (is_mapped(block->kind))
        memory_detach(m, block);
    else
        m->allocated -= counted(block->bytes);
    blocks_release(m, at);
    return true;
}
