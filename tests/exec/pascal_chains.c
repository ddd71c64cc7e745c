/* Chains of Pascal's instructions over the condition code, and partial products, against plain C. */
#include "pascal_rig.h"
#include "unit.h"

static uint64_t pair(struct pascal *p, unsigned index, unsigned lane)
{
    return r(p, index)[lane] | (uint64_t)r(p, index + 1)[lane] << 32;
}

/* R2 and R3, R4 and R5 are two numbers of 64 bits. */
static void sums_carry_into_the_upper_word(void **state)
{
    (void)state;
    struct pascal *p = pascal_create();
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        pascal_fill(p);
        pascal_run(p, word(0x5c10, 8, 2, 4, 0) | bits(1, 47));                /* IADD R8.CC, R2, R4 */
        pascal_run(p, word(0x5c10, 9, 3, 5, 0) | bits(1, 43));                /* IADD.X R9, R3, R5 */
        pascal_run(p, word(0x5c10, 10, 2, 4, 0) | bits(1, 47) | bits(1, 48)); /* IADD R10.CC, R2, -R4 */
        pascal_run(p, word(0x5c10, 11, 3, 5, 0) | bits(1, 43) | bits(1, 48)); /* IADD.X R11, R3, -R5 */
        for (unsigned i = 0; i < EXEC_LANES; i++) {
            assert_true(pair(p, 8, i) == pair(p, 2, i) + pair(p, 4, i));
            assert_true(pair(p, 10, i) == pair(p, 2, i) - pair(p, 4, i));
        }
    }
    pascal_destroy(p);
}

static void a_sum_of_three_carries_two(void **state)
{
    (void)state;
    struct pascal *p = pascal_create();
    for (unsigned i = 0; i < EXEC_LANES; i++)
        r(p, A)[i] = UINT32_MAX - i;
    pascal_run(p, word(0x5cc0, 8, A, A, A) | bits(1, 47));                /* IADD3 R8.CC, R1, R1, R1 */
    pascal_run(p, word(0x5cc0, 9, ISA_RZ, ISA_RZ, ISA_RZ) | bits(1, 48)); /* IADD3.X R9, RZ, RZ, RZ */
    for (unsigned i = 0; i < EXEC_LANES; i++)
        assert_true(pair(p, 8, i) == 3 * (uint64_t)(UINT32_MAX - i));
    pascal_destroy(p);
}

/* Random programs found that both halves of a pair negate: w[2] - (w[0] + w[1]). */
static void a_sum_of_three_wide_numbers_negates_one_or_two(void **state)
{
    (void)state;
    struct pascal *p = pascal_create();
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        uint64_t negated = trial % 7; /* bit 0: C, 1: B, 2: A */
        pascal_fill(p);
        for (unsigned i = 0; i < EXEC_LANES; i++) {
            r(p, 7)[i] = i % 4 == 0 ? 0 : r(p, 1)[i];
            r(p, 2)[i] = i % 4 <= 1 ? 0 : r(p, 2)[i];
        }
        pascal_run(p, word(0x5cc0, 8, 2, 4, 6) | bits(1, 47) | bits(negated, 49)); /* IADD3 R8.CC, -R2, -R4, -R6 */
        pascal_run(p, word(0x5cc0, 9, 3, 5, 7) | bits(1, 48) | bits(negated, 49)); /* IADD3.X R9, -R3, -R5, -R7 */
        for (unsigned i = 0; i < EXEC_LANES; i++) {
            uint64_t a = pair(p, 2, i), b = pair(p, 4, i), c = pair(p, 6, i);
            uint64_t sum = (negated & 4 ? 0 - a : a) + (negated & 2 ? 0 - b : b) + (negated & 1 ? 0 - c : c);
            if (pair(p, 8, i) != sum)
                fail_msg("negated %u: %llx + %llx + %llx is %llx here", (unsigned)negated, (unsigned long long)a,
                         (unsigned long long)b, (unsigned long long)c, (unsigned long long)pair(p, 8, i));
        }
    }
    pascal_destroy(p);
}

/* Compiled code for (w & mask) != 0. */
static void both_words_of_a_logic_test_count(void **state)
{
    (void)state;
    enum { NOT_ZERO = 3, P0 = 0, AND = 0 };
    struct pascal *p = pascal_create();
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        pascal_fill(p);
        for (unsigned i = 0; i < EXEC_LANES; i++) {
            r(p, 2)[i] = i & 1 ? 0 : r(p, 2)[i];
            r(p, 3)[i] = i & 2 ? 0 : r(p, 3)[i];
        }
        pascal_run(p, word(0x5c40, ISA_RZ, 2, 4, 0) | bits(AND, 41) | bits(1, 47) | bits(PT, 48)); /* .CC */
        pascal_run(p, word(0x5c40, ISA_RZ, 3, 5, 0) | bits(AND, 41) | bits(1, 43) | bits(NOT_ZERO, 44) |
                          bits(P0, 48)); /* .X */
        for (unsigned i = 0; i < EXEC_LANES; i++)
            assert_int_equal(p->t->warp.pred[P0] >> i & 1, (pair(p, 2, i) & pair(p, 4, i)) != 0);
    }
    pascal_destroy(p);
}

