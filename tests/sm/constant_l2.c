/* Constants that the L1.5 has to ask of the L2. */
#include "tests/sm/harness.h"

enum { L15_TIME = 79 };

static void constants_are_asked_of_the_l2_beside_the_code_of_the_kernel(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    add(h, ffma_constant(4, 2, 3, 0x1c0, RZ));
    add(h, exit_warp());
    harness_begin(h);
    h->sm->code.window[0].address = 0x600000000000;
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(h->requests, 1);
    assert_int_equal(h->request[0].line, 0x600000000000 + L15_CONSTANTS + 0x30180);
    assert_int_equal(h->request[0].sectors, 0xf);
    assert_int_equal(h->request[0].kind, REQUEST_LOAD);
    harness_free(h);
}

/* launch.preload: the L2 is asked for nothing but bytes beyond the preloaded ones. */
static void code_and_parameters_that_a_launch_has_read_ahead_are_not_asked_of_the_l2(void **state)
{
    (void)state;
    for (uint32_t beyond = 0; beyond < 2; beyond++) {
        struct harness *h = harness_cold();
        add_many(h, nop(), 40);
        add(h, ffma_constant(4, 2, 0, 0x1c0, RZ));
        add(h, exit_warp());
        harness_begin(h);
        l15_preload(&h->sm->l15, 0, beyond ? 0x180 : 0x181);
        harness_warp(h, 0, 0);
        harness_run(h);
        assert_int_equal(h->requests, beyond);
        harness_free(h);
    }
}

/* l15.gpc_cache: the SM asks its GPC for each line once, and the L2 for none. */
static void lines_that_a_launch_has_read_into_the_gpc_are_asked_of_it_once(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    h->config.l15.gpc_cache = true;
    add_many(h, nop(), 10);
    add(h, ffma_constant(4, 2, 0, 0x1c0, RZ));
    add(h, ffma_constant(4, 2, 0, 0x1fc, RZ));
    add(h, exit_warp());
    harness_begin(h);
    l15_preload(&h->sm->l15, 0, 0x400);
    harness_warp(h, 0, 0);
    harness_run(h);
    uint32_t constants = 0;
    for (uint32_t i = 0; i < h->requests; i++) {
        assert_int_equal(h->request[i].destination, DESTINATION_GPC);
        constants += h->request[i].line % (UINT64_C(1) << 40) == 0x180;
    }
    assert_int_equal(h->requests, 1); /* the harness has the code in the L0 */
    assert_int_equal(constants, 1);
    harness_free(h);
}

static void other_constants_are_not_read_ahead(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    add_many(h, nop(), 40);
    add(h, ffma_constant(4, 2, 3, 0x40, RZ));
    add(h, exit_warp());
    harness_begin(h);
    l15_preload(&h->sm->l15, 0, 0x400);
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(h->requests, 1);
    harness_free(h);
}

/* The second LDC hits, and waits for the first one of its sub-core. That of another sub-core does not. */
static void an_ldc_that_hits_completes_after_one_that_waits_for_the_l2(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    add(h, writes_sb(ldc(6, false, 4, 3, 0x1000), 0));
    add(h, stall(writes_sb(ldc(7, false, 4, 3, 0x2000), 1), 2));
    uint32_t second = add(h, waits(nop(), 2));
    uint32_t first = add(h, waits(nop(), 1));
    add(h, exit_warp());
    uint32_t other = add(h, stall(writes_sb(ldc(7, false, 4, 3, 0x2000), 1), 2));
    add(h, waits(nop(), 2));
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_constant(h, 3, 0x2000, false, true);
    harness_warp(h, 0, 0);
    harness_warp(h, 1, other);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, second), 26 + L15_TIME + HARNESS_L2_MORE);
    assert_int_equal(distance(h, 0, 0, first), 26 + L15_TIME + HARNESS_L2_MORE + 1);
    assert_in_range(distance(h, 1, other, other + 1), 26, 30);
    harness_free(h);
}

static void an_ldc_waits_for_the_last_of_its_lines(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    h->spread = 100;
    uint32_t offsets[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        offsets[lane] = lane % 8 * 128;
    uint32_t load = add(h, stall(writes_sb(scattered(ldc(6, true, 4, 3, 0x1000), offsets), 0), 2));
    add(h, waits(nop(), 1));
    harness_start(h, 1);
    harness_run(h);
    assert_int_equal(h->requests, 8);
    uint64_t last = 0;
    for (uint32_t i = 0; i < 8; i++) { /* as the harness answers them */
        uint64_t more = h->request[i].line / PORT_LINE * 2654435761u % h->spread;
        uint64_t come = h->request[i].arrival + h->latency + more + h->config.noc.latency;
        last = come > last ? come : last;
    }
    uint64_t data = last + L15_TIME - 1 + 29 - h->config.lsu.to_shared_part;
    assert_in_range(issued_at(h, 0, load + 1), data, data + 3); /* two replies at once pass the port in turn */
    harness_free(h);
}

static void an_operand_of_variable_latency_waits_for_the_l2_at_the_head_of_its_queue(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    struct inst i = writes_sb(mufu(6, 2), 0);
    i.code.flags |= CODE_CONSTANT;
    i.code.constant_offset = 0x160;
    add(h, i);
    add(h, writes_sb(mufu(7, 2), 1));
    uint32_t first = add(h, waits(nop(), 1));
    uint32_t second = add(h, waits(nop(), 2));
    harness_start(h, 1);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, first), h->config.core.xu_latency + L15_TIME + HARNESS_L2_MORE);
    assert_in_range(distance(h, 0, first, second), 1, h->config.core.xu_interval);
    assert_int_equal(h->sm->n.ldc_misses, 1);
    harness_free(h);
}

static void an_operand_of_the_shared_fp64_unit_waits_for_the_l2(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (unsigned hit = 0; hit < 2; hit++) {
        struct harness *h = harness_cold();
        struct inst i = writes_sb(fp64(6, 2, 4, RZ), 0);
        i.code.flags |= CODE_CONSTANT;
        i.code.constant_offset = 0x160;
        add(h, stall(i, 2));
        add(h, waits(nop(), 1));
        add(h, exit_warp());
        harness_begin(h);
        harness_warm_constant(h, 0, 0x160, false, hit);
        if (!hit)
            tags_clear(&h->sm->l15.tags);
        harness_warp(h, 0, 0);
        harness_hold(h, START);
        harness_run(h);
        cycles[hit] = distance(h, 0, 0, 1);
        harness_free(h);
    }
    assert_int_equal(cycles[0], cycles[1] + L15_TIME + HARNESS_L2_MORE);
}

UNIT_TESTS(UNIT(constants_are_asked_of_the_l2_beside_the_code_of_the_kernel),
           UNIT(code_and_parameters_that_a_launch_has_read_ahead_are_not_asked_of_the_l2),
           UNIT(lines_that_a_launch_has_read_into_the_gpc_are_asked_of_it_once),
           UNIT(other_constants_are_not_read_ahead), UNIT(an_ldc_that_hits_completes_after_one_that_waits_for_the_l2),
           UNIT(an_ldc_waits_for_the_last_of_its_lines),
           UNIT(an_operand_of_variable_latency_waits_for_the_l2_at_the_head_of_its_queue),
           UNIT(an_operand_of_the_shared_fp64_unit_waits_for_the_l2))
