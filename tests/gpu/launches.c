/* The options of a launch, and the report of a kernel that goes wrong: the kernels of launches.cu, executed only
 * and timed, chosen launch by launch on one GPU. */
#include "base/file.h"
#include "exec/memory/window.h"
#include "gpu/gpu.h"
#include "tests/unit.h"

static const struct {
    const char *name;
    unsigned sm;
} gpus[] = {{"a100", 80}, {"rtx-a6000", 86}, {"h200", 90}, {"rtx-5080", 120}};

enum { GPUS = sizeof gpus / sizeof gpus[0], WORDS = 16384 };

struct rig {
    struct gpu *gpu;
    struct exec_module *module;
    struct config config;
    struct kernel_result result;
    struct status status;
    uint64_t out, cell; /* device addresses */
    enum gpu_mode mode;
};

static void rig_begin(struct rig *r, unsigned index, enum gpu_mode mode)
{
    char path[4096], place[96];
    struct file_bytes file;
    const struct gpu_options options = {.threads = 1, .functional = mode == GPU_MODE_DETAILED};
    memset(r, 0, sizeof *r);
    r->mode = mode;
    assert_true(config_load(&r->config, gpus[index].name, &r->status));
    assert_true(config_set(&r->config, "gpu.memory=8", &r->status));
    r->gpu = gpu_create(&r->config, &options, &r->status);
    assert_non_null(r->gpu);
    snprintf(place, sizeof place, "tests/gpu/cubin/launches.sm_%u.cubin", gpus[index].sm);
    assert_true(file_read(unit_path(path, place), 1 << 20, &file, &r->status));
    r->module = gpu_load(r->gpu, (struct cubin_bytes){file.data, file.size}, place, &r->status);
    if (!r->module)
        fail_msg("%s", r->status.text);
    file_free(&file);
    r->out = memory_alloc(gpu_memory(r->gpu), 4 * WORDS);
    r->cell = memory_alloc(gpu_memory(r->gpu), 4 * WORDS);
}

static void rig_end(struct rig *r) { gpu_destroy(r->gpu); }

/* A launch of `ctas` CTAs with `threads` and two arguments: an address and a number. */
static struct gpu_launch of(const struct rig *r, const char *kernel, uint32_t ctas, uint32_t threads, const void *block,
                            size_t bytes)
{
    return (struct gpu_launch){.module = r->module,
                               .kernel = kernel,
                               .grid = {ctas, 1, 1},
                               .block = {threads, 1, 1},
                               .parameters = block,
                               .parameter_bytes = bytes,
                               .mode = r->mode};
}

struct arguments {
    uint64_t address;
    uint32_t number, unused;
};

static bool run(struct rig *r, const char *kernel, uint32_t ctas, uint32_t threads, uint64_t address, uint32_t number)
{
    const struct arguments arguments = {address, number, 0};
    const struct gpu_launch l = of(r, kernel, ctas, threads, &arguments, 12);
    r->status = (struct status){0};
    return gpu_launch(r->gpu, &l, &r->result, &r->status);
}

/* ---- cooperative grids ------------------------------------------------------------------------------------------- */

static bool run_neighbours(struct rig *r, uint32_t ctas, uint32_t threads, uint32_t rounds)
{
    const struct {
        uint64_t out, cell;
        uint32_t rounds, unused;
    } arguments = {r->out, r->cell, rounds, 0};
    struct gpu_launch l = of(r, "neighbours", ctas, threads, &arguments, 20);
    l.cooperative = true;
    r->status = (struct status){0};
    return gpu_launch(r->gpu, &l, &r->result, &r->status);
}

static void a_grid_waits_for_all_of_its_ctas(void **state)
{
    (void)state;
    enum { ROUNDS = 3 };
    for (unsigned i = 0; i < 2 * GPUS; i++) {
        struct rig r;
        rig_begin(&r, i / 2, i % 2 ? GPU_MODE_DETAILED : GPU_MODE_FUNCTIONAL);
        uint32_t ctas = i % 2 ? 24 : r.config.gpu.sms, threads = 64, n = ctas * threads;
        uint32_t *expected = calloc(2 * n, 4), *next = expected + n;
        for (uint32_t k = 0; k < n; k++)
            expected[k] = k;
        for (unsigned round = 0; round < ROUNDS; round++) {
            for (uint32_t k = 0; k < n; k++)
                next[k] = expected[(k + 1) % n] + expected[(k + n - 1) % n];
            memcpy(expected, next, 4 * n);
        }
        for (unsigned again = 0; again < 2; again++) { /* the workspace is zero each time */
            if (!run_neighbours(&r, ctas, threads, ROUNDS))
                fail_msg("%s: %s", gpus[i / 2].name, r.status.text);
            const uint32_t *out = (const uint32_t *)(const void *)memory_at(gpu_memory(r.gpu), r.out);
            for (uint32_t k = 0; k < n; k++)
                assert_int_equal(out[k], expected[k] + 1);
            assert_int_equal(r.result.detailed, i % 2);
        }
        free(expected);
        rig_end(&r);
    }
}

