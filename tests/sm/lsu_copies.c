/* Copies from global to shared memory, and the groups that count them. */
#include "tests/sm/harness.h"

static void a_group_of_copies_lowers_its_counter_when_all_have_landed(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, ldgsts(16, 0));
    add(h, ldgsts(16, 512));
    add(h, stall(writes_sb(ldgdepbar(), 0), 2));
    add(h, depbar(0, 0, 0));
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 4096);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(distance(h, 0, 1, 4), 39 + 3); /* the second leaves 4 cycles after the first, issued 1 after it */
    harness_free(h);
}

static void groups_of_copies_land_in_order_and_depbar_counts_them(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, ldgsts(16, 8192)); /* misses */
    add(h, stall(writes_sb(ldgdepbar(), 0), 2));
    add(h, ldgsts(16, 0)); /* hits, and waits for the group before it */
    add(h, stall(writes_sb(ldgdepbar(), 0), 2));
    add(h, depbar(0, 1, 0));
    add(h, depbar(0, 0, 0));
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 4096);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(distance(h, 0, 3, 4), 2);
    assert_true(distance(h, 0, 0, 5) > 39 + h->latency);
    assert_int_equal(distance(h, 0, 5, 6), 4); /* both fell in the same cycle */
    harness_free(h);
}

static void a_group_without_copies_is_complete_at_once(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(writes_sb(ldgdepbar(), 0), 2));
    add(h, depbar(0, 0, 0));
    add(h, nop());
    harness_start(h, 1);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 2), 2 + 4);
    harness_free(h);
}

static void a_group_may_close_in_the_very_cycle_in_which_its_copy_lands(void **state)
{
    (void)state;
    for (uint32_t nops = 30; nops < 45; nops++) {
        struct harness *h = harness_new();
        add(h, ldgsts(4, 0));
        add_many(h, nop(), nops);
        add(h, stall(writes_sb(ldgdepbar(), 0), 2));
        add(h, depbar(0, 0, 0));
        uint32_t end = add(h, nop());
        add(h, exit_warp());
        harness_begin(h);
        harness_warm_l1(h, 0, 4096);
        harness_warp(h, 0, 0);
        harness_hold(h, START);
        harness_run(h);
        assert_int_equal(distance(h, 0, 0, end), nops + 7 > 39 ? nops + 7 : 39);
        harness_free(h);
    }
}

/* An old copy that misses keeps all later groups open. */
static uint64_t groups_behind_a_miss(uint32_t groups, bool counted)
{
    struct harness *h = harness_new();
    uint32_t first = add(h, ldgsts(16, 8192));
    for (uint32_t i = 0; i < groups; i++)
        add(h, stall(counted ? writes_sb(ldgdepbar(), (uint8_t)(i % ISA_COUNTERS)) : ldgdepbar(), 1));
    uint32_t last = add(h, nop());
    harness_start(h, 1);
    harness_run(h);
    uint64_t cycles = distance(h, 0, first, last);
    harness_free(h);
    return cycles;
}

static void sixty_three_groups_of_copies_can_be_under_way_and_the_next_waits(void **state)
{
    (void)state;
    assert_in_range(groups_behind_a_miss(63, true), 64, 80);
    assert_true(groups_behind_a_miss(64, true) > 200);
}

static void groups_of_copies_without_a_counter_wait_for_nothing(void **state)
{
    (void)state;
    assert_in_range(groups_behind_a_miss(150, false), 151, 170);
}

UNIT_TESTS(UNIT(a_group_of_copies_lowers_its_counter_when_all_have_landed),
           UNIT(groups_of_copies_land_in_order_and_depbar_counts_them),
           UNIT(a_group_without_copies_is_complete_at_once),
           UNIT(a_group_may_close_in_the_very_cycle_in_which_its_copy_lands),
           UNIT(sixty_three_groups_of_copies_can_be_under_way_and_the_next_waits),
           UNIT(groups_of_copies_without_a_counter_wait_for_nothing))
