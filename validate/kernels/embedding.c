#include "exact.h"
#include "workloads.h"

enum { D = 64, ROWS = 4096, LANES = D / 4, TOKENS_OF_CTA = 256 / LANES };

struct tokens {
    struct run run;
    uint32_t bags, count; /* of tokens */
    size_t words;         /* of an output row for each bag */
    const float *table;
    int32_t *token, *start;
    float *want;
};

/* A quarter of the tokens are among the 16 most frequent. Bags have 1 to 4 tokens. */
static bool make(struct tokens *t, uint32_t *seed)
{
    t->token = run_memory(&t->run, 4 * (size_t)t->bags, sizeof *t->token);
    t->start = run_memory(&t->run, (size_t)t->bags + 1, sizeof *t->start);
    t->table = exact_floats(&t->run, seed, (size_t)ROWS * D);
    t->want = run_memory(&t->run, t->words > (size_t)ROWS * D ? t->words : (size_t)ROWS * D, sizeof *t->want);
    if (t->run.failed)
        return false;
    for (uint32_t bag = 0; bag < t->bags; bag++) {
        t->count += 1 + random_below(seed, 4);
        t->start[bag + 1] = (int32_t)t->count;
    }
    for (uint32_t i = 0; i < t->count; i++)
        t->token[i] = (int32_t)random_below(seed, random_below(seed, 4) ? ROWS : 16);
    return true;
}

static void launch(struct run *run, const char *kernel, size_t threads, const void *params, size_t bytes)
{
    run_launch(run, kernel, (struct example_dim){(uint32_t)(threads / 256), 1, 1}, (struct example_dim){256, 1, 1},
               params, bytes);
}

static void gather(struct tokens *t, uint64_t table, uint64_t token)
{
    struct {
        uint64_t table, token, out;
    } params = {table, token, run_output(&t->run, t->words)};
    launch(&t->run, "embedding_gather", t->words / 4, &params, sizeof params);
    for (size_t i = 0; i < t->words; i++)
        t->want[i] = t->table[(size_t)t->token[i / D] * D + i % D];
    run_check_floats(&t->run, "gather", run_download(&t->run, params.out, t->words), t->want, t->words);
}

static void bag(struct tokens *t, uint64_t table, uint64_t token)
{
    struct {
        uint64_t table, token, start, out;
    } params = {table, token, run_upload(&t->run, t->start, (t->bags + 1) * sizeof *t->start),
                run_output(&t->run, t->words)};
    launch(&t->run, "embedding_bag", t->words / 4, &params, sizeof params);
    for (size_t i = 0; i < t->words; i++) {
        t->want[i] = 0.0f;
        for (int32_t j = t->start[i / D]; j < t->start[i / D + 1]; j++)
            t->want[i] += t->table[(size_t)t->token[j] * D + i % D];
    }
    run_check_floats(&t->run, "bag", run_download(&t->run, params.out, t->words), t->want, t->words);
}

/* The first quarter of the tokens, with table rows as their gradients. */
static void scatter(struct tokens *t, uint64_t table, uint64_t token)
{
    const size_t count = (size_t)ROWS * D, threads = t->words / 4 < count ? t->words / 4 : count;
    float *grad = run_memory(&t->run, count, sizeof *grad);
    struct {
        uint64_t grad, token, out;
    } params = {grad ? run_upload(&t->run, grad, count * sizeof *grad) : 0, token, table};
    launch(&t->run, "embedding_scatter", threads, &params, sizeof params);
    for (size_t i = 0; i < count; i++)
        t->want[i] = 0.0f;
    for (size_t i = 0; i < threads; i++)
        t->want[(size_t)t->token[i / D] * D + i % D] += t->table[i];
    if (!t->run.failed)
        run_read(&t->run, grad, params.grad, count * sizeof *grad);
    run_check_floats(&t->run, "gradient", grad, t->want, count);
}

static struct example_result embedding(const struct example_device *device, const struct workload_scale *scale)
{
    struct tokens t = {.run = run_start(device)};
    uint32_t seed = 36;
    t.bags = TOKENS_OF_CTA * workload_pick(scale, 24, 2 * scale->sms, 8 * scale->sms);
    t.words = (size_t)t.bags * D;
    if (!make(&t, &seed))
        return run_finish(&t.run, " ");
    const uint64_t table = run_upload(&t.run, t.table, (size_t)ROWS * D * sizeof *t.table);
    const uint64_t token = run_upload(&t.run, t.token, t.count * sizeof *t.token);
    gather(&t, table, token);
    bag(&t, table, token);
    scatter(&t, table, token);
    return run_finish(&t.run, "rows of %u tokens and sums of %u bags are right, bit for bit", (unsigned)t.bags,
                      (unsigned)t.bags);
}

const struct workload workload_embedding = {
    .name = "embedding",
    .module = "embedding",
    .class = "deep learning",
    .summary = "rows of a table by index: gathered, summed in bags, added back with atomics",
    .arch = 60,
    .run = embedding,
};
