/* Each rule of the hazard checker by a few lines of SASS: its reports, and the lines without one. */
#include "hazard/hazard.h"
#include "isa/resources.h"
#include "tests/hazard/kernel.h"

enum { BODY = 23, P0 = RESOURCE_PREDICATE, UR4 = RESOURCE_UNIFORM + 4, MOST = 16 };

struct outcome {
    struct hazard item[MOST]; /* pcs as line numbers from 0 */
    uint32_t count;
};

static struct outcome check(const char *lines, bool functional)
{
    struct outcome out = {0};
    struct hazards hazards;
    hazards_init(&hazards);
    struct gpu_options options = {.threads = 1, .functional = functional, .hazards = &hazards};
    kernel_run(lines, &options);
    const struct hazard_found *found = &hazards.kernel[0].found;
    for (uint32_t i = 0; i < found->count && i < MOST; i++) {
        out.item[i] = found->item[i];
        out.item[i].first = out.item[i].first / 16 - BODY;
        out.item[i].second = out.item[i].second / 16 - BODY;
        out.count++;
    }
    hazards_free(&hazards);
    return out;
}

static void clean(const char *lines)
{
    assert_int_equal(check(lines, true).count, 0);
    assert_int_equal(check(lines, false).count, 0);
}

/* Exactly one hazard, executed and timed. */
static struct hazard one(const char *lines, unsigned first, unsigned second, unsigned resource, enum hazard_kind kind,
                         enum hazard_cause cause)
{
    struct outcome out = {0};
    for (unsigned functional = 0; functional < 2; functional++) {
        out = check(lines, !functional);
        const struct hazard *h = &out.item[0];
        if (out.count != 1)
            fail_msg("%u hazards in:\n%s", out.count, lines);
        assert_int_equal(h->first, first);
        assert_int_equal(h->second, second);
        assert_int_equal(h->resource, resource);
        assert_int_equal(h->kind, kind);
        assert_int_equal(h->cause, cause);
    }
    return out.item[0];
}

/* `format` has a place for a stall count: one cycle less than `needed` is a hazard from line 0 to line 1. */
static void needs(const char *format, unsigned needed, unsigned resource)
{
    char lines[1024];
    snprintf(lines, sizeof lines, format, needed - 1);
    struct hazard h = one(lines, 0, 1, resource, HAZARD_RAW, HAZARD_DISTANCE);
    assert_int_equal(h.needed, needed);
    assert_int_equal(h.distance, needed - 1);
    assert_int_equal(h.count, 1);
    snprintf(lines, sizeof lines, format, needed);
    clean(lines);
}

/* ---- fixed latency ----------------------------------------------------------------------------------------------- */

static void a_datapath_needs_four_cycles(void **state)
{
    (void)state;
    needs("[B------:R-:W-:-:S%02u] FADD R1, R2, R3\n[B------:R-:W-:-:S06] FFMA R10, R1, R1, R1\n", 4, 1);
    needs("[B------:R-:W-:-:S%02u] IADD3 R1, R2, R3, RZ\n[B------:R-:W-:-:S06] LOP3.LUT R10, R1, R2, RZ, 0xc0, !PT\n",
          4, 1);
}

static void a_memory_instruction_needs_one_cycle_more(void **state)
{
    (void)state;
    needs("[B------:R-:W-:-:S%02u] IADD3 R20, R20, 0x4, RZ\n[B------:R-:W0:-:S02] LDG.E R10, [R20.64]\n", 5, 20);
    needs("[B------:R-:W-:-:S%02u] FADD R1, R2, R3\n[B------:R0:W-:-:S02] STG.E [R20.64], R1\n", 5, 1);
}

static void a_guard_needs_thirteen_cycles_and_an_operand_four(void **state)
{
    (void)state;
    needs("[B------:R-:W-:-:S%02u] ISETP.EQ.U32.AND P0, PT, RZ, R1, PT\n[B------:R-:W-:-:S06] SEL R10, R1, R2, P0\n", 4,
          P0);
    one("[B------:R-:W-:-:S11] ISETP.EQ.U32.AND P0, PT, RZ, R1, PT\n[B------:R-:W-:-:S01] NOP\n"
        "[B------:R-:W-:-:S06] @P0 MOV R10, R1\n",
        0, 2, P0, HAZARD_RAW, HAZARD_DISTANCE);
    clean("[B------:R-:W-:-:S11] ISETP.EQ.U32.AND P0, PT, RZ, R1, PT\n[B------:R-:W-:-:S02] NOP\n"
          "[B------:R-:W-:-:S06] @P0 MOV R10, R1\n");
}

