/* Launches, statistics, counters and faults of the C API. */
#include "tests/api/rig.h"

static void arguments_are_given_one_by_one_or_as_a_block(void **state)
{
    (void)state;
    struct rig r;
    struct subcore_statistics s;
    rig_begin(&r, "rtx-a6000", 1);
    assert_true(subcore_run(r.gpu, &r.launch, &s, &r.error));
    rig_check(&r, N);
    assert_true(s.complete && !s.detailed);
    assert_int_equal(s.ctas, 8);
    assert_int_equal(s.ctas_done, 8);
    assert_int_equal(s.cycles, 0);
    const struct {
        uint64_t a, b, c;
        uint32_t n, unused;
    } block = {r.a, r.b, r.c, 77, 0};
    assert_true(subcore_fill(r.gpu, r.c, 0, sizeof(float[N]), &r.error));
    r.launch.arguments = NULL;
    r.launch.parameters = &block;
    r.launch.parameter_bytes = 28;
    assert_true(subcore_run(r.gpu, &r.launch, NULL, NULL));
    rig_check(&r, 77);
    rig_end(&r);
}

static void wrong_launches_are_refused_with_a_reason(void **state)
{
    (void)state;
    struct rig r;
    const void *missing[4] = {0};
    rig_begin(&r, "rtx-a6000", 1);
    struct subcore_launch wrong[7];
    for (unsigned i = 0; i < 7; i++)
        wrong[i] = r.launch;
    wrong[0].kernel = NULL;
    wrong[1].grid[0] = 0;
    wrong[2].block[0] = 1025;
    wrong[3].shared_bytes = 1 << 20;
    wrong[4].arguments = missing;
    wrong[5].arguments = NULL;
    wrong[6].parameters = missing;
    for (unsigned i = 0; i < 7; i++) {
        struct subcore_statistics s;
        struct subcore_fault fault;
        r.error = (struct subcore_error){0};
        assert_false(subcore_run(r.gpu, &wrong[i], &s, &r.error));
        assert_int_equal(r.error.code, SUBCORE_ARGUMENT);
        assert_int_not_equal(r.error.text[0], 0);
        assert_false(s.complete);
        assert_false(subcore_last_fault(r.gpu, &fault));
    }
    rig_end(&r);
}

static void a_detailed_launch_has_cycles_and_counters(void **state)
{
    (void)state;
    struct rig r;
    struct subcore_statistics s, again;
    uint64_t value;
    rig_begin(&r, "rtx-a6000", 1);
    r.launch.functional = false;
    assert_true(subcore_run(r.gpu, &r.launch, &s, &r.error));
    rig_check(&r, N);
    assert_true(s.detailed && s.cycles > s.launch_cycles);
    assert_int_equal(s.sms_used, 8);
    struct subcore_facts facts;
    subcore_gpu_facts(r.gpu, &facts);
    assert_true(s.seconds > 0.999 * (double)s.cycles / (facts.clock_mhz * 1e6));
    assert_true(s.seconds < 1.001 * (double)s.cycles / (facts.clock_mhz * 1e6));
    assert_true(subcore_counter(r.gpu, "sm.inst_executed", &value));
    assert_int_equal(value, s.warp_instructions);
    assert_true(subcore_counter(r.gpu, "mem.dram_bytes_read", &value));
    assert_int_equal(value, s.dram_read_bytes);
    assert_true(s.dram_read_bytes >= 2 * sizeof(float[N]));
    assert_false(subcore_counter(r.gpu, "sm.no_such", &value));
    assert_true(subcore_run(r.gpu, &r.launch, &again, &r.error));
    assert_int_equal(again.cycles, s.cycles);
    rig_end(&r);
}

static void counters_have_names_and_add_up(void **state)
{
    (void)state;
    struct rig r;
    struct subcore_counter c, other;
    uint64_t stalls = 0, warp_cycles = 0, pipes = 0, executed = 0;
    rig_begin(&r, "rtx-a6000", 1);
    r.launch.functional = false;
    assert_true(subcore_run(r.gpu, &r.launch, NULL, &r.error));
    assert_true(subcore_counters() > 100);
    for (size_t i = 0; i < subcore_counters(); i++) {
        uint64_t value;
        assert_true(subcore_counter_at(r.gpu, i, &c));
        assert_true(c.name[0] && c.unit[0] && c.text[0]);
        assert_true(subcore_counter(r.gpu, c.name, &value));
        assert_int_equal(value, c.value);
        for (size_t k = 0; k < i; k++)
            assert_true(subcore_counter_at(r.gpu, k, &other) && strcmp(other.name, c.name) != 0);
        stalls += strncmp(c.name, "stall.", 6) == 0 ? c.value : 0;
        pipes += strncmp(c.name, "pipe.", 5) == 0 ? c.value : 0;
    }
    assert_false(subcore_counter_at(r.gpu, subcore_counters(), &c));
    assert_true(subcore_counter(r.gpu, "sm.warp_cycles", &warp_cycles));
    assert_true(subcore_counter(r.gpu, "sm.inst_executed", &executed));
    assert_int_equal(stalls, warp_cycles);
    assert_int_equal(pipes, executed);
    rig_end(&r);
}

