#include <math.h>

#include "exact.h"
#include "workloads.h"

enum { COLUMNS = 512 };

/* erff has 2 units in the last place and its argument one; __expf some 4 * 2^-23 of a number up to 4 more. Both stand
 * beside 1 and are scaled by numbers up to 8 and 16. */
static const double tolerance = 2e-6;

static const uint32_t seed_of_dropout = 0x9e3779b9u, threshold = 0x40000000u;
static const float keep_scale = 1.25f;

struct layers {
    struct run run;
    uint32_t ctas;
    size_t count;
    const float *in, *other;
    uint64_t device_in, device_other;
    double *want, *scale;
};

static void launch(struct layers *l, const char *kernel, size_t threads, const void *params, size_t bytes)
{
    run_launch(&l->run, kernel, (struct example_dim){(uint32_t)(threads / 256), 1, 1}, (struct example_dim){256, 1, 1},
               params, bytes);
}

static void gelu(struct layers *l)
{
    struct {
        uint64_t in, bias, out;
        uint32_t columns;
    } params = {l->device_in, l->device_other, run_output(&l->run, l->count), COLUMNS};
    launch(l, "bias_gelu", l->count / 4, &params, sizeof params);
    for (size_t i = 0; i < l->count && !l->run.failed; i++) {
        const double x = (double)l->in[i] + (double)l->other[i % COLUMNS];
        l->want[i] = 0.5 * x * (1.0 + erf(x * sqrt(0.5)));
        l->scale[i] = 8.0;
    }
    run_check_close(&l->run, "gelu", run_download(&l->run, params.out, l->count), l->want, l->scale, l->count,
                    tolerance);
}

static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Multiples of 1/32 have exact sums. */
static void dropout(struct layers *l)
{
    const size_t count = l->count / 4;
    struct {
        uint64_t in, residual, out, kept;
        uint32_t seed, threshold;
        float scale;
    } params = {
        l->device_in, l->device_other, run_output(&l->run, count), run_output(&l->run, count / 32), seed_of_dropout,
        threshold,    keep_scale};
    launch(l, "dropout_residual", count, &params, sizeof params);
    float *want = run_memory(&l->run, count, sizeof *want);
    int32_t *kept = run_memory(&l->run, count / 32, sizeof *kept);
    for (uint32_t i = 0; i < count && !l->run.failed; i++) {
        const bool keep = mix(i ^ seed_of_dropout) >= threshold;
        want[i] = l->other[i] + (keep ? l->in[i] * keep_scale : 0.0f);
        kept[i / 32] = (int32_t)((uint32_t)kept[i / 32] | (uint32_t)keep << i % 32);
    }
    run_check_floats(&l->run, "dropout", run_download(&l->run, params.out, count), want, count);
    run_check_ints(&l->run, "kept", run_download(&l->run, params.kept, count / 32), kept, count / 32);
}

static void swiglu(struct layers *l)
{
    const size_t count = l->count / 4;
    struct {
        uint64_t in, out;
        uint32_t columns;
    } params = {l->device_in, run_output(&l->run, count), COLUMNS};
    launch(l, "swiglu", count, &params, sizeof params);
    for (size_t i = 0; i < count && !l->run.failed; i++) {
        const float *row = l->in + i / COLUMNS * 2 * COLUMNS + i % COLUMNS;
        l->want[i] = (double)row[0] / (1.0 + exp(-(double)row[0])) * (double)row[COLUMNS];
        l->scale[i] = 16.0;
    }
    run_check_close(&l->run, "swiglu", run_download(&l->run, params.out, count), l->want, l->scale, count, tolerance);
}

static struct example_result elementwise(const struct example_device *device, const struct workload_scale *scale)
{
    struct layers l = {.run = run_start(device), .ctas = workload_pick(scale, 24, 2 * scale->sms, 8 * scale->sms)};
    uint32_t seed = 37;
    l.count = (size_t)l.ctas * 1024;
    l.in = exact_floats(&l.run, &seed, l.count);
    l.other = exact_floats(&l.run, &seed, l.count / 4);
    l.want = run_memory(&l.run, l.count, sizeof *l.want);
    l.scale = run_memory(&l.run, l.count, sizeof *l.scale);
    l.device_in = run_upload(&l.run, l.in, l.count * sizeof *l.in);
    l.device_other = run_upload(&l.run, l.other, l.count / 4 * sizeof *l.other);
    gelu(&l);
    dropout(&l);
    swiglu(&l);
    return run_finish(&l.run, "three layers of up to %zu numbers are right", l.count);
}

const struct workload workload_elementwise = {
    .name = "elementwise",
    .module = "elementwise",
    .class = "deep learning",
    .summary = "layers by number: bias with GELU, dropout with a residual, SwiGLU",
    .arch = 60,
    .run = elementwise,
};
