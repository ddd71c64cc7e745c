#include "host.h"
#include "workloads.h"

enum { THREADS = 256, WORDS = 64 };

struct board {
    const uint32_t *words;
    size_t height;
};

static uint32_t cell(const struct board *b, size_t x, size_t y)
{
    x %= WORDS * 32;
    return b->words[y % b->height * WORDS + x / 32] >> x % 32 & 1;
}

static uint32_t next_word(const struct board *b, size_t word, size_t y)
{
    uint32_t next = 0;
    for (size_t bit = 0; bit < 32; bit++) {
        const size_t x = word * 32 + bit;
        uint32_t count = 0;
        for (size_t dy = 0; dy < 3; dy++)
            for (size_t dx = 0; dx < 3; dx++)
                if (dx != 1 || dy != 1)
                    count += cell(b, x + WORDS * 32 + dx - 1, y + b->height + dy - 1);
        next |= (uint32_t)(count == 3 || (count == 2 && cell(b, x, y))) << bit;
    }
    return next;
}

/* All words of small boards; of large ones, one in 13. */
static void check(struct run *run, const struct board *from, const uint32_t *got, uint32_t stride)
{
    for (size_t i = 0; i < WORDS * from->height && !run->failed; i += stride) {
        const uint32_t want = next_word(from, i % WORDS, i / WORDS);
        if (got[i] != want)
            run_fail(run, "word %zu is %08x, expected %08x", i, (unsigned)got[i], (unsigned)want);
    }
}

static struct example_result life(const struct example_device *device, const struct workload_scale *scale)
{
    const uint32_t ctas = host_ctas(scale, 8), count = ctas * THREADS;
    struct run run = run_start(device);
    uint32_t *words = run_memory(&run, count, sizeof *words), seed = 27;
    if (run.failed)
        return run_finish(&run, " ");
    for (size_t i = 0; i < count; i++)
        words[i] = random_next(&seed) & random_next(&seed);
    struct board board = {words, count / WORDS};
    struct {
        uint64_t from, to;
        int32_t words, height;
    } params = {.words = WORDS, .height = (int32_t)board.height};
    params.from = run_upload(&run, words, count * sizeof *words);
    for (int i = 0; i < 2 && !run.failed; i++) {
        params.to = run_output(&run, count);
        host_launch(&run, "life", ctas, THREADS, &params, sizeof params);
        const uint32_t *got = run_download(&run, params.to, count);
        check(&run, &board, got, scale->size == SIZE_FULL ? 13 : 1);
        board.words = got;
        params.from = params.to;
    }
    return run_finish(&run, "two generations of %u words are right", count);
}

const struct workload workload_life = {
    .name = "life",
    .module = "life",
    .class = "stencil",
    .summary = "game of life, 32 cells a word, sums in bits (LOP3, SHF)",
    .arch = 60,
    .run = life,
};
