#include "exact.h"
#include "workloads.h"

enum { SIDE = 32, PIXELS = SIDE * SIDE, CHANNELS = 3, TAPS = 9, FILTERS = 16, K = CHANNELS * TAPS };

/* One image: the sums of its pixels, tap by tap. */
static void convolve(const float *in, const float *w, float *out)
{
    for (size_t i = 0; i < K; i++)
        for (size_t filter = 0; filter < FILTERS; filter++)
            for (int32_t y = 0; y < SIDE; y++)
                for (int32_t x = 0; x < SIDE; x++) {
                    const int32_t from_y = y + (int32_t)(i % TAPS) / 3 - 1, from_x = x + (int32_t)i % 3 - 1;
                    if (from_y >= 0 && from_y < SIDE && from_x >= 0 && from_x < SIDE)
                        out[filter * PIXELS + (size_t)(y * SIDE + x)] +=
                            w[i * FILTERS + filter] * in[i / TAPS * PIXELS + (size_t)(from_y * SIDE + from_x)];
                }
}

struct layer {
    struct run run;
    uint32_t images, step; /* each `step`th image is checked */
    size_t words;          /* of the output */
    const float *in, *w;
    float *want;
};

static void check(struct layer *layer, const char *name, uint64_t out)
{
    const size_t image = FILTERS * PIXELS;
    const float *got = run_download(&layer->run, out, layer->words);
    for (size_t i = 0; i < layer->images && !layer->run.failed; i += layer->step)
        run_check_floats(&layer->run, name, got + i * image, layer->want + i * image, image);
}

static void direct(struct layer *layer, uint64_t in, uint64_t w)
{
    struct run *run = &layer->run;
    struct {
        uint64_t in, w, out;
    } params = {in, w, run_output(run, layer->words)};
    run_launch(run, "convolution_direct", (struct example_dim){FILTERS / 4, 4, layer->images},
               (struct example_dim){16, 16, 1}, &params, sizeof params);
    check(layer, "direct", params.out);
    params.out = run_output(run, layer->words);
    run_launch(run, "convolution_implicit", (struct example_dim){layer->images * PIXELS / 128, 1, 1},
               (struct example_dim){128, 1, 1}, &params, sizeof params);
    check(layer, "implicit", params.out);
}

static void product(struct layer *layer, uint64_t in, uint64_t w)
{
    struct run *run = &layer->run;
    const uint32_t columns = layer->images * PIXELS;
    struct {
        uint64_t in, matrix;
        uint32_t images;
    } gather = {in, run_output(run, (size_t)K * columns), layer->images};
    run_launch(run, "convolution_im2col", (struct example_dim){columns / 256, CHANNELS, 1},
               (struct example_dim){256, 1, 1}, &gather, sizeof gather);
    struct {
        uint64_t matrix, w, out;
        uint32_t images;
    } params = {gather.matrix, w, run_output(run, layer->words), layer->images};
    run_launch(run, "convolution_product", (struct example_dim){columns / (4 * 128), 2, 1},
               (struct example_dim){128, 1, 1}, &params, sizeof params);
    check(layer, "product", params.out);
}

static struct example_result convolution(const struct example_device *device, const struct workload_scale *scale)
{
    const uint32_t images = workload_pick(scale, 1, parts(scale->sms, 16), parts(scale->sms, 2));
    struct layer layer = {.run = run_start(device), .images = images, .step = workload_pick(scale, 1, 1, 4)};
    layer.words = (size_t)images * FILTERS * PIXELS;
    uint32_t seed = 30;
    struct run *run = &layer.run;
    const size_t inputs = (size_t)images * CHANNELS * PIXELS;
    layer.in = exact_floats(run, &seed, inputs);
    layer.w = exact_floats(run, &seed, K * FILTERS);
    layer.want = run_memory(run, layer.words, sizeof *layer.want);
    for (size_t i = 0; i < images && !run->failed; i += layer.step)
        convolve(layer.in + i * CHANNELS * PIXELS, layer.w, layer.want + i * FILTERS * PIXELS);
    const uint64_t in = run_upload(run, layer.in, inputs * sizeof *layer.in);
    const uint64_t w = run_upload(run, layer.w, K * FILTERS * sizeof *layer.w);
    direct(&layer, in, w);
    product(&layer, in, w);
    return run_finish(run, "three convolutions of %u images equal the CPU's, bit for bit", (unsigned)images);
}

const struct workload workload_convolution = {
    .name = "convolution",
    .module = "convolution",
    .class = "deep learning",
    .summary = "3 x 3 convolution: direct, im2col with a product, implicit product",
    .arch = 60,
    .run = convolution,
};
