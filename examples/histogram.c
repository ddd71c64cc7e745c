#include "runs.h"
#include "util.h"

enum { WORDS = 30011, BINS = 256, BLOCKS = 32 };

static struct example_result histogram(const struct example_device *device, const char *kernel)
{
    struct run run = run_start(device);
    uint32_t *words = run_memory(&run, WORDS, sizeof *words);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 6;
    int32_t want[BINS] = {0};
    for (size_t i = 0; i < WORDS; i++) {
        uint32_t first = random_next(&seed), second = random_next(&seed);
        words[i] = first & second; /* few bits set: some bins are hit often */
        for (unsigned shift = 0; shift < 32; shift += 8)
            want[words[i] >> shift & 0xff]++;
    }

    struct {
        uint64_t words, bins;
        uint32_t count;
    } params = {.count = WORDS};
    params.words = run_upload(&run, words, WORDS * sizeof *words);
    params.bins = run_output(&run, BINS);
    for (uint64_t i = 0; i < BINS; i++)
        run_write_word(&run, params.bins + i * sizeof(uint32_t), 0);
    run_launch(&run, kernel, (struct example_dim){BLOCKS, 1, 1}, (struct example_dim){BINS, 1, 1}, &params,
               sizeof params);
    run_check_ints(&run, "bins", run_download(&run, params.bins, BINS), want, BINS);
    return run_finish(&run, "all %d counts of %d bytes are right", BINS, WORDS * 4);
}

struct example_result run_histogram_shared(const struct example_device *device)
{
    return histogram(device, "histogram_shared");
}

struct example_result run_histogram_global(const struct example_device *device)
{
    return histogram(device, "histogram_global");
}
