#include "report/choice.h"

#include "tests/unit.h"

/* Bit n: launch n is timed, each of kernel "_Z1av" but number 5, which is "_Z1bv". */
static uint32_t timed(const char *kernels, const char *fast_forward)
{
    struct launch_choice choice;
    struct status status = {0};
    uint32_t bits = 0;
    if (!launch_choice_parse(&choice, kernels, fast_forward, &status))
        fail_msg("%s", status.text);
    for (unsigned n = 0; n < 12; n++)
        bits |= (uint32_t)launch_choice_times(&choice, n == 5 ? "_Z1bv" : "_Z1av") << n;
    launch_choice_free(&choice);
    return bits;
}

static void all_launches_are_timed_unless_some_are_chosen(void **state)
{
    (void)state;
    assert_int_equal(timed(NULL, NULL), 0xfff);
    assert_int_equal(timed("", ""), 0xfff);
    assert_int_equal(timed("3", NULL), 0x008);
    assert_int_equal(timed("3-7", NULL), 0x0f8);
    assert_int_equal(timed("10-", NULL), 0xc00);
    assert_int_equal(timed("0,3-4,11", NULL), 0x819);
    assert_int_equal(timed("8-,1", NULL), 0xf02);
}

static void fast_forward_ends_at_a_number_or_at_a_kernel(void **state)
{
    (void)state;
    assert_int_equal(timed(NULL, "0"), 0xfff);
    assert_int_equal(timed(NULL, "4"), 0xff0);
    assert_int_equal(timed(NULL, "_Z1bv"), 0xfe0);
    assert_int_equal(timed(NULL, "none"), 0);
    assert_int_equal(timed("0,6-7", "_Z1bv"), 0x0c0);
}

static void what_is_no_list_of_launches_is_refused(void **state)
{
    static const char *const lists[] = {",", "3,", "a", "7-3", "3--4", "3-4-5", "-3", "1 2", "99999999999999999999"};
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct launch_choice choice;
        struct status status = {0};
        assert_false(launch_choice_parse(&choice, lists[i], NULL, &status));
        assert_int_equal(status.code, STATUS_USAGE);
        assert_non_null(strstr(status.text, "--kernels"));
    }
    struct launch_choice choice;
    struct status status = {0};
    assert_false(launch_choice_parse(&choice, "3", "a:2", &status));
    assert_int_equal(status.code, STATUS_USAGE);
    assert_null(choice.ranges);
}

UNIT_TESTS(UNIT(all_launches_are_timed_unless_some_are_chosen), UNIT(fast_forward_ends_at_a_number_or_at_a_kernel),
           UNIT(what_is_no_list_of_launches_is_refused))
