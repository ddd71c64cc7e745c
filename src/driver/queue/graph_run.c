#include "driver/queue/graph_run.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct graph_run {
    unsigned holders;
    bool begun;
    double start;
    uint32_t *first; /* [nodes + 1]: where a node's predecessors begin in `from` */
    uint32_t *from;
    double *end; /* [nodes] */
};

struct graph_run *graph_run_create(uint32_t nodes, const uint32_t *first, const uint32_t *from)
{
    struct graph_run *run = calloc(1, sizeof *run);
    if (run == NULL)
        return NULL;
    run->holders = 1;
    run->first = malloc((nodes + 1) * sizeof *first);
    run->from = malloc((first[nodes] + 1) * sizeof *from);
    run->end = calloc(nodes + 1, sizeof *run->end);
    if (run->first == NULL || run->from == NULL || run->end == NULL) {
        graph_run_release(run);
        return NULL;
    }
    memcpy(run->first, first, (nodes + 1) * sizeof *first);
    if (first[nodes] > 0)
        memcpy(run->from, from, first[nodes] * sizeof *from);
    return run;
}

struct graph_run *graph_run_hold(struct graph_run *run)
{
    run->holders++;
    return run;
}

void graph_run_release(struct graph_run *run)
{
    if (--run->holders > 0)
        return;
    free(run->first);
    free(run->from);
    free(run->end);
    free(run);
}

double graph_run_ready(struct graph_run *run, uint32_t node, double stream)
{
    if (!run->begun)
        run->start = stream;
    run->begun = true;
    double ready = run->start;
    for (uint32_t i = run->first[node]; i < run->first[node + 1]; i++)
        if (ready < run->end[run->from[i]])
            ready = run->end[run->from[i]];
    return ready;
}

void graph_run_done(struct graph_run *run, uint32_t node, double end) { run->end[node] = end; }
