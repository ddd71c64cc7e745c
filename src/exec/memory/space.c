/* The range of addresses that device memory lies in, and its tables. */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "exec/memory.h"
#include "exec/memory/heap.h"
#include "exec/memory/textures.h"
#include "exec/memory/window.h"

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
    /* Above the code and below the windows of exec/sizes.h. Processes have the first free, with AddressSanitizer as
     * well. Valgrind gives a program no address above 2^44. */
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
    release(m->undefined, m->limit / 8 + 1);
    heap_destroy(m->heap);
    textures_destroy(m->textures);
    free(m->blocks);
    free(m);
}