static void uniform_results_need_six_cycles_to_a_vector(void **state)
{
    (void)state;
    needs("[B------:R-:W-:-:S%02u] UIADD3 UR4, UR5, 0x1, URZ\n[B------:R-:W-:-:S06] MOV R10, UR4\n", 6, UR4);
    needs("[B------:R-:W-:-:S%02u] UIADD3 UR4, UR5, 0x1, URZ\n[B------:R-:W-:-:S11] UIADD3 UR6, UR4, 0x1, URZ\n", 4,
          UR4);
}

/* The upper half of the accumulator is taken two cycles later. */
static void a_wide_accumulator_is_read_late(void **state)
{
    (void)state;
    needs("[B------:R-:W-:-:S%02u] MOV R5, R1\n[B------:R-:W-:-:S06] IMAD.WIDE.U32 R8, R2, R3, R4\n", 2, 5);
    needs("[B------:R-:W-:-:S%02u] MOV R4, R1\n[B------:R-:W-:-:S06] IMAD.WIDE.U32 R8, R2, R3, R4\n", 4, 4);
}

/* Yield with a stall count of 1 is 2, a stall count above 11 without yield 2 (not assembled). */
static void the_stall_count_is_the_effective_one(void **state)
{
    (void)state;
    struct hazard h = one("[B------:R-:W-:Y:S01] FADD R1, R2, R3\n[B------:R-:W-:-:S06] FFMA R10, R1, R1, R1\n", 0, 1,
                          1, HAZARD_RAW, HAZARD_DISTANCE);
    assert_int_equal(h.distance, 2);
}

/* The constant of the second instruction misses: in this run it comes late enough. */
static void what_timing_hides_is_found_and_said_so(void **state)
{
    (void)state;
    static const char lines[] = "[B------:R-:W-:-:S01] FADD R1, R2, R3\n"
                                "[B------:R-:W-:-:S06] FFMA R10, R1, R1, c[0x0][0x1000]\n";
    struct outcome timed = check(lines, false);
    assert_int_equal(timed.count, 1);
    assert_int_equal(timed.item[0].happened, 0);
    assert_true(timed.item[0].second_cycle - timed.item[0].first_cycle > 4);
    timed = check("[B------:R-:W-:-:S01] FADD R1, R2, R3\n[B------:R-:W-:-:S06] FFMA R10, R1, R1, R1\n", false);
    assert_int_equal(timed.item[0].happened, 1);
    assert_int_equal(timed.item[0].second_cycle - timed.item[0].first_cycle, 1);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static void a_load_must_be_waited_for(void **state)
{
    (void)state;
    clean("[B------:R-:W0:-:S02] LDG.E R1, [R20.64]\n[B0-----:R-:W-:-:S06] MOV R10, R1\n");
    struct hazard h = one("[B------:R-:W0:-:S02] LDG.E R1, [R20.64]\n[B-1----:R-:W-:-:S06] MOV R10, R1\n", 0, 1, 1,
                          HAZARD_RAW, HAZARD_NO_WAIT);
    assert_int_equal(h.counter, 0);
    assert_int_equal(h.happened, 1);
    one("[B------:R-:W-:-:S02] LDG.E R1, [R20.64]\n[B------:R-:W-:-:S06] MOV R10, R1\n", 0, 1, 1, HAZARD_RAW,
        HAZARD_NO_COUNTER);
}

static void a_wait_of_an_instruction_between_is_enough(void **state)
{
    (void)state;
    clean("[B------:R-:W0:-:S02] LDG.E R1, [R20.64]\n[B0-----:R-:W-:-:S01] NOP\n[B------:R-:W-:-:S06] MOV R10, R1\n");
}

static void a_wait_one_cycle_behind_comes_before_the_counter(void **state)
{
    (void)state;
    struct hazard h = one("[B------:R-:W0:-:S01] LDG.E R1, [R20.64]\n[B0-----:R-:W-:-:S06] MOV R10, R1\n", 0, 1, 1,
                          HAZARD_RAW, HAZARD_ESCAPES);
    assert_int_equal(h.needed, 2);
    clean("[B------:R-:W0:Y:S01] LDG.E R1, [R20.64]\n[B0-----:R-:W-:-:S06] MOV R10, R1\n");
}

static void depbar_protects_what_issues_four_cycles_later(void **state)
{
    static const char lines[] = "[B------:R-:W2:-:S01] LDG.E R1, [R20.64]\n"
                                "[B------:R-:W-:-:S%02u] DEPBAR.LE SB%s\n"
                                "[B------:R-:W-:-:S06] MOV R10, R1\n";
    static const char *const names[] = {"2, 0x0", "0, 0x0, {2}"};
    char text[512];
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        snprintf(text, sizeof text, lines, 3, names[i]);
        assert_int_equal(one(text, 0, 2, 1, HAZARD_RAW, HAZARD_DEPBAR).needed, 4);
        snprintf(text, sizeof text, lines, 4, names[i]);
        clean(text);
    }
}