static void a_cooperative_grid_may_fill_the_gpu_and_not_exceed_it(void **state)
{
    (void)state;
    struct rig r;
    rig_begin(&r, 0, GPU_MODE_FUNCTIONAL);
    struct occupancy occupancy;
    const struct exec_kernel *kernel = exec_module_kernel(r.module, "neighbours", &r.status);
    assert_true(gpu_occupancy(&r.config, kernel->cubin->registers, 1024, 0, &occupancy, &r.status));
    uint32_t most = occupancy.ctas_per_sm * r.config.gpu.sms;
    assert_int_equal(most, 2 * 108);
    uint64_t cells = memory_alloc(gpu_memory(r.gpu), 8 * 1024 * (most + 1));
    r.out = cells;
    r.cell = cells + 4 * 1024 * (most + 1);
    assert_true(run_neighbours(&r, most, 1024, 1));
    assert_false(run_neighbours(&r, most + 1, 1024, 1));
    assert_int_equal(r.status.code, STATUS_USAGE);
    assert_non_null(strstr(r.status.text, "the cooperative grid has 217 CTAs"));
    assert_int_equal(gpu_fault(r.gpu)->kind, EXEC_FAULT_NONE);
    rig_end(&r);
}

/* A grid launched without it has no workspace, and the kernel traps. */
static void a_grid_that_is_not_cooperative_cannot_wait_for_itself(void **state)
{
    (void)state;
    struct rig r;
    rig_begin(&r, 0, GPU_MODE_FUNCTIONAL);
    const struct {
        uint64_t out, cell;
        uint32_t rounds, unused;
    } arguments = {r.out, r.cell, 1, 0};
    const struct gpu_launch l = of(&r, "neighbours", 2, 32, &arguments, 20);
    assert_false(gpu_launch(r.gpu, &l, &r.result, &r.status));
    assert_int_equal(gpu_fault(r.gpu)->kind, EXEC_FAULT_TRAP);
    rig_end(&r);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static void run_timer(struct rig *r, uint64_t start, uint32_t ctas, uint32_t steps, uint64_t time[2])
{
    const struct arguments arguments = {r->out, steps, 0};
    struct gpu_launch l = of(r, "timer", ctas, 32, &arguments, 12);
    l.start_ns = start;
    assert_true(gpu_launch(r->gpu, &l, &r->result, &r->status));
    assert_true(memory_read(gpu_memory(r->gpu), time, r->out + 16 * (ctas - 1), 16));
}

static void the_global_timer_begins_with_the_launch(void **state)
{
    (void)state;
    const uint64_t start = UINT64_C(5000000000);
    for (unsigned i = 0; i < GPUS; i++) {
        struct rig r;
        uint64_t first[2], later[2];
        rig_begin(&r, i, GPU_MODE_DETAILED);
        run_timer(&r, 0, 1, 1000, first);
        double ns = 1000.0 / r.config.gpu.clock * (double)r.result.cycles;
        assert_true(first[0] < first[1] && (double)first[1] <= ns);
        run_timer(&r, start, 1, 1000, later);
        assert_int_equal(later[0], start + first[0]);
        assert_int_equal(later[1], start + first[1]);
        rig_end(&r);
    }
}

/* The same instructions with and without a store. */
static void a_kernel_ends_when_its_last_store_is_acknowledged_and_its_sm_is_free_before(void **state)
{
    (void)state;
    for (unsigned i = 0; i < GPUS; i++) {
        struct rig r;
        rig_begin(&r, i, GPU_MODE_DETAILED);
        assert_true(run(&r, "store_at", 1, 32, r.out, 99));
        uint64_t cycles = r.result.cycles, active = r.result.sm.cycles_active;
        assert_true(run(&r, "store_at", 1, 32, r.out, 31));
        uint64_t longer = r.result.cycles - cycles, busier = r.result.sm.cycles_active - active;
        assert_in_range(busier, 1, 150); /* the constants of the store come from afar */
        assert_in_range(longer - busier, 2 * r.config.noc.latency, 2 * r.config.noc.latency + 1000);
        rig_end(&r);
    }
}

static void the_timer_of_a_functional_run_ends_with_the_least_cycles(void **state)
{
    (void)state;
    const uint64_t start = 77777;
    struct rig r;
    uint64_t time[2];
    rig_begin(&r, 0, GPU_MODE_FUNCTIONAL);
    run_timer(&r, start, 1, 100000, time);
    assert_true(r.result.estimate.value == (double)r.result.warp_instructions);
    assert_int_equal(r.result.estimate.kind, ESTIMATE_BOUND);
    double ns = 1000.0 / r.config.gpu.clock * r.result.estimate.value;
    assert_true((double)(time[1] - start) <= ns && (double)(time[1] - start) > ns - 60);
    run_timer(&r, start, 1000, 10, time);
    uint64_t schedulers = r.config.gpu.sms * r.config.sm.subcores;
    assert_true(r.result.estimate.value == (double)r.result.warp_instructions / (double)schedulers);
    rig_end(&r);
}

/* ---- one launch after another ------------------------------------------------------------------------------------ */

static void launches_of_both_modes_share_memory(void **state)
{
    (void)state;
    struct rig r;
    rig_begin(&r, 1, GPU_MODE_FUNCTIONAL);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t word;
        r.mode = i % 2 ? GPU_MODE_DETAILED : GPU_MODE_FUNCTIONAL;
        assert_true(run(&r, "store_at", 1, 32, r.out + 4 * i, i));
        assert_true(memory_read(gpu_memory(r.gpu), &word, r.out + 4 * i, 4));
        assert_int_equal(word, 1);
        assert_int_equal(r.result.detailed, i % 2);
        assert_int_equal(r.result.cycles != 0, i % 2);
    }
    r.mode = GPU_MODE_OF_OPTIONS;
    assert_true(run(&r, "store_at", 1, 32, r.out, 0));
    assert_true(r.result.detailed);
    rig_end(&r);
}

