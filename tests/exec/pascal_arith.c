/* Pascal's instructions, one at a time, against plain C. */
#include <math.h>
#include <string.h>

#include "pascal_rig.h"
#include "unit.h"

/* ---- one instruction --------------------------------------------------------------------------------------------- */

static uint32_t sum(uint32_t a, uint32_t b, uint32_t c) { return (void)c, a + b; }
static uint32_t difference(uint32_t a, uint32_t b, uint32_t c) { return (void)c, a - b; }
static uint32_t sum3(uint32_t a, uint32_t b, uint32_t c) { return a + b + c; }
static uint32_t sum3_shifted(uint32_t a, uint32_t b, uint32_t c) { return (uint32_t)(((uint64_t)a + b) >> 16) + c; }
static uint32_t sum_of_halves(uint32_t a, uint32_t b, uint32_t c) { return (a & 0xffff) + (b >> 16) + c; }
static uint32_t less_and_more(uint32_t a, uint32_t b, uint32_t c) { return (void)b, a - 0x21 + c; }
static uint32_t scaled(uint32_t a, uint32_t b, uint32_t c) { return (void)c, (a << 5) + b; }
static uint32_t scaled_high(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)(((uint64_t)c << 32 | a) >> 27) + b;
}

static uint32_t saturated(uint32_t a, uint32_t b, uint32_t c)
{
    int64_t v = (int64_t)s(a) + s(b);
    (void)c;
    return (uint32_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

static void sums(void **state)
{
    (void)state;
    pascal_check(word(0x5c10, D, A, B, 0), sum);
    pascal_check(word(0x5c10, D, A, B, 0) | bits(1, 48), difference);
    pascal_check(word(0x5c10, D, A, B, 0) | bits(1, 50), saturated);
    pascal_check(word(0x5cc0, D, A, B, C), sum3);
    pascal_check(word(0x5cc0, D, A, B, C) | bits(1, 37), sum3_shifted);
    pascal_check(word(0x5cc0, D, A, B, C) | bits(1, 35) | bits(2, 33), sum_of_halves);
    pascal_check(word(0x38c0, D, A, 0, C) | bits(1, 56) | bits(0x7ffdf, 20), less_and_more); /* printed 0xfffdf */
    pascal_check(word(0x5c18, D, A, B, 0) | bits(5, 39), scaled);
    pascal_check(word(0x5bd0, D, A, B, 0) | bits(5, 39) | bits(PT, 48), scaled);
    pascal_check(word(0x5bd8, D, A, B, C) | bits(5, 28) | bits(PT, 48), scaled_high);
}

static uint32_t low_product(uint32_t a, uint32_t b, uint32_t c) { return (a & 0xffff) * (b & 0xffff) + c; }
static uint32_t high_product(uint32_t a, uint32_t b, uint32_t c) { return (a >> 16) * (b >> 16) + c; }
static uint32_t shifted_product(uint32_t a, uint32_t b, uint32_t c) { return ((a & 0xffff) * (b & 0xffff) << 16) + c; }
static uint32_t onto_high(uint32_t a, uint32_t b, uint32_t c) { return (a & 0xffff) * (b & 0xffff) + (c >> 16); }
static uint32_t onto_low(uint32_t a, uint32_t b, uint32_t c) { return (a & 0xffff) * (b & 0xffff) + (c & 0xffff); }
static uint32_t onto_both(uint32_t a, uint32_t b, uint32_t c) { return (a & 0xffff) * (b & 0xffff) + c + (b << 16); }
static uint32_t merged(uint32_t a, uint32_t b, uint32_t c) { return (low_product(a, b, c) & 0xffff) | b << 16; }
static uint32_t signed_product(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)((int16_t)a * (int32_t)(b & 0xffff)) + c;
}

static void products_of_halves(void **state)
{
    (void)state;
    pascal_check(word(0x5b00, D, A, B, C), low_product);
    pascal_check(word(0x5b00, D, A, B, C) | bits(1, 53) | bits(1, 35), high_product);
    pascal_check(word(0x5b00, D, A, B, C) | bits(1, 36), shifted_product);
    pascal_check(word(0x5b00, D, A, B, C) | bits(1, 50), onto_low);
    pascal_check(word(0x5b00, D, A, B, C) | bits(2, 50), onto_high);
    pascal_check(word(0x5b00, D, A, B, C) | bits(4, 50), onto_both);
    pascal_check(word(0x5b00, D, A, B, C) | bits(1, 37), merged);
    pascal_check(word(0x5b00, D, A, B, C) | bits(1, 48), signed_product);
}

static uint32_t imad(uint32_t a, uint32_t b, uint32_t c) { return a * b + c; }
static uint32_t imad_high(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)((uint64_t)((int64_t)s(a) * s(b)) >> 32) + c;
}

