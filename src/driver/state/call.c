#include "driver/state/call.h"

#include <stdio.h>

#include "driver/state/context.h"
#include "driver/state/errors.h"
#include "driver/state/logs.h"
#include "driver/state/profile.h"
#include "driver/state/thread.h"

static CUresult check_context(const struct call *call)
{
    if (!call->context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!context_lives(call->driver, call->context))
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return call->needs == CALL_CONTEXT ? call->context->sticky : CUDA_SUCCESS;
}

CUresult call_begin(struct call *call, const char *name, enum call_needs needs)
{
    struct driver *driver = driver_get();
    struct thread *thread = thread_get();
    bool profiled = profile_on() && thread->inside == 0;
    if (profiled)
        subcore_profile_enter(PROFILE_DRIVER, name);
    if (thread->inside++ == 0) {
        pthread_mutex_lock(&driver->lock);
        thread->reason[0] = '\0';
    }
    *call = (struct call){
        .driver = driver,
        .context = thread->depth > 0 ? thread->context[thread->depth - 1] : NULL,
        .thread = thread,
        .name = name,
        .needs = needs,
        .profiled = profiled,
    };
    if (thread->id == 0)
        thread->id = ++driver->threads;
    if (needs == CALL_ANY)
        return CUDA_SUCCESS;
    if (!driver->initialised || driver->forked)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (thread->executor || (thread->inside > 1 && needs != CALL_INITIALISED))
        return CUDA_ERROR_NOT_PERMITTED;
    return needs == CALL_INITIALISED ? CUDA_SUCCESS : check_context(call);
}

CUresult call_end(struct call *call, CUresult result)
{
    struct driver *driver = call->driver;
    if (call->needs == CALL_CLEANUP && result == CUDA_SUCCESS && context_lives(driver, call->context))
        result = call->context->sticky;
    FILE *log = driver->settings.api_log;
    if (log) {
        fprintf(log, "[%llu] %s: %s\n", (unsigned long long)call->thread->id, call->name, error_name(result));
        fflush(log);
    }
    if (result != CUDA_SUCCESS && call->thread->inside == 1)
        logs_enter(call, result);
    if (--call->thread->inside == 0)
        pthread_mutex_unlock(&driver->lock);
    if (call->profiled)
        subcore_profile_leave(result);
    return result;
}
