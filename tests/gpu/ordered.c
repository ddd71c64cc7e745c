/* Hybrid launches whose atomics return values: they are executed first, and timed behind that. */
#include <math.h>

#include "base/file.h"
#include "gpu/gpu.h"
#include "tests/unit.h"

enum { CTAS = 1500, THREADS = 256 };

struct rig {
    struct gpu *gpu;
    struct exec_module *module;
    struct plan plan;
    struct kernel_result result;
    struct status status;
};

static void rig_begin(struct rig *r, bool hybrid)
{
    static const char *const set[] = {"gpu.memory=1", "gpu.sms=2",       "gpu.gpcs=2",       "l2.size=196608",
                                      "l2.slices=6",  "dram.channels=2", "dram.bandwidth=64"};
    static const char cubin[] = "tests/gpu/cubin/sampled.sm_86.cubin";
    char path[4096];
    struct file_bytes file;
    struct config config;
    memset(r, 0, sizeof *r);
    assert_true(config_load(&config, "rtx-a6000", &r->status));
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        assert_true(config_set(&config, set[i], &r->status));
    assert_true(config_check(&config, &r->status));
    assert_true(!hybrid || plan_add(&r->plan, "hybrid", "--fidelity", "hybrid", &r->status));
    const struct gpu_options options = {.threads = 1, .plan = &r->plan};
    r->gpu = gpu_create(&config, &options, &r->status);
    assert_non_null(r->gpu);
    assert_true(file_read(unit_path(path, cubin), 1 << 22, &file, &r->status));
    r->module = gpu_load(r->gpu, (struct cubin_bytes){file.data, file.size}, cubin, &r->status);
    assert_non_null(r->module);
    file_free(&file);
}

static void rig_end(struct rig *r)
{
    gpu_destroy(r->gpu);
    plan_free(&r->plan);
}

/* Returns the words that the kernel leaves. */
static const uint32_t *run(struct rig *r, const char *kernel, uint32_t threads, enum gpu_mode mode)
{
    const uint64_t words = memory_alloc(gpu_memory(r->gpu), 4 + 4 * CTAS);
    struct gpu_launch l = {.module = r->module,
                           .kernel = kernel,
                           .grid = {CTAS, 1, 1},
                           .block = {threads, 1, 1},
                           .parameters = &words,
                           .parameter_bytes = sizeof words,
                           .mode = mode};
    if (!gpu_launch(r->gpu, &l, &r->result, &r->status))
        fail_msg("%s", r->status.text);
    return (const uint32_t *)(const void *)memory_at(gpu_memory(r->gpu), words);
}

static void check_tickets(const uint32_t *words)
{
    bool taken[CTAS] = {false};
    assert_int_equal(words[0], CTAS);
    for (uint32_t i = 0; i < CTAS; i++) {
        assert_true(words[1 + i] < CTAS && !taken[words[1 + i]]);
        taken[words[1 + i]] = true;
    }
}

static void a_launch_of_tickets_hands_out_each_once_and_has_one_of_two_sms_timed(void **state)
{
    struct rig whole, hybrid;
    (void)state;
    rig_begin(&whole, false);
    check_tickets(run(&whole, "tickets", THREADS, GPU_MODE_DETAILED));
    rig_begin(&hybrid, true);
    check_tickets(run(&hybrid, "tickets", THREADS, GPU_MODE_DETAILED));
    const struct kernel_result *r = &hybrid.result;
    assert_int_equal(r->stop, STOP_HYBRID);
    assert_true(r->rest_executed && !r->complete);
    assert_true(r->warp_instructions + r->rest_instructions == whole.result.warp_instructions);
    assert_true(2 * (double)r->warp_instructions < 1.1 * (double)whole.result.warp_instructions);
    assert_string_equal(r->module, whole.result.module);
    print_message("%.0f cycles, detailed %.0f\n", r->estimate.value, (double)whole.result.cycles);
    assert_true(fabs(r->estimate.value / (double)whole.result.cycles - 1) < 0.02);
    rig_end(&hybrid);
    rig_end(&whole);
}

static void its_memory_is_that_of_a_run_without_time(void **state)
{
    struct rig hybrid, functional;
    (void)state;
    rig_begin(&hybrid, true);
    run(&hybrid, "tickets", THREADS, GPU_MODE_DETAILED);
    rig_begin(&functional, false);
    run(&functional, "tickets", THREADS, GPU_MODE_FUNCTIONAL);
    assert_true(memory_digest(gpu_memory(hybrid.gpu)) == memory_digest(gpu_memory(functional.gpu)));
    rig_end(&functional);
    rig_end(&hybrid);
}

static void a_launch_whose_ctas_wait_for_others_is_timed_whole(void **state)
{
    struct rig r;
    (void)state;
    rig_begin(&r, true);
    const uint32_t *words = run(&r, "chain", 32, GPU_MODE_DETAILED);
    assert_true(r.result.complete);
    assert_int_equal(r.result.stop, STOP_NONE);
    assert_int_equal(words[CTAS], CTAS);
    rig_end(&r);
}

UNIT_TESTS(UNIT(a_launch_of_tickets_hands_out_each_once_and_has_one_of_two_sms_timed),
           UNIT(its_memory_is_that_of_a_run_without_time), UNIT(a_launch_whose_ctas_wait_for_others_is_timed_whole))