static void a_kernel_can_be_named_by_its_place_in_the_module(void **state)
{
    (void)state;
    struct rig r;
    rig_begin(&r, 1, GPU_MODE_FUNCTIONAL);
    const struct arguments arguments = {r.out, 5, 0};
    for (size_t i = 0; i < r.module->cubin.kernel_count; i++) {
        struct gpu_launch l = of(&r, "no such name", 1, 32, &arguments, 12);
        l.function = &r.module->cubin.kernels[i];
        if (strcmp(l.function->name, "store_at") != 0)
            continue;
        assert_true(gpu_launch(r.gpu, &l, &r.result, &r.status));
        assert_string_equal(r.result.kernel, "store_at");
    }
    rig_end(&r);
}

static void constants_can_be_written_between_launches(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * GPUS; i++) {
        struct rig r;
        uint32_t out[32], table[2] = {15, 92};
        rig_begin(&r, i / 2, i % 2 ? GPU_MODE_DETAILED : GPU_MODE_FUNCTIONAL);
        assert_true(run(&r, "constants", 1, 32, r.out, 100));
        assert_true(memory_read(gpu_memory(r.gpu), out, r.out, sizeof out));
        assert_int_equal(out[0], 3 + 4 + 100);
        assert_int_equal(out[3], 0 + 4 + 100);
        assert_true(memory_write(gpu_memory(r.gpu), r.module->constants + 8, table, sizeof table));
        assert_true(run(&r, "constants", 1, 32, r.out, 100));
        assert_true(memory_read(gpu_memory(r.gpu), out, r.out, sizeof out));
        assert_int_equal(out[0], 3 + 15 + 100);
        assert_int_equal(out[3], 92 + 15 + 100);
        rig_end(&r);
    }
}

