#include "exact.h"
#include "workloads.h"

/* Of the full size, every 16th row is checked. */
static void halves(struct run *run, const struct workload_scale *scale)
{
    enum { TILE = 64, ACROSS = 4 };
    const uint32_t rows = parts(workload_pick(scale, 16, 2 * scale->sms, 4 * scale->sms), ACROSS);
    struct exact_product c = {.m = rows * TILE, .n = ACROSS * TILE, .k = workload_pick(scale, 256, 256, 128)};
    const size_t count_a = (size_t)c.m * c.k, count_b = (size_t)c.k * c.n;
    uint32_t seed = 23;
    const float *a = exact_floats(run, &seed, count_a), *b = exact_floats(run, &seed, count_b);
    uint16_t *half_a = run_memory(run, count_a, sizeof *half_a), *half_b = run_memory(run, count_b, sizeof *half_b);
    if (run->failed)
        return;
    for (size_t i = 0; i < count_a; i++)
        half_a[i] = half_bits(a[i]);
    for (size_t i = 0; i < count_b; i++)
        half_b[i] = half_bits(b[i]);
    struct {
        uint64_t a, b, c;
        uint32_t m, n, k;
    } params = {.m = c.m, .n = c.n, .k = c.k};
    params.a = run_upload(run, half_a, count_a * sizeof *half_a);
    params.b = run_upload(run, half_b, count_b * sizeof *half_b);
    params.c = run_output(run, (size_t)c.m * c.n);
    run_launch(run, "tensor_half", (struct example_dim){ACROSS, rows, 1}, (struct example_dim){128, 1, 1}, &params,
               sizeof params);
    c.a = a;
    c.b = b;
    c.step = workload_pick(scale, 1, 4, 16);
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
    struct run run = run_start(device);
    halves(&run, scale);
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
