/* The legacy core from issue to write-back, to the cycle: legacy.*_latency and 5 from producer to consumer, as the
 * simulator that it follows takes for a chain of 1000 instructions. */
#include "sm/legacy/core.h"
#include "tests/sm/sass.h"

enum { WAY = 5 }; /* beyond the latency: two in the collectors, one at the unit, two for the result */

static uint64_t pair_on(struct harness *h, const char *first, const char *second)
{
    sass(h, first);
    sass(h, second);
    return sass_distance(h, 0, 1);
}

static uint64_t pair(const char *first, const char *second) { return pair_on(sass_legacy(), first, second); }

/* ---- scoreboard -------------------------------------------------------------------------------------------------- */

static void a_dependent_instruction_issues_when_the_result_is_written(void **state)
{
    (void)state;
    assert_int_equal(pair("FFMA R1, R2, R3, R5", "FFMA R6, R1, R7, R8"), 2 + WAY);
    assert_int_equal(pair("IADD3 R1, R2, R3, RZ", "FFMA R6, R7, R8, R1"), 2 + WAY);
    assert_int_equal(pair("MUFU.RCP R1, R2", "MOV R3, R1"), 20 + WAY);
    assert_int_equal(pair("DFMA R2, R4, R6, R8", "DFMA R10, R2, R6, R8"), 8 + WAY);
    for (uint32_t latency = 1; latency < 12; latency += 5) {
        struct harness *h = sass_legacy();
        h->config.legacy.sp_latency = latency;
        assert_int_equal(pair_on(h, "FFMA R1, R2, R3, R5", "MOV R6, R1"), latency + WAY);
    }
}

static void what_the_tracer_calls_integer_takes_the_integer_unit(void **state)
{
    (void)state;
    assert_int_equal(pair("S2R R1, SR_TID.X", "MOV R3, R1"), 2 + WAY - 1); /* there is nothing to read */
    assert_int_equal(pair("SHFL.IDX PT, R1, R2, R3, R4", "MOV R6, R1"), 2 + WAY);
    assert_int_equal(pair("I2F R1, R2", "MOV R3, R1"), 2 + WAY);
    assert_int_equal(pair("LDC R1, c[0x0][0x160]", "MOV R3, R1"), 2 + WAY); /* RZ is read like another */
    assert_int_equal(pair("LDC R1, c[0x0][R4+0x160]", "MOV R3, R1"), 2 + WAY);
}

static void a_second_write_waits_and_a_write_behind_a_reader_does_not(void **state)
{
    (void)state;
    assert_int_equal(pair("FFMA R1, R2, R3, R5", "MOV R1, R6"), 2 + WAY);
    assert_int_equal(pair("FFMA R1, R2, R3, R5", "MOV R2, R6"), 1);
    assert_int_equal(pair("STS [R2], R1", "MOV R1, R6"), 1);
}

static void predicates_and_uniform_registers_are_not_kept_apart(void **state)
{
    (void)state;
    assert_int_equal(pair("ISETP.GE.AND P0, PT, R2, R3, PT", "@P0 FFMA R1, R4, R5, R6"), 1);
    assert_int_equal(pair("UIADD3 UR4, UR5, UR6, URZ", "IADD3 R1, R2, UR4, RZ"), 1);
}

static void control_bits_do_not_count(void **state)
{
    (void)state;
    struct harness *h = sass_legacy();
    h->code[sass(h, "FFMA R1, R2, R3, R5")].stall = 1;
    assert_int_equal(h->code[0].wait, 0);
    assert_int_equal(h->code[0].write_sb, ISA_NO_SB);
    sass(h, "IADD3 R6, R2, R3, RZ");
    assert_int_equal(sass_distance(h, 0, 1), 1);
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

/* Cycles from the third issue among so many instructions for one unit to that of the last. */
static uint64_t stream(const char *format, uint32_t interval)
{
    enum { COUNT = 40, FIRST = 24 };
    struct harness *h = sass_legacy();
    h->config.legacy.sfu_interval = interval;
    char text[64];
    for (unsigned i = 0; i < COUNT; i++) {
        snprintf(text, sizeof text, format, 16 + i);
        sass(h, text);
    }
    return sass_distance(h, FIRST, COUNT - 1) / (COUNT - 1 - FIRST);
}

static void a_unit_takes_an_instruction_each_interval(void **state)
{
    (void)state;
    assert_int_equal(stream("MUFU.RCP R%u, R2", 8), 8);
    assert_int_equal(stream("MUFU.RCP R%u, R2", 3), 3);
}

static void results_of_one_unit_do_not_leave_it_together(void **state)
{
    (void)state;
    struct harness *h = sass_legacy();
    h->config.legacy.int_latency = 2; /* NOP enters two cycles before EXIT, which takes one: both would leave at once */
    h->config.legacy.int_interval = 1;
    sass(h, "NOP");
    sass(h, "EXIT");
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_hold(h, 10);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 1), 1);
    assert_int_equal(h->finished[0], 11 + 1 + WAY - 1 + 1); /* a cycle late */
    harness_free(h);
}

