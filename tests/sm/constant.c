/* Constant operands of fixed-latency instructions (FL), LDC (VL), and the L1.5 behind both. */
#include "tests/sm/harness.h"

enum { L15_TIME = 79 };

static struct inst operand(void) { return ffma_constant(4, 2, 0, 0x160, RZ); }

static void an_operand_that_hits_costs_nothing(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    add(h, nop());
    add(h, operand());
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_constant(h, 0, 0x160, true, false);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 1), 1);
    assert_int_equal(h->sm->n.constant_hits, 1);
    assert_int_equal(h->sm->n.constant_misses, 0);
    harness_free(h);
}

static void a_miss_costs_79_cycles_from_the_next_level_and_180_more_from_the_l2(void **state)
{
    (void)state;
    for (unsigned cold = 0; cold < 2; cold++) {
        struct harness *h = harness_cold();
        add(h, nop());
        add(h, operand());
        add(h, operand());
        add(h, exit_warp());
        harness_begin(h);
        if (!cold)
            harness_warm_constant(h, 0, 0x160, false, false);
        harness_warp(h, 0, 0);
        harness_hold(h, START);
        harness_run(h);
        assert_int_equal(distance(h, 0, 0, 1), 1 + L15_TIME + (cold ? HARNESS_L2_MORE : 0));
        assert_int_equal(distance(h, 0, 1, 2), 1);
        assert_int_equal(h->sm->n.constant_misses, 1);
        harness_free(h);
    }
}

static void nothing_issues_for_four_cycles_after_a_miss_and_then_another_warp_may(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    add(h, operand());
    add(h, exit_warp());
    add(h, nop());
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_constant(h, 0, 0x160, false, false);
    harness_warp(h, 0, 2);
    harness_warp(h, 4, 0); /* the youngest: it is chosen first and misses at START */
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(issued_at(h, 0, 2), START + 4);
    assert_int_equal(issued_at(h, 0, 3), START + 5);
    assert_int_equal(issued_at(h, 4, 0), START + L15_TIME);
    harness_free(h);
}

static void another_sub_core_does_not_notice(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    add(h, operand());
    add(h, exit_warp());
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_warp(h, 1, 2);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(issued_at(h, 1, 2), START);
    harness_free(h);
}

/* Of three warps the youngest misses at START, the next asks for the same line shortly before it comes. */
static void the_scheduler_waits_no_longer_than_until_the_constant_comes(void **state)
{
    (void)state;
    for (uint32_t early = 1; early <= 8; early++) {
        struct harness *h = harness_cold();
        add(h, operand());
        add(h, exit_warp());
        uint32_t other = add(h, nop());
        add(h, exit_warp());
        harness_begin(h);
        harness_warm_constant(h, 0, 0x160, false, false);
        harness_warp(h, 0, other);
        harness_warp(h, 4, 0);
        harness_warp(h, 8, 0);
        harness_hold(h, START);
        scheduler_stall(&h->sm->subcore[0].scheduler, 0, START + L15_TIME - early);
        scheduler_stall(&h->sm->subcore[0].scheduler, 1, START + L15_TIME - early);
        harness_run(h);
        assert_int_equal(issued_at(h, 8, 0), START + L15_TIME + (early == 5));
        assert_int_equal(issued_at(h, 0, other), START + L15_TIME + 4 - (early > 4 ? early : 0));
        harness_free(h);
    }
}

static void a_line_on_its_way_is_waited_for_by_all_who_want_it(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    add(h, operand());
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_constant(h, 0, 0x160, false, false);
    harness_warp(h, 0, 0);
    harness_warp(h, 4, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(issued_at(h, 4, 0), START + L15_TIME);
    assert_int_equal(issued_at(h, 0, 0), START + L15_TIME + 2); /* after the other's EXIT */
    harness_free(h);
}

static void sub_cores_that_miss_one_line_of_the_l2_wait_for_the_same_one(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    add(h, stall(nop(), 10));
    add(h, operand());
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 1);
    harness_warp(h, 1, 0); /* ten cycles later */
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(issued_at(h, 0, 1), START + L15_TIME + HARNESS_L2_MORE);
    assert_int_equal(issued_at(h, 1, 1), START + L15_TIME + HARNESS_L2_MORE);
    harness_free(h);
}

static void a_line_that_ldc_brought_does_not_make_an_operand_hit(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    add(h, stall(writes_sb(ldc(6, false, 4, 0, 0x160), 0), 2));
    add(h, waits(nop(), 1));
    add(h, operand());
    harness_start(h, 1);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 1), 26 + L15_TIME + HARNESS_L2_MORE);
    assert_int_equal(distance(h, 0, 1, 2), 1 + L15_TIME);
    assert_int_equal(h->sm->n.ldc_misses, 1);
    harness_free(h);
}

