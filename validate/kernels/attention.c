#include <math.h>

#include "examples/util.h"
#include "workloads.h"

enum { D = 32, QUERIES = 16, MOST_KEYS = 128 };

/* Weights are exponentials of numbers between -12 and 0, with an error of some 12 * 2^-23 each and one such for each of
 * the products that bring the sums so far to a new maximum. Values are at most 1. */
static const double tolerance = 1e-5;

struct heads {
    const char *kernel;
    uint32_t sequences, queries, keys, step; /* each `step`th query is checked */
    struct example_dim grid, block;
};

static void attend(const float *q, const float *k, const float *v, uint32_t keys, double *out)
{
    double weight[MOST_KEYS], most = -INFINITY, sum = 0.0;
    for (size_t j = 0; j < keys; j++) {
        weight[j] = 0.0;
        for (size_t i = 0; i < D; i++)
            weight[j] += (double)q[i] * (double)k[j * D + i];
        most = fmax(most, weight[j]);
    }
    for (size_t i = 0; i < D; i++)
        out[i] = 0.0;
    for (size_t j = 0; j < keys; j++) {
        const double e = exp(weight[j] - most);
        sum += e;
        for (size_t i = 0; i < D; i++)
            out[i] += e * (double)v[j * D + i];
    }
    for (size_t i = 0; i < D; i++)
        out[i] /= sum;
}

static float *units(struct run *run, uint32_t *seed, size_t count)
{
    float *to = run_memory(run, count, sizeof *to);
    if (to)
        random_units(seed, to, count);
    return to;
}

static void heads(struct run *run, const struct heads *h)
{
    const size_t rows = (size_t)h->sequences * h->queries, pairs = (size_t)h->sequences * h->keys;
    uint32_t seed = 34;
    const float *q = units(run, &seed, rows * D), *k = units(run, &seed, pairs * D), *v = units(run, &seed, pairs * D);
    struct {
        uint64_t q, k, v, out;
        uint32_t queries, keys;
        float scale;
    } params = {.queries = h->queries, .keys = h->keys, .scale = 1.0f};
    params.q = run_upload(run, q, rows * D * sizeof *q);
    params.k = run_upload(run, k, pairs * D * sizeof *k);
    params.v = run_upload(run, v, pairs * D * sizeof *v);
    params.out = run_output(run, rows * D);
    run_launch(run, h->kernel, h->grid, h->block, &params, sizeof params);
    const float *got = run_download(run, params.out, rows * D);
    double scale[D], want[D];
    for (size_t i = 0; i < D; i++)
        scale[i] = 1.0;
    for (size_t row = 0; row < rows && !run->failed; row += h->step) {
        const size_t from = row / h->queries * h->keys * D;
        attend(q + row * D, k + from, v + from, h->keys, want);
        run_check_close(run, h->kernel, got + row * D, want, scale, D, tolerance);
    }
}

/* The full size has half the tiles that registers let an SM hold: more would take too long. */
static struct example_result attention(const struct example_device *device, const struct workload_scale *scale)
{
    const uint32_t keys = workload_pick(scale, 128, 128, 64), tiles = 4;
    const uint32_t sequences = workload_pick(scale, 6, parts(scale->sms, 4), parts(5 * scale->sms, 4));
    const uint32_t decoded = workload_pick(scale, 24, 2 * scale->sms, 9 * scale->sms);
    struct run run = run_start(device);
    heads(&run, &(struct heads){"attention_tiled",
                                sequences,
                                tiles * QUERIES,
                                keys,
                                workload_pick(scale, 1, 2, 8),
                                {tiles, sequences, 1},
                                {4 * QUERIES, 1, 1}});
    heads(&run, &(struct heads){"attention_decode",
                                decoded,
                                1,
                                workload_pick(scale, 128, 128, 96),
                                workload_pick(scale, 1, 1, 4),
                                {decoded, 1, 1},
                                {128, 1, 1}});
    return run_finish(&run, "%u sequences of %u queries, %u of one, are right within %.0e", (unsigned)sequences,
                      (unsigned)(tiles * QUERIES), (unsigned)decoded, tolerance);
}

const struct workload workload_attention = {
    .name = "attention",
    .module = "attention",
    .class = "deep learning",
    .summary = "attention of one head: tiles of queries and keys, and one query a sequence",
    .arch = 60,
    .run = attention,
};
