#include "host.h"
#include "workloads.h"

/* Multiples of 1/8 from -4 to 4, and no more than 512 of their products in a sum: exact in whatever order. */
enum {
    TILE_M = 128,
    TILE_N = 128,
    TILE_K = 64,
    STAGES = 4,
    THREADS = 384,
    SHARED = STAGES * (TILE_M + TILE_N) * TILE_K * 2 + 1024
};

static float *matrix(struct run *run, uint32_t seed, size_t rows, size_t columns, uint64_t *at)
{
    float *value = run_memory(run, rows * columns, sizeof *value);
    uint16_t *half = run_memory(run, rows * columns, sizeof *half);
    if (run->failed)
        return NULL;
    random_eighths(&seed, value, rows * columns);
    for (size_t i = 0; i < rows * columns; i++)
        half[i] = half_bits(value[i]);
    *at = run_upload(run, half, rows * columns * sizeof *half);
    return value;
}

static void check(struct run *run, const float *a, const float *b, const float *got, size_t m, size_t n, size_t k)
{
    float *want = run_memory(run, n, sizeof *want);
    for (size_t row = 0; row < m && !run->failed; row++) {
        for (size_t column = 0; column < n; column++) {
            float sum = 0;
            for (size_t i = 0; i < k; i++)
                sum += a[row * k + i] * b[column * k + i];
            want[column] = sum;
        }
        run_check_floats(run, "c", got + row * n, want, n);
    }
}

/* Two columns of tiles; clusters are two tiles above each other. */
static struct example_result multiply(const struct example_device *device, const struct workload_scale *scale,
                                      const char *kernel, uint32_t ctas)
{
    const uint32_t n = 2 * TILE_N, k = workload_pick(scale, 512, 512, 256);
    const uint32_t tiles = workload_pick(scale, 8, scale->sms / 4 * 2, scale->sms / 2 * 2);
    const uint32_t m = tiles * TILE_M;
    struct run run = run_start(device);
    struct {
        uint8_t before[48]; /* parameters begin at 0x210 of their bank, and maps are aligned to 64 there */
        uint8_t a[EXAMPLE_MAP], b[EXAMPLE_MAP];
        uint64_t c;
        uint32_t n, k;
    } params = {.n = n, .k = k};
    struct example_matrix of_a = {0, m, k, TILE_M, TILE_K}, of_b = {0, n, k, TILE_N / ctas, TILE_K};
    const float *a = matrix(&run, 21, m, k, &of_a.address), *b = matrix(&run, 22, n, k, &of_b.address);
    run_tensor_map(&run, params.a, &of_a);
    run_tensor_map(&run, params.b, &of_b);
    params.c = run_output(&run, (size_t)m * n);
    run_launch_shared(&run, kernel, (struct example_dim){2, tiles, 1}, (struct example_dim){THREADS, 1, 1}, SHARED,
                      &params, sizeof params);
    const float *got = run_download(&run, params.c, (size_t)m * n);
    check(&run, a, b, got, m, n, k);
    return run_finish(&run, "a product of FP16 equals the CPU's, bit for bit");
}

static struct example_result warpgroups(const struct example_device *device, const struct workload_scale *scale)
{
    return multiply(device, scale, "wgmma_product", 1);
}

const struct workload workload_warpgroups = {
    .name = "warpgroups",
    .module = "warpgroups",
    .class = "dense linear algebra",
    .summary = "FP16 product by warpgroups: TMA, a producer and two consumers",
    .arch = 90,
    .last = 90,
    .run = warpgroups,
};

static struct example_result warpgroups_cluster(const struct example_device *device, const struct workload_scale *scale)
{
    return multiply(device, scale, "wgmma_cluster", 2);
}

const struct workload workload_warpgroups_cluster = {
    .name = "warpgroups_cluster",
    .module = "warpgroups",
    .class = "dense linear algebra",
    .summary = "the same in clusters of two, with multicast copies",
    .arch = 90,
    .last = 90,
    .run = warpgroups_cluster,
};
