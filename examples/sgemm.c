#include "runs.h"
#include "util.h"

#include <math.h>

struct problem {
    const char *kernel;
    uint32_t m, n, k, tile; /* tile: rows and columns of C that a block makes */
    struct example_dim block;
};

/* Every element is one chain of fused multiply-adds in the order of k, as in the kernels. */
static void multiply(const struct problem *p, const float *a, const float *b, float *c)
{
    for (size_t row = 0; row < p->m; row++)
        for (size_t i = 0; i < p->k; i++)
            for (size_t col = 0; col < p->n; col++)
                c[row * p->n + col] = fmaf(a[row * p->k + i], b[i * p->n + col], c[row * p->n + col]);
}

static struct example_result sgemm(const struct example_device *device, const struct problem *p)
{
    struct run run = run_start(device);
    const size_t count_a = (size_t)p->m * p->k, count_b = (size_t)p->k * p->n, count_c = (size_t)p->m * p->n;
    float *a = run_memory(&run, count_a, sizeof *a);
    float *b = run_memory(&run, count_b, sizeof *b);
    float *want = run_memory(&run, count_c, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 5;
    random_units(&seed, a, count_a);
    random_units(&seed, b, count_b);

    struct {
        uint64_t a, b, c;
        uint32_t m, n, k;
    } params = {.m = p->m, .n = p->n, .k = p->k};
    params.a = run_upload(&run, a, count_a * sizeof *a);
    params.b = run_upload(&run, b, count_b * sizeof *b);
    params.c = run_output(&run, count_c);
    run_launch(&run, p->kernel, (struct example_dim){p->n / p->tile, p->m / p->tile, 1}, p->block, &params,
               sizeof params);
    const float *got = run_download(&run, params.c, count_c);
    if (got)
        multiply(p, a, b, want);
    run_check_floats(&run, "c", got, want, count_c);
    return run_finish(&run, "all %u x %u elements (k = %u) equal the CPU's, bit for bit", (unsigned)p->m,
                      (unsigned)p->n, (unsigned)p->k);
}

struct example_result run_sgemm_naive(const struct example_device *device)
{
    return sgemm(device, &(struct problem){"sgemm_naive", 128, 112, 96, 16, {16, 16, 1}});
}

struct example_result run_sgemm_tiled(const struct example_device *device)
{
    return sgemm(device, &(struct problem){"sgemm_tiled", 128, 112, 96, 16, {16, 16, 1}});
}

struct example_result run_sgemm_register(const struct example_device *device)
{
    return sgemm(device, &(struct problem){"sgemm_register", 512, 512, 512, 64, {128, 1, 1}});
}
