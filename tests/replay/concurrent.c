/* Kernels of several CUDA streams on one GPU. Most kernels here touch no memory, and every fetch hits, so that their
 * cycles are known exactly. */
#include "tests/replay/loops.h"
#include "tests/unit.h"

enum { SMS = 108, HALF = 80 * 1024, CTA_LATENCY = 100, LATENCY = 1500 };

/* All in one go, with the default configuration. */
static void run(struct loops *r, const struct loop *kernels, uint32_t count)
{
    loops_begin(r, kernels, count);
    loops_check(r, loops_run(r, NULL, (struct gpu_options){0}));
    loops_end(r);
}

static uint64_t alone(struct loop k)
{
    struct loops r;
    run(&r, &k, 1);
    assert_int_equal(r.result[0].begin_cycle, 0);
    assert_int_equal(r.result[0].overlapped, 0);
    return r.result[0].cycles;
}

/* ---- overlaps -------------------------------------------------------------------------------------- */

static void two_kernels_of_two_streams_take_as_long_as_the_longer(void **state)
{
    (void)state;
    struct loop two[] = {{.stream = 1, .ctas = 1, .turns = 400}, {.stream = 2, .ctas = 1, .turns = 300}};
    struct loops r;
    run(&r, two, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(r.result[i].cycles, alone(two[i]));
        assert_int_equal(r.result[i].begin_cycle, 0);
        assert_int_equal(r.result[i].queued_cycles, 0);
        assert_int_equal(r.result[i].launch_cycles, LATENCY);
        assert_int_equal(r.result[i].overlapped, 1);
        assert_int_equal(r.result[i].sms_used, 1);
        assert_true(r.result[i].complete);
    }
    assert_int_equal(r.runs, 1);
    assert_int_equal(r.cycles, r.result[0].cycles);
    assert_true(r.result[0].cycles > r.result[1].cycles);
}

static void kernels_of_a_stream_follow_each_other_from_cold_caches(void **state)
{
    (void)state;
    struct loop two[] = {{.stream = 1, .ctas = 4, .turns = 50, .loads = true},
                         {.stream = 1, .ctas = 4, .turns = 50, .loads = true}};
    struct loops r, solo;
    loops_begin(&r, two, 2);
    loops_check(&r, loops_run(&r, NULL, (struct gpu_options){.every_launch = true}));
    loops_end(&r);
    run(&solo, two, 1);
    for (uint32_t i = 0; i < 2; i++) {
        r.result[i].host_seconds = solo.result[0].host_seconds;
        assert_memory_equal(&r.result[i], &solo.result[0], sizeof solo.result[0]);
    }
}

/* The second of stream 1 begins where the first ends, though stream 2 still works. */
static void a_kernel_begins_with_the_end_of_the_one_before_in_its_stream(void **state)
{
    (void)state;
    struct loop three[] = {{.stream = 1, .ctas = 1, .turns = 200},
                           {.stream = 2, .ctas = 1, .turns = 3000},
                           {.stream = 1, .ctas = 1, .turns = 300}};
    struct loops r;
    run(&r, three, 3);
    assert_int_equal(r.result[0].cycles, alone(three[0]));
    assert_int_equal(r.result[1].cycles, alone(three[1]));
    assert_int_equal(r.result[2].cycles, alone(three[2]));
    assert_int_equal(r.result[2].begin_cycle, r.result[0].cycles);
    assert_int_equal(r.result[2].queued_cycles, 0);
    assert_int_equal(r.result[0].overlapped, 1);
    assert_int_equal(r.result[1].overlapped, 2);
    assert_int_equal(r.result[2].overlapped, 1);
}

static void the_default_stream_overlaps_with_none(void **state)
{
    (void)state;
    struct loop four[] = {{.stream = 1, .ctas = 1, .turns = 200},
                          {.stream = 0, .ctas = 1, .turns = 200},
                          {.stream = 2, .ctas = 1, .turns = 200},
                          {.stream = 3, .ctas = 1, .turns = 200}};
    struct loops r;
    run(&r, four, 4);
    assert_int_equal(r.result[0].overlapped, 0);
    assert_int_equal(r.result[1].overlapped, 0);
    assert_int_equal(r.result[2].overlapped, 1);
    assert_int_equal(r.result[3].overlapped, 1);
    assert_int_equal(r.runs, 3);
}