/* Shared loads return in order, global ones do not. */
static void a_threshold_counts_only_what_returns_in_order(void **state)
{
    (void)state;
    clean("[B------:R-:W0:-:S02] LDS R1, [R27]\n[B------:R-:W0:-:S02] LDS R2, [R27]\n"
          "[B------:R-:W-:-:S04] DEPBAR.LE SB0, 0x1\n[B------:R-:W-:-:S06] MOV R10, R1\n");
    one("[B------:R-:W0:-:S02] LDS R1, [R27]\n[B------:R-:W0:-:S02] LDS R2, [R27]\n"
        "[B------:R-:W-:-:S04] DEPBAR.LE SB0, 0x1\n[B------:R-:W-:-:S06] MOV R10, R2\n",
        1, 3, 2, HAZARD_RAW, HAZARD_NO_WAIT);
    one("[B------:R-:W0:-:S02] LDG.E R1, [R20.64]\n[B------:R-:W0:-:S02] LDG.E R2, [R20.64]\n"
        "[B------:R-:W-:-:S04] DEPBAR.LE SB0, 0x1\n[B------:R-:W-:-:S06] MOV R10, R1\n",
        0, 3, 1, HAZARD_RAW, HAZARD_NO_WAIT);
}

static void the_last_of_a_run_in_order_may_hold_the_counter(void **state)
{
    (void)state;
    clean("[B------:R-:W-:-:S02] LDS R1, [R27]\n[B------:R-:W0:-:S02] LDS R2, [R27]\n"
          "[B0-----:R-:W-:-:S06] MOV R10, R1\n");
    clean("[B------:R-:W-:-:S02] MUFU.RCP R1, R3\n[B------:R-:W0:-:S02] MUFU.RCP R2, R3\n"
          "[B0-----:R-:W-:-:S06] MOV R10, R1\n");
    one("[B------:R-:W-:-:S02] LDG.E R1, [R20.64]\n[B------:R-:W0:-:S02] LDG.E R2, [R20.64]\n"
        "[B0-----:R-:W-:-:S06] MOV R10, R1\n",
        0, 2, 1, HAZARD_RAW, HAZARD_NO_COUNTER);
    one("[B------:R-:W-:-:S02] LDS R1, [R27]\n[B------:R-:W0:-:S02] MUFU.RCP R2, R3\n"
        "[B0-----:R-:W-:-:S06] MOV R10, R1\n",
        0, 2, 1, HAZARD_RAW, HAZARD_NO_COUNTER);
}

/* ---- overwriting ------------------------------------------------------------------------------------------------- */

