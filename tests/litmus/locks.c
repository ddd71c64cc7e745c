/* Threads that wait for each other, in a warp, on an SM and across SMs: they always finish, and nothing is lost, timed
 * and in plain execution. With LITMUS_PRINT in the environment their cycles are printed. */
#include "device.h"
#include "tests/unit.h"

enum { STATE = 4096, DATA = 65536, OUT = 65536 };

struct args {
    uint64_t state, data, out;
    uint32_t n, unused;
};

struct run {
    struct device d;
    const char *gpu;
    bool functional;
    struct args args;
};

static uint32_t *words(struct run *r, uint64_t at) { return (uint32_t *)(void *)memory_at(gpu_memory(r->d.gpu), at); }

static uint64_t launch(struct run *r, const char *kernel, uint32_t ctas, uint32_t threads, uint32_t n)
{
    memset(words(r, r->args.state), 0, STATE);
    memset(words(r, r->args.out), 0, OUT);
    r->args.n = n;
    uint64_t cycles = device_launch(&r->d, kernel, ctas, threads, &r->args, sizeof r->args);
    if (getenv("LITMUS_PRINT") && !r->functional)
        printf("# %-12s %-22s %3u x %-4u %8llu cycles\n", r->gpu, kernel, ctas, threads, (unsigned long long)cycles);
    return cycles;
}

static void check_lock(struct run *r, const char *kernel, uint32_t ctas, uint32_t threads, uint32_t n, bool each)
{
    memset(words(r, r->args.data), 0, DATA);
    launch(r, kernel, ctas, threads, n);
    uint32_t times = threads * n * (each ? 1 : ctas);
    for (uint32_t cta = 0; cta < (each ? ctas : 1); cta++)
        for (uint32_t i = 0; i < 3; i++)
            if (words(r, r->args.data)[256 * cta + 64 * i] != times * (1 + i))
                fail_msg("%s on %s: word %u is %u and not %u", kernel, r->gpu, i, words(r, r->args.data)[64 * i],
                         times * (1 + i));
}

static void check_locks(struct run *r)
{
    check_lock(r, "lock_exchange", 1, 40, 1, false); /* two warps, one of them not full */
    check_lock(r, "lock_exchange", 3, 8, 2, false);
    check_lock(r, "lock_backoff", 4, 12, 1, false);
    check_lock(r, "lock_ticket", 3, 12, 2, false);
    check_lock(r, "lock_of_the_cta", 2, 40, 1, true);
}

static void check_pipeline(struct run *r)
{
    enum { BLOCKS = 12 };
    launch(r, "pipeline", 3, 64, BLOCKS);
    for (uint32_t i = 0; i < BLOCKS * 64; i++)
        assert_int_equal(words(r, r->args.out)[i], 2 * (i / 64 * 1000) + i % 64 + (i + 1) % 64);
}

static void check_barriers(struct run *r)
{
    static const char *const kernels[] = {"grid_barrier_bit", "grid_barrier_sense"};
    for (unsigned k = 0; k < 2; k++)
        for (uint32_t ctas = 2; ctas <= 2 * 24; ctas *= 24) {
            launch(r, kernels[k], ctas, 64, 6);
            assert_int_equal(words(r, r->args.out)[1], 0);
        }
}

static void check_scan(struct run *r)
{
    enum { PARTS = 40, THREADS = 128 };
    uint32_t sum = 0, *data = words(r, r->args.data);
    for (uint32_t i = 0; i < PARTS * THREADS; i++)
        data[i] = i * 2654435761u >> 20;
    launch(r, "look_back", PARTS, THREADS, 0);
    for (uint32_t i = 0; i < PARTS * THREADS; i++)
        assert_int_equal(words(r, r->args.out)[i], sum += data[i]);
}

static void on_gpu(const char *gpu, unsigned sm, struct variant v)
{
    struct run r = {.gpu = gpu, .functional = v.functional};
    device_begin(&r.d, gpu, sm, "locks", v);
    r.args.state = device_alloc(&r.d, STATE);
    r.args.data = device_alloc(&r.d, DATA);
    r.args.out = device_alloc(&r.d, OUT);
    check_locks(&r);
    check_pipeline(&r);
    check_barriers(&r);
    check_scan(&r);
    device_end(&r.d);
}

static void waiting_threads_go_on_on_gpus_of_each_architecture(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        unsigned sm;
    } gpus[] = {{"v100-sxm2", 70}, {"rtx-2080-ti", 75}, {"a100", 80},  {"rtx-a6000", 86},
                {"rtx-4090", 86},  {"h200", 90},        {"b200", 100}, {"rtx-5080", 120}};
    for (unsigned i = 0; i < sizeof gpus / sizeof gpus[0]; i++)
        on_gpu(gpus[i].gpu, gpus[i].sm, (struct variant){1, true, false, i % 2});
}

static void waiting_threads_go_on_in_plain_execution(void **state)
{
    (void)state;
    on_gpu("rtx-2080-ti", 75, (struct variant){1, true, true, false});
    on_gpu("a100", 80, (struct variant){1, true, true, false});
    on_gpu("rtx-5080", 120, (struct variant){1, true, true, false});
}

UNIT_TESTS(UNIT(waiting_threads_go_on_on_gpus_of_each_architecture), UNIT(waiting_threads_go_on_in_plain_execution))
