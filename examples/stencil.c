#include "runs.h"
#include "util.h"

#include <math.h>

enum { WIDTH = 230, HEIGHT = 150, COUNT = WIDTH * HEIGHT };

/* One step on the CPU, with the roundings of the kernel. */
static void step(const float *in, float *out, float centre, float side)
{
    for (size_t y = 0; y < HEIGHT; y++) {
        for (size_t x = 0; x < WIDTH; x++) {
            size_t at = y * WIDTH + x;
            float west = x > 0 ? in[at - 1] : 0.0f;
            float east = x + 1 < WIDTH ? in[at + 1] : 0.0f;
            float north = y > 0 ? in[at - WIDTH] : 0.0f;
            float south = y + 1 < HEIGHT ? in[at + WIDTH] : 0.0f;
            float own = centre * in[at];
            out[at] = fmaf(side, (west + east) + (north + south), own);
        }
    }
}

struct example_result run_stencil(const struct example_device *device)
{
    struct run run = run_start(device);
    const float centre = 0.6f, side = 0.1f;
    float *in = run_memory(&run, COUNT, sizeof *in);
    float *once = run_memory(&run, COUNT, sizeof *once);
    float *twice = run_memory(&run, COUNT, sizeof *twice);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 7;
    random_units(&seed, in, COUNT);
    step(in, once, centre, side);
    step(once, twice, centre, side);

    struct {
        uint64_t in, out;
        uint32_t width, height;
        float centre, side;
    } params = {
        .width = WIDTH,
        .height = HEIGHT,
        .centre = centre,
        .side = side,
    };
    params.in = run_upload(&run, in, COUNT * sizeof *in);
    params.out = run_output(&run, COUNT);
    const struct example_dim grid = {parts(WIDTH, 32), parts(HEIGHT, 8), 1}, block = {32, 8, 1};
    run_launch(&run, "stencil", grid, block, &params, sizeof params);
    run_check_floats(&run, "once", run_download(&run, params.out, COUNT), once, COUNT);
    params.in = params.out;
    params.out = run_output(&run, COUNT);
    run_launch(&run, "stencil", grid, block, &params, sizeof params);
    run_check_floats(&run, "twice", run_download(&run, params.out, COUNT), twice, COUNT);
    return run_finish(&run, "all %d x %d elements of both steps equal the CPU's, bit for bit", WIDTH, HEIGHT);
}
