#include "driver/memory/pool.h"

#include "base/bits.h"
#include "driver/memory/allocations.h"

/* Pools grow and shrink in steps of this size. An assumption: the documentation speaks of the operating system's
 * granularity only. */
enum { POOL_STEP = 32 << 20 };

static struct CUmemPoolHandle_st *pool_new(struct driver *driver)
{
    struct CUmemPoolHandle_st *pool = handle_new(driver->handles, HANDLE_POOL, sizeof *pool);
    if (!pool)
        return NULL;
    pool->properties = (CUmemPoolProps){
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
    };
    pool->follow_events = pool->opportunistic = pool->internal_dependencies = true;
    return pool;
}

struct CUmemPoolHandle_st *pool_default(struct driver *driver)
{
    struct allocations *all = driver->allocations;
    if (!all->pool)
        all->pool = pool_new(driver);
    return all->pool;
}

struct CUmemPoolHandle_st *pool_current(struct driver *driver)
{
    struct allocations *all = driver->allocations;
    return all->current ? all->current : pool_default(driver);
}

struct CUmemPoolHandle_st *pool_create(struct driver *driver, const CUmemPoolProps *properties)
{
    struct CUmemPoolHandle_st *first = pool_default(driver), *pool = first ? pool_new(driver) : NULL;
    if (!pool)
        return NULL;
    pool->properties = *properties;
    pool->next = first->next;
    first->next = pool;
    return pool;
}

bool pool_is(const struct driver *driver, const struct CUmemPoolHandle_st *pool)
{
    return handle_is(driver->handles, HANDLE_POOL, pool) && !pool->destroyed;
}

static void pool_free(struct driver *driver, struct CUmemPoolHandle_st *pool)
{
    struct CUmemPoolHandle_st **link = &driver->allocations->pool;
    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    handle_free(driver->handles, pool);
}

void pool_destroy(struct driver *driver, struct CUmemPoolHandle_st *pool)
{
    struct allocations *all = driver->allocations;
    if (all->current == pool)
        all->current = NULL;
    pool_trim(driver, pool, 0);
    pool->destroyed = true;
    if (pool->allocations == 0)
        pool_free(driver, pool);
}

bool pool_take(struct driver *driver, struct CUmemPoolHandle_st *pool, uint64_t bytes)
{
    struct allocations *all = driver->allocations;
    uint64_t most = pool->properties.maxSize, used;
    if (bytes > device_memory_bytes(&driver->device))
        return false;
    if (__builtin_add_overflow(pool->used, align_up(bytes, MEMORY_GRANULE), &used) || (most && used > most))
        return false;
    if (used > pool->reserved) {
        uint64_t room = device_free_bytes(driver), more = align_up(used, POOL_STEP) - pool->reserved;
        if (most && pool->reserved + more > most)
            more = most - pool->reserved;
        if (more > room) /* the last step of the device may be a short one */
            more = used - pool->reserved;
        if (more > room)
            return false;
        pool->reserved += more;
        all->reserve += more;
    }
    all->reserve -= used - pool->used;
    pool->used = used;
    pool->allocations++;
    if (pool->used_high < pool->used)
        pool->used_high = pool->used;
    if (pool->reserved_high < pool->reserved)
        pool->reserved_high = pool->reserved;
    return true;
}

void pool_trim(struct driver *driver, struct CUmemPoolHandle_st *pool, uint64_t keep)
{
    uint64_t least = pool->used > keep ? pool->used : keep;
    least = least > UINT64_MAX - POOL_STEP ? UINT64_MAX : align_up(least, POOL_STEP);
    if (least >= pool->reserved)
        return;
    driver->allocations->reserve -= pool->reserved - least;
    pool->reserved = least;
}

void pool_give(struct driver *driver, struct CUmemPoolHandle_st *pool, uint64_t bytes)
{
    uint64_t counted = align_up(bytes, MEMORY_GRANULE);
    pool->used -= counted;
    driver->allocations->reserve += counted;
    pool->allocations--;
    pool_trim(driver, pool, pool->destroyed ? 0 : pool->threshold);
    if (pool->destroyed && pool->allocations == 0)
        pool_free(driver, pool);
}

void pools_trim(struct driver *driver)
{
    for (struct CUmemPoolHandle_st *pool = driver->allocations->pool; pool; pool = pool->next)
        pool_trim(driver, pool, 0);
}

bool pools_leaving(const struct driver *driver)
{
    for (const struct CUmemPoolHandle_st *pool = driver->allocations->pool; pool; pool = pool->next)
        if (pool->leaving > 0)
            return true;
    return false;
}

void pools_clear(struct CUctx_st *context)
{
    struct driver *driver = context->driver;
    if (!context->primary || !driver->allocations->pool)
        return;
    pools_trim(driver);
    for (struct CUmemPoolHandle_st *pool = driver->allocations->pool->next, *next; pool; pool = next) {
        next = pool->next;
        if (!pool->destroyed)
            pool_destroy(driver, pool);
    }
}
