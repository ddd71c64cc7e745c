#include <math.h>

#include "exact.h"
#include "workloads.h"

enum { HIDDEN = 16, ROWS = 16 };

static const float target = 0.25f, rate = 0.5f, momentum = 0.25f;
/* Sums of the forward pass are exact but for the scale of its weights, at most 16 numbers follow of 1 or less: some
 * units in the last place of one. */
static const double tolerance = 2e-6;

struct network {
    struct run run;
    uint32_t ctas;
    size_t inputs;
    const float *in, *last;
    float *w, *out_w;
    uint64_t device_in, device_w, device_last, device_out_w, device_hidden, device_delta;
    double hidden[HIDDEN], delta[HIDDEN + 1], new_w[HIDDEN];
};

static double squash(double x) { return 1.0 / (1.0 + exp(-x)); }

static void reference(struct network *n)
{
    double out = 0.0;
    for (size_t j = 0; j < HIDDEN; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < n->inputs; i++)
            sum += (double)n->in[i] * (double)n->w[i * HIDDEN + j];
        n->hidden[j] = squash(sum);
        out += n->hidden[j] * (double)n->out_w[j];
    }
    out = squash(out);
    const double error = out * (1.0 - out) * ((double)target - out);
    n->delta[HIDDEN] = error;
    for (size_t j = 0; j < HIDDEN; j++) {
        n->delta[j] = n->hidden[j] * (1.0 - n->hidden[j]) * error * (double)n->out_w[j];
        n->new_w[j] = (double)n->out_w[j] + (double)rate * error * n->hidden[j];
    }
}

static void check(struct run *run, const char *name, uint64_t from, const double *want, size_t count)
{
    float got[HIDDEN + 1];
    double scale[HIDDEN + 1];
    for (size_t i = 0; i < count; i++)
        scale[i] = 1.0;
    run_read(run, got, from, count * sizeof *got);
    run_check_close(run, name, got, want, scale, count, tolerance);
}

static void forward(struct network *n)
{
    struct run *run = &n->run;
    struct {
        uint64_t in, w, part;
    } first = {n->device_in, n->device_w, run_output(run, (size_t)n->ctas * HIDDEN)};
    run_launch(run, "backprop_forward", (struct example_dim){n->ctas, 1, 1}, (struct example_dim){HIDDEN, ROWS, 1},
               &first, sizeof first);
    struct {
        uint64_t part, hidden;
        uint32_t parts;
    } second = {first.part, n->device_hidden, n->ctas};
    run_launch(run, "backprop_activate", (struct example_dim){HIDDEN, 1, 1}, (struct example_dim){256, 1, 1}, &second,
               sizeof second);
}

static void backward(struct network *n)
{
    struct run *run = &n->run;
    struct {
        uint64_t hidden, w, delta;
        float target, rate;
    } first = {n->device_hidden, n->device_out_w, n->device_delta, target, rate};
    run_launch(run, "backprop_error", (struct example_dim){1, 1, 1}, (struct example_dim){32, 1, 1}, &first,
               sizeof first);
    struct {
        uint64_t in, delta, w, last;
        float rate, momentum;
    } second = {n->device_in, n->device_delta, n->device_w, n->device_last, rate, momentum};
    run_launch(run, "backprop_adjust", (struct example_dim){n->ctas, 1, 1}, (struct example_dim){HIDDEN, ROWS, 1},
               &second, sizeof second);
}

static void check_weights(struct network *n)
{
    struct run *run = &n->run;
    const size_t count = n->inputs * HIDDEN;
    double *want = run_memory(run, count, sizeof *want), *scale = run_memory(run, count, sizeof *scale);
    float *got = run_memory(run, count, sizeof *got);
    for (size_t i = 0; i < count && !run->failed; i++) {
        want[i] =
            (double)rate * n->delta[i % HIDDEN] * (double)n->in[i / HIDDEN] + (double)momentum * (double)n->last[i];
        scale[i] = 1.0;
    }
    run_read(run, got, n->device_last, count * sizeof *got);
    run_check_close(run, "change", got, want, scale, count, tolerance);
    for (size_t i = 0; i < count && !run->failed; i++)
        want[i] += (double)n->w[i];
    run_read(run, got, n->device_w, count * sizeof *got);
    run_check_close(run, "weight", got, want, scale, count, tolerance);
}

static struct example_result backprop(const struct example_device *device, const struct workload_scale *scale)
{
    struct network n = {.run = run_start(device), .ctas = workload_pick(scale, 32, 2 * scale->sms, 8 * scale->sms)};
    struct run *run = &n.run;
    uint32_t seed = 35;
    n.inputs = (size_t)n.ctas * ROWS;
    const size_t count = n.inputs * HIDDEN;
    float *last = exact_floats(run, &seed, count), *zero = run_memory(run, HIDDEN + 1, sizeof *zero);
    n.in = exact_floats(run, &seed, n.inputs);
    n.w = exact_floats(run, &seed, count);
    n.out_w = exact_floats(run, &seed, HIDDEN);
    if (run->failed)
        return run_finish(run, " ");
    for (size_t i = 0; i < count; i++) {
        n.w[i] *= 0x1p-10f;
        last[i] *= 0x1p-10f;
    }
    n.last = last;
    reference(&n);
    n.device_in = run_upload(run, n.in, n.inputs * sizeof *n.in);
    n.device_w = run_upload(run, n.w, count * sizeof *n.w);
    n.device_last = run_upload(run, n.last, count * sizeof *n.last);
    n.device_out_w = run_upload(run, n.out_w, HIDDEN * sizeof *n.out_w);
    n.device_hidden = run_upload(run, zero, HIDDEN * sizeof *zero);
    n.device_delta = run_upload(run, zero, (HIDDEN + 1) * sizeof *zero);
    forward(&n);
    backward(&n);
    check(run, "hidden", n.device_hidden, n.hidden, HIDDEN);
    check(run, "delta", n.device_delta, n.delta, HIDDEN + 1);
    check(run, "output weight", n.device_out_w, n.new_w, HIDDEN);
    check_weights(&n);
    return run_finish(run, "a step of training with %zu inputs is right within %.0e", n.inputs, tolerance);
}

const struct workload workload_backprop = {
    .name = "backprop",
    .module = "backprop",
    .class = "deep learning",
    .summary = "a step of training: forward with a tree of sums, activation, error, weights",
    .arch = 60,
    .run = backprop,
};
