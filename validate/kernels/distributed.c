#include "host.h"
#include "workloads.h"

enum { CTAS = 8, THREADS = 256, BINS = 2048, SHIFT = 5, EACH = 1024 /* values of a CTA */ };

/* The GPU holds whole clusters only: most, but not all of its SMs. */
static uint32_t clusters_of(const struct workload_scale *scale)
{
    return workload_pick(scale, 2, scale->sms / CTAS * 3 / 4, scale->sms / CTAS * 4);
}

static struct example_result cluster_histogram(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = clusters_of(scale) * CTAS, count = ctas * EACH;
    uint16_t *values = run_memory(&run, count, sizeof *values);
    int32_t *want = run_memory(&run, BINS, sizeof *want);
    uint32_t *zeros = run_memory(&run, BINS, sizeof *zeros);
    uint32_t seed = 31;
    for (size_t i = 0; !run.failed && i < count; i++) {
        values[i] = (uint16_t)random_below(&seed, 65536);
        want[values[i] >> SHIFT]++;
    }
    struct {
        uint64_t values;
        uint32_t count, pad;
        uint64_t bins;
    } params = {.count = count};
    params.values = run_upload(&run, values, count * sizeof *values);
    params.bins = run_upload(&run, zeros, BINS * sizeof *zeros);
    run_launch(&run, "cluster_histogram", (struct example_dim){ctas, 1, 1}, (struct example_dim){THREADS, 1, 1},
               &params, sizeof params);
    int32_t *got = run_memory(&run, BINS, sizeof *got);
    if (got)
        run_read(&run, got, params.bins, BINS * sizeof *got);
    run_check_ints(&run, "bins", got, want, BINS);
    return run_finish(&run, "all %d bins of %u values are right", BINS, count);
}

const struct workload workload_cluster_histogram = {
    .name = "cluster_histogram",
    .module = "distributed",
    .class = "histogram",
    .summary = "histogram by atomics on the shared memory of eight CTAs",
    .arch = 90,
    .run = cluster_histogram,
};

static struct example_result cluster_sum(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t clusters = clusters_of(scale), ctas = clusters * CTAS, count = ctas * EACH;
    uint32_t *values = run_memory(&run, count, sizeof *values);
    int32_t *want = run_memory(&run, clusters, sizeof *want);
    uint32_t seed = 32;
    for (size_t i = 0; !run.failed && i < count; i++) {
        values[i] = random_below(&seed, 1000);
        want[i / THREADS % ctas / CTAS] += (int32_t)values[i];
    }
    struct {
        uint64_t values;
        uint32_t count, pad;
        uint64_t sums;
    } params = {.count = count};
    params.values = run_upload(&run, values, count * sizeof *values);
    params.sums = run_output(&run, clusters);
    run_launch(&run, "cluster_sum", (struct example_dim){ctas, 1, 1}, (struct example_dim){THREADS, 1, 1}, &params,
               sizeof params);
    run_check_ints(&run, "sums", run_download(&run, params.sums, clusters), want, clusters);
    return run_finish(&run, "the sums of %u clusters are right", clusters);
}

const struct workload workload_cluster_sum = {
    .name = "cluster_sum",
    .module = "distributed",
    .class = "reduction",
    .summary = "sums that end in loads of other CTAs' shared memory",
    .arch = 90,
    .run = cluster_sum,
};
