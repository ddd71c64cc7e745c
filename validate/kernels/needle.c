#include "examples/util.h"
#include "workloads.h"

enum { N = 64, WIDTH = N + 1, MATCH = 2, MISMATCH = -1, GAP = -2 };

static int32_t most(int32_t a, int32_t b) { return a > b ? a : b; }

static void edges(int32_t *score)
{
    for (int32_t i = 0; i < WIDTH; i++)
        score[i] = score[i * WIDTH] = i * GAP;
}

static void align(int32_t *score, const uint8_t *a, const uint8_t *b)
{
    for (size_t y = 1; y < WIDTH; y++)
        for (size_t x = 1; x < WIDTH; x++) {
            int32_t *at = score + y * WIDTH + x;
            int32_t step = at[-WIDTH - 1] + (a[y - 1] == b[x - 1] ? MATCH : MISMATCH);
            *at = most(step, most(at[-1], at[-WIDTH]) + GAP);
        }
}

static struct example_result needle(const struct example_device *device, const struct workload_scale *scale)
{
    const uint32_t pairs = workload_pick(scale, 8, scale->sms, 3 * scale->sms);
    struct run run = run_start(device);
    uint8_t *a = run_memory(&run, pairs, N), *b = run_memory(&run, pairs, N);
    int32_t *start = run_memory(&run, pairs, sizeof(int32_t[WIDTH * WIDTH]));
    int32_t *want = run_memory(&run, pairs, sizeof(int32_t[WIDTH * WIDTH]));
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 11;
    for (size_t i = 0; i < (size_t)pairs * N; i++) {
        a[i] = (uint8_t)random_below(&seed, 4);
        b[i] = random_below(&seed, 3) ? a[i] : (uint8_t)random_below(&seed, 4);
    }
    for (size_t i = 0; i < pairs; i++) {
        edges(start + i * WIDTH * WIDTH);
        edges(want + i * WIDTH * WIDTH);
        align(want + i * WIDTH * WIDTH, a + i * N, b + i * N);
    }
    struct {
        uint64_t a, b, score;
        int32_t n, match, mismatch, gap;
    } params = {.n = N, .match = MATCH, .mismatch = MISMATCH, .gap = GAP};
    size_t words = (size_t)pairs * WIDTH * WIDTH;
    params.a = run_upload(&run, a, (size_t)pairs * N);
    params.b = run_upload(&run, b, (size_t)pairs * N);
    params.score = run_upload(&run, start, words * sizeof *start);
    run_launch(&run, "needle", (struct example_dim){pairs, 1, 1}, (struct example_dim){32, 1, 1}, &params,
               sizeof params);
    int32_t *got = run_memory(&run, words, sizeof *got);
    run_read(&run, got, params.score, words * sizeof *got);
    run_check_ints(&run, "score", got, want, words);
    return run_finish(&run, "the scores of %u pairs of %d letters are right", pairs, N);
}

const struct workload workload_needle = {
    .name = "needle",
    .module = "needle",
    .class = "dynamic programming",
    .summary = "Needleman-Wunsch alignment, a warp for each pair, tiles in shared memory",
    .arch = 60,
    .run = needle,
};
