/* The scoreboard: the instructions that wait for each other, and to the cycle how long. Table 2 of the paper gives the
 * latencies of memory. */
#include "tests/sm/sass.h"

enum { LDG_RAW = 32, LDG_WAR = 11, LDG64_RAW = 34, LDG128_RAW = 38, UNLIMITED = 0 };

static uint64_t pair(const char *first, const char *second)
{
    struct harness *h = sass_new(UNLIMITED);
    sass(h, first);
    sass(h, second);
    return sass_distance(h, 0, 1);
}

/* ---- fixed latency ----------------------------------------------------------------------------------------------- */

static void a_consumer_of_fixed_latency_issues_exactly_at_the_latency(void **state)
{
    (void)state;
    assert_int_equal(pair("FFMA R1, R2, R3, R4", "FFMA R5, R1, R6, R7"), 4);
    assert_int_equal(pair("FFMA R1, R2, R3, R4", "FFMA R5, R6, R7, R1"), 4);
    assert_int_equal(pair("FFMA R1, R2, R3, R1", "FFMA R1, R6, R7, R1"), 4);
    assert_int_equal(pair("MOV R1, R2", "MOV R3, R1"), 4);
    assert_int_equal(pair("HADD2 R1, R2, R3", "FFMA R5, R1, R6, R7"), 5);
    assert_int_equal(pair("FFMA R1, R2, R3, R4", "FFMA R5, R8, R6, R7"), 1);
}

static void what_goes_to_a_queue_cannot_take_the_bypass_and_issues_a_cycle_later(void **state)
{
    (void)state;
    assert_int_equal(pair("MOV R2, R6", "LDG.E R1, [R2]"), 5);
    assert_int_equal(pair("MOV R3, R6", "LDG.E R1, [R2.64]"), 5);
    assert_int_equal(pair("MOV R1, R6", "STG.E [R2], R1"), 5);
    assert_int_equal(pair("MOV R1, R6", "MUFU.RCP R2, R1"), 5);
}

static void a_second_write_waits_for_the_first(void **state)
{
    (void)state;
    assert_int_equal(pair("FFMA R1, R2, R3, R4", "MOV R1, R6"), 4);
    assert_int_equal(pair("LDG.E R1, [R2]", "MOV R1, R6"), LDG_RAW);
    assert_int_equal(pair("LDG.E R1, [R2]", "LDG.E R1, [R4]"), LDG_RAW);
}

static void readers_of_fixed_latency_hold_no_writer_back(void **state)
{
    (void)state;
    assert_int_equal(pair("FFMA R1, R2, R3, R4", "MOV R2, R6"), 1);
}

static void port_conflicts_delay_the_result_too(void **state)
{
    (void)state;
    struct harness *h = sass_new(UNLIMITED);
    sass(h, "FFMA R11, R10, R12, R14");
    sass(h, "FFMA R13, R16, R18, R20"); /* listing 1 of the paper: two bubbles */
    sass(h, "MOV R1, R13");
    assert_int_equal(sass_distance(h, 1, 2), 4 + 2);
}

/* ---- variable latency -------------------------------------------------------------------------------------------- */

static void a_consumer_waits_for_a_load(void **state)
{
    (void)state;
    assert_int_equal(pair("LDG.E R1, [R2]", "MOV R3, R1"), LDG_RAW);
    assert_int_equal(pair("LDG.E R4, [R2]", "LDG.E R8, [R4]"), LDG_RAW);
    assert_int_equal(pair("LDG.E R1, [R2]", "MOV R4, R3"), 1);
    assert_int_equal(pair("LDS R1, [R2]", "MOV R3, R1"), 24);
    assert_int_equal(pair("MUFU.RCP R1, R2", "MOV R3, R1"), 18);
    assert_int_equal(pair("S2R R1, SR_TID.X", "MOV R3, R1"), 25);
}

static void wide_results_are_pending_in_all_their_registers(void **state)
{
    (void)state;
    assert_int_equal(pair("LDG.E.64 R4, [R2]", "MOV R8, R5"), LDG64_RAW);
    assert_int_equal(pair("LDG.E.64 R4, [R2]", "MOV R8, R6"), 1);
    assert_int_equal(pair("LDG.E.128 R4, [R2]", "MOV R10, R7"), LDG128_RAW);
    assert_int_equal(pair("LDG.E.128 R4, [R2]", "MOV R10, R8"), 1);
    assert_int_equal(pair("IMAD.WIDE R4, R6, R7, R8", "MOV R3, R5"), 4);
}

static void a_writer_waits_until_a_queue_has_read_the_register(void **state)
{
    (void)state;
    assert_int_equal(pair("LDG.E R1, [R2]", "MOV R2, R6"), LDG_WAR);
    assert_int_equal(pair("LDG.E R1, [R2.64]", "MOV R3, R6"), LDG_WAR);
    assert_int_equal(pair("STG.E [R2], R1", "MOV R1, R6"), 14);
    assert_int_equal(pair("STG.E.128 [R2], R4", "MOV R7, R6"), 20);
    assert_int_equal(pair("LDG.E R1, [R2]", "MOV R4, R2"), 1);
}

