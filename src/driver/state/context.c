#include "driver/state/context.h"

#include <string.h>

#include "driver/state/profile.h"
#include "driver/state/say.h"
#include "driver/state/thread.h"

struct CUctx_st *context_new(struct driver *driver, unsigned flags)
{
    struct CUctx_st *context = handle_new(driver->handles, HANDLE_CONTEXT, sizeof *context);
    if (!context)
        return NULL;
    context->driver = driver;
    context->id = driver_new_id(driver);
    context->flags = flags;
    context->next = driver->contexts;
    driver->contexts = context;
    return context;
}

bool context_lives(const struct driver *driver, const struct CUctx_st *context)
{
    return handle_is(driver->handles, HANDLE_CONTEXT, context) && context->active;
}

bool context_flags_known(unsigned flags)
{
    unsigned schedule = flags & CU_CTX_SCHED_MASK;
    return (flags & ~(unsigned)CU_CTX_FLAGS_MASK) == 0 && (schedule & (schedule - 1)) == 0;
}

static void set_defaults(struct CUctx_st *context)
{
    /* The CUDA C++ programming guide and the documentation of cuCtxSetLimit. */
    context->limit[CU_LIMIT_STACK_SIZE] = 1024;
    context->limit[CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20;
    context->limit[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20;
    context->limit[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
    context->cache = CU_FUNC_CACHE_PREFER_NONE;
    context->sticky = CUDA_SUCCESS;
}

CUresult context_start(struct CUctx_st *context)
{
    struct status status = {0};
    if (!device_start(&context->driver->device, &context->driver->settings, &status)) {
        say("%s", status.text);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    set_defaults(context);
    context->active = true;
    profile_context_made(context);
    return CUDA_SUCCESS;
}

void context_fault(struct CUctx_st *context, CUresult error)
{
    if (context->sticky != CUDA_SUCCESS)
        return;
    context->sticky = error;
    memcpy(context->reason, thread_get()->reason, sizeof context->reason);
}
