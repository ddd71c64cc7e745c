#include "base/json.h"

#include <float.h>
#include <math.h>

#include "tests/unit.h"

static char *text;
static size_t size;
static struct json j;

static void begin(void)
{
    json_begin(&j, open_memstream(&text, &size));
    assert_non_null(j.out);
}

static void expect(const char *expected)
{
    fclose(j.out);
    assert_string_equal(text, expected);
    free(text);
}

static void string_gives(const char *value, const char *expected)
{
    begin();
    json_string(&j, NULL, value);
    expect(expected);
}

static void number_gives(double value, int digits, const char *expected)
{
    begin();
    json_number(&j, NULL, value, digits);
    expect(expected);
}

static void objects_and_arrays_nest_with_two_spaces(void **state)
{
    (void)state;
    begin();
    json_object(&j, NULL);
    json_uint(&j, "n", UINT64_MAX);
    json_array(&j, "list");
    json_uint(&j, NULL, 0);
    json_bool(&j, NULL, true);
    json_object(&j, NULL);
    json_end(&j);
    json_end(&j);
    json_array(&j, "none");
    json_end(&j);
    json_bool(&j, "last", false);
    json_end(&j);
    expect("{\n  \"n\": 18446744073709551615,\n  \"list\": [\n    0,\n    true,\n    {}\n  ],\n"
           "  \"none\": [],\n  \"last\": false\n}\n");
}

static void what_rfc_8259_forbids_in_a_string_is_escaped(void **state)
{
    (void)state;
    string_gives("a\"b\\c/", "\"a\\\"b\\\\c/\"\n");
    string_gives("\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"\n");
    string_gives("\x01\x1f\x20\x7f", "\"\\u0001\\u001f \x7f\"\n");
    string_gives("", "\"\"\n");
    string_gives(NULL, "null\n");
}

static void utf_8_is_kept_and_other_bytes_are_replaced_one_by_one(void **state)
{
    (void)state;
    string_gives("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x9a\x80", "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x9a\x80\"\n");
    string_gives("\x80x", "\"\\ufffdx\"\n");
    string_gives("\xc3", "\"\\ufffd\"\n");                       /* cut off */
    string_gives("\xc0\xaf", "\"\\ufffd\\ufffd\"\n");            /* overlong */
    string_gives("\xe0\x9f\xbf", "\"\\ufffd\\ufffd\\ufffd\"\n"); /* overlong */
    string_gives("\xe0\xa0\x80", "\"\xe0\xa0\x80\"\n");
    string_gives("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"\n"); /* surrogate */
    string_gives("\xf4\x8f\xbf\xbf", "\"\xf4\x8f\xbf\xbf\"\n");
    string_gives("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"\n");
}

static void keys_are_escaped_as_well(void **state)
{
    (void)state;
    begin();
    json_object(&j, NULL);
    json_uint(&j, "\"", 1);
    json_end(&j);
    expect("{\n  \"\\\"\": 1\n}\n");
}

static void numbers_have_no_more_digits_than_they_need(void **state)
{
    (void)state;
    number_gives(0.1, 17, "0.1\n");
    number_gives(1.0 / 3, 4, "0.3333\n");
    number_gives(2.0 / 3, 4, "0.6667\n");
    number_gives(100, 6, "100\n");
    number_gives(123456789, 3, "123000000\n");
    number_gives(123456, 6, "123456\n");
    number_gives(0, 3, "0\n");
    number_gives(0.00001, 3, "0.00001\n");
    number_gives(0.0000012, 3, "1.2e-06\n");
    number_gives(123456789012345, 17, "123456789012345\n");
    number_gives(1e15, 17, "1e+15\n");
    number_gives(-DBL_MAX, 17, "-1.7976931348623157e+308\n");
    number_gives(DBL_TRUE_MIN, 17, "5e-324\n");
    number_gives(-2.5, 3, "-2.5\n");
    number_gives(0.30000000000000004, 17, "0.30000000000000004\n");
}

static void what_is_not_a_number_is_null(void **state)
{
    (void)state;
    number_gives((double)NAN, 3, "null\n");
    number_gives((double)INFINITY, 3, "null\n");
    number_gives(-(double)INFINITY, 3, "null\n");
}

UNIT_TESTS(UNIT(objects_and_arrays_nest_with_two_spaces), UNIT(what_rfc_8259_forbids_in_a_string_is_escaped),
           UNIT(utf_8_is_kept_and_other_bytes_are_replaced_one_by_one), UNIT(keys_are_escaped_as_well),
           UNIT(numbers_have_no_more_digits_than_they_need), UNIT(what_is_not_a_number_is_null))