static void a_fault_names_its_place(void **state)
{
    (void)state;
    for (unsigned detailed = 0; detailed < 2; detailed++) {
        struct rig r;
        struct subcore_fault fault;
        rig_begin(&r, "rtx-a6000", 1);
        uint64_t good = r.c;
        r.c = 0x1000;
        r.launch.functional = !detailed;
        assert_false(subcore_run(r.gpu, &r.launch, NULL, &r.error));
        assert_int_equal(r.error.code, SUBCORE_FAULT);
        assert_true(subcore_last_fault(r.gpu, &fault));
        assert_int_equal(fault.kind, SUBCORE_FAULT_ADDRESS);
        assert_string_equal(fault.kind_name, "illegal address");
        assert_string_equal(fault.kernel, "vecadd");
        assert_true(fault.has_place && fault.has_address);
        assert_int_equal(fault.lane, 0);
        assert_int_equal(fault.address, 0x1000 + 4 * (128 * fault.cta[0] + 32 * fault.warp));
        assert_non_null(strstr(fault.sass, "STG"));
        assert_non_null(strstr(r.error.text, fault.text));
        r.c = good;
        assert_true(subcore_run(r.gpu, &r.launch, NULL, &r.error));
        assert_false(subcore_last_fault(r.gpu, &fault));
        rig_check(&r, N);
        rig_end(&r);
    }
}

struct stopper {
    struct subcore_gpu *gpu;
    unsigned calls;
};

static void stop_at_the_third(void *self, const struct subcore_issue *issue)
{
    struct stopper *s = self;
    (void)issue;
    if (++s->calls == 3)
        subcore_stop(s->gpu);
}

static void a_launch_can_be_stopped_and_the_next_is_whole(void **state)
{
    (void)state;
    struct rig r;
    struct subcore_statistics s;
    rig_begin(&r, "rtx-a6000", 1);
    struct stopper stopper = {r.gpu, 0};
    const struct subcore_watch watch = {.self = &stopper, .issue = stop_at_the_third};
    r.launch.watch = &watch;
    assert_false(subcore_run(r.gpu, &r.launch, &s, &r.error));
    assert_int_equal(r.error.code, SUBCORE_STOPPED);
    assert_false(s.complete);
    assert_true(s.ctas_done < 8);
    r.launch.watch = NULL;
    assert_true(subcore_run(r.gpu, &r.launch, &s, &r.error));
    rig_check(&r, N);
    rig_end(&r);
}

/* A launch that ends with accesses in flight leaves nothing of them to the next. */
static void after_a_launch_that_broke_off_the_next_is_as_if_it_were_the_first(void **state)
{
    (void)state;
    for (unsigned stop = 0; stop < 2; stop++) {
        struct rig r;
        struct subcore_statistics first, next;
        rig_begin(&r, "rtx-a6000", 1);
        r.launch.functional = false;
        assert_true(subcore_run(r.gpu, &r.launch, &first, &r.error));
        uint64_t whole = r.c, half = subcore_alloc(r.gpu, sizeof(float[N / 2]), &r.error);
        struct stopper stopper = {r.gpu, 0};
        const struct subcore_watch watch = {.self = &stopper, .issue = stop_at_the_third};
        for (unsigned i = 0; i < 5; i++) {
            r.c = stop ? whole : half;
            r.launch.watch = stop ? &watch : NULL;
            stopper.calls = 0;
            assert_false(subcore_run(r.gpu, &r.launch, &next, &r.error));
            assert_int_equal(r.error.code, stop ? SUBCORE_STOPPED : SUBCORE_FAULT);
            r.c = whole;
            r.launch.watch = NULL;
            assert_true(subcore_fill(r.gpu, r.c, 0xff, sizeof(float[N]), &r.error));
            assert_true(subcore_run(r.gpu, &r.launch, &next, &r.error));
            rig_check(&r, N);
            assert_int_equal(next.cycles, first.cycles);
            assert_int_equal(next.warp_instructions, first.warp_instructions);
        }
        rig_end(&r);
    }
}

