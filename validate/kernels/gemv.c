#include "exact.h"
#include "workloads.h"

enum { N = 256, SKINNY = 8, ROWS = 64 };

struct gemv {
    struct run run;
    const float *a, *x;
    uint64_t device_a, device_x;
};

static void check(struct gemv *g, uint64_t y, uint32_t m, uint32_t n)
{
    const float *got = run_download(&g->run, y, m);
    float *want = run_memory(&g->run, m, sizeof *want);
    if (g->run.failed)
        return;
    for (size_t row = 0; row < m; row++)
        for (size_t i = 0; i < n; i++)
            want[row] += g->a[row * n + i] * g->x[i];
    run_check_floats(&g->run, "y", got, want, m);
}

static void rows(struct gemv *g, const char *kernel, uint32_t ctas, uint32_t m, uint32_t n)
{
    struct {
        uint64_t a, x, y;
        uint32_t m, n;
    } params = {g->device_a, g->device_x, run_output(&g->run, m), m, n};
    run_launch(&g->run, kernel, (struct example_dim){ctas, 1, 1}, (struct example_dim){256, 1, 1}, &params,
               sizeof params);
    check(g, params.y, m, n);
}

static void transposed(struct gemv *g, uint32_t m)
{
    float *zero = run_memory(&g->run, N, sizeof *zero), *want = run_memory(&g->run, N, sizeof *want);
    float *got = run_memory(&g->run, N, sizeof *got);
    if (g->run.failed)
        return;
    struct {
        uint64_t a, x, y;
        uint32_t m, n, rows;
    } params = {g->device_a, g->device_x, run_upload(&g->run, zero, N * sizeof *zero), m, N, ROWS};
    run_launch(&g->run, "gemv_transposed", (struct example_dim){N / 32, parts(m, ROWS), 1},
               (struct example_dim){32, 8, 1}, &params, sizeof params);
    exact_row(want, g->x, g->a, N, m);
    run_read(&g->run, got, params.y, N * sizeof *got);
    run_check_floats(&g->run, "transposed", got, want, N);
}

/* The same numbers are a matrix with 256 columns, and one of 8 with 32 times the rows. */
static struct example_result gemv(const struct example_device *device, const struct workload_scale *scale)
{
    const uint32_t ctas = workload_pick(scale, 24, 2 * scale->sms, 8 * scale->sms), m = 8 * ctas;
    struct gemv g = {.run = run_start(device)};
    uint32_t seed = 22;
    g.a = exact_floats(&g.run, &seed, (size_t)m * N);
    g.x = exact_floats(&g.run, &seed, m > N ? m : N);
    g.device_a = run_upload(&g.run, g.a, (size_t)m * N * sizeof *g.a);
    g.device_x = run_upload(&g.run, g.x, (m > N ? m : N) * sizeof *g.x);
    rows(&g, "gemv_warp", ctas, m, N);
    rows(&g, "gemv_thread", ctas, m * (N / SKINNY), SKINNY);
    transposed(&g, m);
    return run_finish(&g.run, "three products with %u rows equal the CPU's, bit for bit", (unsigned)m);
}

const struct workload workload_gemv = {
    .name = "gemv",
    .module = "gemv",
    .class = "dense linear algebra",
    .summary = "matrix times vector: a warp a row, a thread a row, transposed with atomics",
    .arch = 60,
    .run = gemv,
};
