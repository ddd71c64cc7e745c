#include "runs.h"
#include "util.h"

enum { N = 65500, THREADS = 256 };

struct example_result run_vecadd(const struct example_device *device)
{
    struct run run = run_start(device);
    float *a = run_memory(&run, N, sizeof *a);
    float *b = run_memory(&run, N, sizeof *b);
    float *want = run_memory(&run, N, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 1;
    random_units(&seed, a, N);
    random_units(&seed, b, N);
    for (size_t i = 0; i < N; i++)
        want[i] = a[i] + b[i];

    struct {
        uint64_t a, b, c;
        uint32_t n;
    } params = {.n = N};
    params.a = run_upload(&run, a, N * sizeof *a);
    params.b = run_upload(&run, b, N * sizeof *b);
    params.c = run_output(&run, N);
    run_launch(&run, "vecadd", (struct example_dim){parts(N, THREADS), 1, 1}, (struct example_dim){THREADS, 1, 1},
               &params, sizeof params);
    run_check_floats(&run, "c", run_download(&run, params.c, N), want, N);
    return run_finish(&run, "all %d sums equal the CPU's, bit for bit", N);
}
