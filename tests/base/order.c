#include "base/order.h"
#include "tests/unit.h"

static void the_earliest_of_two_times_is_the_lower_one_in_either_place(void **state)
{
    (void)state;
    assert_int_equal(earliest(5, 6), 5);
    assert_int_equal(earliest(6, 5), 5);
    assert_int_equal(earliest(5, 5), 5);
}

static void a_time_is_earlier_than_never(void **state)
{
    (void)state;
    assert_true(earliest(UINT64_MAX - 1, UINT64_MAX) == UINT64_MAX - 1);
    assert_true(latest(UINT64_MAX - 1, UINT64_MAX) == UINT64_MAX);
}

static void the_latest_of_two_times_is_the_higher_one_in_either_place(void **state)
{
    (void)state;
    assert_int_equal(latest(5, 6), 6);
    assert_int_equal(latest(6, 5), 6);
    assert_int_equal(latest(5, 5), 5);
}

static void counts_compare_without_a_sign(void **state)
{
    (void)state;
    assert_true(smaller(UINT32_MAX, 1) == 1 && smaller(1, UINT32_MAX) == 1);
    assert_true(larger(UINT32_MAX, 1) == UINT32_MAX && larger(1, UINT32_MAX) == UINT32_MAX);
}

UNIT_TESTS(UNIT(the_earliest_of_two_times_is_the_lower_one_in_either_place), UNIT(a_time_is_earlier_than_never),
           UNIT(the_latest_of_two_times_is_the_higher_one_in_either_place), UNIT(counts_compare_without_a_sign))
