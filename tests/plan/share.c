#include "plan/share.h"

#include "tests/unit.h"

enum { MOST = 4000 };

/* Each CTA comes once, and the parts cover the order. Returns the CTAs of the timed SM. */
static uint64_t check(uint64_t ctas, uint32_t sms, uint32_t slots)
{
    static bool seen[MOST];
    const struct share s = share_of(ctas, sms, slots);
    uint64_t own = 0;
    memset(seen, 0, sizeof seen);
    assert_true(s.timed < s.sms);
    for (uint64_t first = 0, end; first < ctas; first = end) {
        bool timed = share_part(&s, first, &end);
        assert_true(end > first && end <= ctas);
        assert_true(first > 0 || timed);
        own += timed ? end - first : 0;
        for (uint64_t i = first; i < end; i++) {
            uint64_t cta = share_number(&s, i), whole = (uint64_t)s.sms * slots;
            assert_true(cta < ctas && !seen[cta]);
            seen[cta] = true;
            assert_true(cta / whole == i / whole);
            if (cta < ctas / whole * whole || ctas < whole)
                assert_true((share_sm(&s, cta) == s.timed) == timed);
        }
    }
    return own;
}

static void each_cta_comes_once_and_in_its_wave(void **state)
{
    (void)state;
    for (uint32_t sms = 2; sms < 9; sms++)
        for (uint32_t slots = 1; slots < 5; slots++)
            for (uint64_t ctas = 2; ctas < 130; ctas++)
                check(ctas, sms, slots);
    check(3999, 84, 6);
}

static void the_timed_sm_has_the_most_ctas_of_a_wave(void **state)
{
    (void)state;
    assert_int_equal(check(3 * 84 * 6, 84, 6), 3 * 6);
    assert_int_equal(check(84 * 2, 84, 6), 2);
    assert_int_equal(check(84 * 2 + 1, 84, 6), 3);
    assert_int_equal(check(50, 84, 6), 1);
}

static void the_timed_sm_takes_twice_the_mean_of_what_is_left_as_far_as_it_has_slots(void **state)
{
    (void)state;
    assert_int_equal(check(84 * 6 + 84 * 2, 84, 6), 6 + 4);
    assert_int_equal(check(84 * 6 + 84 * 2 + 1, 84, 6), 6 + 5);
    assert_int_equal(check(84 * 6 + 84 * 5, 84, 6), 6 + 6);
    assert_int_equal(check(84 * 6 + 1, 84, 6), 6 + 1);
    const struct share s = share_of(84 * 6 + 84 * 2, 84, 6);
    assert_true(share_excess(&s, 0) == 1);
    assert_true(share_excess(&s, 84 * 6) == 2);
}

static void the_example_of_the_header_is_the_order(void **state)
{
    (void)state;
    static const uint64_t first[] = {1, 4, 0, 2, 3, 5};
    const struct share s = share_of(14, 3, 2);
    assert_int_equal(s.timed, 1);
    for (uint64_t i = 0; i < 6; i++)
        assert_int_equal(share_number(&s, i), first[i]);
    assert_int_equal(share_number(&s, 12), 12);
    assert_int_equal(share_number(&s, 13), 13);
}

static void more_instructions_on_another_sm_take_as_much_time_as_issue_has_of_it(void **state)
{
    (void)state;
    assert_true(share_imbalance(1000, 1500, 1000) == 1.5);   /* it issues in each cycle */
    assert_true(share_imbalance(1000, 1500, 10000) == 1.05); /* a tenth of the time is issue */
    assert_true(share_imbalance(1000, 1000, 1000) == 1);
    assert_true(share_imbalance(1000, 900, 2000) == 0.95);
    assert_true(share_imbalance(0, 900, 2000) == 1 && share_imbalance(1000, 1500, 0) == 1);
}

UNIT_TESTS(UNIT(more_instructions_on_another_sm_take_as_much_time_as_issue_has_of_it),
           UNIT(each_cta_comes_once_and_in_its_wave), UNIT(the_timed_sm_has_the_most_ctas_of_a_wave),
           UNIT(the_timed_sm_takes_twice_the_mean_of_what_is_left_as_far_as_it_has_slots),
           UNIT(the_example_of_the_header_is_the_order))
