/* A grid of which CTA windows are timed: execution without time before, between and behind them. */
#include "base/file.h"
#include "exec/memory/window.h"
#include "gpu/gpu.h"
#include "tests/unit.h"

enum { CTAS = 600, STEPS = 40 };

struct rig {
    struct gpu *gpu;
    struct exec_module *module;
    struct config config;
    struct plan plan;
    struct kernel_result result;
    struct status status;
    uint64_t out;
    uint8_t timed[CTAS];  /* instructions of a CTA's warp that were issued in a timed run */
    uint64_t first, last; /* cycles of the first and the last of them */
};

static void see(void *self, uint16_t sm, uint32_t slot, uint64_t cta, const struct code *code,
                const struct issued *issued, uint64_t cycle)
{
    struct rig *r = self;
    (void)sm, (void)slot, (void)code, (void)issued;
    r->timed[cta] = 1;
    r->first = cycle < r->first ? cycle : r->first;
    r->last = cycle > r->last ? cycle : r->last;
}

static void rig_begin(struct rig *r, const char *policy, const char *text)
{
    char path[4096];
    struct file_bytes file;
    memset(r, 0, sizeof *r);
    r->first = UINT64_MAX;
    assert_true(config_load(&r->config, "rtx-a6000", &r->status));
    assert_true(config_set(&r->config, "gpu.memory=1", &r->status));
    if (policy)
        assert_true(plan_add(&r->plan, policy, policy, text, &r->status));
    const struct gpu_options options = {.threads = 1, .plan = &r->plan};
    r->gpu = gpu_create(&r->config, &options, &r->status);
    assert_non_null(r->gpu);
    assert_true(file_read(unit_path(path, "tests/gpu/cubin/launches.sm_86.cubin"), 1 << 20, &file, &r->status));
    r->module = gpu_load(r->gpu, (struct cubin_bytes){file.data, file.size}, "launches", &r->status);
    assert_non_null(r->module);
    file_free(&file);
    r->out = memory_alloc(gpu_memory(r->gpu), 16 * CTAS);
}

static void rig_end(struct rig *r)
{
    gpu_destroy(r->gpu);
    plan_free(&r->plan);
}

/* Each CTA writes when it began and ended. */
static bool run(struct rig *r)
{
    const struct {
        uint64_t out;
        uint32_t steps, unused;
    } arguments = {r->out, STEPS, 0};
    const struct sm_observer observer = {.self = r, .issued = see};
    struct gpu_launch l = {.module = r->module,
                           .kernel = "timer",
                           .grid = {CTAS, 1, 1},
                           .block = {32, 1, 1},
                           .parameters = &arguments,
                           .parameter_bytes = 12,
                           .start_ns = 1,
                           .observer = &observer};
    return gpu_plan_launch(r->gpu, &l, 0, &r->status) && gpu_launch(r->gpu, &l, &r->result, &r->status);
}

/* [cta][begin, end] */
static const uint64_t *times(const struct rig *r)
{
    return (const uint64_t *)(const void *)memory_at(gpu_memory(r->gpu), r->out);
}

static void expect_timed(const struct rig *r, uint32_t first, uint32_t end)
{
    for (uint32_t c = first; c < end; c++)
        assert_int_equal(r->timed[c], 1);
}

static void expect_untimed(const struct rig *r, uint32_t first, uint32_t end)
{
    for (uint32_t c = first; c < end; c++)
        assert_int_equal(r->timed[c], 0);
}

static void expect_all_executed(const struct rig *r, const struct rig *whole)
{
    for (uint32_t c = 0; c < CTAS; c++)
        assert_true(times(r)[2 * c] > 0 && times(r)[2 * c + 1] > 0);
    assert_true(r->result.rest_executed && !r->result.complete);
    assert_int_equal(r->result.stop, STOP_CTAS);
    assert_int_equal(r->result.warp_instructions + r->result.rest_instructions, whole->result.warp_instructions);
}

