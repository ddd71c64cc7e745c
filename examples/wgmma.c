#include "runs.h"
#include "util.h"

/* Multiples of 1/8 from -4 to 4, as in hgemm.c: exact sums, in whatever order they are added. B lies by its columns. */
enum { M = 256, N = 256, K = 320, TILE_M = 128, TILE_N = 128, TILE_K = 64, STAGES = 4, CTAS = 2 };
enum { ALIGNMENT = 1024, SHARED = STAGES * (TILE_M + TILE_N) * TILE_K * 2 + ALIGNMENT };

static void halves(const float *from, uint16_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = half_bits(from[i]);
}

static void multiply(const float *a, const float *b, float *c)
{
    for (size_t row = 0; row < M; row++)
        for (size_t column = 0; column < N; column++)
            for (size_t i = 0; i < K; i++)
                c[row * N + column] += a[row * K + i] * b[column * K + i];
}

/* Copies of B bring a whole tile, or in clusters each CTA its part for all. Maps are aligned to 64 bytes in the bank of
 * the parameters, which begin at 0x210 on Hopper and at 0x380 on Blackwell. */
static struct example_result product(const struct example_device *device, const char *kernel, uint32_t ctas,
                                     uint32_t threads, size_t before)
{
    struct run run = run_start(device);
    float *a = run_memory(&run, M * K, sizeof *a);
    float *b = run_memory(&run, N * K, sizeof *b);
    float *want = run_memory(&run, M * N, sizeof *want);
    uint16_t *half_a = run_memory(&run, M * K, sizeof *half_a);
    uint16_t *half_b = run_memory(&run, N * K, sizeof *half_b);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 41;
    random_eighths(&seed, a, M * K);
    random_eighths(&seed, b, N * K);
    halves(a, half_a, M * K);
    halves(b, half_b, N * K);
    multiply(a, b, want);

    struct {
        uint8_t before[48]; /* of Hopper */
        uint8_t a[EXAMPLE_MAP], b[EXAMPLE_MAP];
        uint64_t c;
        uint32_t n, k;
    } params = {.n = N, .k = K};
    struct example_matrix of_a = {run_upload(&run, half_a, M * K * sizeof *half_a), M, K, TILE_M, TILE_K};
    struct example_matrix of_b = {run_upload(&run, half_b, N * K * sizeof *half_b), N, K, TILE_N / ctas, TILE_K};
    run_tensor_map(&run, params.a, &of_a);
    run_tensor_map(&run, params.b, &of_b);
    params.c = run_output(&run, M * N);
    run_launch_shared(
        &run, kernel, (struct example_dim){N / TILE_N, M / TILE_M, 1}, (struct example_dim){threads, 1, 1}, SHARED,
        (const uint8_t *)&params + sizeof params.before - before, sizeof params - sizeof params.before + before);
    run_check_floats(&run, "c", run_download(&run, params.c, M * N), want, M * N);
    return run_finish(&run, "all %d x %d elements (k = %d) equal the CPU's, bit for bit", M, N, K);
}

struct example_result run_wgmma(const struct example_device *device)
{
    return product(device, "wgmma_product", 1, 384, 48);
}

struct example_result run_wgmma_cluster(const struct example_device *device)
{
    return product(device, "wgmma_cluster", CTAS, 384, 48);
}

struct example_result run_umma(const struct example_device *device)
{
    return product(device, "umma_product", 1, 256, 0);
}

struct example_result run_umma_pair(const struct example_device *device)
{
    return product(device, "umma_pair", CTAS, 256, 0);
}