static void a_result_on_its_way_must_not_be_overwritten(void **state)
{
    (void)state;
    one("[B------:R-:W0:-:S02] LDG.E R1, [R20.64]\n[B------:R-:W-:-:S06] MOV R1, R2\n", 0, 1, 1, HAZARD_WAW,
        HAZARD_NO_WAIT);
    clean("[B------:R-:W0:-:S02] LDG.E R1, [R20.64]\n[B0-----:R-:W-:-:S06] MOV R1, R2\n");
    one("[B------:R-:W0:-:S02] LDG.E R1, [R20.64]\n[B------:R-:W0:-:S02] LDG.E R1, [R20.64+0x4]\n", 0, 1, 1, HAZARD_WAW,
        HAZARD_NO_WAIT);
    clean("[B------:R-:W0:-:S02] LDS R1, [R27]\n[B------:R-:W0:-:S02] LDS R1, [R27+0x4]\n");
}

static void the_longer_of_two_fixed_latencies_must_land_first(void **state)
{
    (void)state;
    struct outcome out = check("[B------:R-:W-:-:S02] HMMA.16816.F32 R4, R0, R2, R4\n"
                               "[B------:R-:W-:-:S06] MOV R4, R8\n",
                               true);
    assert_int_equal(out.count, 1);
    assert_int_equal(out.item[0].kind, HAZARD_WAW);
    assert_int_equal(out.item[0].cause, HAZARD_DISTANCE);
    clean("[B------:R-:W-:-:S01] FADD R1, R2, R3\n[B------:R-:W-:-:S06] MOV R1, R2\n");
}

static void a_source_must_be_read_before_it_is_overwritten(void **state)
{
    (void)state;
    one("[B------:R0:W-:-:S02] STG.E [R20.64], R1\n[B------:R-:W-:-:S06] MOV R1, R2\n", 0, 1, 1, HAZARD_WAR,
        HAZARD_NO_WAIT);
    one("[B------:R-:W-:-:S02] STG.E [R20.64], R1\n[B------:R-:W-:-:S06] MOV R1, R2\n", 0, 1, 1, HAZARD_WAR,
        HAZARD_NO_COUNTER);
    clean("[B------:R0:W-:-:S02] STG.E [R20.64], R1\n[B0-----:R-:W-:-:S06] MOV R1, R2\n");
}

static void who_has_the_result_knows_that_the_sources_were_read(void **state)
{
    (void)state;
    clean("[B------:R-:W0:-:S02] LDG.E R1, [R20.64]\n[B0-----:R-:W-:-:S06] MOV R20, R2\n");
    clean("[B------:R-:W-:-:S02] STG.E [R20.64], R1\n[B------:R-:W0:-:S02] LDS R2, [R27]\n"
          "[B0-----:R-:W-:-:S06] MOV R1, R3\n");
}

static void a_later_access_of_the_same_queue_may_overwrite_sources(void **state)
{
    (void)state;
    clean("[B------:R-:W-:-:S02] STG.E [R20.64], R1\n[B------:R-:W0:-:S02] LDS R1, [R27]\n");
    one("[B------:R-:W-:-:S02] STG.E [R20.64], R1\n[B------:R-:W0:-:S02] MUFU.RCP R1, R3\n", 0, 1, 1, HAZARD_WAR,
        HAZARD_NO_COUNTER);
}

static void a_barrier_lets_the_queue_drain(void **state)
{
    (void)state;
    clean("[B------:R-:W-:-:S02] STG.E [R20.64], R1\n[B------:R-:W-:-:S05] BAR.SYNC 0x0\n"
          "[B------:R-:W-:-:S06] MOV R1, R2\n");
}

/* BAR and CCTL read their registers in the memory queue: compiled code gives them read counters. */
static void sources_of_a_barrier_and_of_cctl_are_read_late(void **state)
{
    (void)state;
    one("[B------:R-:W-:-:S06] MOV R2, 0x1\n[B------:R-:W-:-:S05] BAR.ARV R2, 0x40\n"
        "[B------:R-:W-:-:S06] MOV R2, R3\n",
        1, 2, 2, HAZARD_WAR, HAZARD_NO_COUNTER);
    clean("[B------:R-:W-:-:S06] MOV R2, 0x1\n[B------:R0:W-:-:S05] BAR.ARV R2, 0x40\n"
          "[B0-----:R-:W-:-:S06] MOV R2, R3\n");
    one("[B------:R-:W-:-:S02] CCTL.IV [R20]\n[B------:R-:W-:-:S06] MOV R20, R3\n", 0, 1, 20, HAZARD_WAR,
        HAZARD_NO_COUNTER);
    clean("[B------:R0:W-:-:S02] CCTL.IV [R20]\n[B0-----:R-:W-:-:S06] MOV R20, R3\n");
}

