#include "runs.h"
#include "util.h"

#include <math.h>

enum { CHAINS = 16, BLOCKS = 4, THREADS = 128, STEPS = 1024, COUNT = BLOCKS * THREADS };

static float one(const float *in, size_t thread)
{
    float total = 0.0f;
    for (size_t i = 0; i < CHAINS; i++) {
        float a = in[(thread + i) % THREADS], b = in[(thread + i * 3 + 5) % THREADS], sum = 0.0f;
        for (unsigned s = 0; s < STEPS; s++)
            sum = fmaf(a, sum, b);
        total += sum;
    }
    return total;
}

struct example_result run_flops(const struct example_device *device)
{
    struct run run = run_start(device);
    float *in = run_memory(&run, THREADS, sizeof *in);
    float *want = run_memory(&run, COUNT, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 11;
    random_units(&seed, in, THREADS);
    for (size_t i = 0; i < COUNT; i++)
        want[i] = one(in, i);

    struct {
        uint64_t in, out;
        uint32_t steps;
    } params = {.steps = STEPS};
    params.in = run_upload(&run, in, THREADS * sizeof *in);
    params.out = run_output(&run, COUNT);
    run_launch(&run, "flops", (struct example_dim){BLOCKS, 1, 1}, (struct example_dim){THREADS, 1, 1}, &params,
               sizeof params);
    run_check_floats(&run, "out", run_download(&run, params.out, COUNT), want, COUNT);
    return run_finish(&run, "all %d sums equal the CPU's, bit for bit", COUNT);
}
