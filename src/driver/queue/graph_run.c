#include "driver/queue/graph_run.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct graph_run {
    unsigned holders;
    bool begun;
    double start;
    uint32_t nodes;
    uint32_t *first; /* [nodes + 1]: where a node's predecessors begin in `from` */
    uint32_t *from;
    struct graph_step {
        uint32_t commands; /* that have not ended */
        bool released;
        double released_at, end;
    } * step; /* [nodes] */
};

struct graph_run *graph_run_create(uint32_t nodes, const uint32_t *first, const uint32_t *from)
{
    struct graph_run *run = calloc(1, sizeof *run);
    if (run == NULL)
        return NULL;
    run->holders = 1;
    run->nodes = nodes;
    run->first = malloc((nodes + 1) * sizeof *first);
    run->from = malloc((first[nodes] + 1) * sizeof *from);
    run->step = calloc(nodes + 1, sizeof *run->step);
    if (run->first == NULL || run->from == NULL || run->step == NULL) {
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
    free(run->step);
    free(run);
}

bool graph_run_may_begin(const struct graph_run *run, uint32_t node, bool programmatic)
{
    for (uint32_t i = run->first[node]; i < run->first[node + 1]; i++) {
        const struct graph_step *before = &run->step[run->from[i] & ~GRAPH_PROGRAMMATIC];
        bool let = programmatic && (run->from[i] & GRAPH_PROGRAMMATIC) && before->released;
        if (before->commands > 0 && !let)
            return false;
    }
    return true;
}

double graph_run_ready(const struct graph_run *run, uint32_t node, double stream)
{
    double ready = run->begun ? run->start : stream;
    for (uint32_t i = run->first[node]; i < run->first[node + 1]; i++) {
        const struct graph_step *before = &run->step[run->from[i] & ~GRAPH_PROGRAMMATIC];
        double time = before->commands > 0 ? before->released_at : before->end;
        ready = ready < time ? time : ready;
    }
    return ready;
}

void graph_run_begin(struct graph_run *run, double time)
{
    if (!run->begun)
        run->start = time;
    run->begun = true;
}

void graph_run_released(struct graph_run *run, uint32_t node, double time)
{
    run->step[node].released = true;
    run->step[node].released_at = time;
}

void graph_run_add(struct graph_run *run, uint32_t node) { run->step[node].commands++; }

void graph_run_done(struct graph_run *run, uint32_t node, double end)
{
    struct graph_step *step = &run->step[node];
    step->commands--;
    step->end = step->end < end ? end : step->end;
}

bool graph_run_over(const struct graph_run *run, uint32_t *nodes, double *begin, double *end)
{
    *nodes = run->nodes;
    *begin = *end = run->start;
    for (uint32_t i = 0; i < run->nodes; i++) {
        if (run->step[i].commands > 0)
            return false;
        *end = run->step[i].end > *end ? run->step[i].end : *end;
    }
    return run->begun;
}
