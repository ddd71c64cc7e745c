#include "runs.h"
#include "util.h"

enum { N = 60007, THREADS = 512, BLOCKS = (N + THREADS - 1) / THREADS };

struct example_result run_scan(const struct example_device *device)
{
    struct run run = run_start(device);
    int32_t *in = run_memory(&run, N, sizeof *in);
    int32_t *want = run_memory(&run, N, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 12;
    int32_t sum = 0, total[BLOCKS] = {0};
    for (size_t i = 0; i < N; i++) {
        in[i] = (int32_t)random_below(&seed, 201) - 90;
        sum += in[i];
        want[i] = sum;
        total[i / THREADS] = sum;
    }

    struct {
        uint64_t in, out, totals;
        uint32_t n;
    } first = {.n = N}, second = {.n = BLOCKS};
    struct {
        uint64_t out, totals;
        uint32_t n;
    } third = {.n = N};
    first.in = run_upload(&run, in, N * sizeof *in);
    first.out = third.out = run_output(&run, N);
    first.totals = second.in = second.out = third.totals = run_output(&run, BLOCKS);
    second.totals = run_output(&run, 1);
    const struct example_dim block = {THREADS, 1, 1};
    run_launch(&run, "scan_blocks", (struct example_dim){BLOCKS, 1, 1}, block, &first, sizeof first);
    run_launch(&run, "scan_blocks", (struct example_dim){1, 1, 1}, block, &second, sizeof second);
    run_launch(&run, "scan_add", (struct example_dim){BLOCKS - 1, 1, 1}, block, &third, sizeof third);
    run_check_ints(&run, "totals", run_download(&run, first.totals, BLOCKS), total, BLOCKS);
    run_check_ints(&run, "sum", run_download(&run, second.totals, 1), &sum, 1);
    run_check_ints(&run, "out", run_download(&run, first.out, N), want, N);
    return run_finish(&run, "all %d prefix sums are right", N);
}
