#include "examples/util.h"
#include "workloads.h"

enum { TILE = 32, ACROSS = 8, COLUMNS = ACROSS * TILE };

static struct example_result transpose(const struct example_device *device, const struct workload_scale *scale)
{
    static const char *const kernels[] = {"transpose_naive", "transpose_conflicts", "transpose_padded"};
    const uint32_t down = parts(workload_pick(scale, 32, 2 * scale->sms, 8 * scale->sms), ACROSS), rows = down * TILE;
    const size_t words = (size_t)rows * COLUMNS;
    struct run run = run_start(device);
    int32_t *in = run_memory(&run, words, sizeof *in), *want = run_memory(&run, words, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 26;
    for (size_t i = 0; i < words; i++) {
        in[i] = (int32_t)random_next(&seed);
        want[i % COLUMNS * rows + i / COLUMNS] = in[i];
    }
    const uint64_t from = run_upload(&run, in, words * sizeof *in);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        struct {
            uint64_t in, out;
            uint32_t rows, columns;
        } params = {from, run_output(&run, words), rows, COLUMNS};
        run_launch(&run, kernels[i], (struct example_dim){ACROSS, down, 1}, (struct example_dim){TILE, 8, 1}, &params,
                   sizeof params);
        run_check_ints(&run, kernels[i], run_download(&run, params.out, words), want, words);
    }
    return run_finish(&run, "three transposes of %u x %d words are right", (unsigned)rows, COLUMNS);
}

const struct workload workload_transpose = {
    .name = "transpose",
    .module = "transpose",
    .class = "dense linear algebra",
    .summary = "transposes: scattered stores, tiles with bank conflicts, padded tiles",
    .arch = 60,
    .run = transpose,
};
