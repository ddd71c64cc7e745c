#include <string.h>

#include "exact.h"
#include "workloads.h"

/* A product of 16-bit numbers. */
struct product {
    const char *kernel;
    uint16_t (*bits)(float); /* of a number that is exact in 16 bits */
    uint32_t ctas, k;
    uint32_t step; /* each such row is checked */
};

static uint16_t bfloat_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static uint64_t upload(struct run *run, const struct product *p, const float *from, size_t count)
{
    uint16_t *to = run_memory(run, count, sizeof *to);
    for (size_t i = 0; i < count && to; i++)
        to[i] = p->bits(from[i]);
    return run_upload(run, to, count * sizeof *to);
}

static void multiply(struct run *run, const struct product *p)
{
    enum { TILE = 64, ACROSS = 4 };
    const uint32_t rows = parts(p->ctas, ACROSS);
    struct exact_product c = {.m = rows * TILE, .n = ACROSS * TILE, .k = p->k, .step = p->step};
    uint32_t seed = 23;
    c.a = exact_floats(run, &seed, (size_t)c.m * c.k);
    c.b = exact_floats(run, &seed, (size_t)c.k * c.n);
    struct {
        uint64_t a, b, c;
        uint32_t m, n, k;
    } params = {.m = c.m, .n = c.n, .k = c.k};
    params.a = upload(run, p, c.a, (size_t)c.m * c.k);
    params.b = upload(run, p, c.b, (size_t)c.k * c.n);
    params.c = run_output(run, (size_t)c.m * c.n);
    run_launch(run, p->kernel, (struct example_dim){ACROSS, rows, 1}, (struct example_dim){128, 1, 1}, &params,
               sizeof params);
    exact_check(run, params.c, &c);
}

static int8_t *bytes(struct run *run, uint32_t *seed, size_t count)
{
    int8_t *to = run_memory(run, count, 1);
    for (size_t i = 0; i < count && to; i++)
        to[i] = (int8_t)((int32_t)random_below(seed, 255) - 127);
    return to;
}

static void integers(struct run *run, const struct workload_scale *scale)
{
    enum { TILE = 32, ACROSS = 8, N = ACROSS * TILE };
    const uint32_t rows = parts(workload_pick(scale, 16, 2 * scale->sms, 32 * scale->sms), ACROSS);
    const uint32_t m = rows * TILE, k = workload_pick(scale, 256, 128, 64), step = workload_pick(scale, 1, 4, 16);
    uint32_t seed = 24;
    const int8_t *a = bytes(run, &seed, (size_t)m * k), *b = bytes(run, &seed, (size_t)k * N);
    struct {
        uint64_t a, b, c;
        uint32_t m, n, k;
    } params = {.m = m, .n = N, .k = k};
    params.a = run_upload(run, a, (size_t)m * k);
    params.b = run_upload(run, b, (size_t)k * N);
    params.c = run_output(run, (size_t)m * N);
    run_launch(run, "tensor_int8", (struct example_dim){ACROSS, rows, 1}, (struct example_dim){64, 1, 1}, &params,
               sizeof params);
    const int32_t *got = run_download(run, params.c, (size_t)m * N);
    for (size_t y = 0; y < m && !run->failed; y += step) {
        int32_t want[N] = {0};
        for (size_t x = 0; x < N; x++)
            for (size_t i = 0; i < k; i++)
                want[x] += a[y * k + i] * b[x * k + i];
        run_check_ints(run, "c", got + y * N, want, N);
    }
}

static struct example_result tensor(const struct example_device *device, const struct workload_scale *scale)
{
    const uint32_t ctas = workload_pick(scale, 16, 2 * scale->sms, 4 * scale->sms);
    struct run run = run_start(device);
    multiply(&run, &(struct product){"tensor_half", half_bits, ctas, workload_pick(scale, 256, 256, 128),
                                     workload_pick(scale, 1, 4, 16)});
    integers(&run, scale);
    return run_finish(&run, "products of FP16 and of INT8 equal the CPU's, bit for bit");
}

const struct workload workload_tensor = {
    .name = "tensor",
    .module = "tensor",
    .class = "dense linear algebra",
    .summary = "matrix products on the tensor cores: FP16 from shared memory, INT8 from global",
    .arch = 75,
    .run = tensor,
};

static struct example_result tensor_async(const struct example_device *device, const struct workload_scale *scale)
{
    const uint32_t ctas = workload_pick(scale, 16, 2 * scale->sms, 5 * scale->sms);
    struct run run = run_start(device);
    multiply(&run, &(struct product){"tensor_async", bfloat_bits, ctas, workload_pick(scale, 512, 256, 128),
                                     workload_pick(scale, 1, 4, 16)});
    return run_finish(&run, "a product of BF16 equals the CPU's, bit for bit");
}

const struct workload workload_tensor_async = {
    .name = "tensor_async",
    .module = "tensor_async",
    .class = "dense linear algebra",
    .summary = "BF16 product on the tensor cores, three tiles in flight by cp.async",
    .arch = 80,
    .run = tensor_async,
};
