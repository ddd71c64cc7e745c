/* Every litmus test on several GPUs, with its threads in a warp, in a CTA, on an SM and on several: no outcome
 * that the PTX memory model forbids ever appears. With LITMUS_PRINT in the environment each outcome is printed with how
 * often it came. */
#include "device.h"
#include "tests/unit.h"

enum { ITERATIONS = 16 };

struct count {
    uint32_t outcome;
    unsigned times;
};

static void print(const struct litmus_test *test, const char *gpu, enum placement p, const uint32_t *outcome)
{
    struct count seen[ITERATIONS];
    unsigned kinds = 0;
    for (unsigned k = 0; k < ITERATIONS; k++) {
        unsigned i = 0;
        while (i < kinds && seen[i].outcome != outcome[k])
            i++;
        if (i == kinds)
            seen[kinds++] = (struct count){outcome[k], 0};
        seen[i].times++;
    }
    for (unsigned i = 0; i < kinds; i++) {
        char text[100];
        outcome_text(test, seen[i].outcome, text, sizeof text);
        printf("# %-12s %-22s %-6s %3u  %s\n", gpu, test->name, placement_name[p], seen[i].times, text);
    }
}

static void check_test(struct device *d, const char *gpu, const struct litmus_test *test, struct litmus_run run)
{
    uint32_t outcome[LITMUS_ITERATIONS];
    struct outcomes allowed;
    unsigned cta[LITMUS_THREADS];
    placement_ctas(run.placement, d->sms, cta);
    litmus_allowed(test, cta, &allowed);
    litmus_run(d, test, &run, outcome);
    if (getenv("LITMUS_PRINT"))
        print(test, gpu, run.placement, outcome);
    for (unsigned k = 0; k < run.iterations; k++) {
        char text[100];
        if (outcomes_hold(&allowed, outcome[k]))
            continue;
        outcome_text(test, outcome[k], text, sizeof text);
        fail_msg("%s on %s, threads in %s, iteration %u: %sis forbidden", test->name, gpu,
                 placement_name[run.placement], k, text);
    }
}

/* One of the five placements for each test (full form: two), others on other GPUs; with LITMUS_ALL in the environment
 * all. */
static void run_gpu(const char *gpu, unsigned sm, unsigned turn, bool functional)
{
    static const unsigned strides[] = {128, 4096, 4 << 20}, delays[] = {1, 20, 60, 200};
    struct device d;
    device_begin(&d, gpu, sm, "litmus", (struct variant){1, true, functional, true});
    for (unsigned i = 0; i < litmus_test_count; i++)
        for (unsigned p = 0; p < PLACEMENTS; p++)
            if ((p + i + 2 * turn) % PLACEMENTS < (unit_full() ? 2 : 1) || getenv("LITMUS_ALL"))
                check_test(&d, gpu, &litmus_tests[i],
                           (struct litmus_run){(enum placement)p, ITERATIONS, strides[(i + p) % 3],
                                               delays[(i + 2 * p) % 4], i * PLACEMENTS + p, p != IN_A_WARP});
    device_end(&d);
}

#define ON(name, gpu, sm, turn)                                                                                        \
    static void no_forbidden_outcome_on_##name(void **state)                                                           \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        run_gpu(gpu, sm, turn, false);                                                                                 \
    }
ON(v100, "v100-sxm2", 70, 6)
ON(rtx_2080_ti, "rtx-2080-ti", 75, 0)
ON(a100, "a100", 80, 1)
ON(rtx_a6000, "rtx-a6000", 86, 2)
ON(h200, "h200", 90, 3)
ON(b200, "b200", 100, 4)
ON(rtx_5080, "rtx-5080", 120, 5)

static void no_forbidden_outcome_in_plain_execution(void **state)
{
    (void)state;
    run_gpu("a100", 80, 0, true);
    run_gpu("rtx-5080", 120, 1, true);
}

UNIT_TESTS(UNIT(no_forbidden_outcome_on_v100), UNIT(no_forbidden_outcome_on_rtx_2080_ti),
           UNIT(no_forbidden_outcome_on_a100), UNIT(no_forbidden_outcome_on_rtx_a6000),
           UNIT(no_forbidden_outcome_on_h200), UNIT(no_forbidden_outcome_on_b200),
           UNIT(no_forbidden_outcome_on_rtx_5080), UNIT(no_forbidden_outcome_in_plain_execution))
