/* FP64: one unit for the four sub-cores of a GeForce part, or lanes in each of them. */
#include "tests/sm/harness.h"

static struct inst dfma(uint8_t d) { return fp64(d, 4, 6, 8); }
static struct inst dadd(uint8_t d) { return fp64(d, 4, 6, RZ); }

static struct harness *part(uint32_t steps, uint32_t latency)
{
    struct harness *h = harness_new();
    h->config.core.fp64_steps = steps;
    h->config.core.fp64_latency = latency;
    return h;
}

static void run(struct harness *h, uint32_t sub_cores)
{
    harness_start(h, sub_cores);
    harness_run(h);
}

/* Cycles from an instruction to the one that waits for its result, or for its sources. */
static uint64_t latency_of(struct inst first, uint32_t steps, uint32_t latency, bool sources)
{
    struct harness *h = part(steps, latency);
    add(h, stall(sources ? reads_sb(first, 0) : writes_sb(first, 0), 2));
    add(h, waits(nop(), 1));
    run(h, 1);
    uint64_t cycles = distance(h, 0, 0, 1);
    harness_free(h);
    return cycles;
}

/* TU102: DADD 44, DFMA 48. AD102: DFMA 54. GB203: 63.6. */
static void a_third_operand_takes_four_cycles_as_measured_on_turing(void **state)
{
    (void)state;
    assert_int_equal(latency_of(dadd(10), 5, 48, false), 44);
    assert_int_equal(latency_of(dfma(10), 5, 48, false), 48);
    assert_int_equal(latency_of(dfma(10), 6, 54, false), 54);
    assert_int_equal(latency_of(dadd(10), 6, 54, false), 50);
    assert_int_equal(latency_of(dfma(10), 6, 64, false), 64);
}

static void sources_are_free_when_they_have_moved(void **state)
{
    (void)state;
    assert_int_equal(latency_of(dadd(10), 6, 54, true), 2 + 8);
    assert_int_equal(latency_of(dfma(10), 6, 54, true), 2 + 12);
}

/* Cycles an instruction of `sub_cores` sub-cores together, in the long run. */
static double interval(uint32_t sub_cores, bool shared)
{
    enum { MANY = 90, LAST = 80, WARM = 40 }; /* until the steps of the path are full */
    struct harness *h = part(6, 54);
    h->config.core.fp64_shared = shared;
    h->config.core.fp64_interval = shared ? 16 : 4;
    add_many(h, dfma(10), MANY);
    run(h, sub_cores);
    double cycles = (double)distance(h, 0, WARM, LAST) / (LAST - WARM) / sub_cores;
    harness_free(h);
    return cycles;
}

static void the_sm_starts_one_instruction_in_16_cycles_whatever_sub_core_it_comes_from(void **state)
{
    (void)state;
    assert_float_equal(interval(1, true), 16, 0.01);
    assert_float_equal(interval(2, true), 16, 0.01);
    assert_float_equal(interval(4, true), 16, 0.01);
}

static void lanes_of_its_own_serve_each_sub_core(void **state)
{
    (void)state;
    assert_float_equal(interval(1, false), 4, 0.01);
    assert_float_equal(interval(4, false), 1, 0.01);
}

static void sub_cores_take_turns(void **state)
{
    (void)state;
    struct harness *h = part(6, 54);
    add_many(h, stall(writes_sb(dfma(10), 0), 2), 1);
    add(h, waits(nop(), 1));
    run(h, 4);
    for (uint32_t slot = 0; slot < 4; slot++)
        assert_int_equal(distance(h, slot, 0, 1), 54 + 16 * slot);
    harness_free(h);
}

/* Three places, each free when the operands have moved. */
static void three_wait_for_their_operands_to_move_and_the_fourth_does_not_issue(void **state)
{
    (void)state;
    struct harness *h = part(6, 54);
    add_many(h, dfma(10), 5);
    run(h, 1);
    assert_int_equal(distance(h, 0, 0, 2), 2);
    assert_int_equal(distance(h, 0, 0, 3), 2 + 12);
    assert_int_equal(distance(h, 0, 0, 4), 2 + 24);
    harness_free(h);
}

static void results_of_own_lanes_with_a_counter_come_after_the_latency(void **state)
{
    (void)state;
    struct harness *h = part(6, 8);
    h->config.core.fp64_shared = false;
    h->config.core.fp64_interval = 4;
    add(h, stall(writes_sb(dfma(10), 0), 2)); /* code for sm_80 names counters, as it must also run on sm_86 */
    add(h, waits(nop(), 1));
    run(h, 1);
    assert_int_equal(distance(h, 0, 0, 1), 8);
    harness_free(h);
}

UNIT_TESTS(UNIT(a_third_operand_takes_four_cycles_as_measured_on_turing), UNIT(sources_are_free_when_they_have_moved),
           UNIT(the_sm_starts_one_instruction_in_16_cycles_whatever_sub_core_it_comes_from),
           UNIT(lanes_of_its_own_serve_each_sub_core), UNIT(sub_cores_take_turns),
           UNIT(three_wait_for_their_operands_to_move_and_the_fourth_does_not_issue),
           UNIT(results_of_own_lanes_with_a_counter_come_after_the_latency))
