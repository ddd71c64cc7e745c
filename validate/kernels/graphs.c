#include "graph.h"
#include "host.h"
#include "workloads.h"

enum { THREADS = 256, LEVELS = 4, EVERY = 16 };

/* The vertices that are LEVELS edges or less from a source get their distance, others -1. One in EVERY is a source. */
static void search(const struct graph *g, int32_t *level, uint32_t *sizes)
{
    for (size_t v = 0; v < g->vertices; v++)
        level[v] = v % EVERY ? -1 : 0;
    for (int32_t depth = 1; depth <= LEVELS; depth++)
        for (size_t e = 0; e < g->edges; e++)
            if (level[g->from[e]] == depth - 1 && level[g->to[e]] < 0) {
                level[g->to[e]] = depth;
                sizes[depth]++;
            }
}

/* The vertices that a level has found, each once and in any order. */
static void check_frontier(struct run *run, const int32_t *level, uint32_t vertices, const uint32_t *found,
                           uint32_t size, int32_t depth)
{
    uint8_t *seen = run_memory(run, vertices, sizeof *seen);
    for (size_t i = 0; i < size && !run->failed; i++) {
        const uint32_t v = found[i];
        if (v >= vertices || level[v] != depth || seen[v]++)
            run_fail(run, "vertex %u is not, or not once, in level %d", v, (int)depth);
    }
}

static struct example_result bfs(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t vertices = host_ctas(scale, 8) * THREADS;
    const struct graph g = graph_make(&run, vertices, 31);
    int32_t *want = run_memory(&run, vertices, sizeof *want), *level = run_memory(&run, vertices, sizeof *level);
    uint32_t *sources = run_memory(&run, vertices, sizeof *sources);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t sizes[LEVELS + 1] = {0};
    search(&g, want, sizes);
    for (uint32_t v = 0; v < vertices; v++)
        level[v] = v % EVERY ? -1 : 0;
    for (uint32_t i = 0; i < vertices / EVERY; i++)
        sources[i] = i * EVERY;
    const struct graph_copy at = graph_upload(&run, &g);
    struct {
        uint64_t row, to, level, frontier, next, next_size;
        uint32_t size;
        int32_t depth;
    } params = {.row = at.row, .to = at.to, .size = vertices / EVERY};
    params.level = run_upload(&run, level, vertices * sizeof *level);
    params.frontier = run_upload(&run, sources, vertices * sizeof *sources);
    params.next = run_output(&run, vertices);
    const uint64_t second = params.next;
    params.next_size = run_output(&run, 1);
    for (params.depth = 1; params.depth <= LEVELS && params.size > 0 && !run.failed; params.depth++) {
        run_write_word(&run, params.next_size, 0);
        host_launch(&run, "bfs_frontier", parts(params.size, THREADS), THREADS, &params, sizeof params);
        params.size = run_read_word(&run, params.next_size);
        if (!run.failed && params.size != sizes[params.depth])
            run_fail(&run, "level %d has %u vertices, expected %u", (int)params.depth, params.size,
                     sizes[params.depth]);
        const uint64_t frontier = params.frontier;
        params.frontier = params.next;
        params.next = frontier;
    }
    const uint32_t *last = run_download(&run, second, vertices);
    check_frontier(&run, want, vertices, last, sizes[LEVELS - 1], LEVELS - 1);
    run_check_ints(&run, "level", host_read(&run, params.level, vertices * sizeof *level), want, vertices);
    return run_finish(&run, "the levels of %u vertices are right", vertices);
}

static struct example_result pagerank(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 8), vertices = ctas * THREADS, some = ctas * (THREADS / 32);
    const struct graph g = graph_make(&run, vertices, 32);
    uint32_t seed = 33;
    float *share = host_units(&run, &seed, vertices);
    double *want = run_memory(&run, vertices, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    const float damping = 0.85f;
    for (size_t v = 0; v < vertices; v++) {
        share[v] = share[v] * 0.25f + 0.375f;
        want[v] = 1 - (double)damping;
    }
    for (size_t e = 0; e < g.edges; e++)
        want[g.from[e]] += (double)damping * (double)share[g.to[e]];
    const struct graph_copy at = graph_upload(&run, &g);
    struct {
        uint64_t row, to, share, rank;
        uint32_t vertices;
        float damping;
    } params = {.row = at.row, .to = at.to, .vertices = vertices, .damping = damping};
    params.share = run_upload(&run, share, vertices * sizeof *share);
    params.rank = run_output(&run, vertices);
    host_launch(&run, "pagerank_thread", ctas, THREADS, &params, sizeof params);
    host_check_near(&run, "rank", run_download(&run, params.rank, vertices), want, vertices, 2e-5);
    params.vertices = some;
    params.rank = run_output(&run, some);
    host_launch(&run, "pagerank_warp", ctas, THREADS, &params, sizeof params);
    host_check_near(&run, "rank by warps", run_download(&run, params.rank, some), want, some, 2e-5);
    return run_finish(&run, "the ranks of %u vertices are right", vertices);
}

const struct workload workload_bfs = {
    .name = "bfs",
    .module = "graphs",
    .class = "graph",
    .summary = "four levels of a breadth-first search with queues in shared memory",
    .arch = 60,
    .run = bfs,
};

const struct workload workload_pagerank = {
    .name = "pagerank",
    .module = "graphs",
    .class = "graph",
    .summary = "a step that pulls, by a thread for each vertex and by a warp",
    .arch = 60,
    .run = pagerank,
};