/* ---- the other registers ----------------------------------------------------------------------------------------- */

static void predicates_are_pending_for_operands_guards_and_branches(void **state)
{
    (void)state;
    struct config config;
    config_defaults(&config);
    uint64_t data = config.core.predicate_data_latency, guard = config.core.predicate_latency;
    assert_int_equal(pair("ISETP.GE.AND P0, PT, R2, R3, PT", "SEL R1, R4, R5, P0"), data);
    assert_int_equal(pair("ISETP.GE.AND P0, PT, R2, R3, PT", "@P0 MOV R1, R4"), guard);
    assert_int_equal(pair("ISETP.GE.AND P0, PT, R2, R3, PT", "@!P0 LDG.E R1, [R4]"), guard);
    assert_int_equal(pair("ISETP.GE.AND P0, PT, R2, R3, PT", "@P1 MOV R1, R4"), 2); /* the unit's latch */
    assert_int_equal(pair("ISETP.GE.AND P0, P1, R2, R3, PT", "@P1 FFMA R1, R4, R5, R6"), guard);
}

static void uniform_registers_are_pending_for_both_datapaths(void **state)
{
    (void)state;
    struct config config;
    config_defaults(&config);
    uint64_t near = config.core.uniform_latency, far = config.core.uniform_to_vector_latency;
    assert_int_equal(pair("UIADD3 UR4, UR5, UR6, URZ", "UIADD3 UR7, UR4, UR6, URZ"), near);
    assert_int_equal(pair("UIADD3 UR4, UR5, UR6, URZ", "IADD3 R1, R2, UR4, RZ"), far);
    assert_int_equal(pair("UIADD3 UR4, UR5, UR6, URZ", "LDG.E R1, [R2.64+UR4]"), far);
    assert_int_equal(pair("UIADD3 UR5, UR8, UR6, URZ", "LDG.E R1, [R2.64+UR4]"), far);
    assert_int_equal(pair("LDG.E R1, [R2.64+UR4]", "UIADD3 UR4, UR5, UR6, URZ"), LDG_WAR);
}

static void uniform_predicates_are_pending(void **state)
{
    (void)state;
    struct config config;
    config_defaults(&config);
    assert_int_equal(pair("UISETP.GE.AND UP0, UPT, UR4, UR5, UPT", "USEL UR6, UR7, UR8, UP0"),
                     config.core.uniform_latency);
    assert_int_equal(pair("UISETP.GE.AND UP0, UPT, UR4, UR5, UPT", "@UP0 UMOV UR6, UR7"),
                     config.core.predicate_latency);
}

static void the_registers_that_are_none_hold_nobody_back(void **state)
{
    (void)state;
    assert_int_equal(pair("LDG.E RZ, [R2]", "MOV R8, RZ"), 1);
    assert_int_equal(pair("ISETP.GE.AND PT, PT, R2, R3, PT", "@PT FFMA R1, R2, R3, R4"), 1);
}

/* ---- consumers --------------------------------------------------------------------------------------------------- */

/* Loads by one address register: cycles from the first to the last. */
static uint64_t last_of(uint32_t consumers, unsigned count)
{
    static const char *const loads[] = {"LDG.E R4, [R2]", "LDG.E R5, [R2]", "LDG.E R6, [R2]", "LDG.E R7, [R2]",
                                        "LDG.E R8, [R2]"};
    struct harness *h = sass_new(consumers);
    for (unsigned i = 0; i < count; i++)
        sass(h, loads[i]);
    return sass_distance(h, 0, count - 1);
}

static void an_instruction_whose_source_has_as_many_consumers_as_can_be_counted_waits_for_one_to_read(void **state)
{
    (void)state;
    /* Reads end 11, 15, 19, ... cycles after the first issue: the address step takes 4. */
    assert_int_equal(last_of(UNLIMITED, 5), 4);
    assert_int_equal(last_of(5, 5), 4);
    assert_int_equal(last_of(4, 4), 3);
    assert_int_equal(last_of(4, 5), 11);
    assert_int_equal(last_of(3, 5), 15);
    assert_int_equal(last_of(1, 2), 11);
    assert_int_equal(last_of(1, 3), 22);
    assert_int_equal(last_of(3, 3), 2);
    assert_int_equal(last_of(3, 4), 11);
}

static void a_limit_counts_registers_not_instructions(void **state)
{
    (void)state;
    struct harness *h = sass_new(1);
    sass(h, "LDG.E R4, [R2]");
    sass(h, "LDG.E R5, [R6]");
    assert_int_equal(sass_distance(h, 0, 1), 1);
    h = sass_new(1);
    sass(h, "STG.E [R2], R2"); /* one consumer */
    sass(h, "MOV R5, R2");     /* fixed latency is not counted */
    assert_int_equal(sass_distance(h, 0, 1), 1);
}

