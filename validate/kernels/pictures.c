#include <math.h>

#include "host.h"
#include "workloads.h"

enum { THREADS = 256, STEPS = 32, SPHERES = 6 };

struct point {
    float x, y, z;
};

static uint8_t steps(float cx, float cy)
{
    float x = 0, y = 0;
    for (uint8_t n = 0; n < STEPS; n++) {
        const float yy = y * y;
        if (fmaf(x, x, yy) > 4)
            return n;
        const float real = fmaf(x, x, -yy) + cx;
        y = fmaf(x + x, y, cy);
        x = real;
    }
    return STEPS;
}

static struct example_result mandelbrot(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t rows = host_ctas(scale, 8);
    const size_t pixels = (size_t)rows * THREADS;
    uint8_t *want = run_memory(&run, pixels, 1);
    if (run.failed)
        return run_finish(&run, " ");
    struct {
        uint64_t steps;
        float x, y, pixel;
    } params = {.x = -0.9f, .pixel = 0x1p-9f};
    params.y = -0.5f * params.pixel * (float)rows;
    for (size_t i = 0; i < pixels; i++)
        want[i] = steps(fmaf((float)(i % THREADS), params.pixel, params.x),
                        fmaf((float)(i / THREADS), params.pixel, params.y));
    params.steps = run_output(&run, pixels / 4);
    host_launch(&run, "mandelbrot", rows, THREADS, &params, sizeof params);
    const uint8_t *got = run_download(&run, params.steps, pixels / 4);
    for (size_t i = 0; i < pixels && !run.failed; i++)
        if (got[i] != want[i])
            run_fail(&run, "pixel %zu has %u steps, expected %u", i, got[i], want[i]);
    return run_finish(&run, "all %zu pixels are right", pixels);
}

static bool shaded(const float *sphere, size_t hit, struct point at, struct point light)
{
    for (size_t i = 0; i < SPHERES; i++) {
        const float *s = sphere + 4 * i;
        const struct point d = {s[0] - at.x, s[1] - at.y, s[2] - at.z};
        const float along = fmaf(d.x, light.x, fmaf(d.y, light.y, d.z * light.z));
        const float off = fmaf(d.x, d.x, fmaf(d.y, d.y, d.z * d.z));
        if (i != hit && along > 0 && fmaf(-along, along, off) < s[3])
            return true;
    }
    return false;
}

static float brightness(const float *sphere, struct point at, struct point light)
{
    size_t hit = SPHERES;
    at.z = 1e30f;
    for (size_t i = 0; i < SPHERES; i++) {
        const float *s = sphere + 4 * i, dx = at.x - s[0], dy = at.y - s[1];
        const float left = s[3] - fmaf(dx, dx, dy * dy), z = left > 0 ? s[2] - sqrtf(left) : INFINITY;
        if (z < at.z) {
            at.z = z;
            hit = i;
        }
    }
    if (hit == SPHERES)
        return 0;
    const float *s = sphere + 4 * hit;
    const struct point n = {at.x - s[0], at.y - s[1], at.z - s[2]};
    const float facing = fmaf(n.x, light.x, fmaf(n.y, light.y, n.z * light.z));
    return facing > 0 && !shaded(sphere, hit, at, light) ? facing / sqrtf(s[3]) : 0;
}

static struct example_result spheres(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t rows = host_ctas(scale, 8);
    const size_t pixels = (size_t)rows * THREADS;
    float sphere[4 * SPHERES], *want = run_memory(&run, pixels, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 69;
    random_units(&seed, sphere, (size_t)4 * SPHERES);
    for (size_t i = 0; i < SPHERES; i++)
        for (size_t k = 0; k < 4; k++)
            sphere[4 * i + k] = k < 3 ? 0.5f + 0.5f * sphere[4 * i + k] : 0.04f + 0.03f * sphere[4 * i + k];
    struct {
        uint64_t sphere, brightness;
        float pixel;
        struct point light;
    } params = {.pixel = 1.0f / 256, .light = {0.48f, 0.64f, -0.6f}};
    for (size_t i = 0; i < pixels; i++) {
        const struct point at = {(float)(i % THREADS) * params.pixel, (float)(i / THREADS % 256) * params.pixel, 0};
        want[i] = brightness(sphere, at, params.light);
    }
    params.sphere = run_upload(&run, sphere, sizeof sphere);
    params.brightness = run_output(&run, pixels);
    host_launch(&run, "spheres", rows, THREADS, &params, sizeof params);
    run_check_floats(&run, "pixel", run_download(&run, params.brightness, pixels), want, pixels);
    return run_finish(&run, "all %zu pixels are right", pixels);
}

const struct workload workload_mandelbrot = {
    .name = "mandelbrot",
    .module = "pictures",
    .class = "graphics",
    .summary = "up to 32 steps for a pixel: loops of different length in a warp",
    .arch = 60,
    .run = mandelbrot,
};

const struct workload workload_spheres = {
    .name = "spheres",
    .module = "pictures",
    .class = "graphics",
    .summary = "six spheres with shadows: branches, square roots, divisions",
    .arch = 60,
    .run = spheres,
};
