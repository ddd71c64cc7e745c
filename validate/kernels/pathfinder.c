#include <string.h>

#include "host.h"
#include "workloads.h"

enum { THREADS = 256, STEPS = 6, VALID = THREADS - 2 * STEPS, LAUNCHES = 2, ROWS = STEPS * LAUNCHES };

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

static void descend(const int32_t *cost, const int32_t *from, int32_t *to, size_t width)
{
    for (size_t x = 0; x < width; x++) {
        int32_t best = from[x];
        if (x > 0)
            best = least(best, from[x - 1]);
        if (x + 1 < width)
            best = least(best, from[x + 1]);
        to[x] = best + cost[x];
    }
}

static struct example_result pathfinder(const struct example_device *device, const struct workload_scale *scale)
{
    const uint32_t ctas = host_ctas(scale, 8);
    const size_t width = (size_t)VALID * ctas - 7;
    struct run run = run_start(device);
    int32_t *cost = run_memory(&run, width * ROWS, sizeof *cost);
    int32_t *start = run_memory(&run, width, sizeof *start);
    int32_t *now = run_memory(&run, width, sizeof *now), *want = run_memory(&run, width, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 26;
    for (size_t i = 0; i < width; i++)
        now[i] = start[i] = (int32_t)random_below(&seed, 10);
    for (size_t i = 0; i < width * ROWS; i++)
        cost[i] = (int32_t)random_below(&seed, 10);
    for (size_t row = 0; row < ROWS; row++) {
        descend(cost + row * width, now, want, width);
        memcpy(now, want, width * sizeof *now);
    }
    struct {
        uint64_t cost, from, to;
        int32_t width;
    } params = {.width = (int32_t)width};
    params.cost = run_upload(&run, cost, width * ROWS * sizeof *cost);
    params.from = run_upload(&run, start, width * sizeof *start);
    for (int i = 0; i < LAUNCHES; i++) {
        params.to = run_output(&run, width);
        host_launch(&run, "pathfinder", ctas, THREADS, &params, sizeof params);
        params.cost += STEPS * width * sizeof *cost;
        params.from = params.to;
    }
    run_check_ints(&run, "sum", run_download(&run, params.to, width), want, width);
    return run_finish(&run, "the cheapest ways to %zu columns are right", width);
}

const struct workload workload_pathfinder = {
    .name = "pathfinder",
    .module = "pathfinder",
    .class = "dynamic programming",
    .summary = "cheapest ways down a grid, six rows a launch with a barrier each",
    .arch = 60,
    .run = pathfinder,
};
