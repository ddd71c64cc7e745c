/* Input latches of the execution units: which lanes an instruction needs on which GPU, and for how long. */
#include "tests/sm/harness.h"

static struct inst shift(uint8_t d, uint8_t a) { return iadd(d, a, RZ, RZ); } /* on one group of lanes everywhere */

static struct inst add_either(uint8_t d, uint8_t a)
{
    struct inst i = iadd(d, a, RZ, RZ);
    i.code.class = CLASS_ALU_EITHER;
    return i;
}

static struct inst half(uint8_t d, uint8_t a)
{
    struct inst i = ffma(d, a, RZ, RZ);
    i.code.class = CLASS_FP16;
    i.code.interval = 2;
    return i;
}

static struct inst matrix(uint8_t d, uint8_t a)
{
    struct inst i = half(d, a);
    i.code.class = CLASS_TENSOR;
    i.code.interval = 8;
    return i;
}

static struct inst f(uint8_t d) { return ffma(d, 2, RZ, RZ); }

/* Issue cycle of the last instruction among `count` in a warp, the first at 0. */
static uint64_t last_of(const struct inst *program, unsigned count, const struct config_core *core)
{
    struct harness *h = harness_new();
    h->config.core = *core;
    for (unsigned i = 0; i < count; i++)
        add(h, program[i]);
    harness_start(h, 1);
    harness_run(h);
    uint64_t cycles = distance(h, 0, 0, count - 1);
    harness_free(h);
    return cycles;
}

static uint64_t pair(struct inst first, struct inst second, const struct config_core *core)
{
    struct inst program[] = {first, second};
    return last_of(program, 2, core);
}

static uint64_t third(struct inst first, struct inst second, struct inst last, const struct config_core *core)
{
    struct inst program[] = {first, second, last};
    return last_of(program, 3, core) - pair(first, second, core);
}

static struct config_core core_with(bool two_groups, enum config_int_lanes integers)
{
    struct config config;
    config_defaults(&config);
    config.core.fp32_lite = two_groups;
    config.core.int_lanes = integers;
    return config.core;
}

static void sixteen_lanes_take_an_instruction_every_second_cycle(void **state)
{
    (void)state;
    struct config_core core = core_with(true, CONFIG_INT_LANES_SECOND);
    assert_int_equal(pair(shift(1, 2), shift(3, 2), &core), 2);
    assert_int_equal(pair(shift(1, 2), f(3), &core), 1);
    assert_int_equal(pair(shift(1, 2), nop(), &core), 1);
    core.alu_interval = 1;
    assert_int_equal(pair(shift(1, 2), shift(3, 2), &core), 1);
}

static void the_latch_is_held_against_other_warps_too(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, shift(1, 2));
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_warp(h, 4, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(issued_at(h, 4, 0), START);
    assert_int_equal(issued_at(h, 4, 1), START + 1);
    assert_int_equal(issued_at(h, 0, 0), START + 2);
    assert_int_equal(h->sm->n.stall[STALL_MATH_PIPE_THROTTLE], 1);
    harness_free(h);
}

static void two_fp32_groups_take_an_instruction_a_cycle_and_one_takes_one_every_second(void **state)
{
    (void)state;
    struct inst stream[41];
    for (unsigned i = 0; i < 41; i++)
        stream[i] = f((uint8_t)(i + 4));
    struct config_core two = core_with(true, CONFIG_INT_LANES_SECOND), one = core_with(false, CONFIG_INT_LANES_OWN);
    assert_int_equal(last_of(stream, 41, &two), 40);
    assert_int_equal(last_of(stream, 41, &one), 80);
}

/* A100: FADD and any FP32 instruction behind it have a bubble between them, FADD and IADD3 or MOV have none. */
static void integers_beside_one_fp32_group_have_lanes_of_their_own(void **state)
{
    (void)state;
    struct config_core one = core_with(false, CONFIG_INT_LANES_OWN);
    assert_int_equal(pair(f(1), f(3), &one), 2);
    assert_int_equal(pair(f(1), shift(3, 2), &one), 1);
    assert_int_equal(third(f(1), shift(3, 2), f(4), &one), 1);
}