static void a_module_that_goes_gives_its_memory_back(void **state)
{
    (void)state;
    struct rig r;
    rig_begin(&r, 1, GPU_MODE_FUNCTIONAL);
    char path[4096];
    struct file_bytes file;
    assert_true(file_read(unit_path(path, "tests/exec/cubin/flow.sm_86.cubin"), 1 << 20, &file, &r.status));
    struct exec_module *module = gpu_load(r.gpu, (struct cubin_bytes){file.data, file.size}, "flow", &r.status);
    assert_non_null(module);
    assert_int_not_equal(module->globals, 0);
    assert_true(memory_ok(gpu_memory(r.gpu), module->globals, 1));
    uint64_t globals = module->globals;
    gpu_unload(r.gpu, module);
    assert_false(memory_ok(gpu_memory(r.gpu), globals, 1));
    assert_true(run(&r, "store_at", 1, 32, r.out, 0));
    file_free(&file);
    rig_end(&r);
}

/* ---- host memory ------------------------------------------------------------------------------------------------- */

/* vecadd of the examples, on memory that the host program has, at addresses of the host. */
static void a_kernel_works_on_registered_host_memory(void **state)
{
    (void)state;
    enum { N = 3000 };
    static float a[N + 1], b[N], c[N + 7];
    for (unsigned i = 0; i < 2 * GPUS; i++) {
        struct rig r;
        char path[4096], place[96];
        struct file_bytes file;
        rig_begin(&r, i / 2, i % 2 ? GPU_MODE_DETAILED : GPU_MODE_FUNCTIONAL);
        snprintf(place, sizeof place, "examples/cubin/vecadd.sm_%u.cubin", gpus[i / 2].sm);
        assert_true(file_read(unit_path(path, place), 1 << 20, &file, &r.status));
        r.module = gpu_load(r.gpu, (struct cubin_bytes){file.data, file.size}, place, &r.status);
        assert_non_null(r.module);
        file_free(&file);
        for (unsigned k = 0; k < N; k++) {
            a[k + 1] = (float)k;
            b[k] = (float)(1000 * i);
            c[k] = -1;
        }
        c[N] = 5;
        struct memory *m = gpu_memory(r.gpu);
        assert_true(memory_window_add(m, a, sizeof a) && memory_window_add(m, b, sizeof b) &&
                    memory_window_add(m, c, N * sizeof *c));
        const struct {
            const void *a, *b, *c;
            uint32_t n, unused;
        } arguments = {a + 1, b, c, N, 0};
        const struct gpu_launch l = of(&r, "vecadd", (N + 127) / 128, 128, &arguments, 28);
        if (!gpu_launch(r.gpu, &l, &r.result, &r.status))
            fail_msg("%s", r.status.text);
        for (unsigned k = 0; k < N; k++)
            assert_true(c[k] == (float)(1000 * i + k));
        assert_true(c[N] == 5);
        assert_true(memory_window_remove(m, b));
        assert_false(gpu_launch(r.gpu, &l, &r.result, &r.status));
        assert_int_equal(gpu_fault(r.gpu)->kind, EXEC_FAULT_ADDRESS);
        assert_int_equal((gpu_fault(r.gpu)->address - (uintptr_t)b) / sizeof b, 0);
        rig_end(&r);
    }
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

static const struct exec_fault_report *fails(struct rig *r, const char *kernel, uint32_t threads, uint64_t address,
                                             uint32_t number, enum exec_fault_kind kind)
{
    assert_false(run(r, kernel, 3, threads, address, number));
    const struct exec_fault_report *fault = gpu_fault(r->gpu);
    if (fault->kind != kind)
        fail_msg("%s: %s instead of %s: %s", kernel, exec_fault_name(fault->kind), exec_fault_name(kind),
                 r->status.text);
    assert_string_equal(fault->kernel, kernel);
    return fault;
}

static void assert_place(const struct exec_fault_report *fault, uint32_t warp, uint32_t lane, const char *sass)
{
    assert_true(fault->has_place);
    assert_int_equal(fault->warp, warp);
    assert_int_equal(fault->lane, lane);
    assert_int_equal(fault->cta.x, 0);
    assert_non_null(strstr(fault->sass, sass));
    assert_int_equal(fault->pc % 16, 0);
}

static void assert_address(const struct exec_fault_report *fault, uint64_t address)
{
    assert_true(fault->has_address);
    assert_int_equal(fault->address, address);
}

static void each_fault_has_its_kind_and_place(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * GPUS; i++) {
        struct rig r;
        const struct exec_fault_report *fault;
        rig_begin(&r, i / 2, i % 2 ? GPU_MODE_DETAILED : GPU_MODE_FUNCTIONAL);
        fault = fails(&r, "store_at", 64, 0xdead0000, 37, EXEC_FAULT_ADDRESS);
        assert_place(fault, 1, 5, "ST");
        assert_address(fault, 0xdead0000);
        assert_non_null(strstr(fault->text, "illegal address 0xdead0000"));
        fault = fails(&r, "store_at", 64, r.out + 4 * WORDS, 0, EXEC_FAULT_ADDRESS);
        assert_place(fault, 0, 0, "ST");
        assert_address(fault, r.out + 4 * WORDS);
        fault = fails(&r, "store_at", 64, r.out + 2, 63, EXEC_FAULT_MISALIGNED);
        assert_place(fault, 1, 31, "ST");
        assert_address(fault, r.out + 2);
        fault = fails(&r, "store_local", 32, r.out, 1 << 20, EXEC_FAULT_ADDRESS);
        assert_place(fault, 0, 0, "STL");
        fault = fails(&r, "recursion", 32, r.out, 100000, EXEC_FAULT_STACK);
        assert_place(fault, 0, 0, "STL");
        fault = fails(&r, "trap_at", 64, r.out, 40, EXEC_FAULT_TRAP);
        assert_place(fault, 1, 8, "BPT.TRAP");
        assert_false(fault->has_address);
        fault = fails(&r, "assert_at", 64, r.out, 33, EXEC_FAULT_ASSERT);
        assert_int_equal(fault->warp, 1);
        assert_int_equal(fault->lane, 1);
        assert_non_null(strstr(fault->text, "Assertion `threadIdx.x != lane` failed"));
        assert_non_null(strstr(fault->sass, "CALL")); /* the caller of the failing place */
        fault = fails(&r, "jump_to", 32, 0x12345670, 3, EXEC_FAULT_PC);
        assert_address(fault, 0x12345670);
        fails(&r, "divided_barrier", 64, r.out, 0, EXEC_FAULT_DEADLOCK);
        assert_int_equal(r.status.code, STATUS_DEADLOCK);
        fault = fails(&r, "unsupported", 32, r.out, 0, EXEC_FAULT_UNSUPPORTED);
        assert_place(fault, 0, EXEC_LANES, "SR_PM0");
        assert_true(run(&r, "store_at", 1, 32, r.out, 0)); /* and the GPU goes on */
        assert_int_equal(gpu_fault(r.gpu)->kind, EXEC_FAULT_NONE);
        rig_end(&r);
    }
}

