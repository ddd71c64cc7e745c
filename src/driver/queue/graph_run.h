/* One launch of a graph in simulated time: a node begins when those before it have ended, and nodes that do not
 * depend on each other are like commands of different streams. With the lock held. */
#ifndef SUBCORE_DRIVER_GRAPH_RUN_H
#define SUBCORE_DRIVER_GRAPH_RUN_H

#include <stdint.h>

struct graph_run;

/* The nodes before node n are from[first[n]] to from[first[n + 1] - 1]. Held once; NULL: out of memory. */
struct graph_run *graph_run_create(uint32_t nodes, const uint32_t *first, const uint32_t *from);
struct graph_run *graph_run_hold(struct graph_run *run);
void graph_run_release(struct graph_run *run);

/* When the node can begin in a stream that is free at `stream`. */
double graph_run_ready(struct graph_run *run, uint32_t node, double stream);
void graph_run_done(struct graph_run *run, uint32_t node, double end);

#endif
