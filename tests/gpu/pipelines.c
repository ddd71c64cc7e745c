/* The kernels of pipelines.cu, whose warps wait for each other at barrier objects, executed only and timed. */
#include <unistd.h>

#include "base/file.h"
#include "gpu/gpu.h"
#include "hazard/hazard.h"
#include "tests/temporary.h"
#include "tests/unit.h"
#include "trace/reader.h"
#include "trace/writer.h"

static const struct {
    const char *name;
    unsigned sm;
} gpus[] = {{"h200", 90}, {"b200", 100}, {"rtx-5080", 120}};

enum { GPUS = sizeof gpus / sizeof gpus[0], WORDS = 65536, STAGES = 3, LANES = 32 };

struct rig {
    struct gpu *gpu;
    struct exec_module *module;
    struct config config;
    struct kernel_result result;
    struct status status;
    uint64_t out, in; /* device addresses */
    enum gpu_mode mode;
};

static void rig_begin_with(struct rig *r, unsigned index, enum gpu_mode mode, const char *setting,
                           const struct gpu_options *options)
{
    char path[4096], place[96];
    struct file_bytes file;
    memset(r, 0, sizeof *r);
    r->mode = mode;
    assert_true(config_load(&r->config, gpus[index].name, &r->status));
    assert_true(config_set(&r->config, "gpu.memory=1", &r->status));
    if (setting && !config_set(&r->config, setting, &r->status))
        fail_msg("%s", r->status.text);
    r->gpu = gpu_create(&r->config, options, &r->status);
    assert_non_null(r->gpu);
    snprintf(place, sizeof place, "tests/gpu/cubin/pipelines.sm_%u.cubin", gpus[index].sm);
    assert_true(file_read(unit_path(path, place), 1 << 20, &file, &r->status));
    r->module = gpu_load(r->gpu, (struct cubin_bytes){file.data, file.size}, place, &r->status);
    if (!r->module)
        fail_msg("%s", r->status.text);
    file_free(&file);
    r->out = memory_alloc(gpu_memory(r->gpu), 4 * WORDS);
    r->in = memory_alloc(gpu_memory(r->gpu), 4 * WORDS);
    for (uint32_t i = 0; i < WORDS; i++)
        ((uint32_t *)(void *)memory_at(gpu_memory(r->gpu), r->in))[i] = 2654435761u * i;
}

static void rig_begin_checked(struct rig *r, unsigned index, enum gpu_mode mode, const char *setting,
                              struct hazards *hazards, unsigned threads)
{
    const struct gpu_options options = {
        .threads = threads, .functional = mode == GPU_MODE_DETAILED, .hazards = hazards};
    rig_begin_with(r, index, mode, setting, &options);
}

static void rig_begin(struct rig *r, unsigned index, enum gpu_mode mode, const char *setting)
{
    rig_begin_checked(r, index, mode, setting, NULL, 1);
}

static void rig_end(struct rig *r) { gpu_destroy(r->gpu); }

static const uint32_t *out_of(const struct rig *r)
{
    return (const uint32_t *)(const void *)memory_at(gpu_memory(r->gpu), r->out);
}

static uint32_t input(uint32_t i) { return 2654435761u * i; }

struct arguments {
    uint64_t out;
    union {
        uint64_t in;
        uint32_t number;
    };
    uint32_t rounds, unused;
};

static bool run(struct rig *r, const char *kernel, uint32_t ctas, uint32_t threads, struct arguments a)
{
    struct gpu_launch l = {.module = r->module,
                           .kernel = kernel,
                           .grid = {ctas, 1, 1},
                           .block = {threads, 1, 1},
                           .parameters = &a,
                           .mode = r->mode};
    const struct exec_module *m = r->module;
    for (size_t i = 0; i < m->cubin.kernel_count; i++)
        if (!strcmp(m->cubin.kernels[i].name, kernel))
            l.parameter_bytes = m->cubin.kernels[i].parameter_bytes;
    r->status = (struct status){0};
    return gpu_launch(r->gpu, &l, &r->result, &r->status);
}

static void run_well(struct rig *r, const char *kernel, uint32_t ctas, uint32_t threads, struct arguments a)
{
    if (!run(r, kernel, ctas, threads, a))
        fail_msg("%s, sm_%u: %s", kernel, r->config.gpu.architecture, r->status.text);
}