static void uniform_registers_and_predicates_are_read_at_issue(void **state)
{
    (void)state;
    clean("[B------:R-:W0:-:S02] LDS R1, [R27+UR4]\n[B------:R-:W-:-:S11] UMOV UR4, 0x1\n");
    clean("[B------:R-:W0:-:S02] @P6 LDS R1, [R27]\n[B------:R-:W-:-:S11] ISETP.EQ.U32.AND P6, PT, RZ, RZ, PT\n");
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

static void only_lanes_that_both_touch_count(void **state)
{
    (void)state;
    clean("[B------:R-:W-:-:S01] @P6 MOV R1, R2\n[B------:R-:W-:-:S06] @!P6 MOV R10, R1\n");
    clean("[B------:R-:W-:-:S01] @!PT MOV R1, R2\n[B------:R-:W-:-:S06] MOV R10, R1\n");
    struct hazard h = one("[B------:R-:W-:-:S01] @P6 MOV R1, R2\n[B------:R-:W-:-:S06] MOV R10, R1\n", 0, 1, 1,
                          HAZARD_RAW, HAZARD_DISTANCE);
    assert_int_equal(h.lanes, 0x55555555);
}

/* The first turn's even lanes have read when the second turn's odd lanes read, and the even ones write. */
static void lanes_of_an_earlier_turn_that_have_read_do_not_count(void **state)
{
    (void)state;
    clean("[B------:R-:W-:-:S06] LOP3.LUT R2, R24, 0x1, RZ, 0xc0, !PT\n"
          "[B------:R-:W-:-:S06] MOV R1, RZ\n"
          "again:\n"
          "[B------:R0:W1:-:S02] @P6 LDG.E R4, [R20.64]\n"
          "[B------:R-:W-:-:S06] @!P6 MOV R20, R20\n"
          "[B01----:R-:W-:-:S06] IADD3 R1, R1, 0x1, RZ\n"
          "[B------:R-:W-:Y:S13] ISETP.EQ.U32.AND P6, PT, R2, R1, PT\n"
          "[B------:R-:W-:Y:S13] ISETP.LT.U32.AND P5, PT, R1, 0x2, PT\n"
          "[B------:R-:W-:-:S05] @P5 BRA again\n");
}

UNIT_TESTS(UNIT(lanes_of_an_earlier_turn_that_have_read_do_not_count), UNIT(a_datapath_needs_four_cycles),
           UNIT(a_memory_instruction_needs_one_cycle_more), UNIT(a_guard_needs_thirteen_cycles_and_an_operand_four),
           UNIT(uniform_results_need_six_cycles_to_a_vector), UNIT(a_wide_accumulator_is_read_late),
           UNIT(the_stall_count_is_the_effective_one), UNIT(what_timing_hides_is_found_and_said_so),
           UNIT(a_load_must_be_waited_for), UNIT(a_wait_of_an_instruction_between_is_enough),
           UNIT(a_wait_one_cycle_behind_comes_before_the_counter), UNIT(depbar_protects_what_issues_four_cycles_later),
           UNIT(a_threshold_counts_only_what_returns_in_order), UNIT(the_last_of_a_run_in_order_may_hold_the_counter),
           UNIT(a_result_on_its_way_must_not_be_overwritten), UNIT(the_longer_of_two_fixed_latencies_must_land_first),
           UNIT(a_source_must_be_read_before_it_is_overwritten),
           UNIT(who_has_the_result_knows_that_the_sources_were_read),
           UNIT(a_later_access_of_the_same_queue_may_overwrite_sources), UNIT(a_barrier_lets_the_queue_drain),
           UNIT(sources_of_a_barrier_and_of_cctl_are_read_late),
           UNIT(uniform_registers_and_predicates_are_read_at_issue), UNIT(only_lanes_that_both_touch_count))
