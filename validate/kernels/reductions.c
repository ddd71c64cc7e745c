#include "host.h"
#include "workloads.h"

enum { THREADS = 256, WORDS = 4 };

static uint32_t *numbers(struct run *run, uint32_t seed, size_t count)
{
    uint32_t *to = run_memory(run, count, sizeof *to);
    for (size_t i = 0; to && i < count; i++)
        to[i] = random_below(&seed, 1000);
    return to;
}

static void sum_pieces(const uint32_t *in, size_t pieces, size_t piece, int32_t *want, size_t sums)
{
    for (size_t i = 0; i < pieces; i++)
        for (size_t k = 0; k < piece; k++)
            want[i % sums] += (int32_t)in[i * piece + k];
}

static struct example_result reduce(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 8);
    const size_t count = (size_t)ctas * THREADS * 4;
    const uint32_t *in = numbers(&run, 51, count);
    int32_t *wide = run_memory(&run, ctas, sizeof *wide), *narrow = run_memory(&run, ctas, sizeof *narrow);
    int32_t few[WORDS] = {0};
    if (run.failed)
        return run_finish(&run, " ");
    sum_pieces(in, ctas, THREADS * 4, wide, ctas);
    sum_pieces(in, ctas, THREADS, narrow, ctas);
    sum_pieces(in, count / 128, 128, few, WORDS);
    struct {
        uint64_t in, sums;
        uint32_t words;
    } params = {.words = WORDS};
    const size_t pointers = 2 * sizeof(uint64_t);
    params.in = run_upload(&run, in, count * sizeof *in);
    params.sums = run_output(&run, ctas);
    host_launch(&run, "reduce_shuffle", ctas, THREADS, &params, pointers);
    run_check_ints(&run, "by shuffles", run_download(&run, params.sums, ctas), wide, ctas);
    params.sums = run_output(&run, ctas);
    host_launch(&run, "reduce_interleaved", ctas, THREADS, &params, pointers);
    run_check_ints(&run, "interleaved", run_download(&run, params.sums, ctas), narrow, ctas);
    params.sums = run_output(&run, WORDS);
    for (uint64_t i = 0; i < WORDS; i++)
        run_write_word(&run, params.sums + i * sizeof(uint32_t), 0);
    host_launch(&run, "reduce_atomic", ctas, THREADS, &params, sizeof params);
    run_check_ints(&run, "by atomics", run_download(&run, params.sums, WORDS), few, WORDS);
    return run_finish(&run, "the sums of %zu numbers are right", count);
}

static struct example_result segments(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 16), count = ctas * (THREADS / 32) - 3;
    uint32_t *begin = run_memory(&run, count + 1, sizeof *begin), seed = 52;
    int32_t *want = run_memory(&run, count, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    for (size_t i = 0; i < count; i++)
        begin[i + 1] = begin[i] + random_below(&seed, 8) * random_below(&seed, 24);
    const uint32_t *in = numbers(&run, 53, begin[count]);
    for (size_t i = 0; in && i < count; i++)
        sum_pieces(in + begin[i], 1, begin[i + 1] - begin[i], want + i, 1);
    struct {
        uint64_t in, begin, sums;
        uint32_t segments;
    } params = {.segments = count};
    params.in = run_upload(&run, in, begin[count] * sizeof *in);
    params.begin = run_upload(&run, begin, (count + 1) * sizeof *begin);
    params.sums = run_output(&run, count);
    host_launch(&run, "reduce_segments", ctas, THREADS, &params, sizeof params);
    run_check_ints(&run, "sum", run_download(&run, params.sums, count), want, count);
    return run_finish(&run, "the sums of %u segments are right", count);
}

const struct workload workload_reduce = {
    .name = "reduce",
    .module = "reductions",
    .class = "reduction",
    .summary = "sums by shuffles, by a tree with bank conflicts, and by atomics on four words",
    .arch = 60,
    .run = reduce,
};

const struct workload workload_reduce_segments = {
    .name = "reduce-segments",
    .module = "reductions",
    .class = "reduction",
    .summary = "a warp for each of many segments of 0 to 161 numbers",
    .arch = 60,
    .run = segments,
};
