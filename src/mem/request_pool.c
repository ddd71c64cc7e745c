#include "mem/request_pool.h"

#include "base/host_line.h"

enum { FIRST_CAPACITY = 1024 };

_Static_assert(sizeof(struct pooled_request) == HOST_LINE, "a request touches one line of the host's cache");

bool request_pool_create(struct request_pool *pool, struct arena *arena)
{
    *pool = (struct request_pool){
        .arena = arena, .capacity = FIRST_CAPACITY, .entry = arena_take(arena, FIRST_CAPACITY * sizeof *pool->entry)};
    if (pool->entry == NULL)
        return false;
    request_pool_reset(pool);
    return true;
}

void request_pool_reset(struct request_pool *pool)
{
    pool->count = pool->touched = 0;
    pool->unused = REQUEST_NONE;
}

static bool grow(struct request_pool *pool)
{
    size_t bytes = pool->capacity * sizeof *pool->entry;
    struct pooled_request *entry = arena_more(pool->arena, pool->entry, bytes, 2 * bytes);
    if (entry == NULL)
        return false;
    pool->entry = entry;
    pool->capacity *= 2;
    return true;
}

uint32_t request_pool_take(struct request_pool *pool)
{
    uint32_t index = pool->unused;
    if (index != REQUEST_NONE) {
        pool->unused = pool->entry[index].next;
    } else {
        if (pool->touched == pool->capacity && !grow(pool))
            return REQUEST_NONE;
        index = pool->touched++;
    }
    pool->count++;
    uint32_t next = pool->unused != REQUEST_NONE ? pool->unused : pool->touched;
    if (next < pool->capacity)
        __builtin_prefetch(&pool->entry[next], 1);
    return index;
}

void request_pool_release(struct request_pool *pool, uint32_t index)
{
    pool->entry[index].next = pool->unused;
    pool->unused = index;
    pool->count--;
}
