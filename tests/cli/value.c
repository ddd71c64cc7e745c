#include "cli/value.h"

#include <math.h>

#include "tests/unit.h"

static uint64_t bits_of(enum value_type type, const char *text)
{
    uint64_t bits = 0;
    assert_true(value_parse(type, text, &bits));
    return bits;
}

static void refuses(enum value_type type, const char *text)
{
    uint64_t bits;
    assert_false(value_parse(type, text, &bits));
}

static void integers_keep_to_their_range(void **state)
{
    (void)state;
    assert_int_equal(bits_of(VALUE_u8, "255"), 255);
    assert_int_equal(bits_of(VALUE_i8, "-128"), 0x80);
    assert_int_equal(bits_of(VALUE_i8, "127"), 127);
    assert_int_equal(bits_of(VALUE_i32, "-1"), 0xffffffff);
    assert_true(bits_of(VALUE_u64, "0xffffffffffffffff") == UINT64_MAX);
    assert_true(bits_of(VALUE_i64, "-9223372036854775808") == UINT64_C(1) << 63);
    refuses(VALUE_u8, "256");
    refuses(VALUE_i8, "128");
    refuses(VALUE_i8, "-129");
    refuses(VALUE_u32, "-1");
    refuses(VALUE_u64, "18446744073709551616");
    refuses(VALUE_i64, "9223372036854775808");
    refuses(VALUE_i32, "");
    refuses(VALUE_i32, "-");
    refuses(VALUE_i32, "1.5");
    refuses(VALUE_i32, "5x");
    refuses(VALUE_i32, " 5");
}

static void halves_round_to_nearest_even(void **state)
{
    (void)state;
    assert_int_equal(bits_of(VALUE_f16, "1"), 0x3c00);
    assert_int_equal(bits_of(VALUE_f16, "-2"), 0xc000);
    assert_int_equal(bits_of(VALUE_f16, "65504"), 0x7bff);
    assert_int_equal(bits_of(VALUE_f16, "65519.99"), 0x7bff);
    assert_int_equal(bits_of(VALUE_f16, "65520"), 0x7c00);
    assert_int_equal(bits_of(VALUE_f16, "1.00048828125"), 0x3c00); /* half a step above 1 */
    assert_int_equal(bits_of(VALUE_f16, "1.00146484375"), 0x3c02); /* one and a half */
    assert_int_equal(bits_of(VALUE_f16, "5.960464477539063e-08"), 1);
    assert_int_equal(bits_of(VALUE_f16, "6.103515625e-05"), 0x0400);
    assert_int_equal(bits_of(VALUE_f16, "-0"), 0x8000);
    assert_int_equal(bits_of(VALUE_f16, "inf"), 0x7c00);
    assert_int_equal(bits_of(VALUE_f16, "nan"), 0x7e00);
    assert_int_equal(bits_of(VALUE_bf16, "1"), 0x3f80);
    refuses(VALUE_f16, "");
    refuses(VALUE_f16, "1.5f");
}

static void floats_and_doubles_have_the_bits_of_the_host(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",     "1",     "-1.5", "0.1",  "3.4028234663852886e38",
                                        "1e-45", "1e-40", "1e39", "1e300"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double d = strtod(texts[i], NULL);
        float f = (float)d;
        uint64_t wide;
        uint32_t narrow;
        memcpy(&wide, &d, sizeof wide);
        memcpy(&narrow, &f, sizeof narrow);
        assert_true(bits_of(VALUE_f64, texts[i]) == wide);
        assert_int_equal(bits_of(VALUE_f32, texts[i]), narrow);
    }
}

static void every_half_prints_as_a_number_that_reads_back(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        char text[32];
        if ((bits & 0x7c00) == 0x7c00 && (bits & 0x3ff))
            continue; /* NaN */
        value_print(VALUE_f16, bits, text, sizeof text);
        assert_int_equal(bits_of(VALUE_f16, text), bits);
    }
}

static void random_values_are_in_range_and_repeat(void **state)
{
    (void)state;
    for (unsigned type = 0; type < VALUE_TYPE_COUNT; type++) {
        for (uint64_t i = 0; i < 1000; i++) {
            char text[32];
            uint64_t bits = value_random((enum value_type)type, 1, i, 0);
            assert_true(bits == value_random((enum value_type)type, 1, i, 0));
            value_print((enum value_type)type, bits, text, sizeof text);
            if (value_info((enum value_type)type)->kind == VALUE_FLOAT)
                assert_true(strtod(text, NULL) >= 0 && strtod(text, NULL) <= 1);
            bits = value_random((enum value_type)type, 1, i, 100);
            value_print((enum value_type)type, bits, text, sizeof text);
            assert_true(strtod(text, NULL) >= 0 && strtod(text, NULL) < 100);
        }
    }
    assert_true(value_random(VALUE_u64, 1, 0, 0) != value_random(VALUE_u64, 2, 0, 0));
    assert_true(value_random(VALUE_u64, 1, 0, 0) != value_random(VALUE_u64, 1, 1, 0));
}

UNIT_TESTS(UNIT(integers_keep_to_their_range), UNIT(halves_round_to_nearest_even),
           UNIT(floats_and_doubles_have_the_bits_of_the_host), UNIT(every_half_prints_as_a_number_that_reads_back),
           UNIT(random_values_are_in_range_and_repeat))
