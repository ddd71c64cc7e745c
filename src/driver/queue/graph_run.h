/* One launch of a graph in simulated time: a node begins when those before it have ended, and nodes that do not
 * depend on each other are like commands of different streams. With the lock held. */
#ifndef SUBCORE_DRIVER_GRAPH_RUN_H
#define SUBCORE_DRIVER_GRAPH_RUN_H

#include <stdbool.h>
#include <stdint.h>

struct graph_run;

/* The nodes before node n are from[first[n]] to from[first[n + 1] - 1]. Held once (NULL: out of memory). */
struct graph_run *graph_run_create(uint32_t nodes, const uint32_t *first, const uint32_t *from);
struct graph_run *graph_run_hold(struct graph_run *run);
void graph_run_release(struct graph_run *run);

/* In `from` of a graph's launch: the node behind depends on the one before in the programmatic way. */
#define GRAPH_PROGRAMMATIC (UINT32_C(1) << 31)

/* Returns whether the nodes that it depends on have ended. With `programmatic`, nodes that it depends on in this way
 * need only have let it begin. */
bool graph_run_may_begin(const struct graph_run *run, uint32_t node, bool programmatic);
/* When the node can begin in a stream that is free at `stream`. */
double graph_run_ready(const struct graph_run *run, uint32_t node, double stream);
/* A node begins, the first at `time`. */
void graph_run_begin(struct graph_run *run, double time);
/* It has let nodes begin that depend on it in the programmatic way. */
void graph_run_released(struct graph_run *run, uint32_t node, double time);
/* A command of the node has ended. It has `graph_run_add` many. */
void graph_run_done(struct graph_run *run, uint32_t node, double end);
void graph_run_add(struct graph_run *run, uint32_t node);
/* Returns whether all commands of all nodes have ended, and then how many nodes there are and when they ran. */
bool graph_run_over(const struct graph_run *run, uint32_t *nodes, double *begin, double *end);

#endif
