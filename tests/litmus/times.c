/* The cycles that fences, strong accesses, atomics and barriers of the grid cost, as a kernel with a clock sees it.
 * With LITMUS_PRINT in the environment the table is printed. */
#include <math.h>

#include "device.h"
#include "tests/unit.h"

enum { BYTES = 1 << 20, TIMES = 64, QUICK_BARRIERS = 16 };

struct args {
    uint64_t state, data, out;
    uint32_t n, unused;
};

struct run {
    struct device d;
    const char *gpu;
    struct args args;
};

static void begin(struct run *r, const char *gpu, unsigned sm)
{
    r->gpu = gpu;
    device_begin(&r->d, gpu, sm, "locks", (struct variant){1, true, false, false});
    r->args =
        (struct args){device_alloc(&r->d, BYTES), device_alloc(&r->d, BYTES), device_alloc(&r->d, BYTES), TIMES, 0};
}

static uint32_t out(struct run *r, const char *kernel, uint32_t ctas, uint32_t threads)
{
    uint32_t value;
    memset(memory_at(gpu_memory(r->d.gpu), r->args.state), 0, BYTES);
    memset(memory_at(gpu_memory(r->d.gpu), r->args.data), 0, BYTES);
    device_launch(&r->d, kernel, ctas, threads, &r->args, sizeof r->args);
    assert_true(memory_read(gpu_memory(r->d.gpu), &value, r->args.out, 4));
    return value;
}

/* Cycles of one operation beyond the loop around it. */
static double each(struct run *r, const char *kernel)
{
    double cycles = ((double)out(r, kernel, 1, 1) - (double)out(r, "time_nothing", 1, 1)) / TIMES;
    if (getenv("LITMUS_PRINT"))
        printf("# %-12s %-22s %8.1f\n", r->gpu, kernel, cycles);
    return cycles;
}

/* Of one grid barrier, with so many CTAs. */
static double barrier(struct run *r, const char *kernel, uint32_t ctas, uint32_t threads)
{
    r->args.n = unit_full() ? TIMES : QUICK_BARRIERS;
    double cycles = (double)out(r, kernel, ctas, threads) / r->args.n;
    r->args.n = TIMES;
    if (getenv("LITMUS_PRINT"))
        printf("# %-12s %-22s %8.1f  %u x %u\n", r->gpu, kernel, cycles, ctas, threads);
    return cycles;
}

static void check_gpu(const char *gpu, unsigned sm)
{
    struct run r;
    begin(&r, gpu, sm);
    const struct config *c = gpu_config(r.d.gpu);
    double load = each(&r, "time_load_relaxed_gpu"), fence = each(&r, "time_fence_gpu");
    double acquire = each(&r, "time_load_acquire_gpu"), near = each(&r, "time_load_relaxed_cta");
    double atomic = each(&r, "time_atomic_add"), ordered = each(&r, "time_atomic_acq_rel");
    assert_true(each(&r, "time_fence_sc_cta") < c->lsu.fence_cta + 20);
    assert_true(fence >= c->lsu.fence_gpu && fence < c->lsu.fence_gpu + 80);
    assert_true(fabs(each(&r, "time_fence_sc_gpu") - fence) <= 1);
    assert_true(each(&r, "time_fence_sys") >= c->lsu.fence_sys);
    assert_true(each(&r, "time_store_fence_gpu") >= fence);
    assert_true(near < load && load < acquire && acquire < load + 60);
    assert_true(atomic >= load && ordered >= atomic + c->lsu.fence_gpu);
    if (sm == 100) /* measured on a B300 */
        assert_true(fabs(fence - 274) <= 8);
    double two = barrier(&r, "grid_barrier_bit", 2, 32), all = barrier(&r, "grid_barrier_bit", r.d.sms, 256);
    double sense = barrier(&r, "grid_barrier_sense", r.d.sms, 256);
    assert_true(two >= fence + atomic && all >= two && sense >= fence + atomic);
    device_end(&r.d);
}

static void strong_accesses_and_fences_cost_what_they_wait_for(void **state)
{
    (void)state;
    check_gpu("v100-sxm2", 70);
    check_gpu("rtx-2080-ti", 75);
    check_gpu("a100", 80);
    check_gpu("rtx-a6000", 86);
    check_gpu("rtx-4090", 86);
    check_gpu("h200", 90);
    check_gpu("b200", 100);
    check_gpu("rtx-5080", 120);
}

UNIT_TESTS(UNIT(strong_accesses_and_fences_cost_what_they_wait_for))
