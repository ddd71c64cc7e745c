#include "graph.h"

enum { HUB = 24, NEAR = 64 };

static uint32_t degree(uint32_t vertex, uint32_t *seed)
{
    const uint32_t kind = vertex == 0 ? 0 : random_below(seed, 64);
    return kind == 0 ? HUB : kind == 1 ? 0 : 1 + random_below(seed, 6);
}

struct graph graph_make(struct run *run, uint32_t vertices, uint32_t seed)
{
    struct graph g = {.vertices = vertices};
    g.row = run_memory(run, (size_t)vertices + 1, sizeof *g.row);
    g.from = run_memory(run, (size_t)vertices * HUB, sizeof *g.from);
    g.to = run_memory(run, (size_t)vertices * HUB, sizeof *g.to);
    if (run->failed)
        return g;
    for (uint32_t v = 0; v < vertices; v++) {
        g.row[v] = g.edges;
        const uint32_t count = v + 1 < vertices ? degree(v, &seed) : 0;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t near = (v + vertices - NEAR + random_below(&seed, 2 * NEAR)) % vertices;
            g.from[g.edges] = v;
            g.to[g.edges++] = random_below(&seed, 2) ? near : random_below(&seed, vertices);
        }
    }
    g.row[vertices] = g.edges;
    return g;
}

struct graph_copy graph_upload(struct run *run, const struct graph *g)
{
    return (struct graph_copy){
        .row = run_upload(run, g->row, ((size_t)g->vertices + 1) * sizeof *g->row),
        .from = run_upload(run, g->from, g->edges * sizeof *g->from),
        .to = run_upload(run, g->to, g->edges * sizeof *g->to),
    };
}