/* On a GPU of two SMs 2,000 CTAs are many waves. */
static void sampled_and_hybrid_launches_have_estimates(void **state)
{
    enum { CTAS = 2000, THREADS = 256, ELEMENTS = CTAS * THREADS };
    static const char *const set[] = {"gpu.memory=1", "gpu.sms=2",       "l2.size=196608",
                                      "l2.slices=6",  "dram.channels=2", "dram.bandwidth=64"};
    char path[4096];
    struct subcore_error error = {0};
    struct subcore_gpu *gpu = subcore_open(
        &(struct subcore_options){.gpu = "rtx-a6000", .set = set, .set_count = sizeof set / sizeof *set}, &error);
    assert_non_null(gpu);
    struct subcore_module *module =
        subcore_load_file(gpu, unit_path(path, "examples/cubin/vecadd.sm_86.cubin"), &error);
    uint64_t a = subcore_alloc(gpu, 4 * ELEMENTS, &error), b = subcore_alloc(gpu, 4 * ELEMENTS, &error);
    uint64_t c = subcore_alloc(gpu, 4 * ELEMENTS, &error);
    uint32_t n = ELEMENTS;
    struct subcore_launch launch = {.kernel = subcore_kernel(module, "vecadd", &error),
                                    .grid = {CTAS},
                                    .block = {THREADS},
                                    .arguments = (const void *[]){&a, &b, &c, &n}};
    struct subcore_statistics whole, some;
    (void)state;
    assert_true(subcore_run(gpu, &launch, &whole, &error));
    assert_true(!whole.sampled && whole.half_width == 0 && whole.untimed_instructions == 0);
    launch.fidelity = "sampled";
    assert_true(subcore_run(gpu, &launch, &some, &error));
    assert_true(some.detailed && some.sampled && some.untimed_instructions > 0);
    assert_true(some.warp_instructions + some.untimed_instructions == whole.warp_instructions);
    double off = (double)some.cycles - (double)whole.cycles;
    assert_true(off * off <= some.half_width * some.half_width && some.half_width < 0.06 * (double)whole.cycles);
    launch.fidelity = "hybrid";
    assert_true(subcore_run(gpu, &launch, &some, &error));
    assert_true(some.detailed && some.sampled && some.half_width > 1e300);
    assert_true(some.warp_instructions + some.untimed_instructions == whole.warp_instructions);
    assert_true(some.cycles > whole.cycles * 4 / 5 && some.cycles < whole.cycles * 6 / 5);
    assert_true(some.l2_read_sectors * 50 > whole.l2_read_sectors * 49);
    assert_true(some.l2_read_sectors * 50 < whole.l2_read_sectors * 51);
    assert_true(some.l1_load_sectors * 50 > whole.l1_load_sectors * 49);
    assert_true(some.l1_load_sectors * 50 < whole.l1_load_sectors * 51);
    launch.fidelity = "detailed";
    struct subcore_statistics again;
    assert_true(subcore_run(gpu, &launch, &again, &error));
    assert_true(again.cycles == whole.cycles && !again.sampled);
    subcore_close(gpu);
}

static void fidelities_that_do_not_fit_are_refused_by_name(void **state)
{
    (void)state;
    struct rig r;
    const struct subcore_watch watch = {0};
    rig_begin(&r, "rtx-a6000", 1);
    struct subcore_launch wrong[5] = {r.launch, r.launch, r.launch, r.launch, r.launch};
    static const char *const said[5] = {
        "a hybrid launch cannot be watched", "detailed, sampled, hybrid or functional is expected",
        "does not go with functional", "cannot be watched", "error of fidelity sampled"};
    for (unsigned i = 0; i < 5; i++)
        wrong[i].functional = false;
    wrong[0].fidelity = "hybrid", wrong[0].watch = &watch;
    wrong[1].fidelity = "fine";
    wrong[2].fidelity = "detailed", wrong[2].functional = true;
    wrong[3].fidelity = "sampled", wrong[3].watch = &watch;
    wrong[4].error = 3;
    for (unsigned i = 0; i < 5; i++) {
        assert_false(subcore_run(r.gpu, &wrong[i], NULL, &r.error));
        assert_int_equal(r.error.code, SUBCORE_ARGUMENT);
        assert_non_null(strstr(r.error.text, said[i]));
    }
    rig_end(&r);
}

UNIT_TESTS(UNIT(arguments_are_given_one_by_one_or_as_a_block), UNIT(wrong_launches_are_refused_with_a_reason),
           UNIT(a_detailed_launch_has_cycles_and_counters), UNIT(counters_have_names_and_add_up),
           UNIT(a_fault_names_its_place), UNIT(a_launch_can_be_stopped_and_the_next_is_whole),
           UNIT(after_a_launch_that_broke_off_the_next_is_as_if_it_were_the_first),
           UNIT(sampled_and_hybrid_launches_have_estimates), UNIT(fidelities_that_do_not_fit_are_refused_by_name))
