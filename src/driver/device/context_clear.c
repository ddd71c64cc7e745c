#include "driver/device/context_clear.h"

#include "driver/capture/capture.h"
#include "driver/memory/allocation.h"
#include "driver/module/module.h"
#include "driver/queue/queue.h"
#include "driver/queue/stream.h"
#include "driver/state/context.h"
#include "driver/state/profile.h"
#include "exec/memory/heap.h"

static bool any_active(const struct driver *driver)
{
    for (const struct CUctx_st *context = driver->contexts; context; context = context->next)
        if (context->active)
            return true;
    return false;
}

/* The heap for device code belongs to all contexts: it begins anew when the last one has gone. */
static void clear_heap(struct memory *memory)
{
    heap_clear(memory->heap);
    heap_resize(memory, HEAP_BYTES, &(struct status){0});
}

void context_clear(struct CUctx_st *context)
{
    context->active = false; /* a listener, and waiting, release the lock */
    profile_context_ends(context->driver, context);
    queue_wait_context(context);
    queue_pause(context->driver);
    queue_clear(context);
    captures_leave(context);
    streams_clear(context);
    modules_clear(context);
    allocations_clear(context);
    if (!any_active(context->driver) && context->driver->device.gpu)
        clear_heap(gpu_memory(context->driver->device.gpu));
    context->sticky = CUDA_SUCCESS;
}
