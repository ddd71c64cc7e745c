#include "runs.h"
#include "util.h"

enum { CTAS = 8, THREADS = 256, CLUSTERS = 2, BINS = 2048, SHIFT = 5, COUNT = 20000 };

struct example_result run_cluster_histogram(const struct example_device *device)
{
    struct run run = run_start(device);
    uint16_t *values = run_memory(&run, COUNT, sizeof *values);
    int32_t *want = run_memory(&run, BINS, sizeof *want);
    uint32_t *zeros = run_memory(&run, BINS, sizeof *zeros);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 7;
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = (uint16_t)random_below(&seed, 65536);
        want[values[i] >> SHIFT]++;
    }
    struct {
        uint64_t values;
        uint32_t count, pad;
        uint64_t bins;
    } params = {.values = run_upload(&run, values, COUNT * sizeof *values), .count = COUNT};
    params.bins = run_upload(&run, zeros, BINS * sizeof *zeros);
    run_launch(&run, "cluster_histogram", (struct example_dim){CLUSTERS * CTAS, 1, 1},
               (struct example_dim){THREADS, 1, 1}, &params, sizeof params);
    int32_t *got = run_memory(&run, BINS, sizeof *got);
    run_read(&run, got, params.bins, BINS * sizeof *got);
    run_check_ints(&run, "bins", got, want, BINS);
    return run_finish(&run, "all %d bins of %d values are right", BINS, COUNT);
}

struct example_result run_cluster_sum(const struct example_device *device)
{
    struct run run = run_start(device);
    uint32_t *values = run_memory(&run, COUNT, sizeof *values);
    int32_t *want = run_memory(&run, CLUSTERS, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 8;
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = random_below(&seed, 1000);
        want[i / THREADS % (CLUSTERS * CTAS) / CTAS] += (int32_t)values[i];
    }
    struct {
        uint64_t values;
        uint32_t count, pad;
        uint64_t sums;
    } params = {.values = run_upload(&run, values, COUNT * sizeof *values), .count = COUNT};
    params.sums = run_output(&run, CLUSTERS);
    run_launch(&run, "cluster_sum", (struct example_dim){CLUSTERS * CTAS, 1, 1}, (struct example_dim){THREADS, 1, 1},
               &params, sizeof params);
    run_check_ints(&run, "sums", run_download(&run, params.sums, CLUSTERS), want, CLUSTERS);
    return run_finish(&run, "the sums of %d clusters, of %d values, are right", CLUSTERS, COUNT);
}
