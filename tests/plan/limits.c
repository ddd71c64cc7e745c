/* Limits that end a timed launch before its kernel, and the estimate of the rest. */
#include "plan/plan.h"
#include "tests/unit.h"

static struct plan with(const char *policy, const char *text)
{
    struct plan plan = {0};
    struct status status = {0};
    if (!plan_add(&plan, policy, "x", text, &status))
        fail_msg("%s", status.text);
    return plan;
}

static void a_stable_ipc_is_a_percentage_and_perhaps_a_window(void **state)
{
    static const char *const right[] = {"2.5", "100:1", "2:10000"};
    static const char *const wrong[] = {"", "0", "-1", "101", "2:", "2:0", "2:x", "2:5x", "x", "nan", "2:-5"};
    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        struct plan plan = with("until-stable-ipc", right[i]);
        plan_free(&plan);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct plan plan = {0};
        struct status status = {0};
        assert_false(plan_add(&plan, "until-stable-ipc", "x", wrong[i], &status));
        assert_int_equal(status.code, STATUS_USAGE);
    }
}

enum { WINDOWS = 8, WAVE = 10 };

/* Windows of 100 cycles, looked at every 50, with so many instructions each. The number after which the launch ends. */
static unsigned windows_until_stable(const char *percent_and_window, const unsigned *instructions, unsigned count,
                                     uint64_t ctas)
{
    struct plan plan = with("until-stable-ipc", percent_and_window);
    struct plan_time time = {.now = 1000, .ctas = ctas};
    unsigned ended = 0;
    plan_begin(&plan, &(struct plan_grid){.ctas = 2 * WAVE, .resident = WAVE}, time.now);
    for (unsigned i = 0; i < count && !ended; i++) {
        time.now += 50;
        time.instructions += instructions[i] / 2;
        assert_int_equal(plan_quantum(&plan, &time).action, PLAN_TIME);
        time.now += 50;
        time.instructions += instructions[i] - instructions[i] / 2;
        struct plan_answer answer = plan_quantum(&plan, &time);
        if (answer.action == PLAN_TIME)
            continue;
        assert_int_equal(answer.action, PLAN_EXECUTE);
        assert_int_equal(answer.why, STOP_STABLE_IPC);
        ended = i + 1;
    }
    plan_free(&plan);
    return ended;
}

static void ipc_is_stable_when_eight_windows_are_near_their_mean(void **state)
{
    unsigned equal[20], one_off[20];
    (void)state;
    for (unsigned i = 0; i < 20; i++)
        equal[i] = one_off[i] = 800;
    one_off[5] = 1000;
    assert_int_equal(windows_until_stable("1:100", equal, 20, WAVE), WINDOWS);
    assert_int_equal(windows_until_stable("1:100", one_off, 20, WAVE), 6 + WINDOWS);
    /* 1000 against the mean 825: 21.2 % */
    assert_int_equal(windows_until_stable("21:100", one_off, 20, WAVE), 6 + WINDOWS);
    assert_int_equal(windows_until_stable("22:100", one_off, 20, WAVE), WINDOWS);
}

static void ipc_is_not_stable_before_a_first_wave_of_ctas_has_ended(void **state)
{
    unsigned equal[20];
    (void)state;
    for (unsigned i = 0; i < 20; i++)
        equal[i] = 800;
    assert_int_equal(windows_until_stable("1:100", equal, 20, WAVE - 1), 0);
    assert_int_equal(windows_until_stable("1:100", equal, 20, WAVE), WINDOWS);
}

/* Windows of 100 cycles in which the unwritten lines grow by `growth` cycles of memory in the first `filling` windows.
 * */
static unsigned windows_while_filling(unsigned filling, unsigned growth)
{
    struct plan plan = with("until-stable-ipc", "5:100");
    struct plan_time time = {.now = 1000, .ctas = WAVE};
    unsigned window = 0;
    plan_begin(&plan, &(struct plan_grid){.ctas = 2 * WAVE, .resident = WAVE}, time.now);
    struct plan_answer answer = {0};
    while (answer.action == PLAN_TIME && window < 100) {
        time.now += 100;
        time.instructions += 800;
        time.unwritten += window < filling ? growth : 0;
        window++;
        answer = plan_quantum(&plan, &time);
    }
    plan_free(&plan);
    return window;
}