static void products_of_words(void **state)
{
    (void)state;
    pascal_check(word(0x5a00, D, A, B, C), imad);
    pascal_check(word(0x5a00, D, A, B, C) | bits(1, 54) | bits(1, 53) | bits(1, 48), imad_high);
}

static uint32_t both(uint32_t a, uint32_t b, uint32_t c) { return (void)c, a & b; }
static uint32_t either(uint32_t a, uint32_t b, uint32_t c) { return (void)c, a | ~b; }
static uint32_t one(uint32_t a, uint32_t b, uint32_t c) { return (void)c, a ^ b; }
static uint32_t second(uint32_t a, uint32_t b, uint32_t c) { return (void)a, (void)c, ~b; }
static uint32_t choice(uint32_t a, uint32_t b, uint32_t c) { return (a & b) | (~a & c); }

static void logic(void **state)
{
    (void)state;
    pascal_check(word(0x5c40, D, A, B, 0) | bits(PT, 48), both);
    pascal_check(word(0x5c40, D, A, B, 0) | bits(1, 41) | bits(1, 40) | bits(PT, 48), either);
    pascal_check(word(0x5c40, D, A, B, 0) | bits(2, 41) | bits(PT, 48), one);
    pascal_check(word(0x5c40, D, A, B, 0) | bits(3, 41) | bits(1, 40) | bits(PT, 48), second);
    pascal_check(word(0x5be0, D, A, B, C) | bits(0xca, 28) | bits(PT, 48), choice);
}

static uint32_t left(uint32_t a, uint32_t b, uint32_t c) { return (void)c, b < 32 ? a << b : 0; }
static uint32_t left_wrapped(uint32_t a, uint32_t b, uint32_t c) { return (void)c, a << (b & 31); }
static uint32_t right(uint32_t a, uint32_t b, uint32_t c) { return (void)c, b < 32 ? a >> b : 0; }
static uint32_t right_signed(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)c, (uint32_t)(s(a) >> (b < 32 ? b : 31));
}
static uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)(((uint64_t)c << 32 | a) << (b & 31) >> 32);
}
static uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)(((uint64_t)c << 32 | a) >> (b & 31));
}

static void shifts(void **state)
{
    (void)state;
    pascal_check(word(0x5c48, D, A, B, 0), left);
    pascal_check(word(0x5c48, D, A, B, 0) | bits(1, 39), left_wrapped);
    pascal_check(word(0x5c28, D, A, B, 0), right);
    pascal_check(word(0x5c28, D, A, B, 0) | bits(1, 48), right_signed);
    pascal_check(word(0x5bf8, D, A, B, C) | bits(1, 50), funnel_left);
    pascal_check(word(0x5cf8, D, A, B, C) | bits(1, 50), funnel_right);
}

static uint32_t bit(uint32_t v, unsigned at) { return at < 32 ? v >> at & 1 : 0; }

/* As PTX has it, bit by bit. */
static uint32_t field(uint32_t a, uint32_t b, bool is_signed)
{
    unsigned at = b & 0xff, length = b >> 8 & 0xff, last = at + length - 1 < 31 ? at + length - 1 : 31;
    uint32_t out = 0, fill = is_signed && length ? bit(a, last) : 0;
    for (unsigned i = 0; i < 32; i++)
        out |= (i < length && at + i <= 31 ? bit(a, at + i) : fill) << i;
    return out;
}

static uint32_t field_unsigned(uint32_t a, uint32_t b, uint32_t c) { return (void)c, field(a, b, false); }
static uint32_t field_signed(uint32_t a, uint32_t b, uint32_t c) { return (void)c, field(a, b, true); }
static uint32_t inserted(uint32_t a, uint32_t b, uint32_t c)
{
    unsigned at = b & 0xff, length = b >> 8 & 0xff;
    for (unsigned i = 0; i < length && at + i < 32; i++)
        c = (c & ~(1u << (at + i))) | bit(a, i) << (at + i);
    return c;
}

static void fields_of_bits(void **state)
{
    (void)state;
    pascal_check(word(0x5c00, D, A, B, 0), field_unsigned);
    pascal_check(word(0x5c00, D, A, B, 0) | bits(1, 48), field_signed);
    pascal_check(word(0x5bf0, D, A, B, C), inserted);
}

