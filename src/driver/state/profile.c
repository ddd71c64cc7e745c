#include "driver/state/profile.h"

#include <string.h>
#include <time.h>

#include "driver/state/lock.h"
#include "driver/state/thread.h"

struct profile subcore_profile;

static const struct profile_listener *listener_of(void)
{
    return atomic_load_explicit(&subcore_profile.listener, memory_order_acquire);
}

uint64_t subcore_profile_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void subcore_profile_enter(enum profile_api api, const char *name)
{
    struct thread *thread = thread_get();
    struct profile_thread *own = &thread->profile;
    const struct profile_listener *listener = listener_of();
    if (own->depth++ > 0)
        return;
    own->call = (struct profile_call){.api = api, .name = name};
    if (!listener || api == PROFILE_NONE || thread->executor)
        return;
    own->call.correlation = 1 + atomic_fetch_add(&subcore_profile.calls, 1);
    own->call.begin = subcore_profile_time();
    listener->enter(&own->call);
}

/* The depth stays until the listener is through: its own calls are none of the program's. */
void subcore_profile_leave(uint32_t result)
{
    struct profile_thread *own = &thread_get()->profile;
    const struct profile_listener *listener = listener_of();
    if (own->depth == 1 && own->made && listener)
        listener->context(own->made, true);
    if (own->depth == 1)
        own->made = NULL;
    if (own->depth == 1 && own->call.correlation != 0 && listener) {
        own->call.result = result;
        own->call.end = subcore_profile_time();
        listener->leave(&own->call);
    }
    if (own->depth == 1)
        own->call.correlation = 0;
    own->depth--;
}

struct profile_origin profile_origin(void)
{
    const struct profile_call *call = &thread_get()->profile.call;
    if (!profile_on() || call->correlation == 0)
        return (struct profile_origin){0};
    return (struct profile_origin){
        .correlation = call->correlation,
        .waits = strstr(call->name, "Async") == NULL,
        .time = subcore_profile_time(),
    };
}

void profile_wait(struct profile_wait wait)
{
    if (profile_on())
        thread_get()->profile.call.wait = wait;
}

void profile_context_made(CUcontext context)
{
    if (profile_on() && thread_get()->profile.depth > 0)
        thread_get()->profile.made = context;
}

void profile_context_ends(struct driver *driver, CUcontext context)
{
    const struct profile_listener *listener = listener_of();
    if (!listener)
        return;
    lock_leave(driver);
    listener->context(context, false);
    lock_return(driver);
}

void profile_command(const struct profile_command *command)
{
    const struct profile_listener *listener = listener_of();
    if (listener && command->origin.correlation != 0)
        listener->command(command);
}
