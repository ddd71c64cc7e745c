/* The blocks that device memory is cut into: taking, giving back, finding. */
#ifndef SUBCORE_EXEC_BLOCKS_H
#define SUBCORE_EXEC_BLOCKS_H

#include "exec/memory.h"

struct block_wish {
    uint64_t bytes;     /* not 0 */
    uint64_t alignment; /* a power of two, at least the granule */
    bool pages;         /* shares no page with another block */
    enum memory_kind kind;
};

/* The first place that is large enough. False: there is none, or the host has no memory. */
bool blocks_take(struct memory *memory, const struct block_wish *wish, size_t *at);
/* The block is free from now on, merged with its neighbours. Its pages are zero when it is used again. */
void blocks_release(struct memory *memory, size_t at);
/* Index of the last block that starts at or below the address; block_count when none does. */
size_t blocks_below(const struct memory *memory, uint64_t address);
/* Marks bytes of a block as allocated, or not, for the check of accesses. */
void blocks_mark(struct memory *memory, uint64_t address, uint64_t bytes, bool used);
/* Takes away the mapping at a visible or reserved block. */
void memory_detach(struct memory *memory, const struct memory_block *block);
/* Takes a block and makes it accessible to the simulator (NULL: no room). */
struct memory_block *memory_take(struct memory *memory, const struct block_wish *wish);
/* Makes bytes of private memory zero. */
void blocks_clear(struct memory *memory, uint64_t address, uint64_t bytes);

#endif
