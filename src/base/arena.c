#include "base/arena.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "base/host_line.h"

enum { PAGE = 1 << 21, LEAST = 4 * PAGE };

/* At the beginning of its chunk. */
struct arena_chunk {
    struct arena_chunk *next;
    size_t bytes;
};

/* Mapped memory may point to memory of malloc: the leak sanitizer looks there only when told. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
static void enter_root(const void *at, size_t bytes) { __lsan_register_root_region(at, bytes); }
static void leave_root(const void *at, size_t bytes) { __lsan_unregister_root_region(at, bytes); }
#else
static void enter_root(const void *at, size_t bytes) { (void)at, (void)bytes; }
static void leave_root(const void *at, size_t bytes) { (void)at, (void)bytes; }
#endif

/* From a multiple of PAGE on. */
static void *map(size_t bytes, bool large)
{
    uint8_t *all = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    size_t before = (size_t)(align_up((uintptr_t)all, PAGE) - (uintptr_t)all);
    if (before > 0)
        munmap(all, before);
    munmap(all + before + bytes, PAGE - before);
    madvise(all + before, bytes, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE); /* a wish only */
    enter_root(all + before, bytes);
    return all + before;
}

static bool grow(struct arena *arena, struct arena_rest *rest, size_t bytes)
{
    size_t whole = align_up(bytes + HOST_LINE, PAGE);
    if (whole < LEAST)
        whole = LEAST;
    struct arena_chunk *chunk = map(whole, rest == &arena->large);
    if (chunk == NULL)
        return false;
    *chunk = (struct arena_chunk){arena->chunks, whole};
    arena->chunks = chunk;
    *rest = (struct arena_rest){(uint8_t *)chunk + HOST_LINE, (uint8_t *)chunk + whole};
    return true;
}

static void *take(struct arena *arena, struct arena_rest *rest, size_t bytes)
{
    size_t whole = align_up(bytes, HOST_LINE);
    while (atomic_exchange(&arena->busy, true))
        sched_yield();
    void *piece = NULL;
    if ((size_t)(rest->end - rest->at) >= whole || grow(arena, rest, whole)) {
        piece = rest->at;
        rest->at += whole;
    }
    atomic_store(&arena->busy, false);
    return piece;
}

void *arena_take(struct arena *arena, size_t bytes) { return take(arena, &arena->large, bytes); }

void *arena_take_sparse(struct arena *arena, size_t bytes) { return take(arena, &arena->small, bytes); }

void *arena_more(struct arena *arena, const void *piece, size_t bytes, size_t more)
{
    void *larger = arena_take(arena, more);
    if (larger != NULL && bytes > 0)
        memcpy(larger, piece, bytes);
    return larger;
}

void arena_free(struct arena *arena)
{
    while (arena->chunks != NULL) {
        struct arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        leave_root(chunk, chunk->bytes);
        munmap(chunk, chunk->bytes);
    }
    arena->large = arena->small = (struct arena_rest){0};
}
