#include "host.h"
#include "workloads.h"

enum { N = 48, TILE = 16, STEPS = N / TILE };

/* A = L * L^T with small integers, and powers of two on L's diagonal: all that a factorization computes is
 * exact. */
static void make(uint32_t *seed, float *a, float *lower)
{
    for (size_t y = 0; y < N; y++) {
        for (size_t x = 0; x < y; x++)
            lower[y * N + x] = (float)random_below(seed, 3) - 1.0f;
        lower[y * N + y] = (float)(1u << random_below(seed, 3));
    }
    for (size_t y = 0; y < N; y++)
        for (size_t x = 0; x < N; x++)
            for (size_t i = 0; i <= y && i <= x; i++)
                a[y * N + x] += lower[y * N + i] * lower[x * N + i];
}

static void check(struct run *run, const float *got, const float *want, uint32_t batch)
{
    for (size_t row = 0; row < (size_t)batch * N; row++)
        run_check_floats(run, "factor", got + row * N, want + row * N, row % N + 1);
}

static struct example_result cholesky(const struct example_device *device, const struct workload_scale *scale)
{
    const uint32_t batch = workload_pick(scale, 8, parts(2 * scale->sms, 3), parts(8 * scale->sms, 3));
    struct run run = run_start(device);
    struct host_factors f;
    if (!host_factors_start(&run, &f, batch, N, 28, make))
        return run_finish(&run, " ");
    struct {
        uint64_t a;
        uint32_t step, count;
    } params = {.a = f.matrix, .count = batch};
    const size_t two = offsetof(__typeof__(params), count);
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t rest = STEPS - 1 - step;
        params.step = step;
        run_launch(&run, "cholesky_factor", (struct example_dim){parts(batch, 4), 1, 1}, (struct example_dim){64, 1, 1},
                   &params, sizeof params);
        if (rest == 0)
            break;
        run_launch(&run, "cholesky_solve", (struct example_dim){rest, batch, 1}, (struct example_dim){TILE, 1, 1},
                   &params, two);
        run_launch(&run, "cholesky_update", (struct example_dim){rest * (rest + 1) / 2, batch, 1},
                   (struct example_dim){TILE, TILE, 1}, &params, two);
    }
    run_read(&run, f.got, params.a, f.count * sizeof *f.got);
    check(&run, f.got, f.want, batch);
    return run_finish(&run, "the factors of %u matrices of %d x %d are right, bit for bit", (unsigned)batch, N, N);
}

const struct workload workload_cholesky = {
    .name = "cholesky",
    .module = "cholesky",
    .class = "dense linear algebra",
    .summary = "blocked Cholesky factorization of many matrices: factor, triangular solve, update",
    .arch = 60,
    .run = cholesky,
};