static void the_operand_cache_holds_two_lines_of_a_set_and_replaces_the_older(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    h->config.constant.fl_ways = 2;
    const uint32_t offset[] = {0, 256, 0, 512, 0, 256}; /* one set: 4 sets of 64-byte lines */
    for (unsigned i = 0; i < 6; i++)
        add(h, ffma_constant(4, 2, 0, offset[i], RZ));
    add(h, exit_warp());
    harness_begin(h);
    for (uint32_t o = 0; o <= 512; o += 256)
        harness_warm_constant(h, 0, o, false, false);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 1), 1 + L15_TIME); /* 256 misses */
    assert_int_equal(distance(h, 0, 1, 2), 1);            /* 0 hits */
    assert_int_equal(distance(h, 0, 2, 3), 1 + L15_TIME); /* 512 takes the place of 256 */
    assert_int_equal(distance(h, 0, 3, 4), 1);
    assert_int_equal(distance(h, 0, 4, 5), 1 + L15_TIME);
    harness_free(h);
}

/* Five warps want five lines of one two-way set: each line is replaced before it comes. */
static void a_constant_that_comes_is_used_even_if_its_line_has_been_replaced(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    h->config.constant.fl_ways = 2;
    for (unsigned i = 0; i < 5; i++) {
        add(h, ffma_constant(4, 2, 0, 256 * i, RZ));
        add(h, exit_warp());
    }
    harness_begin(h);
    for (uint32_t i = 0; i < 5; i++) {
        harness_warm_constant(h, 0, 256 * i, false, false);
        harness_warp(h, 4 * i, 2 * i);
    }
    harness_hold(h, START);
    harness_run(h);
    for (uint32_t i = 0; i < 5; i++) /* the youngest misses first, the others after a hold of four cycles each */
        assert_int_equal(issued_at(h, 4 * i, 2 * i), START + 4 * (4 - i) + L15_TIME);
    assert_int_equal(h->sm->n.constant_misses, 5);
    assert_int_equal(h->sm->n.constant_hits, 0);
    harness_free(h);
}

static void banks_are_told_apart(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    add(h, ffma_constant(4, 2, 3, 0x160, RZ));
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_constant(h, 0, 0x160, true, false);
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(h->sm->n.constant_misses, 1);
    harness_free(h);
}

/* ---- the way to the L1.5 ---------------------------------------------------------------------------------------- */

static void misses_of_the_four_sub_cores_pass_one_port_one_a_cycle(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    add(h, operand());
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_constant(h, 0, 0x160, false, false);
    for (uint32_t w = 0; w < 4; w++)
        harness_warp(h, w, 0);
    harness_hold(h, START);
    harness_run(h);
    for (uint32_t w = 0; w < 4; w++)
        assert_int_equal(issued_at(h, w, 0), START + L15_TIME + w);
    harness_free(h);
}

/* The prefetches of 8 lines begin in the cycle after the fetch at 0 has passed. The operand misses at 64. */
static void a_miss_does_not_wait_for_prefetches_of_instructions(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    h->config.icache.perfect = false;
    add(h, operand());
    add(h, exit_warp());
    while (h->count < 400)
        add(h, nop());
    uint32_t far = add(h, exit_warp());
    harness_begin(h);
    harness_warm_constant(h, 0, 0x160, false, false);
    for (uint32_t line = 0; line <= h->count / 8; line++)
        tags_insert(&h->sm->l1i.tags, line, 0);
    harness_warp(h, 0, 0);
    harness_run_until(h, 60);
    harness_warp(h, 1, far - 200); /* its stream asks for lines from 61 on */
    harness_run(h);
    assert_int_equal(issued_at(h, 0, 0), 62 + L15_TIME);
    harness_free(h);
}

/* A line of the L1.5 is two of the operands'. */
static void a_constant_that_comes_from_the_l2_brings_its_neighbour_to_the_l15(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    const uint32_t offset[] = {0x100, 0x140, 0x180};
    for (unsigned i = 0; i < 3; i++)
        add(h, ffma_constant(4, 2, 0, offset[i], RZ));
    harness_start(h, 1);
    harness_run(h);
    assert_int_equal(issued_at(h, 0, 0), START + L15_TIME + HARNESS_L2_MORE);
    assert_int_equal(distance(h, 0, 0, 1), 1 + L15_TIME);
    assert_int_equal(distance(h, 0, 1, 2), 1 + L15_TIME + HARNESS_L2_MORE);
    assert_int_equal(h->sm->n.l15_misses, 2);
    harness_free(h);
}

/* ---- LDC -------------------------------------------------------------------------------------------------------- */

