#include "mem/request_pool.h"

#include "base/host_line.h"

enum { FIRST_CAPACITY = 1024 };

_Static_assert(sizeof(struct pooled_request) == HOST_LINE, "a request touches one line of the host's cache");

static void chain_unused(struct request_pool *pool, uint32_t from)
{
    for (uint32_t i = from; i < pool->capacity; i++)
        pool->entry[i].next = i + 1 < pool->capacity ? i + 1 : REQUEST_NONE;
    pool->unused = from;
}

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
    chain_unused(pool, 0);
    pool->count = 0;
}

static bool grow(struct request_pool *pool)
{
    uint32_t old = pool->capacity;
    size_t bytes = old * sizeof *pool->entry;
    struct pooled_request *entry = arena_more(pool->arena, pool->entry, bytes, 2 * bytes);
    if (entry == NULL)
        return false;
    pool->entry = entry;
    pool->capacity = 2 * old;
    chain_unused(pool, old);
    return true;
}

uint32_t request_pool_take(struct request_pool *pool)
{
    if (pool->unused == REQUEST_NONE && !grow(pool))
        return REQUEST_NONE;
    uint32_t index = pool->unused;
    pool->unused = pool->entry[index].next;
    if (pool->unused != REQUEST_NONE)
        __builtin_prefetch(&pool->entry[pool->unused], 1);
    pool->count++;
    return index;
}

void request_pool_release(struct request_pool *pool, uint32_t index)
{
    pool->entry[index].next = pool->unused;
    pool->unused = index;
    pool->count--;
}
