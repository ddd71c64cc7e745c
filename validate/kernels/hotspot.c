#include <string.h>

#include "host.h"
#include "workloads.h"

enum { TILE = 16, STEPS = 2, VALID = TILE - 2 * STEPS, LAUNCHES = 2 };

static void step(const float *power, double *heat, double *next, size_t width, size_t height, double rate,
                 double ambient)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            size_t north = y > 0 ? y - 1 : 0, south = y + 1 < height ? y + 1 : y;
            size_t west = x > 0 ? x - 1 : 0, east = x + 1 < width ? x + 1 : x;
            double own = heat[y * width + x];
            double across = heat[y * width + west] + heat[y * width + east] - 2 * own;
            double down = heat[north * width + x] + heat[south * width + x] - 2 * own;
            next[y * width + x] = own + rate * ((double)power[y * width + x] + down + across + 0.125 * (ambient - own));
        }
    memcpy(heat, next, width * height * sizeof *heat);
}

static struct example_result hotspot(const struct example_device *device, const struct workload_scale *scale)
{
    const struct example_dim grid = host_plane(scale, 8);
    const uint32_t width = VALID * grid.x - 5, height = VALID * grid.y - 3;
    const size_t cells = (size_t)width * height;
    struct run run = run_start(device);
    uint32_t seed = 24;
    float *power = host_units(&run, &seed, cells), *heat = host_units(&run, &seed, cells);
    double *want = run_memory(&run, cells, sizeof *want), *next = run_memory(&run, cells, sizeof *next);
    if (run.failed)
        return run_finish(&run, " ");
    for (size_t i = 0; i < cells; i++)
        want[i] = (double)heat[i];
    struct {
        uint64_t power, from, to;
        int32_t width, height;
        float rate, ambient;
    } params = {.width = (int32_t)width, .height = (int32_t)height, .rate = 0.125f, .ambient = 0.75f};
    params.power = run_upload(&run, power, cells * sizeof *power);
    params.from = run_upload(&run, heat, cells * sizeof *heat);
    params.to = run_output(&run, cells);
    const uint64_t first = params.from, second = params.to;
    for (int i = 0; i < LAUNCHES; i++) {
        params.from = i % 2 ? second : first;
        params.to = i % 2 ? first : second;
        run_launch(&run, "hotspot", grid, (struct example_dim){TILE, TILE, 1}, &params, sizeof params);
        for (int k = 0; k < STEPS; k++)
            step(power, want, next, width, height, (double)params.rate, (double)params.ambient);
        const float *got = i % 2 ? host_read(&run, first, cells * sizeof *got) : run_download(&run, second, cells);
        host_check_near(&run, "heat", got, want, cells, 2e-6);
    }
    return run_finish(&run, "%d steps of %zu cells are right", LAUNCHES * STEPS, cells);
}

const struct workload workload_hotspot = {
    .name = "hotspot",
    .module = "hotspot",
    .class = "stencil",
    .summary = "heat in a chip, two steps a launch in tiles that shrink",
    .arch = 60,
    .run = hotspot,
};