static void ipc_is_not_stable_while_dirty_lines_fill_the_l2(void **state)
{
    (void)state;
    assert_int_equal(windows_while_filling(100, 5), WINDOWS); /* 5 % of the cycles */
    assert_int_equal(windows_while_filling(100, 6), 100);
    /* of eight windows the last six that fill leave 36 of 800 cycles, seven would leave 42 */
    assert_int_equal(windows_while_filling(20, 6), 20 + 2);
}

static void a_limit_counts_what_was_timed_before(void **state)
{
    (void)state;
    struct plan plan = with("until-cycles", "130");
    struct plan_past past = {.cycles = 30, .instructions = 1000};
    assert_int_equal(plan_bound(&plan, &past).cycle, 100);
    assert_int_equal(plan_bound(&plan, &past).instructions, 0);
    assert_int_equal(plan_quantum(&plan, &(struct plan_time){.now = 99, .past = past}).action, PLAN_TIME);
    struct plan_answer answer = plan_quantum(&plan, &(struct plan_time){.now = 100, .past = past});
    assert_int_equal(answer.action, PLAN_SKIP);
    assert_int_equal(answer.why, STOP_CYCLES);
    past.cycles = 129;
    assert_int_equal(plan_launch(&plan, &(struct plan_launch){.kernel = "k", .past = past}), PLAN_TIME);
    past.cycles = 130;
    assert_int_equal(plan_launch(&plan, &(struct plan_launch){.kernel = "k", .past = past}), PLAN_EXECUTE);
    assert_int_equal(plan_bound(&plan, &past).cycle, 1); /* of a saved run, which goes on behind its limit */
    plan_free(&plan);
}

static void what_a_limit_leaves_is_executed_if_the_plan_finishes_launches(void **state)
{
    (void)state;
    struct plan plan = with("until-insts", "5");
    assert_int_equal(plan_quantum(&plan, &(struct plan_time){.instructions = 4}).action, PLAN_TIME);
    assert_int_equal(plan_quantum(&plan, &(struct plan_time){.instructions = 5}).action, PLAN_SKIP);
    plan.finish = true;
    assert_int_equal(plan_quantum(&plan, &(struct plan_time){.instructions = 5}).action, PLAN_EXECUTE);
    plan_free(&plan);
}

static void the_rest_is_estimated_at_the_stable_ipc_with_the_error_of_its_windows(void **state)
{
    (void)state;
    struct plan plan = with("until-stable-ipc", "20");
    struct kernel_result r = {.stop = STOP_STABLE_IPC, .stable_ipc = 2.5, .cycles = 1000, .rest_instructions = 5001};
    plan_estimate(&plan, &r);
    assert_true(r.estimate.value == 1000 + 2000);
    assert_true(r.estimate.error > 499.9 && r.estimate.error < 500.1); /* at 80 % of the IPC: 2,500 cycles */
    assert_int_equal(r.estimate.kind, ESTIMATE_PROJECTED);
    assert_int_equal(result_cycles(&r), 3000);
    plan_free(&plan);
}

static void a_timed_launch_is_exact_and_a_part_of_one_is_a_bound(void **state)
{
    struct kernel_result r = {.complete = true, .cycles = 1000};
    (void)state;
    plan_estimate(NULL, &r);
    assert_true(r.estimate.value == 1000 && r.estimate.error == 0);
    assert_int_equal(r.estimate.kind, ESTIMATE_EXACT);
    r = (struct kernel_result){.stop = STOP_CYCLES, .stable_ipc = 2.5, .cycles = 1000, .rest_instructions = 5001};
    plan_estimate(NULL, &r);
    assert_true(r.estimate.value == 1000 && r.estimate.error == ESTIMATE_UNKNOWN);
    assert_int_equal(r.estimate.kind, ESTIMATE_BOUND);
    assert_int_equal(result_estimated_cycles(&r), 0);
}

UNIT_TESTS(UNIT(a_stable_ipc_is_a_percentage_and_perhaps_a_window),
           UNIT(ipc_is_stable_when_eight_windows_are_near_their_mean),
           UNIT(ipc_is_not_stable_before_a_first_wave_of_ctas_has_ended),
           UNIT(ipc_is_not_stable_while_dirty_lines_fill_the_l2), UNIT(a_limit_counts_what_was_timed_before),
           UNIT(what_a_limit_leaves_is_executed_if_the_plan_finishes_launches),
           UNIT(the_rest_is_estimated_at_the_stable_ipc_with_the_error_of_its_windows),
           UNIT(a_timed_launch_is_exact_and_a_part_of_one_is_a_bound))