/* ---- issue ------------------------------------------------------------------------------------------------------- */

static struct harness *two_warps(enum config_scheduler policy, uint32_t instructions)
{
    struct harness *h = sass_legacy();
    h->config.core.scheduler = policy;
    h->config.legacy.sp_interval = 1;
    char text[64];
    for (unsigned i = 0; i < instructions; i++) {
        snprintf(text, sizeof text, "FFMA R%u, R1, R2, R3", 16 + i);
        sass(h, text);
    }
    sass(h, "EXIT");
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_warp(h, 4, 0);
    harness_hold(h, 10);
    harness_run(h);
    return h;
}

static void gto_stays_with_its_warp_and_takes_the_oldest_then(void **state)
{
    (void)state;
    struct harness *h = two_warps(CONFIG_SCHEDULER_GTO, 8);
    for (uint32_t i = 1; i < 8; i++)
        assert_int_equal(distance(h, 0, i - 1, i), 1);
    assert_true(issued_at(h, 4, 0) > issued_at(h, 0, 7));
    harness_free(h);
}

static void lrr_takes_the_warps_in_turn(void **state)
{
    (void)state;
    struct harness *h = two_warps(CONFIG_SCHEDULER_LRR, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(issued_at(h, 4, i), issued_at(h, 0, i) + 1);
    for (uint32_t i = 1; i < 8; i++)
        assert_int_equal(distance(h, 0, i - 1, i), 2);
    harness_free(h);
}

static void a_blocked_warp_is_passed_over(void **state)
{
    (void)state;
    struct harness *h = sass_legacy();
    sass(h, "FFMA R1, R2, R3, R5");
    sass(h, "FFMA R6, R1, R7, R8");
    sass(h, "EXIT");
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_warp(h, 4, 0);
    harness_hold(h, 10);
    harness_run(h);
    assert_int_equal(issued_at(h, 4, 0), issued_at(h, 0, 0) + 1);
    assert_int_equal(distance(h, 0, 0, 1), 2 + WAY);
    harness_free(h);
}

static uint64_t dual(const char *first, const char *second, bool different)
{
    struct harness *h = sass_legacy();
    h->config.legacy.issue_width = 2;
    h->config.legacy.issue_different = different;
    return pair_on(h, first, second);
}

static void two_instructions_issue_together_to_different_units_only(void **state)
{
    (void)state;
    assert_int_equal(dual("FFMA R1, R2, R3, R5", "IADD3 R6, R7, R8, RZ", true), 0);
    assert_int_equal(dual("FFMA R1, R2, R3, R5", "LDS R6, [R7]", true), 0);
    assert_int_equal(dual("FFMA R1, R2, R3, R5", "FFMA R6, R7, R8, R9", true), 1);
    assert_int_equal(dual("FFMA R1, R2, R3, R5", "FFMA R6, R7, R8, R9", false), 1); /* one latch of a unit */
    assert_int_equal(dual("FFMA R1, R2, R3, R5", "IADD3 R6, R1, R8, RZ", true), 2 + WAY);
    assert_int_equal(pair("FFMA R1, R2, R3, R5", "IADD3 R6, R7, R8, RZ"), 1);
}

/* ---- fetch ------------------------------------------------------------------------------------------------------- */

static void of_the_warps_that_are_fetched_in_a_cycle_the_last_issues_a_cycle_later(void **state)
{
    (void)state;
    struct harness *h = sass_legacy();
    h->config.core.scheduler = CONFIG_SCHEDULER_LRR;
    sass(h, "NOP");
    sass(h, "EXIT");
    harness_begin(h);
    for (uint32_t slot = 0; slot < 8; slot++)
        harness_warp(h, slot, 0);
    harness_run(h);
    static const uint64_t first[] = {3, 1, 1, 1, 2, 2, 2, 2}; /* from the second slot on, four in a cycle */
    for (uint32_t slot = 0; slot < 8; slot++)
        assert_int_equal(issued_at(h, slot, 0), first[slot]);
    harness_free(h);
}

static void a_buffer_is_filled_when_it_is_empty(void **state)
{
    (void)state;
    struct harness *h = sass_legacy();
    h->config.legacy.fetch_rounds = 1;
    sass(h, "FFMA R1, R2, R3, R4");
    sass(h, "IADD3 R5, R2, R3, RZ");
    sass(h, "FFMA R6, R2, R3, R4");
    sass(h, "IADD3 R7, R2, R3, RZ");
    sass(h, "EXIT");
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(issued_at(h, 0, 0), 2); /* fetched, then decoded, behind issue */
    assert_int_equal(distance(h, 0, 0, 1), 1);
    assert_int_equal(distance(h, 0, 1, 2), 2);
    assert_int_equal(distance(h, 0, 2, 3), 1);
    harness_free(h);
}

/* ---- accounting -------------------------------------------------------------------------------------------------- */

static void waits_are_counted_by_what_they_are_for(void **state)
{
    (void)state;
    struct harness *h = sass_legacy();
    sass(h, "FFMA R1, R2, R3, R5");
    sass(h, "MOV R6, R1");
    sass(h, "LDS R7, [R2]");
    sass(h, "MOV R8, R7");
    sass(h, "FFMA R9, R2, R3, R5");
    sass(h, "FFMA R10, R2, R3, R5");
    sass(h, "EXIT");
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    const struct sm_counters *n = &h->sm->n;
    assert_int_equal(n->stall[STALL_WAIT], 2 + WAY - 1);
    assert_int_equal(n->stall[STALL_SHORT_SCOREBOARD], 20 + WAY - 1);
    assert_int_equal(n->stall[STALL_LONG_SCOREBOARD], 0);
    assert_int_equal(n->inst_executed, 7);
    assert_int_equal(stall_sum(n), n->warp_cycles);
    assert_int_equal(cycle_sum(n), n->subcore_cycles_active + n->cycle[CYCLE_NO_WARP]);
    harness_free(h);
}

static void skipping_idle_cycles_changes_nothing(void **state)
{
    (void)state;
    struct sm_counters n[2];
    uint64_t end[2];
    for (unsigned skip = 0; skip < 2; skip++) {
        struct harness *h = sass_legacy();
        h->config.run.skip_idle = skip;
        sass(h, "LDG.E R1, [R2]");
        sass(h, "FFMA R4, R1, R3, R5");
        sass(h, "STG.E [R2], R4");
        sass(h, "NANOSLEEP 0x40");
        sass(h, "MUFU.RCP R8, R4");
        sass(h, "IADD3 R9, R8, R4, RZ");
        sass(h, "EXIT");
        harness_begin(h);
        for (uint32_t slot = 0; slot < 10; slot++)
            harness_warp(h, slot, 0);
        harness_run(h);
        n[skip] = h->sm->n;
        end[skip] = h->end;
        harness_free(h);
    }
    assert_int_equal(end[0], end[1]);
    assert_memory_equal(&n[0], &n[1], sizeof n[0]);
}

UNIT_TESTS(UNIT(a_dependent_instruction_issues_when_the_result_is_written),
           UNIT(what_the_tracer_calls_integer_takes_the_integer_unit),
           UNIT(a_second_write_waits_and_a_write_behind_a_reader_does_not),
           UNIT(predicates_and_uniform_registers_are_not_kept_apart), UNIT(control_bits_do_not_count),
           UNIT(a_unit_takes_an_instruction_each_interval), UNIT(results_of_one_unit_do_not_leave_it_together),
           UNIT(gto_stays_with_its_warp_and_takes_the_oldest_then), UNIT(lrr_takes_the_warps_in_turn),
           UNIT(a_blocked_warp_is_passed_over), UNIT(two_instructions_issue_together_to_different_units_only),
           UNIT(of_the_warps_that_are_fetched_in_a_cycle_the_last_issues_a_cycle_later),
           UNIT(a_buffer_is_filled_when_it_is_empty), UNIT(waits_are_counted_by_what_they_are_for),
           UNIT(skipping_idle_cycles_changes_nothing))