static void guards_are_not_counted(void **state)
{
    (void)state;
    struct harness *h = sass_new(1);
    sass(h, "@P0 LDG.E R4, [R2]");
    sass(h, "@P0 LDG.E R5, [R6]");
    assert_int_equal(sass_distance(h, 0, 1), 1);
}

/* If they are: from issue over CONTROL, ALLOCATE and the read window of 3 cycles to the first cycle behind it. */
static void readers_of_fixed_latency_are_counted_where_the_configuration_asks_for_it(void **state)
{
    (void)state;
    const char *const second[] = {"MOV R2, R6", "FFMA R5, R2, R3, R4"};
    for (unsigned i = 0; i < 2; i++) {
        struct harness *h = sass_new(1);
        h->config.core.scoreboard_counts_fixed = true;
        sass(h, "FFMA R1, R2, R3, R4");
        sass(h, second[i]);
        assert_int_equal(sass_distance(h, 0, 1), 6);
    }
    struct harness *h = sass_new(3);
    h->config.core.scoreboard_counts_fixed = true;
    sass(h, "FFMA R1, R2, R3, R1");
    sass(h, "FFMA R1, R2, R3, R1");
    assert_int_equal(sass_distance(h, 0, 1), 6);
}

/* ---- around it --------------------------------------------------------------------------------------------------- */

static void copies_to_shared_memory_are_waited_for_by_their_counter(void **state)
{
    (void)state;
    struct harness *h = sass_new(63);
    sass(h, "LDGSTS.E [R1], [R2.64]");
    sass(h, "LDGDEPBAR");
    sass(h, "NOP");
    sass(h, "DEPBAR.LE SB0, 0x0");
    sass(h, "NOP");
    assert_int_equal(sass_distance(h, 0, 4), 39); /* table 2, LDGSTS */
}

static void depbar_lets_younger_groups_of_copies_go_on(void **state)
{
    (void)state;
    struct harness *h = sass_new(63);
    sass(h, "LDGSTS.E [R1], [R2.64]");
    sass(h, "LDGDEPBAR");
    sass(h, "LDGSTS.E [R1+0x80], [R2.64+0x80]");
    sass(h, "LDGDEPBAR");
    sass(h, "NOP");
    sass(h, "DEPBAR.LE SB0, 0x1");
    sass(h, "NOP");
    assert_int_equal(sass_distance(h, 0, 6), 39);
}

static void waits_are_counted_by_what_they_are_for(void **state)
{
    (void)state;
    struct harness *h = sass_new(63);
    sass(h, "LDG.E R1, [R2]");
    sass(h, "MOV R3, R1");
    sass(h, "LDS R4, [R5]");
    sass(h, "MOV R6, R4");
    sass(h, "FFMA R7, R6, R6, R6");
    sass_run(h);
    assert_int_equal(h->sm->n.stall[STALL_LONG_SCOREBOARD], LDG_RAW - 1);
    assert_int_equal(h->sm->n.stall[STALL_SHORT_SCOREBOARD], 24 - 1);
    assert_int_equal(stall_sum(&h->sm->n), h->sm->n.warp_cycles);
    harness_free(h);
}

static void a_warp_leaves_when_nothing_of_it_is_under_way_and_its_slot_begins_clean(void **state)
{
    (void)state;
    struct harness *h = sass_new(1);
    sass(h, "MUFU.RCP R1, R2");
    sass(h, "EXIT");
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_hold(h, 10);
    harness_run(h);
    assert_int_equal(h->finished[0], 10 + 18);
    h->logged = 0;
    h->pc[0] = 0;
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 1), 1);
    harness_free(h);
}

UNIT_TESTS(UNIT(a_consumer_of_fixed_latency_issues_exactly_at_the_latency),
           UNIT(what_goes_to_a_queue_cannot_take_the_bypass_and_issues_a_cycle_later),
           UNIT(a_second_write_waits_for_the_first), UNIT(readers_of_fixed_latency_hold_no_writer_back),
           UNIT(port_conflicts_delay_the_result_too), UNIT(a_consumer_waits_for_a_load),
           UNIT(wide_results_are_pending_in_all_their_registers),
           UNIT(a_writer_waits_until_a_queue_has_read_the_register),
           UNIT(predicates_are_pending_for_operands_guards_and_branches),
           UNIT(uniform_registers_are_pending_for_both_datapaths), UNIT(uniform_predicates_are_pending),
           UNIT(the_registers_that_are_none_hold_nobody_back),
           UNIT(an_instruction_whose_source_has_as_many_consumers_as_can_be_counted_waits_for_one_to_read),
           UNIT(a_limit_counts_registers_not_instructions), UNIT(guards_are_not_counted),
           UNIT(readers_of_fixed_latency_are_counted_where_the_configuration_asks_for_it),
           UNIT(copies_to_shared_memory_are_waited_for_by_their_counter),
           UNIT(depbar_lets_younger_groups_of_copies_go_on), UNIT(waits_are_counted_by_what_they_are_for),
           UNIT(a_warp_leaves_when_nothing_of_it_is_under_way_and_its_slot_begins_clean))
