/* Launches of a replay that repeat an earlier one have its result. Others are timed. */
#include "gpu/repeats.h"
#include "tests/replay/loops.h"
#include "tests/unit.h"

static const struct loop first = {.stream = 1, .ctas = 4, .turns = 50, .loads = true};
static const struct loop longer = {.stream = 1, .ctas = 4, .turns = 51, .loads = true};

static void run(struct loops *r, const struct loop *kernels, uint32_t count, struct gpu_options options)
{
    loops_begin(r, kernels, count);
    loops_check(r, loops_run(r, NULL, options));
    loops_end(r);
}

static void a_launch_with_the_trace_of_an_earlier_one_has_its_result(void **state)
{
    (void)state;
    const struct loop four[] = {first, longer, first, longer};
    struct loops r, timed;
    run(&r, four, 4, (struct gpu_options){0});
    run(&timed, four, 4, (struct gpu_options){.every_launch = true});
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(r.result[i].repeats, i >= 2);
        assert_false(timed.result[i].repeats);
        r.result[i].repeats = false;
        r.result[i].host_seconds = timed.result[i].host_seconds;
        assert_memory_equal(&r.result[i], &timed.result[i], sizeof timed.result[i]);
    }
    assert_true(r.result[1].cycles > r.result[0].cycles);
    assert_int_equal(r.runs, 4);
}

static void a_hybrid_launch_with_the_trace_of_an_earlier_one_has_its_result(void **state)
{
    (void)state;
    struct loop two[] = {first, first};
    struct status status = {0};
    struct plan plan = {0};
    struct loops r, timed;
    two[0].ctas = two[1].ctas = 300;
    assert_true(plan_add(&plan, "hybrid", "--fidelity", "hybrid", &status));
    run(&r, two, 2, (struct gpu_options){.plan = &plan});
    run(&timed, two, 2, (struct gpu_options){.plan = &plan, .every_launch = true});
    plan_free(&plan);
    assert_true(r.result[1].repeats);
    assert_int_equal(timed.result[1].stop, STOP_HYBRID);
    r.result[1].repeats = false;
    r.result[1].host_seconds = timed.result[1].host_seconds;
    assert_memory_equal(&r.result[1], &timed.result[1], sizeof timed.result[1]);
}

static void the_stream_of_a_launch_makes_no_difference_to_its_result(void **state)
{
    (void)state;
    struct loop three[] = {first, first, first};
    struct loops r;
    three[0].same_code = three[1].same_code = true;
    three[1].stream = 2;
    run(&r, three, 3, (struct gpu_options){.serial_streams = true});
    assert_true(r.result[1].repeats);
    assert_int_equal(r.result[1].cycles, r.result[0].cycles);
    assert_false(r.result[2].repeats); /* its code is elsewhere */
}

static void launches_that_overlap_are_timed(void **state)
{
    (void)state;
    struct loop three[] = {first, first, first};
    struct loops r;
    three[1].stream = 2;
    run(&r, three, 3, (struct gpu_options){0}); /* the third waits for the first, and finds the second in flight */
    for (uint32_t i = 0; i < 3; i++)
        assert_false(r.result[i].repeats);
    assert_int_equal(r.result[0].overlapped, 1);
}

/* The last two could overlap. The first of them does not repeat the launch that ran alone. */
static void a_launch_beside_which_another_may_begin_is_timed(void **state)
{
    (void)state;
    struct loop three[] = {first, first, first};
    struct loops r;
    three[0].stream = 0;
    three[2].stream = 2;
    run(&r, three, 3, (struct gpu_options){0});
    for (uint32_t i = 0; i < 3; i++) {
        assert_false(r.result[i].repeats);
        assert_int_equal(r.result[i].overlapped, i > 0);
    }
}

static void a_launch_that_a_limit_ended_is_not_repeated(void **state)
{
    (void)state;
    const struct loop two[] = {first, first};
    struct status status = {0};
    struct plan plan = {0};
    struct loops r;
    assert_true(plan_add(&plan, "until-stable-ipc", "limit", "1", &status));
    run(&r, two, 2, (struct gpu_options){.plan = &plan});
    assert_false(r.result[1].repeats);
    plan_free(&plan);
}

static void as_many_launches_are_remembered_as_there_is_room_for(void **state)
{
    (void)state;
    struct repeats r = {0};
    for (uint64_t i = 0; i <= REPEATS_MOST; i++) {
        const struct repeat launch = {.identity = {{i + 1, i}}, .end = i};
        repeats_add(&r, &launch);
        repeats_add(&r, &launch);
    }
    assert_int_equal(repeats_find(&r, &(struct trace_identity){{1, 0}})->end, 0);
    assert_int_equal(repeats_find(&r, &(struct trace_identity){{REPEATS_MOST, REPEATS_MOST - 1}})->end,
                     REPEATS_MOST - 1);
    assert_null(repeats_find(&r, &(struct trace_identity){{REPEATS_MOST + 1, REPEATS_MOST}}));
    assert_null(repeats_find(&r, &(struct trace_identity){{1, 1}}));
    repeats_free(&r);
}

UNIT_TESTS(UNIT(a_launch_with_the_trace_of_an_earlier_one_has_its_result),
           UNIT(a_hybrid_launch_with_the_trace_of_an_earlier_one_has_its_result),
           UNIT(the_stream_of_a_launch_makes_no_difference_to_its_result), UNIT(launches_that_overlap_are_timed),
           UNIT(a_launch_beside_which_another_may_begin_is_timed), UNIT(a_launch_that_a_limit_ended_is_not_repeated),
           UNIT(as_many_launches_are_remembered_as_there_is_room_for))
