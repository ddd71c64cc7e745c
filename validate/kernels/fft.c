#include <math.h>

#include "host.h"
#include "workloads.h"

enum { POINTS = 256, THREADS = 128, SAMPLES = 16 };

#define TURN 6.283185307179586

/* Of a transform, by its definition. */
static void transform(const float *in, const double *root, double *want)
{
    for (size_t k = 0; k < POINTS; k++) {
        double x = 0, y = 0;
        for (size_t i = 0; i < POINTS; i++) {
            const double *w = root + 2 * (i * k % POINTS), a = (double)in[2 * i], b = (double)in[2 * i + 1];
            x += a * w[0] - b * w[1];
            y += a * w[1] + b * w[0];
        }
        want[2 * k] = x;
        want[2 * k + 1] = y;
    }
}

/* SAMPLES of the transforms, the first and the last among them. */
static void check(struct run *run, const char *name, const float *in, uint64_t data, size_t transforms,
                  double tolerance)
{
    double root[2 * POINTS], want[2 * POINTS];
    const float *got = host_read(run, data, transforms * 2 * POINTS * sizeof *got);
    for (size_t i = 0; i < POINTS; i++) {
        root[2 * i] = cos(TURN * (double)i / POINTS);
        root[2 * i + 1] = -sin(TURN * (double)i / POINTS);
    }
    for (size_t i = 0; i < SAMPLES && !run->failed; i++) {
        const size_t at = i * (transforms - 1) / (SAMPLES - 1) * 2 * POINTS;
        transform(in + at, root, want);
        host_check_near(run, name, got + at, want, (size_t)2 * POINTS, tolerance);
    }
}

static struct example_result fft(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 12);
    const size_t floats = (size_t)ctas * 2 * 2 * POINTS;
    uint32_t seed = 56;
    const float *in = host_units(&run, &seed, floats);
    float roots[2 * POINTS];
    for (size_t i = 0; i < POINTS; i++) {
        roots[2 * i] = (float)cos(TURN * (double)i / POINTS);
        roots[2 * i + 1] = (float)-sin(TURN * (double)i / POINTS);
    }
    struct {
        uint64_t data, roots;
    } params;
    params.roots = run_upload(&run, roots, sizeof roots);
    params.data = run_upload(&run, in, floats / 2 * sizeof *in);
    host_launch(&run, "fft_radix2", ctas, THREADS, &params, sizeof params);
    /* Values of up to some 60, eight levels of roundings. */
    check(&run, "radix 2", in, params.data, ctas, 6e-5);
    params.data = run_upload(&run, in, floats * sizeof *in);
    host_launch(&run, "fft_radix4", ctas, THREADS, &params, sizeof params.data);
    /* MUFU.SIN and MUFU.COS are good to 2^-20 or so. */
    check(&run, "radix 4", in, params.data, (size_t)ctas * 2, 2e-4);
    return run_finish(&run, "%d of %u transforms are right, and %d of %u", SAMPLES, ctas, SAMPLES, 2 * ctas);
}

const struct workload workload_fft = {
    .name = "fft",
    .module = "fft",
    .class = "spectral",
    .summary = "batches of 256 points: radix 2 with a table of roots, radix 4 in registers",
    .arch = 60,
    .run = fft,
};
