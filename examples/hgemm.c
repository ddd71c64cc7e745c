#include "runs.h"
#include "util.h"

/* The inputs are multiples of 1/8 from -4 to 4: exact in FP16 and TF32, and every sum is a multiple of 1/64 below 2^13
 * and so exact in FP32, in whatever order the tensor cores add. The check is bit for bit. */
enum { M = 256, N = 192, K = 160, TILE = 64, THREADS = 128 };

static void halves(const float *from, uint16_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = half_bits(from[i]);
}

static void multiply(const float *a, const float *b, float *c)
{
    for (size_t row = 0; row < M; row++)
        for (size_t i = 0; i < K; i++)
            for (size_t col = 0; col < N; col++)
                c[row * N + col] += a[row * K + i] * b[i * N + col];
}

static struct example_result product(const struct example_device *device, const char *kernel, bool half)
{
    struct run run = run_start(device);
    float *a = run_memory(&run, M * K, sizeof *a);
    float *b = run_memory(&run, K * N, sizeof *b);
    float *want = run_memory(&run, M * N, sizeof *want);
    uint16_t *half_a = run_memory(&run, M * K, sizeof *half_a);
    uint16_t *half_b = run_memory(&run, K * N, sizeof *half_b);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 14;
    random_eighths(&seed, a, M * K);
    random_eighths(&seed, b, K * N);
    halves(a, half_a, M * K);
    halves(b, half_b, K * N);
    multiply(a, b, want);

    struct {
        uint64_t a, b, c;
        uint32_t m, n, k;
    } params = {.m = M, .n = N, .k = K};
    size_t element = half ? sizeof *half_a : sizeof *a;
    params.a = run_upload(&run, half ? (const void *)half_a : a, M * K * element);
    params.b = run_upload(&run, half ? (const void *)half_b : b, K * N * element);
    params.c = run_output(&run, M * N);
    run_launch(&run, kernel, (struct example_dim){N / TILE, M / TILE, 1}, (struct example_dim){THREADS, 1, 1}, &params,
               sizeof params);
    run_check_floats(&run, "c", run_download(&run, params.c, M * N), want, M * N);
    return run_finish(&run, "all %d x %d elements (k = %d) equal the CPU's, bit for bit", M, N, K);
}

struct example_result run_hgemm(const struct example_device *device) { return product(device, "hgemm", true); }

struct example_result run_tf32gemm(const struct example_device *device) { return product(device, "tf32gemm", false); }
