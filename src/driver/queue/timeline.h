/* Simulated time of the device: when each engine is free. Streams have times of their own (driver/queue/stream.h).
 *
 * There is one compute engine and one copy engine for each direction. An engine takes commands in the order in which
 * they were submitted, one after the other: a short command waits for a long one that was submitted before it even if
 * that one's stream is late. A kernel and copies of other streams overlap. Kernels that run beside each other
 * (driver/queue/together.c) use the compute engine together, from the begin of the first to the end of the last.
 *
 * The host's own time does not count: only the device's time that the program has last waited for, so that work
 * after a wait begins no earlier than the end of the awaited work. A stream that found a value missing in memory
 * goes on no earlier than the last command of any stream has ended. */
#ifndef SUBCORE_DRIVER_TIMELINE_H
#define SUBCORE_DRIVER_TIMELINE_H

#include "driver/queue/command.h"

struct timeline {
    double free[ENGINES]; /* seconds */
    double latest;        /* end of the last command in any stream */
    double host;          /* the latest device time that the program has seen */
};

/* When a command can begin that its stream allows at `ready` (ENGINE_NONE: at once). */
double timeline_begin(const struct timeline *timeline, enum engine engine, double ready);
/* It began then and cost that much. Gives its end. */
double timeline_take(struct timeline *timeline, const struct cost *cost, double begin);

#endif
