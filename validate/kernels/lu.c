#include "host.h"
#include "workloads.h"

enum { N = 64, BLOCK = 16, STEPS = N / BLOCK };

/* A = L * U with small integers, and powers of two on U's diagonal: all that a factorization computes is exact.
 * `factors` has U and, below its diagonal, L. */
static void make(uint32_t *seed, float *a, float *factors)
{
    for (size_t i = 0; i < N * N; i++)
        factors[i] = (float)random_below(seed, 3) - 1.0f;
    for (size_t i = 0; i < N; i++)
        factors[i * N + i] = (float)(1u << random_below(seed, 3));
    for (size_t y = 0; y < N; y++)
        for (size_t i = 0; i <= y; i++) {
            const float left = i == y ? 1.0f : factors[y * N + i];
            for (size_t x = i; x < N; x++)
                a[y * N + x] += left * factors[i * N + x];
        }
}

static struct example_result lu(const struct example_device *device, const struct workload_scale *scale)
{
    const uint32_t batch = workload_pick(scale, 3, parts(scale->sms, 4), scale->sms);
    struct run run = run_start(device);
    struct host_factors f;
    if (!host_factors_start(&run, &f, batch, N, 27, make))
        return run_finish(&run, " ");
    struct {
        uint64_t a;
        uint32_t step;
    } params = {.a = f.matrix};
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t rest = STEPS - 1 - step;
        params.step = step;
        run_launch(&run, "lu_diagonal", (struct example_dim){batch, 1, 1}, (struct example_dim){32, 1, 1}, &params,
                   sizeof params);
        if (rest == 0)
            break;
        run_launch(&run, "lu_perimeter", (struct example_dim){rest, batch, 1}, (struct example_dim){2 * BLOCK, 1, 1},
                   &params, sizeof params);
        run_launch(&run, "lu_internal", (struct example_dim){rest, rest, batch}, (struct example_dim){BLOCK, BLOCK, 1},
                   &params, sizeof params);
    }
    run_read(&run, f.got, params.a, f.count * sizeof *f.got);
    run_check_floats(&run, "factors", f.got, f.want, f.count);
    return run_finish(&run, "the factors of %u matrices of %d x %d are right, bit for bit", (unsigned)batch, N, N);
}

const struct workload workload_lu = {
    .name = "lu",
    .module = "lu",
    .class = "dense linear algebra",
    .summary = "blocked LU factorization of many matrices: diagonal, perimeter, internal blocks",
    .arch = 60,
    .run = lu,
};