static uint32_t overlapped_across_a_copy(uint64_t stream)
{
    struct loop two[] = {{.stream = 1, .ctas = 1, .turns = 20}, {.stream = 2, .ctas = 1, .turns = 20}};
    struct loops r;
    loops_begin(&r, two, 2);
    r.barrier_before = 1;
    r.copy_stream = stream;
    loops_check(&r, loops_run(&r, NULL, (struct gpu_options){0}));
    loops_end(&r);
    return r.result[0].overlapped;
}

static void only_a_copy_of_the_default_stream_keeps_kernels_apart(void **state)
{
    (void)state;
    assert_int_equal(overlapped_across_a_copy(0), 0);
    assert_int_equal(overlapped_across_a_copy(1), 1);
    assert_int_equal(overlapped_across_a_copy(3), 1);
}

/* Options that look at one kernel at a time, too. */
static void kernels_follow_each_other_where_that_is_wanted(void **state)
{
    (void)state;
    struct loop two[] = {{.stream = 1, .ctas = 1, .turns = 400}, {.stream = 2, .ctas = 1, .turns = 300}};
    struct status status = {0};
    struct plan plan = {0};
    assert_true(plan_add(&plan, "until-stable-ipc", "limit", "1", &status));
    const struct gpu_options options[] = {{.serial_streams = true}, {.plan = &plan}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        struct loops r;
        loops_begin(&r, two, 2);
        loops_check(&r, loops_run(&r, NULL, options[i]));
        loops_end(&r);
        assert_int_equal(r.result[0].overlapped, 0);
        assert_int_equal(r.result[1].overlapped, 0);
        assert_int_equal(r.result[1].begin_cycle, 0);
    }
    plan_free(&plan);
}

/* ---- SMs --------------------------------------------------------------------------------------------------------- */

/* Two CTAs of one warp fill an SM and do not hold each other up. The second begins a cycle later. */
static void a_kernel_begins_when_the_first_sm_holds_none_of_another(void **state)
{
    (void)state;
    struct loop two[] = {{.stream = 1, .ctas = 2 * SMS, .turns = 100, .shared = HALF, .first = UINT32_MAX},
                         {.stream = 2, .ctas = 1, .turns = 10}};
    struct loop one = {.stream = 1, .ctas = 1, .turns = 100};
    uint64_t end = alone(one) + 1;
    struct loops r;
    for (unsigned i = 0; i < 2; i++) {
        run(&r, two, 2);
        assert_int_equal(r.result[0].cycles, end);
        assert_int_equal(r.result[1].begin_cycle + LATENCY, end + CTA_LATENCY);
        assert_int_equal(r.result[1].queued_cycles, r.result[1].begin_cycle);
        assert_int_equal(r.result[1].cycles, alone(two[1]));
        two[0].first = 7; /* one of two CTAs on an SM is short */
        two[0].fewer = 60;
    }
}

static void an_sm_that_is_free_is_taken_before_the_others_are(void **state)
{
    (void)state;
    struct loop two[] = {
        {.stream = 1, .ctas = SMS, .turns = 200, .shared = 2 * HALF, .first = 7, .fewer = 120},
        {.stream = 2, .ctas = 1, .turns = 10},
    };
    struct loop short_one = {.stream = 1, .ctas = 1, .turns = 80};
    struct loops r;
    run(&r, two, 2);
    assert_int_equal(r.result[0].cycles, alone(two[0]));
    assert_int_equal(r.result[1].begin_cycle + LATENCY, alone(short_one) + CTA_LATENCY);
    assert_int_equal(r.result[1].cycles, alone(two[1]));
    assert_int_equal(r.result[0].sms_used, SMS);
    assert_int_equal(r.result[1].sms_used, 1);
}

