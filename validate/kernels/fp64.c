#include "host.h"
#include "workloads.h"

enum { TILE = 16, K = 32 };

static double *random_doubles(struct run *run, uint32_t *seed, size_t count)
{
    double *to = run_memory(run, count, sizeof *to);
    for (size_t i = 0; to && i < count; i++)
        to[i] = (double)random_unit(seed);
    return to;
}

static struct example_result dgemm(const struct example_device *device, const struct workload_scale *scale)
{
    const struct example_dim grid = host_plane(scale, 8);
    const size_t n = TILE * grid.x, m = TILE * grid.y;
    struct run run = run_start(device);
    uint32_t seed = 28;
    double *a = random_doubles(&run, &seed, m * K), *b = random_doubles(&run, &seed, K * n);
    double *want = run_memory(&run, m * n, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    for (size_t y = 0; y < m; y++)
        for (size_t i = 0; i < K; i++)
            for (size_t x = 0; x < n; x++)
                want[y * n + x] += a[y * K + i] * b[i * n + x];
    struct {
        uint64_t a, b, c;
        int32_t n, k;
    } params = {.n = (int32_t)n, .k = K};
    params.a = run_upload(&run, a, m * K * sizeof *a);
    params.b = run_upload(&run, b, K * n * sizeof *b);
    params.c = run_output(&run, 2 * m * n);
    run_launch(&run, "dgemm_tiled", grid, (struct example_dim){TILE, TILE, 1}, &params, sizeof params);
    /* K roundings of sums below K, a half unit each. */
    host_check_doubles(&run, "c", run_download(&run, params.c, 2 * m * n), want, m * n, K * K * 0x1p-53);
    return run_finish(&run, "all %zu elements are right", m * n);
}

static struct example_result jacobi(const struct example_device *device, const struct workload_scale *scale)
{
    const struct example_dim grid = host_plane(scale, 8);
    const size_t width = 32 * grid.x, height = 8 * grid.y, points = width * height;
    struct run run = run_start(device);
    uint32_t seed = 29;
    double *in = random_doubles(&run, &seed, points), *want = run_memory(&run, points, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            const double *row = in + y * width;
            const double *north = y > 0 ? row - width : row, *south = y + 1 < height ? row + width : row;
            want[y * width + x] =
                0.25 * (north[x] + south[x] + row[x > 0 ? x - 1 : x] + row[x + 1 < width ? x + 1 : x]);
        }
    struct {
        uint64_t in, out;
        int32_t width, height;
    } params = {.width = (int32_t)width, .height = (int32_t)height};
    params.in = run_upload(&run, in, points * sizeof *in);
    params.out = run_output(&run, 2 * points);
    run_launch(&run, "jacobi_double", grid, (struct example_dim){32, 8, 1}, &params, sizeof params);
    host_check_doubles(&run, "out", run_download(&run, params.out, 2 * points), want, points, 0x1p-51);
    return run_finish(&run, "all %zu points are right", points);
}

const struct workload workload_dgemm = {
    .name = "dgemm",
    .module = "fp64",
    .class = "dense linear algebra",
    .summary = "FP64 matrix product from tiles in shared memory",
    .arch = 60,
    .run = dgemm,
};

const struct workload workload_jacobi_fp64 = {
    .name = "jacobi-fp64",
    .module = "fp64",
    .class = "stencil",
    .summary = "five points in double precision",
    .arch = 60,
    .run = jacobi,
};
