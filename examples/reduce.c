#include "runs.h"
#include "util.h"

enum { N = 200003, BLOCKS = 64, THREADS = 256 };

static struct example_result reduce(const struct example_device *device, const char *kernel)
{
    struct run run = run_start(device);
    int32_t *in = run_memory(&run, N, sizeof *in);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 3;
    int32_t partials[BLOCKS] = {0}, want = 0;
    for (size_t i = 0; i < N; i++) {
        in[i] = (int32_t)random_below(&seed, 2001) - 900;
        partials[i / THREADS % BLOCKS] += in[i];
        want += in[i];
    }

    struct {
        uint64_t in, out;
        uint32_t n;
    } params = {.n = N};
    params.in = run_upload(&run, in, N * sizeof *in);
    params.out = run_output(&run, BLOCKS);
    const struct example_dim block = {THREADS, 1, 1};
    run_launch(&run, kernel, (struct example_dim){BLOCKS, 1, 1}, block, &params, sizeof params);
    run_check_ints(&run, "partial", run_download(&run, params.out, BLOCKS), partials, BLOCKS);
    params.in = params.out;
    params.out = run_output(&run, 1);
    params.n = BLOCKS;
    run_launch(&run, kernel, (struct example_dim){1, 1, 1}, block, &params, sizeof params);
    run_check_ints(&run, "sum", run_download(&run, params.out, 1), &want, 1);
    return run_finish(&run, "the sum of %d integers, %ld, and its %d partial sums are right", N, (long)want, BLOCKS);
}

struct example_result run_reduce_shuffle(const struct example_device *device)
{
    return reduce(device, "reduce_shuffle");
}

struct example_result run_reduce_shared(const struct example_device *device) { return reduce(device, "reduce_shared"); }