/* The first leaves some SMs, which the second takes at once. It takes the others when they become free. */
static void a_kernel_takes_more_sms_as_they_become_free(void **state)
{
    (void)state;
    enum { REST = 8 };
    struct loop two[] = {{.stream = 1, .ctas = SMS - REST, .turns = 50},
                         {.stream = 2, .ctas = 2 * SMS, .turns = 100, .shared = HALF}};
    struct loop one = {.stream = 2, .ctas = 1, .turns = 100};
    struct loops r;
    run(&r, two, 2);
    assert_int_equal(r.result[0].cycles, alone(two[0]));
    assert_int_equal(r.result[1].begin_cycle, 0);
    assert_int_equal(r.result[1].cycles, r.result[0].cycles + CTA_LATENCY + 1 + alone(one) - LATENCY);
    assert_int_equal(r.result[1].sms_used, SMS);
    assert_int_equal(r.result[1].ctas_done, 2 * SMS);
    assert_int_equal(r.result[1].warp_instructions, 2 * SMS * (2 * 100 + 1));
    assert_int_equal(r.result[0].warp_instructions, (SMS - REST) * (2 * 50 + 1));
}

/* In order: the third would fit beside the first. */
static void no_kernel_passes_one_that_waits(void **state)
{
    (void)state;
    struct loop three[] = {{.stream = 1, .ctas = SMS, .turns = 100, .shared = 2 * HALF},
                           {.stream = 2, .ctas = SMS, .turns = 100, .shared = 2 * HALF},
                           {.stream = 3, .ctas = 1, .turns = 10}};
    struct loops r;
    run(&r, three, 3);
    assert_int_equal(r.result[1].begin_cycle + LATENCY, r.result[0].cycles + CTA_LATENCY);
    assert_int_equal(r.result[2].begin_cycle + LATENCY, r.result[1].begin_cycle + r.result[1].cycles + CTA_LATENCY);
}

/* ---- the same in every run --------------------------------------------------------------------------------------- */

static void results_do_not_depend_on_threads_or_skipping(void **state)
{
    (void)state;
    struct loop some[] = {
        {.stream = 1, .ctas = 60, .turns = 30, .threads = 256, .loads = true, .first = 3, .fewer = 20},
        {.stream = 2, .ctas = 150, .turns = 20, .threads = 128, .loads = true, .first = 70, .fewer = 15},
        {.stream = 1, .ctas = 200, .turns = 10, .threads = 512, .loads = true},
        {.stream = 3, .ctas = 1, .turns = 500, .loads = true},
        {.stream = 2, .ctas = 9, .turns = 100, .threads = 64},
        {.stream = 0, .ctas = 20, .turns = 40, .loads = true},
        {.stream = 2, .ctas = 20, .turns = 40, .loads = true}};
    enum { SOME = sizeof some / sizeof some[0] };
    static struct kernel_result first[SOME];
    const char *const set[] = {NULL, NULL, "run.skip_idle=false"};
    const unsigned threads[] = {1, 3, 2};
    struct loops r;
    loops_begin(&r, some, SOME);
    for (unsigned run = 0; run < 3; run++) {
        loops_check(&r, loops_run(&r, set[run], (struct gpu_options){.threads = threads[run]}));
        for (uint32_t i = 0; i < SOME; i++) {
            struct kernel_result *now = &r.result[i];
            now->host_seconds = 0;
            now->threads = 0;
            now->config_hash = 0;
            if (run == 0)
                first[i] = *now;
            assert_memory_equal(now, &first[i], sizeof *now);
            assert_true(now->complete);
        }
    }
    assert_true(first[0].overlapped >= 2);
    assert_int_equal(first[5].overlapped, 0);
    loops_end(&r);
}

/* ---- limits and errors ------------------------------------------------------------------------------------------- */

