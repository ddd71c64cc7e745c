#include <string.h>

#include "graph.h"
#include "host.h"
#include "workloads.h"

enum { THREADS = 256, ROUNDS = 2 };

static void relax(const struct graph *g, const uint32_t *weight, uint32_t *distance, uint32_t *next)
{
    memcpy(next, distance, g->vertices * sizeof *next);
    for (size_t e = 0; e < g->edges; e++) {
        const uint32_t own = distance[g->from[e]];
        if (own != UINT32_MAX && own + weight[e] < next[g->to[e]])
            next[g->to[e]] = own + weight[e];
    }
    memcpy(distance, next, g->vertices * sizeof *next);
}

static struct example_result sssp(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 8), vertices = ctas * THREADS;
    const struct graph g = graph_make(&run, vertices, 34);
    uint32_t *weight = run_memory(&run, g.edges, sizeof *weight), seed = 35;
    uint32_t *distance = run_memory(&run, vertices, sizeof *distance);
    uint32_t *next = run_memory(&run, vertices, sizeof *next);
    if (run.failed)
        return run_finish(&run, " ");
    for (size_t e = 0; e < g.edges; e++)
        weight[e] = 1 + random_below(&seed, 100);
    /* As after some rounds: a quarter of the vertices has been reached. */
    for (size_t v = 0; v < vertices; v++)
        distance[v] = random_below(&seed, 4) ? UINT32_MAX : random_below(&seed, 1000);
    const struct graph_copy at = graph_upload(&run, &g);
    struct {
        uint64_t row, to, weight, from, distance;
        uint32_t vertices;
    } params = {.row = at.row, .to = at.to, .vertices = vertices};
    params.weight = run_upload(&run, weight, g.edges * sizeof *weight);
    params.from = run_upload(&run, distance, vertices * sizeof *distance);
    params.distance = run_upload(&run, distance, vertices * sizeof *distance);
    for (int i = 0; i < ROUNDS; i++) {
        host_launch(&run, "sssp_relax", ctas, THREADS, &params, sizeof params);
        relax(&g, weight, distance, next);
        const uint64_t from = params.from;
        params.from = params.distance;
        params.distance = from;
    }
    const void *got = host_read(&run, params.from, vertices * sizeof *distance);
    run_check_ints(&run, "distance", got, (int32_t *)distance, vertices);
    return run_finish(&run, "the distances of %u vertices are right", vertices);
}

static void take(uint32_t *label, uint32_t other)
{
    if (other < *label)
        *label = other;
}

static struct example_result components(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 8), vertices = ctas * (THREADS / 4);
    const struct graph g = graph_make(&run, vertices, 36);
    uint32_t *label = run_memory(&run, vertices, sizeof *label);
    uint32_t *hooked = run_memory(&run, vertices, sizeof *hooked), *want = run_memory(&run, vertices, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    for (uint32_t v = 0; v < vertices; v++)
        label[v] = hooked[v] = v;
    for (size_t e = 0; e < g.edges; e++) {
        take(&hooked[g.from[e]], label[g.to[e]]);
        take(&hooked[g.to[e]], label[g.from[e]]);
    }
    for (size_t v = 0; v < vertices; v++)
        want[v] = hooked[hooked[v]];
    const struct graph_copy at = graph_upload(&run, &g);
    struct {
        uint64_t from, to, label, next;
        uint32_t edges;
    } hook = {.from = at.from, .to = at.to, .edges = g.edges};
    struct {
        uint64_t label, next;
        uint32_t vertices;
    } jump = {.vertices = vertices};
    hook.label = run_upload(&run, label, vertices * sizeof *label);
    jump.label = hook.next = run_upload(&run, label, vertices * sizeof *label);
    jump.next = run_output(&run, vertices);
    host_launch(&run, "components_hook", parts(g.edges, THREADS), THREADS, &hook, sizeof hook);
    host_launch(&run, "components_jump", parts(vertices, THREADS), THREADS, &jump, sizeof jump);
    const void *got = host_read(&run, hook.next, vertices * sizeof *label);
    run_check_ints(&run, "hooked", got, (int32_t *)hooked, vertices);
    run_check_ints(&run, "label", run_download(&run, jump.next, vertices), (int32_t *)want, vertices);
    return run_finish(&run, "the labels of %u vertices are right", vertices);
}

const struct workload workload_components = {
    .name = "components",
    .module = "relaxations",
    .class = "graph",
    .summary = "connected components: a round of hooking edges and one of pointer jumping",
    .arch = 60,
    .run = components,
};

const struct workload workload_sssp = {
    .name = "sssp",
    .module = "relaxations",
    .class = "graph",
    .summary = "two rounds of shortest paths with atomic minima",
    .arch = 60,
    .run = sssp,
};
