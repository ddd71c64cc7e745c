/* Memory that is given back. */
#include "driver/memory/allocations.h"
#include "driver/memory/array.h"
#include "driver/memory/pool.h"
#include "driver/memory/space.h"
#include "driver/memory/texture.h"
#include "driver/memory/virtual.h"
#include "driver/state/context.h"
#include "exec/memory/window.h"

void allocation_release(struct driver *driver, struct allocation *a)
{
    struct memory *memory = driver_memory(driver);
    switch (a->kind) {
    case ALLOCATION_DEVICE:
        memory_free(memory, a->base);
        if (a->pool) {
            a->pool->leaving -= a->leaving;
            pool_give(driver, a->pool, a->bytes);
        }
        break;
    case ALLOCATION_PINNED:
    case ALLOCATION_MANAGED: memory_free(memory, a->base); break;
    case ALLOCATION_REGISTERED: memory_window_remove(memory, (const void *)(uintptr_t)a->base); break;
    case ALLOCATION_RESERVED:
        mappings_clear(driver, a);
        memory_free(memory, a->base);
        break;
    case ALLOCATION_MODULE: /* goes with its module */ break;
    }
    allocation_remove(driver, a->base);
}

void allocations_clear(struct CUctx_st *context)
{
    struct driver *driver = context->driver;
    struct allocations *all = driver->allocations;
    for (size_t i = all->count; i-- > 0;)
        if (all->list[i]->context == context && all->list[i]->kind != ALLOCATION_MODULE)
            allocation_release(driver, all->list[i]);
    textures_clear(context);
    arrays_clear(context);
    pools_clear(context);
}
