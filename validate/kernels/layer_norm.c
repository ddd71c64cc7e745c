#include <math.h>

#include "exact.h"
#include "workloads.h"

enum { COLUMNS = 512 };

static const float epsilon = 1e-5f;
/* Numbers up to some 16 are the product of a few roundings, a reciprocal root of 2 units in the last place, and sums of
 * 512 whose error does not exceed the others. */
static const double tolerance = 2e-6;

struct norm {
    struct run run;
    uint32_t rows;
    size_t count;
    const float *in, *gain, *bias;
    double *want, *scale;
};

static double mean_of(const float *row)
{
    double sum = 0.0;
    for (size_t i = 0; i < COLUMNS; i++)
        sum += (double)row[i];
    return sum / COLUMNS;
}

static double variance_of(const float *row, double mean)
{
    double sum = 0.0;
    for (size_t i = 0; i < COLUMNS; i++)
        sum += ((double)row[i] - mean) * ((double)row[i] - mean);
    return sum / COLUMNS;
}

/* The rows less `mean` times their mean, normalized, against the numbers at `out`. */
static void check(struct norm *n, const char *name, const float *in, double mean, const float *bias, uint64_t out)
{
    const float *got = run_download(&n->run, out, n->count);
    for (size_t row = 0; row < n->rows && !n->run.failed; row++) {
        const float *from = in + row * COLUMNS;
        const double middle = mean * mean_of(from), root = sqrt(variance_of(from, middle) + (double)epsilon);
        for (size_t i = 0; i < COLUMNS; i++) {
            const double value = ((double)from[i] - middle) / root * (double)n->gain[i];
            n->want[i] = value + (bias ? (double)bias[i] : 0.0);
            n->scale[i] = 16.0;
        }
        run_check_close(&n->run, name, got + row * COLUMNS, n->want, n->scale, COLUMNS, tolerance);
    }
}

static void layer(struct norm *n, uint64_t in, uint64_t gain)
{
    struct {
        uint64_t in, gain, bias, out;
        float epsilon;
    } params = {in, gain, run_upload(&n->run, n->bias, COLUMNS * sizeof *n->bias), run_output(&n->run, n->count),
                epsilon};
    run_launch(&n->run, "layer_norm", (struct example_dim){n->rows, 1, 1}, (struct example_dim){COLUMNS / 4, 1, 1},
               &params, sizeof params);
    check(n, "layer_norm", n->in, 1.0, n->bias, params.out);
}

static void residual(struct norm *n, uint32_t *seed, uint64_t in, uint64_t gain)
{
    const float *before = exact_floats(&n->run, seed, n->count);
    float *after = run_memory(&n->run, n->count, sizeof *after), *got = run_memory(&n->run, n->count, sizeof *got);
    struct {
        uint64_t in, residual, gain, out;
        float epsilon;
    } params = {in, run_upload(&n->run, before, n->count * sizeof *before), gain, run_output(&n->run, n->count),
                epsilon};
    run_launch(&n->run, "rms_norm_residual", (struct example_dim){n->rows / 4, 1, 1}, (struct example_dim){128, 1, 1},
               &params, sizeof params);
    if (n->run.failed)
        return;
    for (size_t i = 0; i < n->count; i++)
        after[i] = before[i] + n->in[i];
    run_read(&n->run, got, params.residual, n->count * sizeof *got);
    run_check_floats(&n->run, "residual", got, after, n->count);
    check(n, "rms_norm", after, 0.0, NULL, params.out);
}

static struct example_result layer_norm(const struct example_device *device, const struct workload_scale *scale)
{
    const uint32_t rows = 4 * workload_pick(scale, 8, parts(scale->sms, 2), 4 * scale->sms);
    struct norm n = {.run = run_start(device), .rows = rows, .count = (size_t)rows * COLUMNS};
    uint32_t seed = 33;
    n.in = exact_floats(&n.run, &seed, n.count);
    n.gain = exact_floats(&n.run, &seed, COLUMNS);
    n.bias = exact_floats(&n.run, &seed, COLUMNS);
    n.want = run_memory(&n.run, COLUMNS, sizeof *n.want);
    n.scale = run_memory(&n.run, COLUMNS, sizeof *n.scale);
    const uint64_t in = run_upload(&n.run, n.in, n.count * sizeof *n.in);
    const uint64_t gain = run_upload(&n.run, n.gain, COLUMNS * sizeof *n.gain);
    layer(&n, in, gain);
    residual(&n, &seed, in, gain);
    return run_finish(&n.run, "%u rows of %d are right within %.0e", (unsigned)rows, COLUMNS, tolerance);
}

const struct workload workload_layer_norm = {
    .name = "layer_norm",
    .module = "layer_norm",
    .class = "deep learning",
    .summary = "normalized rows: a CTA for each, and a warp for each with a residual added",
    .arch = 60,
    .run = layer_norm,
};