static bool holds(unsigned how, bool less, bool equal)
{
    return (how & 1 && less) || (how & 2 && equal) || (how & 4 && !less && !equal);
}

static void wide_numbers_compare_by_their_difference(void **state)
{
    (void)state;
    struct pascal *p = pascal_create();
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        unsigned how = trial % 8, is_signed = trial / 8 % 2;
        pascal_fill(p);
        for (unsigned i = 0; i < EXEC_LANES; i++) {
            r(p, 4)[i] = i % 3 ? r(p, 4)[i] : r(p, 2)[i];
            r(p, 5)[i] = i % 2 ? r(p, 5)[i] : r(p, 3)[i];
        }
        pascal_run(p, word(0x5c10, ISA_RZ, 2, 4, 0) | bits(1, 47) | bits(1, 48));
        /* ISETP.how.X.AND P1, PT, R3, R5, PT */
        pascal_run(p, word(0x5b60, 0, 3, 5, 0) | PT | bits(1, 3) | bits(how, 49) | bits(is_signed, 48) | bits(1, 43) |
                          bits(PT, 39));
        for (unsigned i = 0; i < EXEC_LANES; i++) {
            uint64_t x = pair(p, 2, i), y = pair(p, 4, i);
            bool less = is_signed ? (int64_t)x < (int64_t)y : x < y;
            assert_int_equal(p->t->warp.pred[1] >> i & 1, holds(how, less, x == y));
        }
    }
    pascal_destroy(p);
}

static void wide_minima_go_from_the_upper_word_down(void **state)
{
    (void)state;
    struct pascal *p = pascal_create();
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        pascal_fill(p);
        for (unsigned i = 0; i < EXEC_LANES; i += 2)
            r(p, 5)[i] = r(p, 3)[i];
        pascal_run(p, word(0x5c20, 9, 3, 5, 0) | bits(3, 43) | bits(1, 47) | bits(PT, 39)); /* IMNMX.U32.XHI R9.CC */
        pascal_run(p, word(0x5c20, 8, 2, 4, 0) | bits(1, 43) | bits(PT, 39));               /* IMNMX.U32.XLO R8 */
        for (unsigned i = 0; i < EXEC_LANES; i++) {
            uint64_t x = pair(p, 2, i), y = pair(p, 4, i);
            assert_true(pair(p, 8, i) == (x < y ? x : y));
        }
    }
    pascal_destroy(p);
}

/* The sequence of the compiler for the upper word of a signed product. */
static void partial_products_make_the_upper_word_of_a_signed_product(void **state)
{
    (void)state;
    struct pascal *p = pascal_create();
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        pascal_fill(p);
        pascal_run(p, word(0x5b00, 6, A, B, ISA_RZ));                             /* XMAD */
        pascal_run(p, word(0x5b00, 4, A, B, ISA_RZ) | bits(2, 48) | bits(1, 35)); /* .U16.S16 */
        pascal_run(p,
                   word(0x5b00, 7, A, B, ISA_RZ) | bits(3, 48) | bits(1, 53) | bits(1, 35) | bits(3, 50)); /* .CSFU */
        pascal_run(p, word(0x5b00, 6, A, B, 6) | bits(1, 48) | bits(1, 53) | bits(2, 50)); /* .S16.U16.CHI */
        pascal_run(p, word(0x5cc0, D, 6, 4, 7) | bits(1, 37));                             /* IADD3.RS */
        for (unsigned i = 0; i < EXEC_LANES; i++)
            assert_int_equal(r(p, D)[i], (uint32_t)((uint64_t)((int64_t)s(r(p, A)[i]) * s(r(p, B)[i])) >> 32));
    }
    pascal_destroy(p);
}

static void the_condition_code_survives_in_a_register(void **state)
{
    (void)state;
    struct pascal *p = pascal_create();
    pascal_fill(p);
    pascal_run(p, word(0x5c10, 8, 2, 4, 0) | bits(1, 47));
    const struct condition before = p->stack.condition;
    pascal_run(p, word(0x38e8, 10, ISA_RZ, 0, 0) | bits(1, 40) | bits(0xf, 20)); /* P2R R10, CC, RZ, 0xf */
    p->stack.condition = (struct condition){0};
    pascal_run(p, word(0x38f0, 0, 10, 0, 0) | bits(1, 40) | bits(0xf, 20)); /* R2P CC, R10, 0xf */
    assert_int_equal(p->stack.condition.zero, before.zero);
    assert_int_equal(p->stack.condition.sign, before.sign);
    assert_int_equal(p->stack.condition.carry, before.carry);
    assert_int_equal(p->stack.condition.overflow, before.overflow);
    pascal_destroy(p);
}

UNIT_TESTS(UNIT(sums_carry_into_the_upper_word), UNIT(a_sum_of_three_carries_two),
           UNIT(both_words_of_a_logic_test_count), UNIT(a_sum_of_three_wide_numbers_negates_one_or_two),
           UNIT(wide_numbers_compare_by_their_difference), UNIT(wide_minima_go_from_the_upper_word_down),
           UNIT(partial_products_make_the_upper_word_of_a_signed_product),
           UNIT(the_condition_code_survives_in_a_register))
