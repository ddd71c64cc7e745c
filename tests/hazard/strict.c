/* --strict-hazards: the value that a consumer reads if it issues too early. Expected values: MICRO 2025 paper, listings
 * on stall counts, bypass, dependence counters and DEPBAR. */
#include "tests/hazard/kernel.h"

enum { ONE = 0x3f800000, TWO = 0x40000000, SIX = 0x40c00000 };

static uint32_t lane_of(const char *lines, bool strict, unsigned lane)
{
    struct gpu_options options = {.threads = 1, .strict_hazards = strict};
    return kernel_run(lines, &options).out[lane];
}

static uint32_t value(const char *lines) { return lane_of(lines, true, 0); }

/* `format` has one %02u, which becomes a stall count. */
static uint32_t with_stall(const char *format, unsigned stall)
{
    char lines[1024];
    snprintf(lines, sizeof lines, format, stall);
    return value(lines);
}

static void a_sum_is_seen_from_four_cycles_on(void **state)
{
    static const char lines[] = "[B------:R-:W-:-:S%02u] FADD R1, R2, R3\n"
                                "[B------:R-:W-:-:S10] FFMA R10, R1, R1, R1\n";
    (void)state;
    for (unsigned stall = 1; stall < 4; stall++)
        assert_int_equal(with_stall(lines, stall), TWO);
    for (unsigned stall = 4; stall < 8; stall++)
        assert_int_equal(with_stall(lines, stall), SIX);
}

static void an_address_is_seen_from_five_cycles_on(void **state)
{
    static const char lines[] = "[B------:R-:W-:-:S06] MOV R4, R20\n"
                                "[B------:R-:W-:-:S06] MOV R5, R21\n"
                                "[B------:R-:W-:-:S%02u] IADD3 R4, R20, 0x8, RZ\n"
                                "[B------:R-:W0:-:S02] LDG.E R10, [R4.64]\n"
                                "[B0-----:R-:W-:-:S02] NOP\n";
    (void)state;
    assert_int_equal(with_stall(lines, 4), 100);
    assert_int_equal(with_stall(lines, 5), 102);
}

static void without_the_option_every_value_is_seen_at_once(void **state)
{
    (void)state;
    assert_int_equal(lane_of("[B------:R-:W-:-:S01] FADD R1, R2, R3\n"
                             "[B------:R-:W-:-:S10] FFMA R10, R1, R1, R1\n",
                             false, 0),
                     SIX);
}

/* The counter is up two cycles after issue: a consumer one cycle behind finds it at 0. */
static void a_consumer_right_behind_a_load_escapes_its_counter(void **state)
{
    static const char lines[] = "[B------:R-:W0:-:S%02u] LDG.E R1, [R20.64]\n"
                                "[B0-----:R-:W-:-:S10] MOV R10, R1\n";
    (void)state;
    assert_int_equal(with_stall(lines, 1), ONE);
    assert_int_equal(with_stall(lines, 2), 100);
    assert_int_equal(value("[B------:R-:W0:Y:S01] LDG.E R1, [R20.64]\n"
                           "[B0-----:R-:W-:-:S10] MOV R10, R1\n"),
                     100);
}

static void who_waits_for_another_counter_reads_the_old_value(void **state)
{
    (void)state;
    assert_int_equal(value("[B------:R-:W0:-:S02] LDG.E R1, [R20.64]\n"
                           "[B-1----:R-:W-:-:S10] MOV R10, R1\n"
                           "[B0-----:R-:W-:-:S02] NOP\n"),
                     ONE);
}

static void depbar_protects_from_four_cycles_on(void **state)
{
    static const char lines[] = "[B------:R-:W0:-:S08] LDG.E R1, [R20.64]\n"
                                "[B------:R-:W-:-:S%02u] DEPBAR.LE SB0, 0x0\n"
                                "[B------:R-:W-:-:S10] MOV R10, R1\n";
    (void)state;
    for (unsigned stall = 1; stall < 4; stall++)
        assert_int_equal(with_stall(lines, stall), ONE);
    assert_int_equal(with_stall(lines, 4), 100);
}

static void an_early_guard_is_the_old_one(void **state)
{
    static const char lines[] = "[B------:R-:W-:-:S11] ISETP.EQ.U32.AND P0, PT, RZ, 0x1, PT\n"
                                "[B------:R-:W-:-:S11] NOP\n"
                                "[B------:R-:W-:-:S06] MOV R10, RZ\n"
                                "[B------:R-:W-:-:S06] ISETP.EQ.U32.AND P0, PT, RZ, 0x0, PT\n"
                                "[B------:R-:W-:-:S%02u] NOP\n"
                                "[B------:R-:W-:-:S06] @P0 MOV R10, R1\n";
    (void)state;
    assert_int_equal(with_stall(lines, 6), 0);
    assert_int_equal(with_stall(lines, 7), ONE);
}

