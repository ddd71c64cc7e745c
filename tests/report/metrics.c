#include "report/metrics.h"

#include <math.h>

#include "tests/report/sample.h"
#include "tests/unit.h"

enum { SEEDS = 200 };

static double value_of(const struct kernel_result *r, enum metric metric)
{
    struct config config;
    config_defaults(&config);
    return metric_value(&(struct measured){r, &config}, metric);
}

static double pipe_percent(const struct kernel_result *r, enum isa_pipe pipe)
{
    struct config config;
    config_defaults(&config);
    return metric_pipe_percent(&(struct measured){r, &config}, pipe);
}

static void expect_equal(double a, double b) { assert_true(fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b))); }

static void each(void (*check)(const struct kernel_result *))
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct kernel_result r = sample(1000 * seed);
        check(&r);
    }
}

static void check_stalls(const struct kernel_result *r)
{
    double sum = 0;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        sum += metric_stall_per_issue(r, (enum stall_reason)i);
    expect_equal(sum, value_of(r, METRIC_LATENCY_ISSUED));
    expect_equal(metric_stall_per_issue(r, STALL_SELECTED), 1);
}

static void stall_reasons_add_up_to_the_latency_of_an_instruction(void **state)
{
    (void)state;
    each(check_stalls);
}

static void check_scheduler(const struct kernel_result *r)
{
    double issued = value_of(r, METRIC_ISSUED);
    expect_equal(value_of(r, METRIC_ELIGIBLE),
                 issued * (metric_stall_per_issue(r, STALL_SELECTED) + metric_stall_per_issue(r, STALL_NOT_SELECTED)));
    expect_equal(value_of(r, METRIC_SUBCORE_WARPS), issued * value_of(r, METRIC_LATENCY_ISSUED));
    expect_equal(value_of(r, METRIC_NO_ELIGIBLE) + value_of(r, METRIC_SOME_ELIGIBLE), 100);
    expect_equal(value_of(r, METRIC_SOME_ELIGIBLE), 100 * issued);
    expect_equal(value_of(r, METRIC_ISSUE_SLOTS), 25 * value_of(r, METRIC_IPC_ISSUED));
}

static void the_scheduler_identities_hold(void **state)
{
    (void)state;
    each(check_scheduler);
}

static void check_time(const struct kernel_result *r)
{
    expect_equal(value_of(r, METRIC_DURATION) * 1e-9, value_of(r, METRIC_ELAPSED) / value_of(r, METRIC_CLOCK));
    expect_equal(value_of(r, METRIC_DRAM_RATE) * value_of(r, METRIC_DURATION) * 1e-9, value_of(r, METRIC_DRAM_BYTES));
    expect_equal(value_of(r, METRIC_DRAM_READ) + value_of(r, METRIC_DRAM_WRITTEN), value_of(r, METRIC_DRAM_BYTES));
}

static void duration_is_cycles_over_clock_and_bandwidth_is_bytes_over_duration(void **state)
{
    (void)state;
    each(check_time);
}

static void shares_of_an_exact_case(void **state)
{
    (void)state;
    struct kernel_result r = sample_empty();
    r.cycles = 1000;
    r.sm.cycles_active = 500;
    r.sm.inst_executed = r.sm.inst_issued = 1000;
    r.sm.warp_cycles = 12000;
    r.sm.pipe_cycles[ISA_PIPE_FMA] = 1500; /* of two groups */
    r.sm.pipe_cycles[ISA_PIPE_ALU] = 1500;
    r.mem.l2_busy_cycles = 4800;
    r.mem.dram_bytes_read = 384000;
    expect_equal(value_of(&r, METRIC_IPC), 2);
    expect_equal(value_of(&r, METRIC_ISSUE_SLOTS), 50);
    expect_equal(value_of(&r, METRIC_WARPS), 24);
    expect_equal(value_of(&r, METRIC_OCCUPANCY), 50);
    expect_equal(value_of(&r, METRIC_OCCUPANCY_LIMIT), 100);
    expect_equal(pipe_percent(&r, ISA_PIPE_FMA), 37.5);
    expect_equal(pipe_percent(&r, ISA_PIPE_ALU), 75);
    expect_equal(value_of(&r, METRIC_FMA), 37.5);
    expect_equal(value_of(&r, METRIC_L2), 10);
    expect_equal(value_of(&r, METRIC_MEMORY), 90);
    expect_equal(value_of(&r, METRIC_COMPUTE), 100 * 1500.0 / (84 * 4 * 1000));
    expect_equal(value_of(&r, METRIC_DRAM_RATE), 691.2e9);
    expect_equal(value_of(&r, METRIC_DRAM), 90);
}

static void nothing_counted_gives_zeros(void **state)
{
    (void)state;
    struct kernel_result r = sample_empty();
    r.sms = 0;
    r.occupancy = (struct occupancy){0};
    r.clock_mhz = r.dram_peak_gbs = 0;
    for (unsigned i = 0; i < METRIC_COUNT; i++)
        assert_true(value_of(&r, (enum metric)i) == 0);
    for (unsigned i = 0; i < STALL_COUNT; i++)
        assert_true(metric_stall_percent(&r, (enum stall_reason)i) == 0);
    for (unsigned i = 0; i < ISA_PIPE_COUNT; i++)
        assert_true(pipe_percent(&r, (enum isa_pipe)i) == 0);
}

static void check_tenths(const struct kernel_result *r)
{
    unsigned tenths[STALL_COUNT], sum = 0;
    metric_tenths(r->sm.stall, STALL_COUNT, tenths);
    for (unsigned i = 0; i < STALL_COUNT; i++) {
        double exact = 10 * metric_stall_percent(r, (enum stall_reason)i);
        assert_true(fabs(tenths[i] - exact) < 1);
        sum += tenths[i];
    }
    assert_int_equal(sum, 1000);
}

static void rounded_shares_add_up_exactly(void **state)
{
    (void)state;
    each(check_tenths);
    struct kernel_result r = sample_empty();
    for (unsigned i = 0; i < 3; i++)
        r.sm.stall[i] = 1;
    r.sm.warp_cycles = 3;
    check_tenths(&r);
    r.sm.stall[0] = UINT64_C(1) << 60;
    r.sm.warp_cycles = r.sm.stall[0] + 2;
    check_tenths(&r);
}

static void names_are_unique(void **state)
{
    (void)state;
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct metric_info *info = metric_info((enum metric)i);
        assert_non_null(strstr(info->name, "__"));
        assert_true(strlen(info->text) > 5);
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(info->name, metric_info((enum metric)k)->name);
    }
}

UNIT_TESTS(UNIT(stall_reasons_add_up_to_the_latency_of_an_instruction), UNIT(the_scheduler_identities_hold),
           UNIT(duration_is_cycles_over_clock_and_bandwidth_is_bytes_over_duration), UNIT(shares_of_an_exact_case),
           UNIT(nothing_counted_gives_zeros), UNIT(rounded_shares_add_up_exactly), UNIT(names_are_unique))
