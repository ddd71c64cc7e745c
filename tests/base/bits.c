#include "base/bits.h"
#include "tests/unit.h"

static const struct word128 WORD = {UINT64_C(0xfedcba9876543210), UINT64_C(0x0123456789abcdef)};

static void a_field_is_taken_from_either_half(void **state)
{
    (void)state;
    assert_int_equal(word128_bits(WORD, 7, 4), 0x1);
    assert_int_equal(word128_bits(WORD, 63, 60), 0xf);
    assert_int_equal(word128_bits(WORD, 71, 64), 0xef);
    assert_int_equal(word128_bits(WORD, 127, 120), 0x01);
}

static void a_field_may_straddle_the_halves(void **state)
{
    (void)state;
    assert_int_equal(word128_bits(WORD, 67, 60), 0xff);
    assert_int_equal(word128_bits(WORD, 79, 56), 0xcdeffe);
}

static void a_field_may_be_64_bits_wide(void **state)
{
    (void)state;
    assert_true(word128_bits(WORD, 63, 0) == WORD.lo);
    assert_true(word128_bits(WORD, 127, 64) == WORD.hi);
    assert_true(word128_bits(WORD, 95, 32) == UINT64_C(0x89abcdeffedcba98));
}

static void sign_extension_looks_only_at_the_field(void **state)
{
    (void)state;
    assert_int_equal(sign_extend(0x7f, 8), 127);
    assert_int_equal(sign_extend(0x80, 8), -128);
    assert_int_equal(sign_extend(0xf80, 8), -128);
    assert_int_equal(sign_extend(1, 1), -1);
    assert_true(sign_extend(UINT64_MAX, 64) == -1);
}

static void alignment_and_division_round_up(void **state)
{
    (void)state;
    assert_int_equal(align_up(0, 256), 0);
    assert_int_equal(align_up(1, 256), 256);
    assert_int_equal(align_up(256, 256), 256);
    assert_int_equal(div_up32(0, 3), 0);
    assert_int_equal(div_up32(6, 3), 2);
    assert_int_equal(div_up32(7, 3), 3);
    assert_int_equal(div_up32(UINT32_MAX, 2), 0x80000000u);
}

static void ends_of_a_mask_are_found(void **state)
{
    (void)state;
    assert_int_equal(lowest_bit32(0x80000000u), 31);
    assert_int_equal(lowest_bit64(UINT64_C(1) << 40), 40);
    assert_int_equal(highest_bit64((UINT64_C(1) << 40) | 1), 40);
    assert_int_equal(popcount32(0xf0f00001u), 9);
    assert_int_equal(popcount32(0), 0);
    assert_int_equal(popcount32(UINT32_MAX), 32);
    for (uint32_t low = 0; low < 32; low++)
        for (uint32_t high = low; high < 32; high++)
            assert_int_equal(popcount32(UINT32_MAX >> (31 - high) & UINT32_MAX << low), high - low + 1);
}

UNIT_TESTS(UNIT(a_field_is_taken_from_either_half), UNIT(a_field_may_straddle_the_halves),
           UNIT(a_field_may_be_64_bits_wide), UNIT(sign_extension_looks_only_at_the_field),
           UNIT(alignment_and_division_round_up), UNIT(ends_of_a_mask_are_found))