static uint64_t ldc_time(const uint32_t offsets[32], uint32_t block, bool cold, uint32_t *misses)
{
    struct harness *h = harness_cold();
    h->config.constant.vl_block = block;
    add(h, stall(writes_sb(scattered(ldc(6, true, 4, 3, 0x1000), offsets), 0), 2));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    for (unsigned lane = 0; lane < 32; lane++)
        harness_warm_constant(h, 3, 0x1000 + offsets[lane], false, !cold);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    uint64_t cycles = distance(h, 0, 0, 1);
    *misses = (uint32_t)h->sm->n.ldc_misses;
    harness_free(h);
    return cycles;
}

static void lanes_of_an_ldc_that_ask_for_different_words_take_an_access_each(void **state)
{
    (void)state;
    for (uint32_t words = 1; words <= 32; words++) {
        uint32_t offsets[32], misses;
        for (uint32_t lane = 0; lane < 32; lane++)
            offsets[lane] = lane % words * 4;
        assert_int_equal(ldc_time(offsets, 4, false, &misses), 29 + words - 1);
        assert_int_equal(misses, 0);
        assert_int_equal(ldc_time(offsets, 64, false, &misses), 29 + (words > 16));
    }
}

static void an_ldc_waits_for_each_line_that_its_lanes_touch(void **state)
{
    (void)state;
    for (uint32_t lines = 1; lines <= 8; lines++) {
        uint32_t offsets[32], misses;
        for (uint32_t lane = 0; lane < 32; lane++)
            offsets[lane] = lane % lines * 64;
        assert_int_equal(ldc_time(offsets, 4, true, &misses), 29 + L15_TIME + lines - 1);
        assert_int_equal(misses, lines);
    }
}

static void the_accesses_of_two_ldcs_follow_one_another(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    uint32_t offsets[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        offsets[lane] = lane * 4;
    add(h, writes_sb(scattered(ldc(6, true, 4, 3, 0x1000), offsets), 0));
    add(h, stall(writes_sb(ldc(7, true, 4, 3, 0x1000), 1), 2));
    add(h, waits(nop(), 2));
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_constant(h, 3, 0x1000, false, true);
    harness_warm_constant(h, 3, 0x1040, false, true);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 2), 29 + 32);
    harness_free(h);
}

static void an_operand_of_variable_latency_delays_its_result_and_not_its_warp(void **state)
{
    (void)state;
    for (unsigned hit = 0; hit < 2; hit++) {
        struct harness *h = harness_cold();
        struct inst i = writes_sb(mufu(6, 2), 0);
        i.code.flags |= CODE_CONSTANT;
        i.code.constant_offset = 0x160;
        add(h, i);
        add(h, nop());
        add(h, waits(nop(), 1));
        add(h, exit_warp());
        harness_begin(h);
        harness_warm_constant(h, 0, 0x160, false, hit);
        harness_warp(h, 0, 0);
        harness_hold(h, START);
        harness_run(h);
        assert_int_equal(distance(h, 0, 0, 1), 1);
        assert_int_equal(distance(h, 0, 0, 2), h->config.core.xu_latency + (hit ? 0 : L15_TIME));
        assert_int_equal(h->sm->n.constant_misses, 0);
        assert_int_equal(h->sm->n.ldc_misses, !hit);
        harness_free(h);
    }
}

UNIT_TESTS(UNIT(an_operand_that_hits_costs_nothing),
           UNIT(a_miss_costs_79_cycles_from_the_next_level_and_180_more_from_the_l2),
           UNIT(nothing_issues_for_four_cycles_after_a_miss_and_then_another_warp_may),
           UNIT(another_sub_core_does_not_notice), UNIT(the_scheduler_waits_no_longer_than_until_the_constant_comes),
           UNIT(a_line_on_its_way_is_waited_for_by_all_who_want_it),
           UNIT(sub_cores_that_miss_one_line_of_the_l2_wait_for_the_same_one),
           UNIT(a_line_that_ldc_brought_does_not_make_an_operand_hit),
           UNIT(the_operand_cache_holds_two_lines_of_a_set_and_replaces_the_older),
           UNIT(a_constant_that_comes_is_used_even_if_its_line_has_been_replaced), UNIT(banks_are_told_apart),
           UNIT(misses_of_the_four_sub_cores_pass_one_port_one_a_cycle),
           UNIT(a_miss_does_not_wait_for_prefetches_of_instructions),
           UNIT(a_constant_that_comes_from_the_l2_brings_its_neighbour_to_the_l15),
           UNIT(lanes_of_an_ldc_that_ask_for_different_words_take_an_access_each),
           UNIT(an_ldc_waits_for_each_line_that_its_lanes_touch), UNIT(the_accesses_of_two_ldcs_follow_one_another),
           UNIT(an_operand_of_variable_latency_delays_its_result_and_not_its_warp))
