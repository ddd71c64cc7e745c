/* Times of records.
 *
 * The driver's host time is CLOCK_REALTIME in nanoseconds, as CUPTI's own. A profiler may have its own clock with other
 * units, which is measured against the host time.
 *
 * The device has simulated time, which is mapped to host time. Both advance equally while the device has work, and a
 * command begins no earlier than the call that submitted it. So durations are the simulated ones, commands keep their
 * simulated order, and an idle device waits for the host. */
#ifndef SUBCORE_CUPTI_CLOCK_H
#define SUBCORE_CUPTI_CLOCK_H

#include <stdint.h>

typedef uint64_t (*clock_function)(void);

struct clock {
    clock_function function;    /* of the profiler (NULL: none, host time) */
    uint64_t host[2], other[2]; /* two moments in both: the registration, and the latest */
};

/* Registers the profiler's clock. */
void clock_register(struct clock *clock, clock_function function);
/* Measures the profiler's clock again, before a series of clock_of. */
void clock_measure(struct clock *clock);
/* Returns the profiler's time of a host time. */
uint64_t clock_of(const struct clock *clock, uint64_t host);

struct device_clock {
    int64_t offset; /* host nanoseconds at simulated time 0 */
};

/* Returns the host time of a simulated time in seconds. */
uint64_t device_time(const struct device_clock *device, double seconds);
/* Notes that a command, submitted at this host time, has begun at this simulated time. Called in the order of
 * execution. */
void device_begins(struct device_clock *device, double seconds, uint64_t submitted);

#endif
