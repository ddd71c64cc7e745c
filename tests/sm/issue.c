/* Stall counts, yield, the choice among warps (figure 4 of the paper), and the units' input latches. */
#include "tests/sm/harness.h"

/* ---- stall count and yield -------------------------------------------------------------------------------------- */

/* Cycles from a NOP with these control bits to the next one. */
static uint64_t gap(uint8_t cycles, bool yield)
{
    struct harness *h = harness_new();
    struct inst i = stall(nop(), cycles);
    add(h, yield ? yields(i) : i);
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_hold(h, 10);
    harness_run(h);
    uint64_t cycles_apart = distance(h, 0, 0, 1);
    harness_free(h);
    return cycles_apart;
}

static void a_stall_count_of_up_to_11_holds_the_warp_for_as_many_cycles(void **state)
{
    (void)state;
    for (uint8_t n = 1; n <= 11; n++)
        assert_int_equal(gap(n, false), n);
}

static void a_stall_count_above_11_needs_yield(void **state)
{
    (void)state;
    for (uint8_t n = 12; n <= 15; n++) {
        assert_int_equal(gap(n, false), 2);
        assert_int_equal(gap(n, true), n);
    }
}

static void stall_0_issues_back_to_back_and_with_yield_sleeps_45_cycles(void **state)
{
    (void)state;
    assert_int_equal(gap(0, false), 1);
    assert_int_equal(gap(0, true), 45);
}

static void yield_costs_one_cycle_when_no_other_warp_is_ready_and_nothing_with_stall_2(void **state)
{
    (void)state;
    assert_int_equal(gap(1, true), 2);
    assert_int_equal(gap(2, true), 2);
    assert_int_equal(gap(5, true), 5);
}

static void the_window_of_listing_2_is_the_stall_count_plus_4(void **state)
{
    (void)state;
    for (uint8_t s = 1; s <= 8; s++) {
        struct harness *h = harness_new();
        add(h, clock_read(10));
        add(h, nop());
        add(h, stall(ffma(1, 2, 3, RZ), s));
        add(h, ffma(5, 1, 1, 1));
        add(h, nop());
        add(h, clock_read(12));
        add(h, exit_warp());
        harness_begin(h);
        harness_warp(h, 0, 0);
        harness_hold(h, 10);
        harness_run(h);
        assert_int_equal(distance(h, 0, 0, 5), s + 4);
        harness_free(h);
    }
}

/* ---- figure 4: four warps of one sub-core, 32 instructions each ------------------------------------------------- */

static void check_timeline(struct inst second, const struct span *expected, unsigned count)
{
    struct harness *h = harness_new();
    add(h, nop());
    add(h, second);
    add_many(h, nop(), 29);
    add(h, exit_warp());
    harness_begin(h);
    for (uint32_t w = 0; w < 4; w++)
        harness_warp(h, w * 4, 0);
    harness_hold(h, START);
    harness_run(h);
    struct span span[64];
    assert_int_equal(harness_spans(h, START, span), count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(span[i].slot, expected[i].slot * 4);
        assert_int_equal(span[i].from, expected[i].from);
        assert_int_equal(span[i].to, expected[i].to);
    }
    harness_free(h);
}

static void the_scheduler_stays_with_a_warp_and_then_takes_the_youngest(void **state)
{
    (void)state;
    const struct span expected[] = {{3, 0, 32}, {2, 32, 64}, {1, 64, 96}, {0, 96, 128}};
    check_timeline(nop(), expected, 4);
}

/* The figure shows a bubble of four cycles at the end. A stall count of 4, which is the time from issue to issue in
 * every other experiment of the paper, leaves three. */
static void a_stalled_warp_gives_way_and_is_taken_up_again_as_the_youngest(void **state)
{
    (void)state;
    const struct span expected[] = {{3, 0, 2},   {2, 2, 4},   {1, 4, 6},   {3, 6, 36},
                                    {2, 36, 66}, {1, 66, 96}, {0, 96, 98}, {0, 101, 131}};
    check_timeline(stall(nop(), 4), expected, 8);
}

static void a_yielding_warp_gives_way_for_one_cycle_and_comes_back_when_the_other_yields(void **state)
{
    (void)state;
    const struct span expected[] = {{3, 0, 2},   {2, 2, 4},   {3, 4, 34},  {2, 34, 64},
                                    {1, 64, 66}, {0, 66, 68}, {1, 68, 98}, {0, 98, 128}};
    check_timeline(yields(nop()), expected, 8);
}

static void the_youngest_is_the_one_that_started_last_whatever_its_slot(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 8, 0);
    harness_warp(h, 4, 0);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(issued_at(h, 0, 0), START);
    assert_int_equal(issued_at(h, 4, 0), START + 2);
    assert_int_equal(issued_at(h, 8, 0), START + 4);
    harness_free(h);
}

static void sub_cores_issue_independently(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add_many(h, nop(), 10);
    harness_start(h, 4);
    harness_run(h);
    for (uint32_t w = 0; w < 4; w++)
        assert_int_equal(issued_at(h, w, 10), START + 10);
    harness_free(h);
}

static void a_warp_asleep_is_counted_as_sleeping_and_wakes_after_the_time_it_asked_for(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, nanosleep_for(300));
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 1), 300);
    assert_int_equal(h->sm->n.stall[STALL_SLEEPING], 299);
    assert_int_equal(h->sm->n.stall[STALL_WAIT], 0);
    harness_free(h);
}

UNIT_TESTS(UNIT(a_stall_count_of_up_to_11_holds_the_warp_for_as_many_cycles), UNIT(a_stall_count_above_11_needs_yield),
           UNIT(stall_0_issues_back_to_back_and_with_yield_sleeps_45_cycles),
           UNIT(yield_costs_one_cycle_when_no_other_warp_is_ready_and_nothing_with_stall_2),
           UNIT(the_window_of_listing_2_is_the_stall_count_plus_4),
           UNIT(the_scheduler_stays_with_a_warp_and_then_takes_the_youngest),
           UNIT(a_stalled_warp_gives_way_and_is_taken_up_again_as_the_youngest),
           UNIT(a_yielding_warp_gives_way_for_one_cycle_and_comes_back_when_the_other_yields),
           UNIT(the_youngest_is_the_one_that_started_last_whatever_its_slot), UNIT(sub_cores_issue_independently),
           UNIT(a_warp_asleep_is_counted_as_sleeping_and_wakes_after_the_time_it_asked_for))
