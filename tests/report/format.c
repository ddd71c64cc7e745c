#include "report/format.h"

#include "tests/unit.h"

static void digits_come_in_groups_of_three(void **state)
{
    (void)state;
    assert_string_equal(format_count(0).text, "0");
    assert_string_equal(format_count(999).text, "999");
    assert_string_equal(format_count(1000).text, "1,000");
    assert_string_equal(format_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
    assert_string_equal(format_short(99999999).text, "99,999,999");
    assert_string_equal(format_short(123456789).text, "123.46 M");
    assert_string_equal(format_fixed(1234567.891, 2).text, "1,234,567.89");
    assert_string_equal(format_fixed(0.999, 2).text, "1.00");
    assert_string_equal(format_fixed(999.999, 2).text, "1,000.00");
}

static void units_fit_the_value(void **state)
{
    (void)state;
    assert_string_equal(format_time(23.51e-6).text, "23.51 us");
    assert_string_equal(format_time(0).text, "0.00 ns");
    assert_string_equal(format_time(61).text, "61.00 s");
    assert_string_equal(format_time(0.25).text, "250.00 ms");
    assert_string_equal(format_traffic(512).text, "512 B");
    assert_string_equal(format_traffic(12.58e6).text, "12.58 MB");
    assert_string_equal(format_size(16384).text, "16 KiB");
    assert_string_equal(format_size(16640).text, "16.2 KiB");
    assert_string_equal(format_rate(2150000).text, "2.15 M");
}

static void trailing_ones_of_dimensions_are_left_out(void **state)
{
    (void)state;
    assert_string_equal(format_dim((uint32_t[]){64, 1, 1}).text, "64");
    assert_string_equal(format_dim((uint32_t[]){64, 2, 1}).text, "64 x 2");
    assert_string_equal(format_dim((uint32_t[]){64, 1, 3}).text, "64 x 1 x 3");
}

UNIT_TESTS(UNIT(digits_come_in_groups_of_three), UNIT(units_fit_the_value),
           UNIT(trailing_ones_of_dimensions_are_left_out))
