#include "runs.h"
#include "util.h"

#include <math.h>

enum { N = 150001, BLOCKS = 64, THREADS = 256 };

struct example_result run_saxpy(const struct example_device *device)
{
    struct run run = run_start(device);
    const float alpha = 0.7f;
    float *x = run_memory(&run, N, sizeof *x);
    float *y = run_memory(&run, N, sizeof *y);
    float *want = run_memory(&run, N, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 2;
    random_units(&seed, x, N);
    random_units(&seed, y, N);
    for (size_t i = 0; i < N; i++)
        want[i] = fmaf(alpha, x[i], y[i]);

    struct {
        float alpha;
        uint64_t x, y;
        uint32_t n;
    } params = {.alpha = alpha, .n = N};
    params.x = run_upload(&run, x, N * sizeof *x);
    params.y = run_output(&run, N);
    if (!run.failed && !device->write(device->self, params.y, y, N * sizeof *y))
        run_fail(&run, "cannot write y");
    run_launch(&run, "saxpy", (struct example_dim){BLOCKS, 1, 1}, (struct example_dim){THREADS, 1, 1}, &params,
               sizeof params);
    run_check_floats(&run, "y", run_download(&run, params.y, N), want, N);
    return run_finish(&run, "all %d elements of y equal the CPU's, bit for bit", N);
}
