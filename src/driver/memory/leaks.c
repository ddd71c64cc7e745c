/* Allocations that a program has not given back when it ends. */
#include <unistd.h>

#include "driver/memory/allocations.h"
#include "driver/state/process_checks.h"

static const char *what_is(const struct allocation *a)
{
    switch (a->kind) {
    case ALLOCATION_DEVICE: return a->pool ? "device memory of a pool" : "device memory";
    case ALLOCATION_PINNED: return "pinned host memory";
    case ALLOCATION_MANAGED: return "managed memory";
    case ALLOCATION_RESERVED: return "reserved addresses";
    case ALLOCATION_REGISTERED: return "registered host memory";
    case ALLOCATION_MODULE: break;
    }
    return NULL;
}

/* Later than anything that the program gave to atexit. A process that holds the lock at its end is not asked. */
__attribute__((destructor)) static void tell_leaks(void)
{
    struct driver *driver = driver_get();
    if (!driver->settings.checks || driver->device.checker != (int)getpid() ||
        pthread_mutex_trylock(&driver->lock) != 0)
        return;
    for (size_t i = 0; driver->allocations && i < driver->allocations->count; i++) {
        const struct allocation *a = driver->allocations->list[i];
        if (what_is(a) && !a->variable && !a->graph && !a->leaving)
            check_leak(&driver->device.check, a->base, a->bytes, what_is(a));
    }
    process_checks_tell(driver);
    pthread_mutex_unlock(&driver->lock);
}
