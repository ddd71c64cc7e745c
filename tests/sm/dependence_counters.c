/* Dependence counters: when a consumer sees them, wait masks, thresholds of DEPBAR.LE, shared counters. */
#include "tests/sm/harness.h"

enum { LOAD_TIME = 32 }; /* 32-bit LDG with a per-lane address, hit */

static void run(struct harness *h)
{
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 4096);
    harness_warp(h, 0, 0);
    harness_hold(h, 10);
    harness_run(h);
}

static uint64_t consumer_after(struct inst load, uint8_t mask)
{
    struct harness *h = harness_new();
    add(h, load);
    add(h, waits(nop(), mask));
    run(h);
    uint64_t cycles = distance(h, 0, 0, 1);
    harness_free(h);
    return cycles;
}

static void a_consumer_in_the_next_cycle_does_not_see_the_counter_yet(void **state)
{
    (void)state;
    assert_int_equal(consumer_after(writes_sb(ldg(4, true, 4, 0), 0), 1), 1);
}

static void with_stall_2_or_yield_it_waits(void **state)
{
    (void)state;
    assert_int_equal(consumer_after(stall(writes_sb(ldg(4, true, 4, 0), 0), 2), 1), LOAD_TIME);
    assert_int_equal(consumer_after(yields(writes_sb(ldg(4, true, 4, 0), 0)), 1), LOAD_TIME);
}

static void another_counter_is_not_waited_for(void **state)
{
    (void)state;
    assert_int_equal(consumer_after(stall(writes_sb(ldg(4, true, 4, 0), 0), 2), 2), 2);
    assert_int_equal(consumer_after(stall(writes_sb(ldg(4, true, 4, 0), 5), 2), 0x1f), 2);
    assert_int_equal(consumer_after(stall(writes_sb(ldg(4, true, 4, 0), 5), 2), 0x20), LOAD_TIME);
}

static void an_instruction_may_name_one_counter_for_sources_and_one_for_the_result(void **state)
{
    (void)state;
    struct inst load = stall(reads_sb(writes_sb(ldg(4, true, 4, 0), 0), 1), 2);
    assert_int_equal(consumer_after(load, 2), 11);
    assert_int_equal(consumer_after(load, 3), LOAD_TIME);
}

static void a_shared_counter_falls_to_0_only_when_all_have_finished(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, writes_sb(ldg(4, true, 4, 0), 3));
    add(h, writes_sb(ldg(5, true, 4, 128), 3));
    add(h, stall(writes_sb(ldg(6, true, 4, 256), 3), 2));
    add(h, waits(nop(), 8));
    run(h);
    assert_int_equal(distance(h, 0, 0, 3), LOAD_TIME + 8); /* the third leaves its sub-core 8 cycles after the first */
    harness_free(h);
}

static void depbar_waits_until_at_most_so_many_remain(void **state)
{
    (void)state;
    for (uint8_t most = 0; most <= 3; most++) {
        struct harness *h = harness_new();
        add(h, writes_sb(ldg(4, true, 4, 0), 2));
        add(h, writes_sb(ldg(5, true, 4, 128), 2));
        add(h, stall(writes_sb(ldg(6, true, 4, 256), 2), 2));
        add(h, depbar(2, most, 0));
        add(h, nop());
        run(h);
        uint64_t expected = most == 3 ? 8 : LOAD_TIME + 4u * (2u - most);
        assert_int_equal(distance(h, 0, 0, 3), 4);
        assert_int_equal(distance(h, 0, 0, 4), expected);
        harness_free(h);
    }
}

/* A100: a window around `DEPBAR; IADD3` has no wait in it when DEPBAR has a stall count of 1. */
static void what_issues_less_than_four_cycles_behind_depbar_is_not_held(void **state)
{
    (void)state;
    for (uint8_t cycles = 1; cycles <= 5; cycles++) {
        struct harness *h = harness_new();
        add(h, stall(writes_sb(ldg(4, true, 4, 0), 2), 4));
        add(h, stall(depbar(2, 0, 0), cycles));
        add(h, stall(nop(), 3));
        add(h, nop());
        run(h);
        assert_int_equal(distance(h, 0, 0, 1), 4);
        assert_int_equal(distance(h, 0, 1, 2), cycles < 4 ? cycles : LOAD_TIME - 4);
        assert_int_equal(distance(h, 0, 0, 3), cycles < 4 ? LOAD_TIME : LOAD_TIME + 3);
        harness_free(h);
    }
}

static void depbar_also_waits_for_the_counters_of_its_list(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, writes_sb(ldg(4, true, 4, 0), 0));
    add(h, stall(writes_sb(ldg(5, true, 4, 128), 4), 2));
    add(h, depbar(0, 1, 1u << 4));
    add(h, nop());
    run(h);
    assert_int_equal(distance(h, 0, 1, 2), 2);
    assert_int_equal(distance(h, 0, 1, 3), LOAD_TIME + 3);
    harness_free(h);
}

