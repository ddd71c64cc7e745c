#include "host.h"
#include "workloads.h"

enum { THREADS = 256, BINS = 256 };

/* The first of the run's words that the kernel reads, `per_thread` for each thread. */
static void count(struct run *run, const char *kernel, uint64_t words, const uint32_t *in, uint32_t ctas,
                  uint32_t per_thread)
{
    int32_t want[BINS] = {0};
    for (size_t i = 0; i < (size_t)ctas * THREADS * per_thread && !run->failed; i++)
        for (unsigned shift = 0; shift < 32; shift += 8)
            want[in[i] >> shift & 0xff]++;
    struct {
        uint64_t in, bins;
    } params = {words, run_output(run, BINS)};
    for (uint64_t i = 0; i < BINS; i++)
        run_write_word(run, params.bins + i * sizeof(uint32_t), 0);
    host_launch(run, kernel, ctas, THREADS, &params, sizeof params);
    run_check_ints(run, kernel, run_download(run, params.bins, BINS), want, BINS);
}

static struct example_result histogram(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 8);
    const size_t words = (size_t)ctas * THREADS * 4;
    uint32_t *in = run_memory(&run, words, sizeof *in), seed = 54;
    if (run.failed)
        return run_finish(&run, " ");
    for (size_t i = 0; i < words; i++)
        in[i] = random_next(&seed) & random_next(&seed); /* few bits set: some bins are hit often */
    const uint64_t at = run_upload(&run, in, words * sizeof *in);
    count(&run, "histogram_shared", at, in, ctas, 4);
    count(&run, "histogram_global", at, in, ctas, 1);
    count(&run, "histogram_match", at, in, ctas, 1);
    return run_finish(&run, "the counts of %zu bytes are right", 4 * words);
}

const struct workload workload_histogram = {
    .name = "histogram",
    .module = "histograms",
    .class = "histogram",
    .summary = "256 bins by atomics in shared and in global memory, and by matching lanes",
    .arch = 70,
    .run = histogram,
};
