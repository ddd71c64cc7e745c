#include "exact.h"
#include "workloads.h"

struct batch {
    struct run run;
    size_t count; /* of floats */
    const float *a, *b;
    uint64_t device_a, device_b;
};

/* The kernel for 4 x 4 begins with a product, not with a zero: a sum of negative zeros stays one. */
static void small_row(float *c, const float *a, const float *b, uint32_t n)
{
    for (uint32_t x = 0; x < n; x++) {
        c[x] = a[0] * b[x];
        for (uint32_t i = 1; i < n; i++)
            c[x] += a[i] * b[i * n + x];
    }
}

static void check(struct batch *batch, const char *name, uint64_t c, uint32_t n)
{
    const float *got = run_download(&batch->run, c, batch->count);
    for (size_t at = 0; at < batch->count && !batch->run.failed; at += n * n)
        for (size_t row = 0; row < n; row++) {
            float want[32];
            if (n == 4)
                small_row(want, batch->a + at + row * n, batch->b + at, n);
            else
                exact_row(want, batch->a + at + row * n, batch->b + at, n, n);
            run_check_floats(&batch->run, name, got + at + row * n, want, n);
        }
}

/* The same numbers are 32 x 32 and 4 x 4 matrices. */
static struct example_result batched_gemm(const struct example_device *device, const struct workload_scale *scale)
{
    const uint32_t ctas = workload_pick(scale, 32, 2 * scale->sms, 8 * scale->sms);
    struct batch batch = {.run = run_start(device), .count = (size_t)ctas * 32 * 32};
    uint32_t seed = 25;
    struct run *run = &batch.run;
    batch.a = exact_floats(run, &seed, batch.count);
    batch.b = exact_floats(run, &seed, batch.count);
    batch.device_a = run_upload(run, batch.a, batch.count * sizeof *batch.a);
    batch.device_b = run_upload(run, batch.b, batch.count * sizeof *batch.b);
    const uint32_t small = ctas * 64;
    struct {
        uint64_t a, b, c;
        uint32_t count;
    } params = {batch.device_a, batch.device_b, run_output(run, batch.count), small};
    run_launch(run, "batched_gemm_32", (struct example_dim){ctas, 1, 1}, (struct example_dim){256, 1, 1}, &params,
               offsetof(__typeof__(params), count));
    check(&batch, "c32", params.c, 32);
    params.c = run_output(run, batch.count);
    run_launch(run, "batched_gemm_4", (struct example_dim){parts(small, 256), 1, 1}, (struct example_dim){256, 1, 1},
               &params, sizeof params);
    check(&batch, "c4", params.c, 4);
    return run_finish(run, "%u products of 32 x 32 and %u of 4 x 4 equal the CPU's, bit for bit", (unsigned)ctas,
                      (unsigned)small);
}

const struct workload workload_batched_gemm = {
    .name = "batched_gemm",
    .module = "batched_gemm",
    .class = "dense linear algebra",
    .summary = "many small matrix products: a CTA for 32 x 32, a thread for 4 x 4",
    .arch = 60,
    .run = batched_gemm,
};