/* On each GPU, executed only and timed. */
static void each(void (*check)(struct rig *r))
{
    for (unsigned i = 0; i < 2 * GPUS; i++) {
        struct rig r;
        rig_begin(&r, i / 2, i % 2 ? GPU_MODE_DETAILED : GPU_MODE_FUNCTIONAL, NULL);
        check(&r);
        rig_end(&r);
    }
}

/* ---- pipelines --------------------------------------------------------------------------------------------------- */

static void check_stores(struct rig *r)
{
    enum { ROUNDS = 50 };
    run_well(r, "stores", 3, 128, (struct arguments){.out = r->out, .number = ROUNDS});
    for (uint32_t t = 0; t < 128; t++) {
        uint32_t sum = 0;
        for (uint32_t n = 0; t >= 32 && n < ROUNDS; n++)
            sum += n * 1000 + (t + t / 32) % LANES;
        assert_int_equal(out_of(r)[t], sum);
    }
}

static void stages_of_stores_are_read_in_their_phase(void **state)
{
    (void)state;
    each(check_stores);
}

static void check_copies_of(struct rig *r, const char *kernel)
{
    enum { ROUNDS = 40 };
    run_well(r, kernel, 2, 96, (struct arguments){.out = r->out, .in = r->in, .rounds = ROUNDS});
    for (uint32_t t = 0; t < 96; t++) {
        uint32_t sum = 0;
        for (uint32_t n = 0; t >= 32 && n < ROUNDS; n++)
            sum += input(n * LANES * 4 + (t % 32 * 4 + t / 32) % (LANES * 4));
        assert_int_equal(out_of(r)[t], sum);
    }
}

static void check_copies(struct rig *r)
{
    check_copies_of(r, "copies");
    check_copies_of(r, "copies_noinc");
}

static void stages_of_copies_are_read_in_their_phase(void **state)
{
    (void)state;
    each(check_copies);
}

/* ---- forms ------------------------------------------------------------------------------------------------------- */

static void check_forms(struct rig *r)
{
    run_well(r, "forms", 1, 64, (struct arguments){.out = r->out});
    for (uint32_t t = 0; t < 32; t++) {
        assert_int_equal(out_of(r)[t], 33 - t); /* the transfers that are pending before each */
        assert_int_equal(out_of(r)[64 + t],
                         0 * 4 + 1 * 2 + 0); /* two phases have ended: the next is again of parity 0 */
        assert_int_equal(out_of(r)[96 + t], 1);
    }
}

static void each_form_says_what_the_model_says(void **state)
{
    (void)state;
    each(check_forms);
}

static void check_elects(struct rig *r)
{
    run_well(r, "elects", 1, 64, (struct arguments){.out = r->out});
    for (uint32_t t = 0; t < 64; t++) {
        assert_int_equal(out_of(r)[t], t % 32 == 0);
        if (t % 32 >= 20)
            assert_int_equal(out_of(r)[64 + t], 20 * 16 + (t % 32 == 20));
    }
}

static void the_lowest_active_lane_is_elected(void **state)
{
    (void)state;
    each(check_elects);
}

static void check_ring(struct rig *r)
{
    enum { ROUNDS = 9 };
    run_well(r, "ring", 4, 64, (struct arguments){.out = r->out, .number = ROUNDS});
    for (uint32_t cta = 0; cta < 4; cta++) {
        for (uint32_t t = 0; t < 64; t++) {
            uint32_t sum = 0;
            for (uint32_t n = 0; n < ROUNDS; n++)
                sum += 1000 * ((cta + 3) % 4) + 100000 * n + (t ^ 5);
            assert_int_equal(out_of(r)[cta * 64 + t], sum);
        }
        assert_int_equal(out_of(r)[256 + cta], ROUNDS * 63 * 64 / 2);
    }
}

static void a_ring_of_ctas_hands_data_on_by_asynchronous_stores(void **state)
{
    (void)state;
    each(check_ring);
}

static void check_spread(struct rig *r)
{
    enum { ROUNDS = 11 };
    run_well(r, "spread", 8, 64, (struct arguments){.out = r->out, .number = ROUNDS});
    for (uint32_t cta = 0; cta < 8; cta++)
        assert_int_equal(out_of(r)[cta], ROUNDS);
}

