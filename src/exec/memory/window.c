#include "exec/memory/window.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bits.h"
#include "exec/memory/blocks.h"

enum window_page { PAGE_ABSENT, PAGE_COMES, PAGE_HERE, PAGE_BAD };
enum { RUNS = 512 }; /* written by one call; the system takes at most 1024 */

static uint64_t first_byte(const struct memory_window *w) { return (uint64_t)(uintptr_t)w->host; }

static uint64_t pages_of(const struct memory_window *w)
{
    return (first_byte(w) % MEMORY_PAGE + w->bytes + MEMORY_PAGE - 1) / MEMORY_PAGE;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static bool overlaps(const struct memory *m, uint64_t address, uint64_t bytes)
{
    for (const struct memory_window *w = m->windows; w; w = w->next)
        if (address < first_byte(w) + w->bytes && first_byte(w) < address + bytes)
            return true;
    return false;
}

static void destroy(struct memory *m, struct memory_window *w)
{
    if (w->shadow)
        memory_free(m, w->shadow / MEMORY_PAGE * MEMORY_PAGE);
    if (w->before && w->before != MAP_FAILED)
        munmap(w->before, w->bytes);
    free(w->loaded);
    free(w);
}

/* The shadow is host memory and does not count as the device's. */
static uint64_t take_shadow(struct memory *m, uint64_t bytes)
{
    const struct block_wish wish = {
        .bytes = align_up(bytes, MEMORY_PAGE), .alignment = MEMORY_PAGE, .pages = true, .kind = MEMORY_RESERVED};
    const struct memory_block *block = memory_take(m, &wish);
    if (!block)
        return 0;
    blocks_mark(m, block->address, wish.bytes, true);
    return block->address;
}

bool memory_window_add(struct memory *m, void *host, uint64_t bytes)
{
    uint64_t address = (uint64_t)(uintptr_t)host, within = address % MEMORY_PAGE;
    if (!bytes || address + bytes < address || overlaps(m, address, bytes))
        return false;
    struct memory_window *w = calloc(1, sizeof *w);
    if (!w)
        return false;
    *w = (struct memory_window){.host = host, .bytes = bytes};
    w->loaded = calloc(pages_of(w), sizeof *w->loaded);
    w->before = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint64_t block = take_shadow(m, within + bytes);
    w->shadow = block ? block + within : 0;
    if (!w->loaded || w->before == MAP_FAILED || !w->shadow) {
        destroy(m, w);
        return false;
    }
    w->next = m->windows;
    m->windows = w;
    return true;
}

bool memory_window_remove(struct memory *m, const void *host)
{
    for (struct memory_window **link = &m->windows; *link; link = &(*link)->next) {
        struct memory_window *w = *link;
        if (w->host != host)
            continue;
        *link = w->next;
        destroy(m, w);
        return true;
    }
    return false;
}

static struct memory_window *find(const struct memory *m, uint64_t address)
{
    for (struct memory_window *w = m->windows; w; w = w->next)
        if (address - first_byte(w) < w->bytes)
            return w;
    return NULL;
}

const struct memory_window *memory_window_find(const struct memory *m, const void *host)
{
    return find(m, (uint64_t)(uintptr_t)host);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* Through the system, which answers for memory that the program has given back. Some sandboxes have no such call. */
static bool read_host(void *to, void *from, size_t bytes)
{
    const struct iovec local = {to, bytes}, remote = {from, bytes};
    ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (n < 0 && (errno == EPERM || errno == ENOSYS)) {
        memcpy(to, from, bytes);
        return true;
    }
    return n == (ssize_t)bytes;
}

static void write_host(const struct iovec *local, const struct iovec *remote, unsigned count)
{
    ssize_t n = process_vm_writev(getpid(), local, count, remote, count, 0);
    for (unsigned i = 0; i < count && n < 0 && (errno == EPERM || errno == ENOSYS); i++)
        memcpy(remote[i].iov_base, local[i].iov_base, local[i].iov_len);
}

/* The part of a page that the window holds, from the window's start. */
static void page_range(const struct memory_window *w, uint64_t page, uint64_t *from, uint64_t *to)
{
    uint64_t within = first_byte(w) % MEMORY_PAGE, begin = page * MEMORY_PAGE, end = begin + MEMORY_PAGE;
    *from = begin > within ? begin - within : 0;
    *to = end - within < w->bytes ? end - within : w->bytes;
}

static bool load(const struct memory *m, const struct memory_window *w, uint64_t page)
{
    uint64_t from, to;
    page_range(w, page, &from, &to);
    if (!read_host(w->before + from, (uint8_t *)w->host + from, to - from))
        return false;
    memcpy(memory_at(m, w->shadow + from), w->before + from, to - from);
    return true;
}

/* The first thread to come copies the page, others wait for it. */
static bool touch(const struct memory *m, const struct memory_window *w, uint64_t page)
{
    atomic_uchar *state = &w->loaded[page];
    unsigned char now = atomic_load_explicit(state, memory_order_acquire);
    if (now == PAGE_ABSENT && atomic_compare_exchange_strong(state, &now, PAGE_COMES)) {
        now = load(m, w, page) ? PAGE_HERE : PAGE_BAD;
        atomic_store_explicit(state, now, memory_order_release);
    }
    while (now == PAGE_COMES) {
        sched_yield();
        now = atomic_load_explicit(state, memory_order_acquire);
    }
    return now == PAGE_HERE;
}

bool memory_translate(const struct memory *m, uint64_t *address, unsigned bytes)
{
    const struct memory_window *w = find(m, *address);
    if (!w)
        return false;
    uint64_t offset = *address - first_byte(w), within = first_byte(w) % MEMORY_PAGE;
    if (bytes > w->bytes - offset || !touch(m, w, (within + offset) / MEMORY_PAGE))
        return false;
    *address = w->shadow + offset;
    return true;
}

/* ---- back to the host -------------------------------------------------------------------------------------------- */

/* Runs of bytes that differ: those between them may have been written by the host meanwhile. */
static void copy_back(const struct memory *m, const struct memory_window *w, uint64_t page)
{
    struct iovec local[RUNS], remote[RUNS];
    uint64_t from, to;
    unsigned count = 0;
    page_range(w, page, &from, &to);
    uint8_t *now = memory_at(m, w->shadow);
    if (memcmp(now + from, w->before + from, to - from) == 0)
        return;
    while (from < to) {
        if (now[from] == w->before[from]) {
            from++;
            continue;
        }
        uint64_t end = from + 1;
        while (end < to && now[end] != w->before[end])
            end++;
        local[count] = (struct iovec){now + from, end - from};
        remote[count++] = (struct iovec){(uint8_t *)w->host + from, end - from};
        from = end;
        if (count == RUNS) {
            write_host(local, remote, count);
            count = 0;
        }
    }
    if (count)
        write_host(local, remote, count);
}

void memory_windows_flush(struct memory *m)
{
    for (struct memory_window *w = m->windows; w; w = w->next) {
        for (uint64_t page = 0; page < pages_of(w); page++) {
            unsigned char state = atomic_load_explicit(&w->loaded[page], memory_order_acquire);
            if (state == PAGE_HERE)
                copy_back(m, w, page);
            atomic_store_explicit(&w->loaded[page], PAGE_ABSENT, memory_order_relaxed);
        }
    }
}
