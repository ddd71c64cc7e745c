/* Simulated time of the device: when each engine is free. Streams have times of their own (driver/stream.h). */
#ifndef SUBCORE_DRIVER_TIMELINE_H
#define SUBCORE_DRIVER_TIMELINE_H

#include "driver/command.h"

struct timeline {
    double free[ENGINES]; /* seconds */
    double latest;        /* end of the last command of any stream */
};

/* When a command can begin that its stream allows at `ready`; ENGINE_NONE: at once. */
double timeline_begin(const struct timeline *timeline, enum engine engine, double ready);
/* It began then and cost that much; gives its end. */
double timeline_take(struct timeline *timeline, const struct cost *cost, double begin);

#endif