static void lanes_of_one_arrival_reach_the_ctas_that_they_name(void **state)
{
    (void)state;
    each(check_spread);
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

static void check_registers(struct rig *r)
{
    run_well(r, "registers_fit", 1, 384, (struct arguments){.out = r->out, .in = r->in});
    for (uint32_t t = 0; t < 384; t++) {
        uint32_t sum = t < 128 ? input(t) : 0;
        for (uint32_t i = 0; t >= 128 && i < 160; i++)
            sum = sum * 3 + input((i * 7 + 3) % 160 * 384 + t);
        assert_int_equal(out_of(r)[t], sum);
    }
}

static void consumers_use_the_registers_that_producers_give_up(void **state)
{
    (void)state;
    each(check_registers);
}

static void assert_deadlock(struct rig *r, const char *kernel, uint32_t threads, const char *expected)
{
    struct arguments a = {.out = r->out, .in = r->in};
    assert_false(run(r, kernel, 1, threads, a));
    assert_int_equal(r->status.code, STATUS_DEADLOCK);
    if (!strstr(r->status.text, expected))
        fail_msg("\"%s\" is not in: %s", expected, r->status.text);
}

static void check_lack(struct rig *r)
{
    assert_deadlock(r, "registers_lack", 384,
                    "asks for 240 registers a thread, has 168, and the pool of its CTA has 40");
}

static void consumers_that_ask_for_too_many_registers_are_told_what_the_pool_has(void **state)
{
    (void)state;
    each(check_lack);
}

/* ---- the checkers, host threads ---------------------------------------------------------------------------------- */

static void compiled_pipelines_have_no_hazards(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * GPUS; i++) {
        struct rig r;
        struct hazards hazards;
        hazards_init(&hazards);
        rig_begin_checked(&r, i / 2, i % 2 ? GPU_MODE_DETAILED : GPU_MODE_FUNCTIONAL, NULL, &hazards, 1);
        check_stores(&r);
        check_copies(&r);
        check_forms(&r);
        check_ring(&r);
        check_registers(&r);
        assert_int_equal(hazards_count(&hazards), 0);
        assert_false(hazards.failed);
        rig_end(&r);
        hazards_free(&hazards);
    }
}

static void cycles_are_the_same_for_any_number_of_threads_and_without_skipping(void **state)
{
    (void)state;
    uint64_t first[3] = {0};
    for (unsigned i = 0; i < 3; i++) {
        struct rig r;
        rig_begin_checked(&r, 0, GPU_MODE_DETAILED, i == 2 ? "run.skip_idle=false" : NULL, NULL, i == 1 ? 3 : 1);
        uint64_t cycles[3];
        check_copies(&r);
        cycles[0] = r.result.cycles;
        run_well(&r, "stores", 40, 128, (struct arguments){.out = r.out, .number = 30});
        cycles[1] = r.result.cycles;
        check_ring(&r);
        cycles[2] = r.result.cycles;
        for (unsigned k = 0; k < 3; k++) {
            first[k] = i == 0 ? cycles[k] : first[k];
            assert_int_equal(cycles[k], first[k]);
        }
        rig_end(&r);
    }
}

/* ---- errors --------------------------------------------------------------------------------------------- */

static void check_stuck(struct rig *r)
{
    assert_deadlock(r, "stuck", 64, "waits for the end of phase 0 at mbarrier 0x4");
    assert_non_null(strstr(r->status.text, "(phase 0, 1 of 2 arrivals and 4096 bytes pending)"));
}

static void a_wait_that_nothing_ends_is_a_deadlock_that_names_the_object(void **state)
{
    (void)state;
    each(check_stuck);
}

static void check_crowded(struct rig *r)
{
    assert_false(run(r, "crowded", 1, 32, (struct arguments){.out = r->out}));
    assert_int_equal(r->status.code, STATUS_FAULT);
    assert_non_null(strstr(r->status.text, "there are more arrivals than are pending"));
}

