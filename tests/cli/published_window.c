/* Which CTAs stand for a launch of many waves (cli/compare/published_window.h). */
#include "cli/compare/published_window.h"

#include "tests/unit.h"

static void a_grid_of_four_waves_is_run_whole_and_one_of_a_cta_more_is_not(void **state)
{
    (void)state;
    struct published_window w = published_window(4 * 6 * 82, 82, 82, 6, 1);
    assert_int_equal(w.first, 0);
    assert_int_equal(w.second, 4 * 6 * 82);
    w = published_window(4 * 6 * 82 + 1, 82, 82, 6, 1);
    assert_int_equal(w.first, 2 * 6 * 82 + 1);
    assert_int_equal(w.second, 3 * 6 * 82 + 1);
}

static void both_runs_end_with_the_ctas_behind_the_last_whole_wave(void **state)
{
    (void)state;
    const struct published_window w = published_window(100 * 492 + 57, 82, 82, 6, 2);
    assert_int_equal(w.first, 3 * 492 + 57);
    assert_int_equal(w.second, 5 * 492 + 57);
    assert_int_equal(w.ctas, 100 * 492 + 57);
    assert_true(w.share == 100 * 492 + 57);
}

static void a_part_gets_its_share_rounded_up(void **state)
{
    (void)state;
    const struct published_window w = published_window(10001, 2, 82, 3, 2); /* 243.93 CTAs: 40 waves and 4 CTAs */
    assert_int_equal(w.ctas, 244);
    assert_true(w.share > 243.92 && w.share < 243.93);
    assert_int_equal(w.first, 3 * 6 + 4);
    assert_int_equal(w.second, 5 * 6 + 4);
}

/* So that the busiest SM of the part has as many CTAs as the busiest SM of the GPU. */
static void the_busiest_sm_of_a_part_has_as_many_ctas_as_that_of_the_gpu(void **state)
{
    (void)state;
    for (uint64_t ctas = 1; ctas < 3000; ctas++)
        for (uint32_t part = 1; part <= 82; part += 27) {
            const struct published_window w = published_window(ctas, part, 82, 3, 2);
            assert_int_equal((w.ctas + part - 1) / part, (ctas + 81) / 82);
        }
}

static void of_a_grid_with_fewer_waves_than_asked_for_the_second_run_has_all(void **state)
{
    (void)state;
    const struct published_window w = published_window(6 * 10 + 7, 1, 1, 10, 100);
    assert_int_equal(w.first, 3 * 10 + 7);
    assert_int_equal(w.second, w.ctas);
}

UNIT_TESTS(UNIT(a_grid_of_four_waves_is_run_whole_and_one_of_a_cta_more_is_not),
           UNIT(both_runs_end_with_the_ctas_behind_the_last_whole_wave), UNIT(a_part_gets_its_share_rounded_up),
           UNIT(the_busiest_sm_of_a_part_has_as_many_ctas_as_that_of_the_gpu),
           UNIT(of_a_grid_with_fewer_waves_than_asked_for_the_second_run_has_all))
