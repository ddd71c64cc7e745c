/* Which launches are timed: --kernels, --fast-forward and --detailed. */
#include "plan/plan.h"
#include "tests/unit.h"

static void add(struct plan *plan, const char *policy, const char *text)
{
    struct status status = {0};
    if (text && !plan_add(plan, policy, policy, text, &status))
        fail_msg("%s", status.text);
}

/* Bit n: launch n is timed, each of kernel "_Z1av" but number 5, which is "_Z1bv". */
static uint32_t timed_by(struct plan *plan)
{
    uint32_t bits = 0;
    for (unsigned n = 0; n < 12; n++) {
        const struct plan_launch launch = {.kernel = n == 5 ? "_Z1bv" : "_Z1av",
                                           .of_kernel = n == 5  ? 0
                                                        : n > 5 ? n - 1
                                                                : n};
        bits |= (uint32_t)(plan_launch(plan, &launch) == PLAN_TIME) << n;
    }
    return bits;
}

static uint32_t timed(const char *kernels, const char *fast_forward, const char *detailed)
{
    struct plan plan = {0};
    add(&plan, "kernels", kernels);
    add(&plan, "fast-forward", fast_forward);
    add(&plan, "detailed", detailed);
    uint32_t bits = timed_by(&plan);
    plan_restart(&plan);
    assert_int_equal(timed_by(&plan), bits);
    plan_free(&plan);
    return bits;
}

static void all_launches_are_timed_unless_some_are_chosen(void **state)
{
    (void)state;
    assert_int_equal(timed_by(NULL), 0xfff);
    assert_int_equal(timed(NULL, NULL, NULL), 0xfff);
    assert_int_equal(timed("3", NULL, NULL), 0x008);
    assert_int_equal(timed("3-7", NULL, NULL), 0x0f8);
    assert_int_equal(timed("10-", NULL, NULL), 0xc00);
    assert_int_equal(timed("0,3-4,11", NULL, NULL), 0x819);
    assert_int_equal(timed("8-,1", NULL, NULL), 0xf02);
}

static void fast_forward_ends_at_a_number_or_at_a_kernel(void **state)
{
    (void)state;
    assert_int_equal(timed(NULL, "0", NULL), 0xfff);
    assert_int_equal(timed(NULL, "4", NULL), 0xff0);
    assert_int_equal(timed(NULL, "_Z1bv", NULL), 0xfe0);
    assert_int_equal(timed(NULL, "none", NULL), 0);
}

static void a_list_of_rules_counts_the_launches_of_each_kernel(void **state)
{
    (void)state;
    assert_int_equal(timed(NULL, NULL, ""), 0);
    assert_int_equal(timed(NULL, NULL, "_Z1bv"), 0x020);
    assert_int_equal(timed(NULL, NULL, "_Z1av:4-5"), 0x050);
}

static void a_launch_that_is_named_fits_every_rule_and_no_other_policy(void **state)
{
    (void)state;
    struct plan plan = {0};
    const struct plan_launch launch = {.kernel = "_Z1av", .named = true};
    add(&plan, "detailed", "_Z1bv");
    assert_int_equal(plan_launch(&plan, &launch), PLAN_TIME);
    add(&plan, "kernels", "7");
    assert_int_equal(plan_launch(&plan, &launch), PLAN_EXECUTE);
    plan_free(&plan);
}

static void what_one_policy_leaves_out_another_does_not_bring_back(void **state)
{
    (void)state;
    assert_int_equal(timed("0,6-7", "_Z1bv", NULL), 0x0c0);
    assert_int_equal(timed("0,6-7", "_Z1bv", "_Z1av:6"), 0x080);
}

static void what_is_no_list_of_launches_is_refused(void **state)
{
    static const char *const lists[] = {",", "3,", "a", "7-3", "3--4", "3-4-5", "-3", "1 2", "99999999999999999999"};
    struct plan plan = {0};
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct status status = {0};
        assert_false(plan_add(&plan, "kernels", "--kernels", lists[i], &status));
        assert_int_equal(status.code, STATUS_USAGE);
        assert_non_null(strstr(status.text, "--kernels: '"));
    }
    struct status status = {0};
    assert_false(plan_add(&plan, "fast-forward", "--fast-forward", "a:2", &status));
    assert_int_equal(status.code, STATUS_USAGE);
    assert_int_equal(plan.count, 0);
}

UNIT_TESTS(UNIT(all_launches_are_timed_unless_some_are_chosen), UNIT(fast_forward_ends_at_a_number_or_at_a_kernel),
           UNIT(a_list_of_rules_counts_the_launches_of_each_kernel),
           UNIT(a_launch_that_is_named_fits_every_rule_and_no_other_policy),
           UNIT(what_one_policy_leaves_out_another_does_not_bring_back), UNIT(what_is_no_list_of_launches_is_refused))
