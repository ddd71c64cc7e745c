#include "exec/memory/memory.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/hash.h"
#include "exec/memory/blocks.h"
#include "exec/memory/heap.h"
#include "exec/memory/window.h"

/* ---- the range --------------------------------------------------------------------------------------------------- */

/* At the address, or NULL. */
static void *reserve_at(uint64_t address, uint64_t bytes, int protection)
{
    void *at = (void *)(uintptr_t)address; /* NOLINT: an address that is chosen */
    void *p = mmap(at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == at)
        return p;
    if (p != MAP_FAILED) /* a kernel before 4.17, or Valgrind, takes the address for a wish */
        munmap(p, bytes);
    return NULL;
}

/* Anywhere. Valgrind finds only small ranges on its own. */
static void *reserve(uint64_t bytes, int protection)
{
    static const uint64_t places[] = {UINT64_C(0x680000000000), UINT64_C(0x200000000000), UINT64_C(0x0a0000000000)};
    void *p = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED)
        return p;
    p = NULL;
    for (size_t i = 0; !p && i < sizeof places / sizeof places[0]; i++)
        p = reserve_at(places[i], bytes, protection);
    return p;
}

static void release(void *p, uint64_t bytes)
{
    if (p)
        munmap(p, bytes);
}

static struct memory *create(uint64_t limit, uint64_t capacity, int protection, struct status *status)
{
    struct memory *m = calloc(1, sizeof *m);
    if (!m) {
        status_fail(status, STATUS_MEMORY, "no host memory for the device memory's tables");
        return NULL;
    }
    m->base = MEMORY_BASE;
    m->limit = limit;
    m->capacity = capacity;
    m->heap_bytes = HEAP_BYTES;
    m->file = -1;
    m->ready = protection == PROT_NONE ? 0 : limit;
    m->host = reserve(m->limit, protection);
    if (m->host) /* large pages of the host: fewer faults at first touch, fewer misses of its TLB; a wish only */
        madvise(m->host, m->limit, MADV_HUGEPAGE);
    m->valid = reserve(m->limit / MEMORY_GRANULE, PROT_READ | PROT_WRITE);
    m->used = reserve(m->limit / MEMORY_GRANULE, PROT_READ | PROT_WRITE);
    if (!m->host || !m->valid || !m->used) {
        status_fail(status, STATUS_MEMORY,
                    "the host cannot reserve %" PRIu64 " bytes of address space for device memory", m->limit);
        memory_destroy(m);
        return NULL;
    }
    return m;
}

struct memory *memory_create(uint64_t limit, struct status *status)
{
    uint64_t bytes = align_up(limit ? limit : 1, MEMORY_GRANULE);
    return create(bytes, bytes, PROT_READ | PROT_WRITE, status);
}

/* Takes the addresses from the process, so that nothing is ever found there by mistake. */
static bool take_addresses(struct memory *m)
{
    /* Above the code and below the windows of exec/exec.h. Processes have the first free, with AddressSanitizer as
     * well; Valgrind gives a program no address above 2^44. */
    static const uint64_t bases[] = {MEMORY_BASE,
                                     UINT64_C(0x500000000000),
                                     UINT64_C(0x300000000000),
                                     UINT64_C(0x0c0000000000),
                                     UINT64_C(0x080000000000),
                                     UINT64_C(0x040000000000)};
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        m->base = bases[i];
        if (reserve_at(m->base, m->limit, PROT_NONE))
            return true;
    }
    return false;
}

static struct memory *create_visible(uint64_t limit, uint64_t capacity, struct status *status)
{
    struct memory *m = create(limit, capacity, PROT_NONE, status);
    if (!m)
        return NULL;
    m->file = memfd_create("subcore-visible", MFD_CLOEXEC);
    if (m->file < 0 || ftruncate(m->file, (off_t)m->limit) != 0)
        status_fail(status, STATUS_MEMORY, "the host gives no file in memory for %" PRIu64 " bytes", m->limit);
    else if (!take_addresses(m))
        status_fail(status, STATUS_MEMORY,
                    "no range of %" PRIu64 " addresses is free in this process for device memory (a limit on address "
                    "space, or a tool that uses it all)",
                    m->limit);
    else
        return m;
    m->base = 0;
    memory_destroy(m);
    return NULL;
}

struct memory *memory_create_visible(uint64_t capacity, struct status *status)
{
    enum { MORE = 3 }; /* addresses, of which reserved ranges and host memory take some without device memory */
    const uint64_t unit = UINT64_C(1) << 30, most = UINT64_C(8) << 40;
    uint64_t bytes = align_up(capacity ? capacity : 1, MEMORY_GRANULE);
    uint64_t limit = align_up(MORE * bytes, unit) + 2 * unit;
    struct memory *m = create_visible(limit < most ? limit : most, bytes, status);
    struct status again = {0};
    for (uint64_t fewer = 16 * unit; !m && fewer >= unit && fewer < limit; fewer /= 4) {
        m = create_visible(fewer, bytes, &again);
        if (m)
            *status = (struct status){0};
    }
    return m;
}

void memory_destroy(struct memory *m)
{
    if (!m)
        return;
    while (m->windows)
        memory_window_remove(m, m->windows->host);
    if (m->file >= 0) {
        close(m->file);
        release((void *)(uintptr_t)m->base, m->limit); /* NOLINT: as above */
    }
    release(m->host, m->limit);
    release(m->valid, m->limit / MEMORY_GRANULE);
    release(m->used, m->limit / MEMORY_GRANULE);
    heap_destroy(m->heap);
    free(m->blocks);
    free(m);
}

/* ---- allocation -------------------------------------------------------------------------------------------------- */

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

static uint64_t counted(uint64_t bytes) { return align_up(bytes, MEMORY_GRANULE); }

struct memory_block *memory_take(struct memory *m, const struct block_wish *wish)
{
    size_t at;
    if (!blocks_take(m, wish, &at))
        return NULL;
    const struct memory_block *b = &m->blocks[at];
    if (make_ready(m, b->address - m->base + b->extent))
        return &m->blocks[at];
    blocks_release(m, at);
    return NULL;
}

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

/* Index of the allocation nearest to the address, or block_count when there is none; ties go to the lower one. */
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