/* Figure 2 of the paper with the latencies of its table 2: three loads, two of them with counters for their sources. */
static void the_example_of_figure_2_keeps_its_order(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, writes_sb(ldg(5, true, 4, 0), 3));
    add(h, reads_sb(writes_sb(ldg(7, true, 4, 128), 3), 0));
    add(h, stall(reads_sb(writes_sb(ldg(15, true, 4, 256), 4), 0), 2));
    add(h, iadd(18, 18, RZ, RZ));
    add(h, depbar(0, 1, 0));
    uint32_t overwrites = add(h, iadd(2, 2, RZ, RZ));
    uint32_t consumes = add(h, waits(iadd(6, 5, 7, 1), 1u << 0 | 1u << 3));
    run(h);
    assert_int_equal(distance(h, 0, 0, 3), 4);
    assert_int_equal(distance(h, 0, 0, 4), 5);
    assert_int_equal(distance(h, 0, 0, overwrites), 1 + 11 + 3); /* the second load leaves 4 cycles after the first */
    assert_int_equal(distance(h, 0, 0, consumes),
                     LOAD_TIME + 4); /* the second load's data; sources were read long before */
    harness_free(h);
}

static void a_store_that_names_a_counter_for_a_result_lowers_it_when_it_is_complete(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(writes_sb(stg(true, 4, 0), 0), 2));
    add(h, waits(nop(), 1));
    run(h);
    assert_true(distance(h, 0, 0, 1) > h->latency);
    harness_free(h);
}

static void a_warp_waits_only_for_its_own_counters(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(writes_sb(ldg(4, true, 4, 0), 0), 2));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    add(h, stall(nop(), 4));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 4096);
    harness_warp(h, 0, 3);
    harness_warp(h, 4, 0);
    harness_hold(h, 10);
    harness_run(h);
    assert_int_equal(distance(h, 4, 0, 1), LOAD_TIME);
    assert_int_equal(distance(h, 0, 3, 4), 4);
    harness_free(h);
}

static void a_special_function_holds_its_counter_for_its_latency(void **state)
{
    (void)state;
    assert_int_equal(consumer_after(stall(writes_sb(mufu(4, 2), 0), 2), 1), 18);
    assert_int_equal(consumer_after(stall(writes_sb(shfl(4, 2), 0), 2), 1), 25);
}

static void a_counter_of_6_bits_holds_back_what_would_overflow_it(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.l1.mshr_merges = 100;
    h->latency = 5000;
    for (unsigned i = 0; i < 70; i++)
        add(h, writes_sb(ldg(4, true, 4, 8192), 0));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run_until(h, 4000);
    assert_int_equal(h->sm->warp[0].counters.count[0], ISA_COUNTER_MOST);
    assert_int_equal(h->logged, ISA_COUNTER_MOST);
    harness_run(h);
    assert_int_equal(h->logged, 72);
    harness_free(h);
}

static void the_wait_is_counted_as_long_for_global_memory_and_as_short_otherwise(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(writes_sb(ldg(4, true, 4, 0), 0), 2));
    add(h, waits(nop(), 1));
    add(h, stall(writes_sb(lds(4, true, 4, 0), 1), 2));
    add(h, waits(nop(), 2));
    run(h);
    assert_int_equal(h->sm->n.stall[STALL_LONG_SCOREBOARD], LOAD_TIME - 2);
    assert_int_equal(h->sm->n.stall[STALL_SHORT_SCOREBOARD], 24 - 2);
    harness_free(h);
}

static void the_wait_for_a_shared_counter_is_long_as_long_as_global_memory_may_hold_it(void **state)
{
    (void)state;
    struct dependence_counters d = {0};
    dependence_counters_raise(&d, 0, COUNTED_MIO);
    dependence_counters_raise(&d, 0, COUNTED_GLOBAL);
    dependence_counters_raise(&d, 0, COUNTED_MIO);
    dependence_counters_raise(&d, 1, COUNTED_MIO);
    assert_int_equal(d.global, 1);
    for (unsigned i = 0; i < 3; i++)
        dependence_counters_lower(&d, 0);
    dependence_counters_raise(&d, 0, COUNTED_COMPUTE);
    assert_int_equal(d.global, 0);
}

UNIT_TESTS(UNIT(a_consumer_in_the_next_cycle_does_not_see_the_counter_yet), UNIT(with_stall_2_or_yield_it_waits),
           UNIT(another_counter_is_not_waited_for),
           UNIT(an_instruction_may_name_one_counter_for_sources_and_one_for_the_result),
           UNIT(a_shared_counter_falls_to_0_only_when_all_have_finished),
           UNIT(depbar_waits_until_at_most_so_many_remain),
           UNIT(what_issues_less_than_four_cycles_behind_depbar_is_not_held),
           UNIT(depbar_also_waits_for_the_counters_of_its_list), UNIT(the_example_of_figure_2_keeps_its_order),
           UNIT(a_store_that_names_a_counter_for_a_result_lowers_it_when_it_is_complete),
           UNIT(a_warp_waits_only_for_its_own_counters), UNIT(a_special_function_holds_its_counter_for_its_latency),
           UNIT(a_counter_of_6_bits_holds_back_what_would_overflow_it),
           UNIT(the_wait_is_counted_as_long_for_global_memory_and_as_short_otherwise),
           UNIT(the_wait_for_a_shared_counter_is_long_as_long_as_global_memory_may_hold_it))
