#include "exact.h"
#include "workloads.h"

enum { STEPS = 3, STRIDE = 8 };

static const float factor = 2.5f;

struct vectors {
    struct run run;
    uint32_t ctas, count; /* of floats */
    const float *a, *b;
    uint64_t device_a, device_b;
};

static void launch(struct vectors *v, const char *kernel, uint32_t ctas, const void *params, size_t bytes)
{
    run_launch(&v->run, kernel, (struct example_dim){ctas, 1, 1}, (struct example_dim){256, 1, 1}, params, bytes);
}

static void copies(struct vectors *v)
{
    struct {
        uint64_t a, c;
        uint32_t n;
    } copy = {v->device_a, run_output(&v->run, v->count), v->count / 4};
    launch(v, "stream_copy", v->ctas, &copy, sizeof copy);
    run_check_floats(&v->run, "copy", run_download(&v->run, copy.c, v->count), v->a, v->count);
    const uint32_t count = v->count / STEPS / 4;
    struct {
        uint64_t a, c;
        uint32_t stride, n;
    } strided = {v->device_a, run_output(&v->run, count), STRIDE, count};
    launch(v, "stream_strided", parts(count, 256), &strided, sizeof strided);
    run_check_floats(&v->run, "strided", run_download(&v->run, strided.c, count), v->a, count);
}

static void sums(struct vectors *v)
{
    float *want = run_memory(&v->run, v->count, sizeof *want);
    for (size_t i = 0; i < v->count && !v->run.failed; i++)
        want[i] = v->a[i] + factor * v->b[i];
    struct {
        uint64_t a, b, c;
        float s;
        uint32_t n;
    } triad = {v->device_a, v->device_b, run_output(&v->run, v->count), factor, v->count / 4};
    launch(v, "stream_triad", v->ctas, &triad, sizeof triad);
    run_check_floats(&v->run, "triad", run_download(&v->run, triad.c, v->count), want, v->count);
    const uint32_t count = v->count / STEPS;
    float *got = run_memory(&v->run, count, sizeof *got);
    struct {
        uint64_t x, y;
        float s;
        uint32_t n;
    } axpy = {v->device_b, run_upload(&v->run, v->a, count * sizeof *v->a), factor, count};
    launch(v, "stream_axpy", parts(count, 256), &axpy, sizeof axpy);
    run_read(&v->run, got, axpy.y, count * sizeof *got);
    run_check_floats(&v->run, "axpy", got, want, count);
}

/* Neighbouring products cancel but for every 256th pair, so that sums stay small and all partial ones are exact. */
static void dot(struct vectors *v)
{
    float *signs = run_memory(&v->run, v->count, sizeof *signs), *twice = run_memory(&v->run, v->count, sizeof *twice);
    float want = 0.0f, got = 0.0f;
    for (size_t i = 0; i < v->count && !v->run.failed; i++) {
        twice[i] = v->a[i & ~(size_t)1];
        signs[i] = i % 512 == 511 ? 0.0f : i % 2 ? -1.0f : 1.0f;
        want += twice[i] * signs[i];
    }
    struct {
        uint64_t a, b, sum;
        uint32_t n;
    } params = {.n = v->count / 4};
    params.a = run_upload(&v->run, twice, v->count * sizeof *twice);
    params.b = run_upload(&v->run, signs, v->count * sizeof *signs);
    params.sum = run_upload(&v->run, &got, sizeof got);
    launch(v, "stream_dot", v->ctas, &params, sizeof params);
    run_read(&v->run, &got, params.sum, sizeof got);
    run_check_floats(&v->run, "dot", &got, &want, 1);
}

static struct example_result stream(const struct example_device *device, const struct workload_scale *scale)
{
    struct vectors v = {.run = run_start(device), .ctas = workload_pick(scale, 16, scale->sms, 8 * scale->sms)};
    uint32_t seed = 39;
    v.count = v.ctas * 256 * 4 * STEPS;
    v.a = exact_floats(&v.run, &seed, v.count);
    v.b = exact_floats(&v.run, &seed, v.count);
    v.device_a = run_upload(&v.run, v.a, v.count * sizeof *v.a);
    v.device_b = run_upload(&v.run, v.b, v.count * sizeof *v.b);
    copies(&v);
    sums(&v);
    dot(&v);
    return run_finish(&v.run, "five results of vectors of %u numbers are right, bit for bit", (unsigned)v.count);
}

const struct workload workload_stream = {
    .name = "stream",
    .module = "stream",
    .class = "streams",
    .summary = "vectors through memory: copy, strided copy, triad, axpy, dot",
    .arch = 60,
    .run = stream,
};
