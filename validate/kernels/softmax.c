#include <math.h>

#include "examples/util.h"
#include "workloads.h"

/* A result is the quotient of two exponential sums, whose arguments are between -16 and 0, each with an error of
 * some units in the last place of its argument's product with log2(e): 16 * 2^-23, and a few of the exponential itself.
 * */
static const double tolerance = 5e-6;

enum { NARROW = 256, WIDE = 512 };

static void normalize(const float *in, double *out, size_t columns)
{
    double most = -INFINITY, sum = 0.0;
    for (size_t i = 0; i < columns; i++)
        most = fmax(most, (double)in[i]);
    for (size_t i = 0; i < columns; i++)
        sum += out[i] = exp((double)in[i] - most);
    for (size_t i = 0; i < columns; i++)
        out[i] /= sum;
}

/* `rows` on `ctas` CTAs. Each `step`th row is checked. */
struct problem {
    const char *kernel;
    uint32_t ctas, rows, columns, step;
};

static void softmax_of(struct run *run, const struct problem *p)
{
    const size_t count = (size_t)p->rows * p->columns;
    float *in = run_memory(run, count, sizeof *in);
    double *want = run_memory(run, p->columns, sizeof *want);
    if (run->failed)
        return;
    uint32_t seed = 32;
    for (size_t i = 0; i < count; i++)
        in[i] = 8.0f * random_unit(&seed);
    struct {
        uint64_t in, out;
        uint32_t number; /* of rows or columns */
    } params = {run_upload(run, in, count * sizeof *in), run_output(run, count),
                p->columns == NARROW ? p->rows : p->columns};
    run_launch(run, p->kernel, (struct example_dim){p->ctas, 1, 1}, (struct example_dim){256, 1, 1}, &params,
               sizeof params);
    const float *got = run_download(run, params.out, count);
    for (size_t row = 0; row < p->rows && !run->failed; row += p->step) {
        normalize(in + row * p->columns, want, p->columns);
        run_check_close(run, p->kernel, got + row * p->columns, want, want, p->columns, tolerance);
    }
}

static struct example_result softmax(const struct example_device *device, const struct workload_scale *scale)
{
    const uint32_t ctas = workload_pick(scale, 24, 2 * scale->sms, 8 * scale->sms);
    const uint32_t step = workload_pick(scale, 1, 1, 4);
    struct run run = run_start(device);
    softmax_of(&run, &(struct problem){"softmax_warp", ctas, 8 * ctas, NARROW, step});
    softmax_of(&run, &(struct problem){"softmax_cta", ctas, ctas, WIDE, step});
    return run_finish(&run, "rows of %d and of %d are right within %.0e", NARROW, WIDE, tolerance);
}

const struct workload workload_softmax = {
    .name = "softmax",
    .module = "softmax",
    .class = "deep learning",
    .summary = "softmax of rows: a warp for each with its row in registers, a CTA for each in one pass",
    .arch = 60,
    .run = softmax,
};
