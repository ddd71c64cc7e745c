#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "workloads.h"

enum { ITEMS = 512, THREADS = 256, DIGITS = 16 };

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t *random_words(struct run *run, uint32_t seed, size_t count)
{
    uint32_t *words = run_memory(run, count, sizeof *words);
    for (size_t i = 0; words && i < count; i++)
        words[i] = random_next(&seed);
    return words;
}

/* Pieces are sorted. Then comes one exchange of a network that is larger than they. */
static struct example_result bitonic(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = workload_pick(scale, HOST_SMALL_CTAS, scale->sms & ~1u, 4 * scale->sms);
    const size_t count = (size_t)ctas * ITEMS;
    uint32_t *keys = random_words(&run, 41, count), *want = run_memory(&run, count, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    memcpy(want, keys, count * sizeof *want);
    for (size_t i = 0; i < count; i += ITEMS)
        qsort(want + i, ITEMS, sizeof *want, compare);
    struct {
        uint64_t keys;
        uint32_t size, stride;
    } params = {.size = 2 * ITEMS, .stride = 256};
    params.keys = run_upload(&run, keys, count * sizeof *keys);
    host_launch(&run, "bitonic_shared", ctas, THREADS, &params, sizeof params.keys);
    const void *got = host_read(&run, params.keys, count * sizeof *keys);
    run_check_ints(&run, "piece", got, (int32_t *)want, count);
    for (size_t i = 0; i < count; i++) {
        const bool up = (i & params.size) == 0;
        if (i & params.stride || (want[i] > want[i + params.stride]) != up)
            continue;
        const uint32_t other = want[i];
        want[i] = want[i + params.stride];
        want[i + params.stride] = other;
    }
    host_launch(&run, "bitonic_global", ctas, THREADS, &params, sizeof params);
    got = host_read(&run, params.keys, count * sizeof *keys);
    run_check_ints(&run, "exchanged", got, (int32_t *)want, count);
    return run_finish(&run, "all %zu keys are right", count);
}

/* The keys in the order of a digit, and for each digit the place where the keys of a piece (THREADS) begin. */
static void radix_pass(const uint32_t *keys, size_t count, uint32_t shift, uint32_t *want, uint32_t *starts)
{
    uint32_t placed = 0;
    for (uint32_t digit = 0; digit < DIGITS; digit++)
        for (size_t i = 0; i < count; i++) {
            if (i % THREADS == 0)
                *starts++ = placed;
            if ((keys[i] >> shift & (DIGITS - 1)) == digit)
                want[placed++] = keys[i];
        }
}

static struct example_result radix(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 8);
    const size_t count = (size_t)ctas * THREADS;
    uint32_t *keys = random_words(&run, 42, count), *want = run_memory(&run, count, sizeof *want);
    uint32_t *starts = run_memory(&run, (size_t)ctas * DIGITS, sizeof *starts);
    if (run.failed)
        return run_finish(&run, " ");
    struct {
        uint64_t keys, counts;
        uint32_t shift;
    } counting = {.shift = 8};
    struct {
        uint64_t counts;
        uint32_t size;
    } scanning = {.size = ctas * DIGITS};
    struct {
        uint64_t keys, starts, sorted;
        uint32_t shift;
    } scattering = {.shift = counting.shift};
    radix_pass(keys, count, counting.shift, want, starts);
    counting.keys = scattering.keys = run_upload(&run, keys, count * sizeof *keys);
    counting.counts = scanning.counts = scattering.starts = run_output(&run, scanning.size);
    scattering.sorted = run_output(&run, count);
    host_launch(&run, "radix_count", ctas, THREADS, &counting, sizeof counting);
    host_launch(&run, "radix_scan", 1, THREADS, &scanning, sizeof scanning);
    host_launch(&run, "radix_scatter", ctas, THREADS, &scattering, sizeof scattering);
    const void *got = run_download(&run, counting.counts, scanning.size);
    run_check_ints(&run, "start", got, (int32_t *)starts, scanning.size);
    run_check_ints(&run, "sorted", run_download(&run, scattering.sorted, count), (int32_t *)want, count);
    return run_finish(&run, "all %zu keys are in the order of their digits", count);
}

const struct workload workload_sort_bitonic = {
    .name = "sort-bitonic",
    .module = "sorts",
    .class = "sort",
    .summary = "bitonic sort of pieces in shared memory, and an exchange in global memory",
    .arch = 60,
    .run = bitonic,
};

const struct workload workload_sort_radix = {
    .name = "sort-radix",
    .module = "sorts",
    .class = "sort",
    .summary = "a radix pass of four bits: count, scan by one CTA, scatter",
    .arch = 60,
    .run = radix,
};
