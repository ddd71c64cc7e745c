/* A launch of which some CTA waves are timed: memory is as after the whole launch, and the cycles are near. */
#include <math.h>

#include "base/file.h"
#include "gpu/gpu.h"
#include "tests/unit.h"

enum { SMS = 2, THREADS = 256 };

struct rig {
    struct gpu *gpu;
    struct exec_module *module;
    struct plan plan;
    struct kernel_result result;
    struct status status;
};

static void rig_begin(struct rig *r, const char *cubin, const char *error, unsigned threads)
{
    char path[4096];
    struct file_bytes file;
    struct config config;
    memset(r, 0, sizeof *r);
    assert_true(config_load(&config, "rtx-a6000", &r->status));
    static const char *const set[] = {"gpu.memory=1", "gpu.sms=2",       "gpu.gpcs=2",       "l2.size=196608",
                                      "l2.slices=6",  "dram.channels=2", "dram.bandwidth=64"};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        if (!config_set(&config, set[i], &r->status))
            fail_msg("%s", r->status.text);
    if (!config_check(&config, &r->status))
        fail_msg("%s", r->status.text);
    if (error)
        assert_true(plan_add(&r->plan, "sample-ctas", "--error", error, &r->status));
    const struct gpu_options options = {.threads = threads, .plan = &r->plan};
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

static void launch(struct rig *r, const char *kernel, uint32_t ctas, uint32_t threads, const void *parameters,
                   size_t bytes)
{
    struct gpu_launch l = {.module = r->module,
                           .kernel = kernel,
                           .grid = {ctas, 1, 1},
                           .block = {threads, 1, 1},
                           .parameters = parameters,
                           .parameter_bytes = bytes};
    if (!gpu_plan_launch(r->gpu, &l, 0, &r->status) || !gpu_launch(r->gpu, &l, &r->result, &r->status))
        fail_msg("%s", r->status.text);
}

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

static const char vectors[] = "examples/cubin/vecadd.sm_86.cubin";

static void add_vectors(struct rig *r, uint32_t ctas)
{
    const uint32_t n = ctas * THREADS;
    struct {
        uint64_t a, b, c;
        uint32_t n;
    } arguments = {memory_alloc(gpu_memory(r->gpu), 4ull * n), memory_alloc(gpu_memory(r->gpu), 4ull * n),
                   memory_alloc(gpu_memory(r->gpu), 4ull * n), n};
    float *a = (float *)(void *)memory_at(gpu_memory(r->gpu), arguments.a);
    for (uint32_t i = 0; i < n; i++)
        a[i] = (float)i;
    launch(r, "vecadd", ctas, THREADS, &arguments, 28);
    const float *c = (const float *)(const void *)memory_at(gpu_memory(r->gpu), arguments.c);
    for (uint32_t i = 0; i < n; i++)
        assert_true(c[i] == (float)i);
}

static void a_long_launch_is_near_the_detailed_one_and_leaves_the_same_memory(void **state)
{
    enum { CTAS = 4000 };
    struct rig whole, some;
    (void)state;
    rig_begin(&whole, vectors, NULL, 1);
    add_vectors(&whole, CTAS);
    rig_begin(&some, vectors, "3", 1);
    add_vectors(&some, CTAS);
    const struct kernel_result *r = &some.result;
    assert_true(whole.result.complete && !r->complete);
    assert_int_equal(r->stop, STOP_SAMPLED);
    assert_true(r->rest_executed);
    assert_true(r->warp_instructions + r->rest_instructions == whole.result.warp_instructions);
    assert_true(3 * r->warp_instructions < 2 * whole.result.warp_instructions);
    assert_int_equal(r->estimate.kind, ESTIMATE_PROJECTED);
    double truth = (double)whole.result.cycles, error = fabs(r->estimate.value - truth);
    print_message("error %.2f %%, stated %.2f %%, timed %.0f %%\n", 100 * error / truth,
                  100 * r->estimate.error / truth,
                  100 * (double)r->warp_instructions / (double)whole.result.warp_instructions);
    assert_true(error <= r->estimate.error);
    assert_true(error <= 0.03 * truth && r->estimate.error <= 0.05 * truth);
    assert_true(memory_digest(gpu_memory(whole.gpu)) == memory_digest(gpu_memory(some.gpu)));
    rig_end(&some);
    rig_end(&whole);
}

static void threads_change_no_estimate(void **state)
{
    enum { CTAS = 3000 };
    struct rig one, two;
    (void)state;
    rig_begin(&one, vectors, "3", 1);
    add_vectors(&one, CTAS);
    rig_begin(&two, vectors, "3", 2);
    add_vectors(&two, CTAS);
    assert_int_equal(one.result.stop, STOP_SAMPLED);
    assert_true(one.result.cycles == two.result.cycles && one.result.estimate.value == two.result.estimate.value &&
                one.result.estimate.error == two.result.estimate.error);
    rig_end(&two);
    rig_end(&one);
}

static void a_short_launch_is_timed_whole(void **state)
{
    struct rig whole, some;
    (void)state;
    rig_begin(&whole, vectors, NULL, 1);
    add_vectors(&whole, 200);
    rig_begin(&some, vectors, "3", 1);
    add_vectors(&some, 200);
    assert_true(some.result.complete && some.result.cycles == whole.result.cycles);
    assert_int_equal(some.result.estimate.kind, ESTIMATE_EXACT);
    rig_end(&some);
    rig_end(&whole);
}

/* ---- other kernels ----------------------------------------------------------------------------------------------- */

/* Each CTA takes tickets: an atomic that returns a value tells which CTA came first. */
static void a_kernel_whose_atomics_return_values_is_timed_whole(void **state)
{
    enum { CTAS = 1500 };
    struct rig r;
    (void)state;
    rig_begin(&r, "tests/gpu/cubin/sampled.sm_86.cubin", "3", 1);
    const uint64_t words = memory_alloc(gpu_memory(r.gpu), 4 + 4 * CTAS);
    launch(&r, "tickets", CTAS, THREADS, &words, sizeof words);
    assert_true(r.result.complete);
    assert_int_equal(r.result.stop, STOP_NONE);
    assert_int_equal(*(const uint32_t *)(const void *)memory_at(gpu_memory(r.gpu), words), CTAS);
    rig_end(&r);
}

/* Each CTA waits for the one before it. */
static void a_kernel_whose_ctas_wait_for_others_is_timed_whole(void **state)
{
    enum { CTAS = 600 };
    struct rig r;
    (void)state;
    rig_begin(&r, "tests/gpu/cubin/sampled.sm_86.cubin", "3", 1);
    const uint64_t words = memory_alloc(gpu_memory(r.gpu), 4 + 4 * CTAS);
    launch(&r, "chain", CTAS, 32, &words, sizeof words);
    assert_true(r.result.complete);
    assert_int_equal(*(const uint32_t *)(const void *)memory_at(gpu_memory(r.gpu), words + 4 * CTAS), CTAS);
    rig_end(&r);
}

/* CTAs in flight keep their local memory while others are executed. */
static void local_memory_of_ctas_in_flight_stays_theirs(void **state)
{
    enum { CTAS = 600 };
    struct rig r;
    (void)state;
    rig_begin(&r, "tests/gpu/cubin/sampled.sm_86.cubin", "3", 1);
    const uint64_t out = memory_alloc(gpu_memory(r.gpu), 4ull * THREADS * CTAS);
    launch(&r, "shuffle_local", CTAS, THREADS, &out, sizeof out);
    assert_true(r.result.local_bytes > 0);
    assert_int_equal(r.result.stop, STOP_SAMPLED);
    const uint32_t *word = (const uint32_t *)(const void *)memory_at(gpu_memory(r.gpu), out);
    for (uint32_t i = 0; i < CTAS * THREADS; i++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < 32; k++)
            sum += (i ^ k * 7) * (k % 5);
        assert_int_equal(word[i], sum);
    }
    rig_end(&r);
}

UNIT_TESTS(UNIT(a_long_launch_is_near_the_detailed_one_and_leaves_the_same_memory), UNIT(threads_change_no_estimate),
           UNIT(a_short_launch_is_timed_whole), UNIT(a_kernel_whose_atomics_return_values_is_timed_whole),
           UNIT(a_kernel_whose_ctas_wait_for_others_is_timed_whole), UNIT(local_memory_of_ctas_in_flight_stays_theirs))
