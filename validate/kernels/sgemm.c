#include "exact.h"
#include "workloads.h"

/* The grid is `across` tiles wide. */
struct problem {
    const char *kernel;
    uint32_t tile, across, ctas, k;
    struct example_dim block;
};

static void multiply(struct run *run, uint32_t *seed, const struct problem *p)
{
    const uint32_t rows = parts(p->ctas, p->across);
    struct exact_product c = {.m = rows * p->tile, .n = p->across * p->tile, .k = p->k, .step = 1};
    const float *a = exact_floats(run, seed, (size_t)c.m * c.k), *b = exact_floats(run, seed, (size_t)c.k * c.n);
    struct {
        uint64_t a, b, c;
        uint32_t m, n, k;
    } params = {.m = c.m, .n = c.n, .k = c.k};
    params.a = run_upload(run, a, (size_t)c.m * c.k * sizeof *a);
    params.b = run_upload(run, b, (size_t)c.k * c.n * sizeof *b);
    params.c = run_output(run, (size_t)c.m * c.n);
    run_launch(run, p->kernel, (struct example_dim){p->across, rows, 1}, p->block, &params, sizeof params);
    c.a = a;
    c.b = b;
    exact_check(run, params.c, &c);
}

/* The full size has a short k, as an update of a blocked factorization: registers hold a fixed number of sums for each
 * SM, so that k alone says how long the kernel is. */
static struct example_result sgemm(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    uint32_t seed = 21;
    const uint32_t k = workload_pick(scale, 256, 64, 16);
    multiply(&run, &seed,
             &(struct problem){
                 "sgemm_shared", 16, 16, workload_pick(scale, 32, 2 * scale->sms, 8 * scale->sms), k, {16, 16, 1}});
    multiply(&run, &seed,
             &(struct problem){
                 "sgemm_register", 64, 4, workload_pick(scale, 16, scale->sms, 6 * scale->sms), k, {64, 1, 1}});
    return run_finish(&run, "two products with k = %u equal the CPU's, bit for bit", (unsigned)k);
}

const struct workload workload_sgemm = {
    .name = "sgemm",
    .module = "sgemm",
    .class = "dense linear algebra",
    .summary = "FP32 matrix product: tiles in shared memory, and 8 x 8 sums in registers",
    .arch = 60,
    .run = sgemm,
};
