#include "runs.h"
#include "util.h"

enum { WIDTH = 310, HEIGHT = 230, COUNT = WIDTH * HEIGHT, TILE = 32, ROWS = 8 };

static struct example_result transpose(const struct example_device *device, const char *kernel)
{
    struct run run = run_start(device);
    float *in = run_memory(&run, COUNT, sizeof *in);
    float *want = run_memory(&run, COUNT, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 4;
    random_units(&seed, in, COUNT);
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++)
            want[x * HEIGHT + y] = in[y * WIDTH + x];

    struct {
        uint64_t in, out;
        uint32_t width, height;
    } params = {.width = WIDTH, .height = HEIGHT};
    params.in = run_upload(&run, in, COUNT * sizeof *in);
    params.out = run_output(&run, COUNT);
    run_launch(&run, kernel, (struct example_dim){parts(WIDTH, TILE), parts(HEIGHT, TILE), 1},
               (struct example_dim){TILE, ROWS, 1}, &params, sizeof params);
    run_check_floats(&run, "out", run_download(&run, params.out, COUNT), want, COUNT);
    return run_finish(&run, "all %d x %d elements are in their places", WIDTH, HEIGHT);
}

struct example_result run_transpose_naive(const struct example_device *device)
{
    return transpose(device, "transpose_naive");
}

struct example_result run_transpose_conflict(const struct example_device *device)
{
    return transpose(device, "transpose_conflict");
}

struct example_result run_transpose_padded(const struct example_device *device)
{
    return transpose(device, "transpose_padded");
}
