#include "exact.h"
#include "workloads.h"

enum { SIDE = 32, PIXELS = SIDE * SIDE, HALF = SIDE / 2, TAPS = 9 };

static void convolve(const float *in, const float *w, float *out)
{
    for (int32_t i = 0; i < TAPS; i++)
        for (int32_t y = 0; y < SIDE; y++)
            for (int32_t x = 0; x < SIDE; x++) {
                const int32_t from_y = y + i / 3 - 1, from_x = x + i % 3 - 1;
                if (from_y >= 0 && from_y < SIDE && from_x >= 0 && from_x < SIDE)
                    out[y * SIDE + x] += w[i] * in[from_y * SIDE + from_x];
            }
}

static float larger(float a, float b) { return a > b ? a : b; }

/* The mean of a plane is exact: its sum is, and the pixel count is a power of two. */
static void pool(const float *in, float *maximum, float *mean)
{
    float sum = 0;
    for (size_t i = 0; i < PIXELS; i++)
        sum += in[i];
    *mean = sum / PIXELS;
    for (size_t y = 0; y < HALF; y++)
        for (size_t x = 0; x < HALF; x++) {
            const float *at = in + 2 * y * SIDE + 2 * x;
            maximum[y * HALF + x] = larger(larger(at[0], at[1]), larger(at[SIDE], at[SIDE + 1]));
        }
}

static struct example_result depthwise(const struct example_device *device, const struct workload_scale *scale)
{
    const uint32_t planes = workload_pick(scale, 32, 2 * scale->sms, 8 * scale->sms);
    const size_t words = (size_t)planes * PIXELS, quarter = words / 4;
    struct run run = run_start(device);
    uint32_t seed = 31;
    const float *in = exact_floats(&run, &seed, words), *w = exact_floats(&run, &seed, (size_t)planes * TAPS);
    float *want = run_memory(&run, words, sizeof *want), *maximum = run_memory(&run, quarter, sizeof *maximum);
    float *mean = run_memory(&run, planes, sizeof *mean);
    for (size_t i = 0; i < planes && !run.failed; i++) {
        convolve(in + i * PIXELS, w + i * TAPS, want + i * PIXELS);
        pool(want + i * PIXELS, maximum + i * HALF * HALF, mean + i);
    }
    struct {
        uint64_t in, w, out;
    } layer = {run_upload(&run, in, words * sizeof *in), run_upload(&run, w, (size_t)planes * TAPS * sizeof *w),
               run_output(&run, words)};
    const struct example_dim grid = {planes, 1, 1};
    run_launch(&run, "depthwise_convolution", grid, (struct example_dim){32, 8, 1}, &layer, sizeof layer);
    run_check_floats(&run, "convolution", run_download(&run, layer.out, words), want, words);
    struct {
        uint64_t in, out;
    } pooled = {layer.out, run_output(&run, quarter)};
    run_launch(&run, "pool_maximum", grid, (struct example_dim){HALF, HALF, 1}, &pooled, sizeof pooled);
    run_check_floats(&run, "maximum", run_download(&run, pooled.out, quarter), maximum, quarter);
    pooled.out = run_output(&run, planes);
    run_launch(&run, "pool_mean", grid, (struct example_dim){128, 1, 1}, &pooled, sizeof pooled);
    run_check_floats(&run, "mean", run_download(&run, pooled.out, planes), mean, planes);
    return run_finish(&run, "three layers of %u planes equal the CPU's, bit for bit", (unsigned)planes);
}

const struct workload workload_depthwise = {
    .name = "depthwise",
    .module = "depthwise",
    .class = "deep learning",
    .summary = "layers by planes: depthwise 3 x 3 convolution, 2 x 2 maximum, mean",
    .arch = 60,
    .run = depthwise,
};