static void a_limit_ends_all_that_is_in_flight_and_the_list(void **state)
{
    (void)state;
    struct loop four[] = {{.stream = 1, .ctas = 1, .turns = 100},
                          {.stream = 2, .ctas = 1, .turns = 3000},
                          {.stream = 1, .ctas = 1, .turns = 3000},
                          {.stream = 0, .ctas = 1, .turns = 10}};
    struct loops r;
    uint64_t limit = alone(four[0]) + LATENCY + 500;
    loops_begin(&r, four, 4);
    struct plan plan = {0};
    assert_true(plan_add_number(&plan, "until-cycles", "limit", limit, &r.status));
    loops_check(&r, loops_run(&r, NULL, (struct gpu_options){.plan = &plan}));
    loops_end(&r);
    plan_free(&plan);
    assert_true(r.result[0].complete);
    for (uint32_t i = 1; i < 3; i++) {
        assert_false(r.result[i].complete);
        assert_int_equal(r.result[i].stop, STOP_CYCLES);
        assert_int_equal(r.result[i].begin_cycle + r.result[i].cycles, limit);
        assert_int_equal(r.result[i].warp_instructions + r.result[i].rest_instructions, 2 * 3000 + 1);
    }
    assert_true(r.never_began[3]);
}

static void a_kernel_that_cannot_run_can_be_passed_over(void **state)
{
    (void)state;
    struct loop three[] = {{.stream = 1, .ctas = 1, .turns = 100},
                           {.stream = 2, .ctas = 1, .turns = 100, .threads = 1024, .registers = 255},
                           {.stream = 2, .ctas = 1, .turns = 50}};
    struct loops r;
    loops_begin(&r, three, 3);
    assert_false(loops_run(&r, NULL, (struct gpu_options){0}));
    assert_non_null(strstr(r.status.text, "255 registers"));
    r.status = (struct status){0};
    r.passes = true;
    loops_check(&r, loops_run(&r, NULL, (struct gpu_options){0}));
    loops_end(&r);
    assert_true(r.result[0].complete);
    assert_false(r.result[1].complete);
    assert_true(r.result[2].complete);
    assert_int_equal(r.result[2].overlapped, 1);
}

static void more_kernels_than_the_window_holds_all_run(void **state)
{
    (void)state;
    static struct loop many[LOOPS_KERNELS];
    static struct loops r;
    for (uint32_t i = 0; i < LOOPS_KERNELS; i++)
        many[i] = (struct loop){.stream = i + 1, .ctas = 1, .turns = 20};
    run(&r, many, LOOPS_KERNELS);
    uint64_t one = alone(many[0]);
    for (uint32_t i = 0; i < LOOPS_KERNELS; i++) {
        assert_int_equal(r.result[i].cycles, one);
        /* 108 SMs at once, 20 that wait for one, and 32 that are launched when the first end. */
        uint64_t begin = i < SMS ? 0 : i < 128 ? one + CTA_LATENCY - LATENCY : one;
        assert_int_equal(r.result[i].begin_cycle, begin);
        assert_int_equal(r.result[i].queued_cycles, i < 128 ? begin : 0);
    }
}

UNIT_TESTS(UNIT(two_kernels_of_two_streams_take_as_long_as_the_longer),
           UNIT(kernels_of_a_stream_follow_each_other_from_cold_caches),
           UNIT(a_kernel_begins_with_the_end_of_the_one_before_in_its_stream),
           UNIT(the_default_stream_overlaps_with_none), UNIT(only_a_copy_of_the_default_stream_keeps_kernels_apart),
           UNIT(kernels_follow_each_other_where_that_is_wanted),
           UNIT(a_kernel_begins_when_the_first_sm_holds_none_of_another),
           UNIT(an_sm_that_is_free_is_taken_before_the_others_are), UNIT(a_kernel_takes_more_sms_as_they_become_free),
           UNIT(no_kernel_passes_one_that_waits), UNIT(results_do_not_depend_on_threads_or_skipping),
           UNIT(a_limit_ends_all_that_is_in_flight_and_the_list), UNIT(a_kernel_that_cannot_run_can_be_passed_over),
           UNIT(more_kernels_than_the_window_holds_all_run))
