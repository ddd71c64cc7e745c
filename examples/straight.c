#include "runs.h"
#include "util.h"

#include <math.h>

enum { TERMS = 768, BLOCKS = 42, THREADS = 64, COUNT = BLOCKS * THREADS };

static float coefficient(uint32_t i) { return (float)((i + 1) * 2654435761u >> 9) * (1.0f / 8388608.0f) - 0.5f; }

static float polynomial(float x)
{
    float sum[4] = {0};
    for (uint32_t i = 0; i < TERMS; i++)
        sum[i % 4] = fmaf(sum[i % 4], x, coefficient(i));
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

struct example_result run_straight(const struct example_device *device)
{
    struct run run = run_start(device);
    float *x = run_memory(&run, COUNT, sizeof *x);
    float *want = run_memory(&run, COUNT, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 12;
    random_units(&seed, x, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        want[i] = polynomial(x[i]);

    struct {
        uint64_t x, y;
    } params = {0};
    params.x = run_upload(&run, x, COUNT * sizeof *x);
    params.y = run_output(&run, COUNT);
    run_launch(&run, "straight", (struct example_dim){BLOCKS, 1, 1}, (struct example_dim){THREADS, 1, 1}, &params,
               sizeof params);
    run_check_floats(&run, "y", run_download(&run, params.y, COUNT), want, COUNT);
    return run_finish(&run, "all %d values equal the CPU's, bit for bit", COUNT);
}
