/* Which CTAs of a grid are timed. */
#include "plan/plan.h"
#include "tests/unit.h"

static const struct plan_grid grid = {.ctas = 100, .resident = 10};

static void expect(struct plan *plan, uint64_t first, enum plan_action action, uint64_t end)
{
    struct plan_part part = plan_ctas(plan, &grid, first);
    assert_int_equal(part.action, action);
    assert_int_equal(part.end, end);
    assert_int_equal(part.why, action == PLAN_TIME ? STOP_NONE : STOP_CTAS);
}

static void without_a_policy_all_ctas_are_timed(void **state)
{
    (void)state;
    expect(NULL, 0, PLAN_TIME, 100);
    expect(&(struct plan){0}, 99, PLAN_TIME, 100);
}

static void the_first_ctas_are_timed_and_the_others_executed(void **state)
{
    struct status status = {0};
    struct plan plan = {0};
    (void)state;
    assert_true(plan_add_number(&plan, "first-ctas", "--ctas", 0, &status));
    assert_int_equal(plan.count, 0);
    assert_true(plan_add_number(&plan, "first-ctas", "--ctas", 30, &status));
    expect(&plan, 0, PLAN_TIME, 30);
    expect(&plan, 29, PLAN_TIME, 30);
    expect(&plan, 30, PLAN_EXECUTE, 100);
    plan_free(&plan);
}

static void the_only_ctas_are_timed_and_the_others_left_out(void **state)
{
    struct status status = {0};
    struct plan plan = {0};
    (void)state;
    assert_true(plan_add_number(&plan, "only-ctas", "x", 30, &status));
    expect(&plan, 0, PLAN_TIME, 30);
    expect(&plan, 29, PLAN_TIME, 30);
    expect(&plan, 30, PLAN_SKIP, 100);
    plan_free(&plan);
    assert_true(plan_add_number(&plan, "only-ctas", "x", 101, &status));
    expect(&plan, 0, PLAN_TIME, 100);
    plan_free(&plan);
}

static void windows_of_a_grid_are_timed_and_what_lies_between_is_executed(void **state)
{
    struct status status = {0};
    struct plan plan = {0};
    (void)state;
    assert_true(plan_add(&plan, "window", "x", "20-29,31,90-", &status));
    expect(&plan, 0, PLAN_EXECUTE, 20);
    expect(&plan, 20, PLAN_TIME, 30);
    expect(&plan, 30, PLAN_EXECUTE, 31);
    expect(&plan, 31, PLAN_TIME, 32);
    expect(&plan, 32, PLAN_EXECUTE, 90);
    expect(&plan, 90, PLAN_TIME, 100);
    /* of two policies the stricter one counts, up to where either changes */
    assert_true(plan_add_number(&plan, "first-ctas", "--ctas", 25, &status));
    expect(&plan, 20, PLAN_TIME, 25);
    expect(&plan, 25, PLAN_EXECUTE, 30);
    plan_free(&plan);
}

static void windows_that_do_not_ascend_are_refused(void **state)
{
    static const char *const wrong[] = {"", "3-2", "5,4", "5,5", "5-7,8", "5-,9", "x", "1,"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct status status = {0};
        struct plan plan = {0};
        assert_false(plan_add(&plan, "window", "x", wrong[i], &status));
        assert_int_equal(status.code, STATUS_USAGE);
    }
}

UNIT_TESTS(UNIT(without_a_policy_all_ctas_are_timed), UNIT(the_first_ctas_are_timed_and_the_others_executed),
           UNIT(the_only_ctas_are_timed_and_the_others_left_out),
           UNIT(windows_of_a_grid_are_timed_and_what_lies_between_is_executed),
           UNIT(windows_that_do_not_ascend_are_refused))