static void more_arrivals_than_are_pending_are_a_fault(void **state)
{
    (void)state;
    each(check_crowded);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static uint32_t late_wait(unsigned gpu, const char *setting, uint32_t after, uint32_t *arrived)
{
    struct rig r;
    rig_begin(&r, gpu, GPU_MODE_DETAILED, setting);
    run_well(&r, "late", 1, 64, (struct arguments){.out = r.out, .number = after});
    uint32_t waited = out_of(&r)[0];
    *arrived = out_of(&r)[1];
    rig_end(&r);
    return waited;
}

/* By TRYWAIT while its time lasts, then asleep. */
static void a_warp_goes_on_soon_after_the_arrival_it_waits_for(void **state)
{
    (void)state;
    for (unsigned i = 0; i < GPUS; i++) {
        for (uint32_t after = 500; after <= 30000; after = after * 5 / 2) {
            uint32_t arrived, waited = late_wait(i, NULL, after, &arrived);
            assert_true(arrived >= after && waited >= after);
            assert_true(waited < arrived + 100);
        }
    }
}

/* The wait that ran out of time before the sleep lasts, in a replay, until the phase ends. The sleep is then none. */
static void a_recorded_sleep_at_an_object_ends_with_its_phase(void **state)
{
    (void)state;
    char path[TEMPORARY_PATH];
    struct rig r;
    struct kernel_result replayed;
    temporary_file(path);
    struct gpu_options options = {.threads = 1, .trace_timed = true};
    options.trace = trace_writer_create(path, &(struct trace_origin){.gpu = "h200"}, &r.status);
    assert_non_null(options.trace);
    rig_begin_with(&r, 0, GPU_MODE_DETAILED, NULL, &options);
    run_well(&r, "late", 1, 64, (struct arguments){.out = r.out, .number = 9000});
    assert_true(trace_writer_finish(options.trace, &r.status));
    trace_writer_destroy(options.trace);
    struct trace_file *file = trace_open(path, &r.status);
    assert_non_null(file);
    struct trace_kernel *kernel = trace_kernel_open(file, 0, &r.status);
    assert_non_null(kernel);
    if (!gpu_replay(r.gpu, kernel, &replayed, &r.status))
        fail_msg("%s", r.status.text);
    if (replayed.cycles + 100 < r.result.cycles || replayed.cycles > r.result.cycles + 100)
        fail_msg("%ju cycles executed, %ju replayed", (uintmax_t)r.result.cycles, (uintmax_t)replayed.cycles);
    trace_kernel_close(kernel);
    trace_close(file);
    rig_end(&r);
    unlink(path);
}

static void a_longer_way_to_wake_is_a_longer_wait(void **state)
{
    (void)state;
    uint32_t arrived, waited[2];
    for (unsigned n = 0; n < 2; n++)
        waited[n] = late_wait(0, n ? "mbarrier.wake=60" : "mbarrier.wake=10", 1000, &arrived);
    assert_int_equal(waited[1] - waited[0], 50);
}

/* Measured on a B300: 54 cycles for an arrival and the wait for it. */
static void an_arrival_and_a_wait_take_as_long_as_measured(void **state)
{
    (void)state;
    enum { ROUNDS = 100 };
    struct rig r;
    rig_begin(&r, 1, GPU_MODE_DETAILED, NULL);
    run_well(&r, "round_trip", 1, 32, (struct arguments){.out = r.out, .number = ROUNDS});
    double cycles = out_of(&r)[0] / (double)ROUNDS;
    if (cycles < 54 * 0.85 || cycles > 54 * 1.15)
        fail_msg("%.1f cycles", cycles);
    rig_end(&r);
}

UNIT_TESTS(UNIT(stages_of_stores_are_read_in_their_phase), UNIT(stages_of_copies_are_read_in_their_phase),
           UNIT(each_form_says_what_the_model_says), UNIT(the_lowest_active_lane_is_elected),
           UNIT(a_ring_of_ctas_hands_data_on_by_asynchronous_stores),
           UNIT(lanes_of_one_arrival_reach_the_ctas_that_they_name),
           UNIT(consumers_use_the_registers_that_producers_give_up),
           UNIT(consumers_that_ask_for_too_many_registers_are_told_what_the_pool_has),
           UNIT(compiled_pipelines_have_no_hazards),
           UNIT(cycles_are_the_same_for_any_number_of_threads_and_without_skipping),
           UNIT(a_wait_that_nothing_ends_is_a_deadlock_that_names_the_object),
           UNIT(more_arrivals_than_are_pending_are_a_fault), UNIT(a_warp_goes_on_soon_after_the_arrival_it_waits_for),
           UNIT(a_recorded_sleep_at_an_object_ends_with_its_phase), UNIT(a_longer_way_to_wake_is_a_longer_wait),
           UNIT(an_arrival_and_a_wait_take_as_long_as_measured))
