#include "cupti/clock.h"

#include <math.h>
#include <stdbool.h>
#include <time.h>

#include "driver/abi/profile.h"

enum {
    TRIES = 8,
    APART = 2000000 /* least nanoseconds between the two moments, so that the rate is right to about 1e-4 */
};

/* Measures several pairs and takes the closest one. */
static void measure(const struct clock *clock, uint64_t *host, uint64_t *other)
{
    uint64_t closest = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = subcore_profile_time(), now = clock->function(), after = subcore_profile_time();
        if (after < before || after - before >= closest)
            continue;
        closest = after - before;
        *host = before + closest / 2;
        *other = now;
    }
}

void clock_register(struct clock *clock, clock_function function)
{
    if (function == clock->function)
        return;
    *clock = (struct clock){.function = function};
    if (function)
        measure(clock, &clock->host[0], &clock->other[0]);
}

void clock_measure(struct clock *clock)
{
    if (!clock->function)
        return;
    uint64_t now = subcore_profile_time(), since = now > clock->host[0] ? now - clock->host[0] : 0;
    if (since < APART)
        nanosleep(&(struct timespec){.tv_nsec = (long)(APART - since)}, NULL);
    measure(clock, &clock->host[1], &clock->other[1]);
}

uint64_t clock_of(const struct clock *clock, uint64_t host)
{
    if (!clock->function || clock->host[1] == clock->host[0])
        return host;
    double span = (double)(int64_t)(clock->host[1] - clock->host[0]);
    double rate = (double)(int64_t)(clock->other[1] - clock->other[0]) / span;
    double since = (double)(int64_t)(host - clock->host[0]);
    return clock->other[0] + (uint64_t)(int64_t)floor(since * rate);
}

static int64_t nanoseconds(double seconds) { return (int64_t)floor(seconds * 1e9); }

uint64_t device_time(const struct device_clock *device, double seconds)
{
    return (uint64_t)(device->offset + nanoseconds(seconds));
}

void device_begins(struct device_clock *device, double seconds, uint64_t submitted)
{
    int64_t least = (int64_t)submitted - nanoseconds(seconds);
    if (device->offset < least)
        device->offset = least;
}
