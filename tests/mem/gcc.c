/* Requests for code and constants from a GPC's SMs. */
#include "mem/gcc.h"

#include <stdlib.h>

#include "tests/unit.h"

static struct gcc gcc;

static int setup(void **state)
{
    (void)state;
    gcc_reset(&gcc);
    return 0;
}

static bool joins(uint64_t line, uint8_t sectors, uint32_t number)
{
    const struct request request = {
        .line = line, .sm = (uint16_t)(100 + number), .client = PORT_CODE, .sectors = sectors, .kind = REQUEST_LOAD};
    return gcc_join(&gcc, &request, number);
}

/* The reply to the request of this SM. */
static uint64_t answered(uint64_t line, uint8_t sectors, uint32_t number)
{
    const struct reply reply = {
        .line = line, .sm = (uint16_t)(100 + number), .client = PORT_CODE, .sectors = sectors, .kind = REQUEST_LOAD};
    return gcc_answer(&gcc, &reply);
}

static void sms_join_a_line_that_is_under_way_until_it_has_come(void **state)
{
    (void)state;
    assert_false(joins(0, 0xf, 3));
    assert_true(joins(0, 0xf, 9));
    assert_true(joins(0, 0xf, 63));
    assert_false(joins(128, 0xf, 9)); /* another line */
    assert_int_equal(answered(0, 0xf, 3), UINT64_C(1) << 3 | UINT64_C(1) << 9 | UINT64_C(1) << 63);
    assert_int_equal(gcc.sm[9], 109);
    assert_false(joins(0, 0xf, 9));
    assert_int_equal(answered(128, 0xf, 9), UINT64_C(1) << 9);
    assert_int_equal(answered(0, 0xf, 9), UINT64_C(1) << 9);
    assert_int_equal(gcc.used, 0);
}

static void who_asks_for_other_sectors_does_not_join(void **state)
{
    (void)state;
    assert_false(joins(0, 0x3, 0));
    assert_false(joins(0, 0xc, 1));
    assert_true(joins(0, 0xc, 2));
    assert_int_equal(answered(0, 0x3, 0), 1);
    assert_int_equal(answered(0, 0xc, 1), 6);
}

static void an_sm_that_asks_twice_is_answered_once(void **state)
{
    (void)state;
    assert_false(joins(0, 0xf, 5));
    assert_true(joins(0, 0xf, 5));
    assert_int_equal(answered(0, 0xf, 5), 1 << 5);
    assert_int_equal(answered(0, 0xf, 5), 0);
}

static void beyond_64_lines_requests_go_alone(void **state)
{
    (void)state;
    for (uint64_t line = 0; line < GCC_LINES; line++)
        assert_false(joins(line * PORT_LINE, 0xf, 0));
    assert_false(joins(GCC_LINES * PORT_LINE, 0xf, 0));
    assert_false(joins(GCC_LINES * PORT_LINE, 0xf, 1));
    assert_int_equal(answered(GCC_LINES * PORT_LINE, 0xf, 0), 0);
    assert_int_equal(answered(7 * PORT_LINE, 0xf, 0), 1);
    assert_false(joins(GCC_LINES * PORT_LINE, 0xf, 0)); /* takes the place of the seventh */
    assert_true(joins(GCC_LINES * PORT_LINE, 0xf, 1));
}

static void the_reply_to_a_request_that_went_alone_leaves_the_line_to_those_who_joined_another(void **state)
{
    (void)state;
    for (uint64_t line = 0; line < GCC_LINES; line++)
        assert_false(joins(line * PORT_LINE, 0xf, 0));
    assert_false(joins(GCC_LINES * PORT_LINE, 0xf, 1)); /* alone */
    assert_int_equal(answered(7 * PORT_LINE, 0xf, 0), 1);
    assert_false(joins(GCC_LINES * PORT_LINE, 0xf, 2));
    assert_true(joins(GCC_LINES * PORT_LINE, 0xf, 3));
    assert_int_equal(answered(GCC_LINES * PORT_LINE, 0xf, 1), 0);
    assert_int_equal(answered(GCC_LINES * PORT_LINE, 0xf, 2), 1 << 2 | 1 << 3);
}

static void requests_ahead_of_their_time_wait_for_others_and_others_not_for_them(void **state)
{
    (void)state;
    assert_int_equal(gcc_serve(&gcc, 10, 100, true), 100);
    assert_int_equal(gcc_serve(&gcc, 10, 100, true), 110);
    assert_int_equal(gcc_serve(&gcc, 10, 101, false), 101);
    assert_int_equal(gcc_serve(&gcc, 10, 101, false), 111);
    assert_int_equal(gcc_serve(&gcc, 10, 101, true), 121);
}

#define GCC_TEST(name) cmocka_unit_test_setup(name, setup)
UNIT_TESTS(GCC_TEST(sms_join_a_line_that_is_under_way_until_it_has_come),
           GCC_TEST(who_asks_for_other_sectors_does_not_join), GCC_TEST(an_sm_that_asks_twice_is_answered_once),
           GCC_TEST(beyond_64_lines_requests_go_alone),
           GCC_TEST(requests_ahead_of_their_time_wait_for_others_and_others_not_for_them),
           GCC_TEST(the_reply_to_a_request_that_went_alone_leaves_the_line_to_those_who_joined_another))