static uint32_t smaller(uint32_t a, uint32_t b, uint32_t c) { return (void)c, s(a) < s(b) ? a : b; }
static uint32_t less_of_three(uint32_t a, uint32_t b, uint32_t c)
{
    int32_t larger = s(a) > s(b) ? s(a) : s(b);
    return (uint32_t)(larger < s(c) ? larger : s(c));
}
static uint32_t distance_and_more(uint32_t a, uint32_t b, uint32_t c) { return (a > b ? a - b : b - a) + c; }
static uint32_t if_positive(uint32_t a, uint32_t b, uint32_t c) { return s(c) > 0 ? a : b; }
static uint32_t ones_if_below(uint32_t a, uint32_t b, uint32_t c) { return (void)c, a < b ? UINT32_MAX : 0; }
static uint32_t byte_of_b(uint32_t a, uint32_t b, uint32_t c) { return (void)a, (void)c, (uint32_t)(int8_t)(b >> 16); }
static uint32_t byte_clamped(uint32_t a, uint32_t b, uint32_t c)
{
    (void)a;
    (void)c;
    return s(b) < 0 ? 0 : s(b) > 255 ? 255 : b;
}

static void choices_and_conversions(void **state)
{
    (void)state;
    pascal_check(word(0x5c20, D, A, B, 0) | bits(1, 48) | bits(PT, 39), smaller);
    pascal_check(word(0x3a00, D, A, B, C) | bits(6, 36) | bits(1, 50) | bits(6, 28) | bits(3, 48) | bits(1, 54) |
                     bits(1, 56) | bits(5, 51),
                 less_of_three);
    pascal_check(word(0x5400, D, A, B, C) | bits(6, 36) | bits(1, 50) | bits(6, 28) | bits(4, 51), distance_and_more);
    pascal_check(word(0x5b40, D, A, B, C) | bits(4, 49) | bits(1, 48), if_positive);
    pascal_check(word(0x5b50, D, A, B, 0) | bits(1, 49) | bits(PT, 39), ones_if_below);
    pascal_check(word(0x5ce0, D, 0, B, 0) | bits(1, 12) | bits(2, 8) | bits(1, 13) | bits(2, 41), byte_of_b);
    pascal_check(word(0x5ce0, D, 0, B, 0) | bits(1, 13) | bits(2, 10) | bits(1, 50), byte_clamped);
}

/* ---- floating point ---------------------------------------------------------------------------------------------- */

static uint32_t scaled_product(uint32_t a, uint32_t b, uint32_t c)
{
    float x, y, z;
    (void)c;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    z = (float)((double)x * (double)y * 0.25);
    memcpy(&a, &z, 4);
    return isnan(z) ? 0x7fffffff : a;
}

static uint32_t if_below_zero(uint32_t a, uint32_t b, uint32_t c)
{
    float z;
    memcpy(&z, &c, 4);
    return z < 0 ? a : b;
}

static uint32_t one_if_greater(uint32_t a, uint32_t b, uint32_t c)
{
    float x, y;
    (void)c;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    return x > y ? 0x3f800000 : 0;
}

/* Not a number becomes 0. */
static uint32_t to_integer(uint32_t a, uint32_t b, uint32_t c)
{
    float y;
    (void)a;
    (void)c;
    memcpy(&y, &b, 4);
    double v = trunc((double)y);
    return isnan(y) ? 0 : (uint32_t)(v >= 2147483648.0 ? INT32_MAX : v < -2147483648.0 ? INT32_MIN : (int32_t)v);
}

static uint32_t from_magnitude(uint32_t a, uint32_t b, uint32_t c)
{
    float f = (float)(b >> 31 ? 0u - b : b);
    (void)a;
    (void)c;
    memcpy(&b, &f, 4);
    return b;
}

static void floats(void **state)
{
    (void)state;
    pascal_check(word(0x5c68, D, A, B, 0) | bits(2, 41), scaled_product);
    pascal_check(word(0x5ba0, D, A, B, C) | bits(1, 48), if_below_zero);
    pascal_check(word(0x5800, D, A, B, 0) | bits(1, 52) | bits(4, 48) | bits(PT, 39), one_if_greater);
    pascal_check(word(0x5cb0, D, 0, B, 0) | bits(1, 12) | bits(2, 8) | bits(2, 10) | bits(3, 39), to_integer);
    pascal_check(word(0x5cb8, D, 0, B, 0) | bits(2, 8) | bits(2, 10) | bits(1, 13) | bits(1, 49), from_magnitude);
}

UNIT_TESTS(UNIT(sums), UNIT(products_of_halves), UNIT(products_of_words), UNIT(logic), UNIT(shifts),
           UNIT(fields_of_bits), UNIT(choices_and_conversions), UNIT(floats))