static void run_well(struct rig *r)
{
    if (!run(r))
        fail_msg("%s", r->status.text);
}

static void timing_begins_at_a_cta_when_all_before_it_have_been_executed(void **state)
{
    (void)state;
    struct rig whole, r;
    rig_begin(&whole, NULL, NULL);
    run_well(&whole);
    expect_timed(&whole, 0, CTAS);
    assert_true(whole.result.complete);
    rig_begin(&r, "window", "250-");
    run_well(&r);
    expect_untimed(&r, 0, 250);
    expect_timed(&r, 250, CTAS);
    expect_all_executed(&r, &whole);
    assert_int_equal(r.result.ctas_done, CTAS - 250);
    assert_int_equal(r.result.warp_instructions * CTAS, whole.result.warp_instructions * (CTAS - 250));
    /* the timed part begins as a launch does */
    assert_int_equal(r.first, whole.first);
    rig_end(&r);
    rig_end(&whole);
}

static void windows_follow_each_other_in_time_and_what_lies_between_takes_none(void **state)
{
    (void)state;
    struct rig whole, one, r;
    rig_begin(&whole, NULL, NULL);
    run_well(&whole);
    rig_begin(&one, "window", "0-83");
    run_well(&one);
    expect_timed(&one, 0, 84);
    expect_untimed(&one, 84, CTAS);
    expect_all_executed(&one, &whole);
    rig_begin(&r, "window", "0-83,100-183,500-583");
    run_well(&r);
    expect_timed(&r, 0, 84);
    expect_untimed(&r, 84, 100);
    expect_timed(&r, 100, 184);
    expect_untimed(&r, 184, 500);
    expect_timed(&r, 500, 584);
    expect_untimed(&r, 584, CTAS);
    expect_all_executed(&r, &whole);
    assert_int_equal(r.result.ctas_done, 3 * 84);
    assert_int_equal(r.result.sms_used, 84);
    assert_true(r.result.cycles > 2 * (one.last - one.first) && r.result.cycles < 3 * one.result.cycles);
    rig_end(&r);
    rig_end(&one);
    rig_end(&whole);
}

/* The last window takes in the end of the grid, or no window is left: there is no rest. */
static void a_window_at_the_end_and_a_grid_before_all_windows_come_to_an_end(void **state)
{
    (void)state;
    struct rig whole, r;
    rig_begin(&whole, NULL, NULL);
    run_well(&whole);
    rig_begin(&r, "window", "599");
    run_well(&r);
    expect_untimed(&r, 0, 599);
    expect_timed(&r, 599, 600);
    expect_all_executed(&r, &whole);
    assert_int_equal(r.result.ctas_done, 1);
    rig_end(&r);
    rig_begin(&r, "window", "600-700");
    run_well(&r);
    expect_untimed(&r, 0, CTAS);
    expect_all_executed(&r, &whole);
    assert_int_equal(r.result.ctas_done, 0);
    run_well(&r); /* the machine is good for another launch */
    rig_end(&r);
    rig_end(&whole);
}

static void one_window_over_the_whole_grid_is_the_launch_as_it_is(void **state)
{
    (void)state;
    struct rig whole, r;
    rig_begin(&whole, NULL, NULL);
    run_well(&whole);
    rig_begin(&r, "window", "0-599");
    run_well(&r);
    assert_true(r.result.complete);
    r.result.host_seconds = whole.result.host_seconds;
    assert_memory_equal(&r.result, &whole.result, sizeof r.result);
    rig_end(&r);
    rig_end(&whole);
}

UNIT_TESTS(UNIT(timing_begins_at_a_cta_when_all_before_it_have_been_executed),
           UNIT(windows_follow_each_other_in_time_and_what_lies_between_takes_none),
           UNIT(a_window_at_the_end_and_a_grid_before_all_windows_come_to_an_end),
           UNIT(one_window_over_the_whole_grid_is_the_launch_as_it_is))