static void a_predicate_is_an_operand_earlier_than_a_guard(void **state)
{
    static const char lines[] = "[B------:R-:W-:-:S11] ISETP.EQ.U32.AND P0, PT, RZ, 0x1, PT\n"
                                "[B------:R-:W-:-:S11] NOP\n"
                                "[B------:R-:W-:-:S%02u] ISETP.EQ.U32.AND P0, PT, RZ, 0x0, PT\n"
                                "[B------:R-:W-:-:S06] SEL R10, R1, RZ, P0\n";
    (void)state;
    assert_int_equal(with_stall(lines, 3), 0);
    assert_int_equal(with_stall(lines, 4), ONE);
}

static void a_uniform_result_reaches_a_vector_after_six_cycles(void **state)
{
    static const char lines[] = "[B------:R-:W-:-:S11] UMOV UR4, 0x7\n"
                                "[B------:R-:W-:-:S%02u] UIADD3 UR4, UR4, 0x1, URZ\n"
                                "[B------:R-:W-:-:S06] MOV R10, UR4\n";
    (void)state;
    assert_int_equal(with_stall(lines, 5), 7);
    assert_int_equal(with_stall(lines, 6), 8);
}

/* Lanes whose guard did not hold keep their old values, and are not too early. */
static void only_lanes_that_were_written_are_old(void **state)
{
    static const char lines[] = "[B------:R-:W-:-:S01] @P6 MOV R1, RZ\n"
                                "[B------:R-:W-:-:S06] MOV R10, R1\n"
                                "[B------:R-:W-:-:S06] @!P6 MOV R10, 0x5\n";
    (void)state;
    assert_int_equal(lane_of(lines, true, 0), ONE);
    assert_int_equal(lane_of(lines, true, 1), 5);
}

/* A register that an instruction reads too early and also writes holds its result. */
static void an_accumulator_adds_to_the_old_value(void **state)
{
    (void)state;
    assert_int_equal(value("[B------:R-:W-:-:S01] FADD R10, R2, R3\n"
                           "[B------:R-:W-:-:S01] FADD R10, R10, R3\n"
                           "[B------:R-:W-:-:S06] FADD R11, R10, R3\n"),
                     TWO);
}

/* Whether a DEPBAR, `delay` cycles and one NOP with these control bits behind a load, comes late enough for its value.
 * A DEPBAR that has to wait protects only instructions that issue 4 cycles after it. */
static bool comes_late_enough(const char *gpu, unsigned delay, const char *control)
{
    const struct gpu_options options = {.threads = 1, .strict_hazards = true};
    char lines[8192];
    size_t used = (size_t)snprintf(lines, sizeof lines, "[B------:R-:W0:-:S02] LDG.E R1, [R20.64]\n");
    for (unsigned left = delay, n; left; left -= n) {
        n = left < 11 ? left : 11;
        used += (size_t)snprintf(lines + used, sizeof lines - used, "[B------:R-:W-:-:S%02u] NOP\n", n);
    }
    snprintf(lines + used, sizeof lines - used,
             "[B------:R-:W-:%s] NOP\n"
             "[B------:R-:W-:-:S01] DEPBAR.LE SB0, 0x0\n"
             "[B------:R-:W-:-:S10] MOV R10, R1\n",
             control);
    return kernel_run_on(gpu, lines, &options).out[0] == 100;
}

static unsigned least_delay(const char *gpu, const char *control)
{
    unsigned early = 1, late = 1024;
    assert_false(comes_late_enough(gpu, early, control));
    assert_true(comes_late_enough(gpu, late, control));
    while (late - early > 1) {
        unsigned middle = (early + late) / 2;
        *(comes_late_enough(gpu, middle, control) ? &late : &early) = middle;
    }
    return late;
}

/* As long as the stall counts in its place, and not a cycle more or less. */
static void stall_0_with_yield_sleeps_as_long_as_the_gpu_does(void **state)
{
    const struct {
        const char *gpu;
        unsigned sleep;
    } rows[] = {{"rtx-a6000", 45}, {"a100", 54}};
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(least_delay(rows[i].gpu, "Y:S00") + rows[i].sleep, least_delay(rows[i].gpu, "Y:S15") + 15);
}

UNIT_TESTS(UNIT(a_sum_is_seen_from_four_cycles_on), UNIT(an_address_is_seen_from_five_cycles_on),
           UNIT(without_the_option_every_value_is_seen_at_once),
           UNIT(a_consumer_right_behind_a_load_escapes_its_counter),
           UNIT(who_waits_for_another_counter_reads_the_old_value), UNIT(depbar_protects_from_four_cycles_on),
           UNIT(an_early_guard_is_the_old_one), UNIT(a_predicate_is_an_operand_earlier_than_a_guard),
           UNIT(a_uniform_result_reaches_a_vector_after_six_cycles), UNIT(only_lanes_that_were_written_are_old),
           UNIT(an_accumulator_adds_to_the_old_value), UNIT(stall_0_with_yield_sleeps_as_long_as_the_gpu_does))
