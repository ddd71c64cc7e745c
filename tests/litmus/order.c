/* Litmus tests and locks give the same outcomes, in the same cycles, for any number of host threads, with idle cycles
 * skipped or not. */
#include "base/hash.h"
#include "device.h"
#include "tests/unit.h"

enum { ITERATIONS = 4, DATA = 16384 };

struct args {
    uint64_t state, data, out;
    uint32_t n, unused;
};

struct digest {
    uint64_t outcome, cycles;
};

/* The quick form has the first QUICK. */
static const struct variant variants[] = {{1, true, false, false}, {8, true, false, false}, {3, false, false, false},
                                          {2, true, false, false}, {3, true, false, false}, {1, false, false, false}};
enum { QUICK = 3, VARIANTS = sizeof variants / sizeof variants[0] };

/* Every third test, in turn with its threads on several SMs and in pairs. */
static void run_shapes(const char *gpu, unsigned sm, struct variant v, struct digest *digest)
{
    struct device d;
    device_begin(&d, gpu, sm, "litmus", v);
    for (unsigned i = 0; i < litmus_test_count; i += 3) {
        uint32_t outcome[LITMUS_ITERATIONS];
        const struct litmus_run run = {i % 2 ? APART : IN_PAIRS, ITERATIONS, 4096, 60, i, true};
        digest[i].cycles = litmus_run(&d, &litmus_tests[i], &run, outcome);
        digest[i].outcome = hash_bytes(HASH_SEED, outcome, ITERATIONS * sizeof outcome[0]);
    }
    device_end(&d);
}

static void run_locks(const char *gpu, unsigned sm, struct variant v, struct digest *digest)
{
    static const struct {
        const char *kernel;
        uint32_t ctas, threads, n;
    } runs[] = {{"lock_exchange", 3, 3, 1},      {"lock_backoff", 4, 1, 1},        {"lock_ticket", 3, 2, 1},
                {"grid_barrier_bit", 12, 64, 2}, {"grid_barrier_sense", 9, 64, 2}, {"look_back", 20, 64, 0},
                {"pipeline", 3, 64, 3}};
    struct device d;
    device_begin(&d, gpu, sm, "locks", v);
    struct args args = {device_alloc(&d, DATA), device_alloc(&d, DATA), device_alloc(&d, DATA), 0, 0};
    for (unsigned i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        memset(memory_at(gpu_memory(d.gpu), args.state), 0, DATA);
        args.n = runs[i].n;
        digest[i].cycles = device_launch(&d, runs[i].kernel, runs[i].ctas, runs[i].threads, &args, sizeof args);
        digest[i].outcome = hash_bytes(HASH_SEED, memory_at(gpu_memory(d.gpu), args.out), DATA);
    }
    device_end(&d);
}

static void compare(const char *gpu, unsigned sm, void (*run)(const char *, unsigned, struct variant, struct digest *))
{
    enum { MOST = 128 };
    struct digest first[MOST] = {{0, 0}}, other[MOST] = {{0, 0}};
    assert_in_range(litmus_test_count, 1, MOST);
    run(gpu, sm, variants[0], first);
    for (unsigned v = 1; v < (unit_full() ? VARIANTS : QUICK); v++) {
        run(gpu, sm, variants[v], other);
        for (unsigned i = 0; i < MOST; i++)
            if (first[i].cycles != other[i].cycles || first[i].outcome != other[i].outcome)
                fail_msg("run %u on %s with %u threads, skipping %s: %llu and %llu cycles", i, gpu, variants[v].threads,
                         variants[v].skip ? "on" : "off", (unsigned long long)first[i].cycles,
                         (unsigned long long)other[i].cycles);
    }
}

#define ON(name, gpu, sm)                                                                                              \
    static void outcomes_do_not_depend_on_threads_or_skipping_on_##name(void **state)                                  \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        compare(gpu, sm, run_shapes);                                                                                  \
        compare(gpu, sm, run_locks);                                                                                   \
    }
ON(a100, "a100", 80)
ON(rtx_a6000, "rtx-a6000", 86)
ON(h200, "h200", 90)
ON(b200, "b200", 100)
ON(rtx_5080, "rtx-5080", 120)

UNIT_TESTS(UNIT(outcomes_do_not_depend_on_threads_or_skipping_on_a100),
           UNIT(outcomes_do_not_depend_on_threads_or_skipping_on_rtx_a6000),
           UNIT(outcomes_do_not_depend_on_threads_or_skipping_on_h200),
           UNIT(outcomes_do_not_depend_on_threads_or_skipping_on_b200),
           UNIT(outcomes_do_not_depend_on_threads_or_skipping_on_rtx_5080))
