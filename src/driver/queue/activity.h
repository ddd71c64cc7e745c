/* Copies, sets and graphs that have run: for --perfetto, on their way to `subcore exec`, and for profilers. */
#ifndef SUBCORE_DRIVER_ACTIVITY_H
#define SUBCORE_DRIVER_ACTIVITY_H

#include "driver/queue/queue_state.h"

/* A command that is no kernel has run in this simulated time. With the lock held. Does nothing without a listener. */
void activity_command(struct queue *queue, const struct queued *item, const struct cost *cost, double end);
/* A command of a graph has ended: the graph, if it was the last. */
void activity_graph(struct queue *queue, const struct queued *item);

#endif
