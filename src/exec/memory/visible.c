/* Memory whose pages are placed one by one: visible to the host too, or behind reserved addresses. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "exec/memory/blocks.h"

enum { BOTH = PROT_READ | PROT_WRITE };

/* The address itself, in this process. */
static void *public_place(uint64_t address)
{
    return (void *)(uintptr_t)address; /* NOLINT: an address that is chosen */
}

static bool place(void *at, uint64_t bytes, int file, uint64_t offset)
{
    return mmap(at, bytes, BOTH, MAP_SHARED | MAP_FIXED, file, (off_t)offset) != MAP_FAILED;
}

/* Private pages, zero, or none that can be accessed. */
static void take_away(void *at, uint64_t bytes, int protection)
{
    mmap(at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* ---- visible blocks ---------------------------------------------------------------------------------------------- */

uint64_t memory_alloc_visible(struct memory *m, uint64_t bytes)
{
    const struct block_wish wish = {
        .bytes = bytes ? bytes : 1, .alignment = MEMORY_PAGE, .pages = true, .kind = MEMORY_VISIBLE};
    const struct memory_block *block = m->file >= 0 ? memory_take(m, &wish) : NULL;
    if (!block)
        return 0;
    uint64_t address = block->address, offset = address - m->base, pages = align_up(wish.bytes, MEMORY_PAGE);
    if (place(m->host + offset, pages, m->file, offset) && place(public_place(address), pages, m->file, offset)) {
        blocks_mark(m, address, wish.bytes, true);
        return address;
    }
    memory_detach(m, block);
    blocks_release(m, blocks_below(m, address));
    return 0;
}

void memory_detach(struct memory *m, const struct memory_block *block)
{
    uint64_t offset = block->address - m->base, pages = align_up(block->bytes, MEMORY_PAGE);
    take_away(m->host + offset, pages, BOTH);
    if (block->kind != MEMORY_VISIBLE)
        return;
    take_away(public_place(block->address), pages, PROT_NONE);
    while (fallocate(m->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)pages) != 0 &&
           errno == EINTR) {
    }
}

/* ---- reserved addresses ------------------------------------------------------------------------------------------ */

uint64_t memory_reserve(struct memory *m, uint64_t bytes, uint64_t alignment)
{
    const struct block_wish wish = {.bytes = align_up(bytes, MEMORY_PAGE),
                                    .alignment = alignment > MEMORY_PAGE ? alignment : MEMORY_PAGE,
                                    .pages = true,
                                    .kind = MEMORY_RESERVED};
    if (!bytes || wish.bytes < bytes)
        return 0;
    const struct memory_block *block = memory_take(m, &wish);
    return block ? block->address : 0;
}

int memory_backing(struct memory *m, uint64_t bytes)
{
    if (bytes > m->capacity - m->allocated)
        return -1;
    int file = memfd_create("subcore-memory", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, (off_t)bytes) != 0) {
        close(file);
        return -1;
    }
    m->allocated += file >= 0 ? bytes : 0;
    return file;
}

void memory_backing_close(struct memory *m, int backing, uint64_t bytes)
{
    close(backing);
    m->allocated -= bytes;
}

static bool reserved(const struct memory *m, uint64_t address, uint64_t bytes)
{
    size_t at = blocks_below(m, address);
    if (at == m->block_count || m->blocks[at].kind != MEMORY_RESERVED || address % MEMORY_PAGE || bytes % MEMORY_PAGE)
        return false;
    uint64_t from = address - m->blocks[at].address;
    return from <= m->blocks[at].bytes && bytes <= m->blocks[at].bytes - from;
}

bool memory_map(struct memory *m, uint64_t address, uint64_t bytes, int backing, uint64_t offset)
{
    return bytes && offset % MEMORY_PAGE == 0 && reserved(m, address, bytes) &&
           place(memory_at(m, address), bytes, backing, offset);
}

bool memory_unmap(struct memory *m, uint64_t address, uint64_t bytes)
{
    if (!bytes || !reserved(m, address, bytes))
        return false;
    blocks_mark(m, address, bytes, false);
    take_away(memory_at(m, address), bytes, BOTH);
    return true;
}

bool memory_allow(struct memory *m, uint64_t address, uint64_t bytes, bool access)
{
    if (!bytes || !reserved(m, address, bytes))
        return false;
    blocks_mark(m, address, bytes, access);
    return true;
}