static void a_larger_stack_holds_a_deeper_recursion(void **state)
{
    (void)state;
    for (unsigned i = 0; i < GPUS; i++) {
        struct rig r;
        rig_begin(&r, i, GPU_MODE_FUNCTIONAL);
        const struct arguments arguments = {r.out, 200, 0};
        struct gpu_launch l = of(&r, "recursion", 1, 32, &arguments, 12);
        assert_false(gpu_launch(r.gpu, &l, &r.result, &r.status));
        assert_int_equal(gpu_fault(r.gpu)->kind, EXEC_FAULT_STACK);
        uint32_t before = r.result.local_bytes, sum;
        l.stack_limit = 16384;
        r.status = (struct status){0};
        if (!gpu_launch(r.gpu, &l, &r.result, &r.status))
            fail_msg("%s", r.status.text);
        assert_int_equal(r.result.local_bytes, before - 1024 + 16384);
        assert_true(memory_read(gpu_memory(r.gpu), &sum, r.out, 4));
        uint32_t expected = 0;
        for (uint32_t n = 1; n <= 200; n++)
            expected += n + n % 4;
        assert_int_equal(sum, expected);
        rig_end(&r);
    }
}

UNIT_TESTS(UNIT(a_grid_waits_for_all_of_its_ctas), UNIT(a_cooperative_grid_may_fill_the_gpu_and_not_exceed_it),
           UNIT(a_grid_that_is_not_cooperative_cannot_wait_for_itself), UNIT(the_global_timer_begins_with_the_launch),
           UNIT(a_kernel_ends_when_its_last_store_is_acknowledged_and_its_sm_is_free_before),
           UNIT(the_timer_of_a_functional_run_ends_with_the_least_cycles), UNIT(launches_of_both_modes_share_memory),
           UNIT(a_kernel_can_be_named_by_its_place_in_the_module), UNIT(constants_can_be_written_between_launches),
           UNIT(a_module_that_goes_gives_its_memory_back), UNIT(a_kernel_works_on_registered_host_memory),
           UNIT(each_fault_has_its_kind_and_place), UNIT(a_larger_stack_holds_a_deeper_recursion))