static void fp32_goes_to_the_first_group_and_when_that_is_taken_to_the_second(void **state)
{
    (void)state;
    struct config_core core = core_with(true, CONFIG_INT_LANES_SECOND);
    assert_int_equal(pair(f(1), imad(3, 2, RZ, RZ), &core), 2); /* integer multiplies: only the first */
    assert_int_equal(pair(imad(1, 2, RZ, RZ), f(3), &core), 1);
    assert_int_equal(pair(imad(1, 2, RZ, RZ), imad(3, 2, RZ, RZ), &core), 2);
    assert_int_equal(third(imad(1, 2, RZ, RZ), f(3), imad(4, 2, RZ, RZ), &core), 1);
}

/* GA10x: 16 lanes for FP32, and 16 for FP32 or integers. */
static void the_second_group_does_fp32_or_integers(void **state)
{
    (void)state;
    struct config_core shared = core_with(true, CONFIG_INT_LANES_SECOND), own = core_with(true, CONFIG_INT_LANES_OWN);
    assert_int_equal(third(f(1), f(3), shift(4, 2), &shared), 2);
    assert_int_equal(third(f(1), f(3), shift(4, 2), &own), 1);
    assert_int_equal(third(f(1), f(3), add_either(4, 2), &shared), 2);
    assert_int_equal(pair(f(1), shift(3, 2), &shared), 1);
    assert_int_equal(third(f(1), shift(3, 2), f(4), &shared), 1);
}

/* RTX 5090: NVIDIA's profiler counts shifts, logic and IADD3 in a pipe of their own, other additions beside FP32. */
static void additions_go_to_either_fp32_group_and_shifts_to_lanes_of_their_own_on_sm_120(void **state)
{
    (void)state;
    struct config_core core = core_with(true, CONFIG_INT_LANES_BOTH);
    struct inst sums[21], mixed[21];
    for (unsigned i = 0; i < 21; i++) {
        sums[i] = add_either((uint8_t)(i + 4), 2);
        mixed[i] = i % 2 ? f((uint8_t)(i + 4)) : add_either((uint8_t)(i + 4), 2);
    }
    assert_int_equal(last_of(sums, 21, &core), 20);
    assert_int_equal(last_of(mixed, 21, &core), 20);
    assert_int_equal(pair(shift(1, 2), shift(3, 2), &core), 2);
    assert_int_equal(third(f(1), f(3), shift(4, 2), &core), 1);
    assert_int_equal(third(add_either(1, 2), shift(3, 2), add_either(4, 2), &core), 1);
    struct config_core ga10x = core_with(true, CONFIG_INT_LANES_SECOND);
    assert_int_equal(last_of(sums, 21, &ga10x), 40);
}

/* B300: beside LOP3, FFMA keeps fmalite busy 93 % of the time and fmaheavy, which multiplies integers, 4.5 %. */
static void fp32_leaves_the_multiplier_of_integers_alone_while_the_second_group_is_free(void **state)
{
    (void)state;
    struct config_core core = core_with(true, CONFIG_INT_LANES_OWN);
    core.fp32_first = CONFIG_FP32_FIRST_LITE;
    assert_int_equal(pair(f(1), imad(3, 2, RZ, RZ), &core), 1);
    assert_int_equal(third(f(1), f(3), imad(4, 2, RZ, RZ), &core), 2);
    core.fp32_first = CONFIG_FP32_FIRST_HEAVY;
    assert_int_equal(pair(f(1), imad(3, 2, RZ, RZ), &core), 2);
}

/* B200: a packed instruction and k scalar ones in turn take k + 3 cycles. H100: packed halves in turn with integer
 * multiplies, or with one FP32 instruction, take 2.0 cycles each. */
static void a_packed_instruction_takes_both_fp32_groups(void **state)
{
    (void)state;
    struct config_core core = core_with(true, CONFIG_INT_LANES_OWN);
    core.half_on_fp32 = true;
    for (unsigned k = 0; k < 9; k++) {
        struct inst stream[11] = {[0] = half(1, 2)};
        for (unsigned i = 1; i <= k; i++)
            stream[i] = f((uint8_t)(i + 4));
        stream[k + 1] = half(3, 2);
        assert_int_equal(last_of(stream, k + 2, &core), k ? k + 3 : 2);
    }
    assert_int_equal(pair(half(1, 2), imad(3, 2, RZ, RZ), &core), 2);
    assert_int_equal(third(half(1, 2), imad(3, 2, RZ, RZ), half(4, 2), &core), 2);
    assert_int_equal(pair(half(1, 2), shift(3, 2), &core), 1);
    core.half_on_fp32 = false;
    assert_int_equal(pair(half(1, 2), imad(3, 2, RZ, RZ), &core), 1);
}

static void packed_half_shares_the_latch_of_the_tensor_core_on_turing(void **state)
{
    (void)state;
    struct config_core core = core_with(false, CONFIG_INT_LANES_OWN);
    assert_int_equal(pair(matrix(1, 2), half(3, 2), &core), 1);
    core.half_on_tensor = true;
    assert_int_equal(pair(matrix(1, 2), half(3, 2), &core), 8);
    assert_int_equal(pair(half(1, 2), half(3, 2), &core), 2);
}

static void a_wide_multiply_holds_the_issue_port_for_one_cycle_more(void **state)
{
    (void)state;
    struct config_core core = core_with(true, CONFIG_INT_LANES_SECOND);
    assert_int_equal(pair(imad_wide(2, 4, 5, RZ), nop(), &core), 2);
    assert_int_equal(pair(imad(2, 4, 5, RZ), nop(), &core), 1);
}

/* A100, which has one FP32 group: 6, 6, 7 where the paper's GPU has 5, 6, 7, and 5, 6, 7 with IADD3 as the first. */
static void one_fp32_group_changes_the_windows_of_listing_1_as_measured_on_a100(void **state)
{
    (void)state;
    const uint8_t x[] = {19, 18, 18}, y[] = {21, 21, 20}, fp32[] = {6, 6, 7}, integer[] = {5, 6, 7};
    struct config_core core = core_with(false, CONFIG_INT_LANES_OWN);
    for (unsigned k = 0; k < 6; k++) {
        const struct inst program[] = {clock_read(2),
                                       nop(),
                                       k < 3 ? ffma(11, 10, 12, 14) : iadd(11, 10, 12, 14),
                                       ffma(13, 16, x[k % 3], y[k % 3]),
                                       nop(),
                                       clock_read(4)};
        assert_int_equal(last_of(program, 6, &core), (k < 3 ? fp32 : integer)[k % 3]);
    }
}

UNIT_TESTS(UNIT(sixteen_lanes_take_an_instruction_every_second_cycle), UNIT(the_latch_is_held_against_other_warps_too),
           UNIT(two_fp32_groups_take_an_instruction_a_cycle_and_one_takes_one_every_second),
           UNIT(integers_beside_one_fp32_group_have_lanes_of_their_own),
           UNIT(fp32_goes_to_the_first_group_and_when_that_is_taken_to_the_second),
           UNIT(the_second_group_does_fp32_or_integers),
           UNIT(additions_go_to_either_fp32_group_and_shifts_to_lanes_of_their_own_on_sm_120),
           UNIT(fp32_leaves_the_multiplier_of_integers_alone_while_the_second_group_is_free),
           UNIT(a_packed_instruction_takes_both_fp32_groups),
           UNIT(packed_half_shares_the_latch_of_the_tensor_core_on_turing),
           UNIT(a_wide_multiply_holds_the_issue_port_for_one_cycle_more),
           UNIT(one_fp32_group_changes_the_windows_of_listing_1_as_measured_on_a100))
