/* Products of warpgroups: when they begin, how long they hold the tensor cores and the port of shared memory, and when
 * a wait for them ends. */
#include "sm/execute/warpgroup_timing.h"
#include "tests/sm/harness.h"

enum { GROUP = 4, LATENCY = 20 };

static struct inst product(uint16_t interval, uint8_t port, bool last)
{
    struct inst i = nop();
    i.code.class = CLASS_WARPGROUP;
    i.code.pipe = ISA_PIPE_TENSOR;
    i.code.interval = i.code.pipe_cycles = interval;
    i.code.latency = (uint16_t)(interval + LATENCY);
    i.code.transfer = port;
    i.code.warpgroup = last ? CODE_LAST_PRODUCT : CODE_PRODUCT;
    return i;
}

static struct inst wait_groups(uint8_t most)
{
    struct inst i = nop();
    i.code.warpgroup = CODE_PRODUCT_WAIT;
    i.code.depbar_max = most;
    return i;
}

static struct harness *begin(void)
{
    struct harness *h = harness_new();
    h->config.core.wgmma_queue = 8;
    h->config.core.wgmma_burst = 8;
    h->warps_per_cta = GROUP;
    return h;
}

/* `groups` warpgroups, each a CTA, run the program. */
static void run(struct harness *h, uint32_t groups)
{
    harness_begin(h);
    for (uint32_t cta = 0; cta < groups; cta++)
        harness_cta(h, cta);
    harness_hold(h, START);
    harness_run(h);
}

/* Cycles from the first issue to the end of a wait for `count` products in a row. */
static uint64_t span(unsigned count, uint16_t interval, uint8_t port, bool skip)
{
    struct harness *h = begin();
    h->config.run.skip_idle = skip;
    for (unsigned i = 0; i < count; i++)
        add(h, product(interval, port, i + 1 == count));
    add(h, wait_groups(0));
    add(h, nop());
    add(h, stall(exit_warp(), 5));
    run(h, 1);
    uint64_t cycles = issued_at(h, 0, count + 1) - issued_at(h, 0, 0);
    harness_free(h);
    return cycles;
}

static void products_of_one_group_follow_each_other_without_a_gap(void **state)
{
    (void)state;
    uint64_t one = span(1, 64, 32, true);
    assert_int_equal(one, 1 + 64 + 20);
    assert_int_equal(span(2, 64, 32, true), one + 64);
    assert_int_equal(span(5, 64, 32, true), one + 4 * 64);
    for (unsigned count = 1; count < 4; count++) /* jumping over idle cycles changes nothing */
        assert_int_equal(span(count, 50, 33, true), span(count, 50, 33, false));
}

static void a_wait_leaves_as_many_groups_pending_as_it_says(void **state)
{
    (void)state;
    for (uint8_t most = 0; most < 3; most++) {
        struct harness *h = begin();
        for (unsigned i = 0; i < 3; i++)
            add(h, product(40, 8, true));
        add(h, wait_groups(most));
        add(h, nop());
        add(h, stall(exit_warp(), 5));
        run(h, 1);
        for (uint32_t slot = 0; slot < GROUP; slot++)
            assert_int_equal(issued_at(h, slot, 4) - issued_at(h, 0, 0), 1 + (3 - most) * 40 + 20);
        assert_int_equal(h->sm->n.stall[STALL_WARPGROUP_ARRIVE] > 0, 1);
        harness_free(h);
    }
}

static void a_product_begins_when_the_last_of_its_warps_has_issued_it(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < GROUP; late++) {
        struct harness *h = begin();
        add(h, stall(nop(), 11)); /* of one warp only */
        add(h, product(40, 8, true));
        add(h, wait_groups(0));
        add(h, nop());
        add(h, stall(exit_warp(), 5));
        harness_begin(h);
        harness_cta(h, 0);
        for (uint32_t slot = 0; slot < GROUP; slot++)
            harness_enter(h, slot, slot != late);
        harness_hold(h, START);
        harness_run(h);
        uint64_t last = issued_at(h, late, 1);
        assert_int_equal(last - issued_at(h, (late + 1) % GROUP, 1), 11);
        for (uint32_t slot = 0; slot < GROUP; slot++)
            assert_int_equal(issued_at(h, slot, 3) - last, 1 + 40 + 20);
        harness_free(h);
    }
}

static void a_full_queue_holds_only_the_warp_that_has_filled_it(void **state)
{
    (void)state;
    struct harness *h = begin();
    h->config.core.wgmma_queue = 2;
    for (unsigned i = 0; i < 5; i++)
        add(h, product(100, 8, i == 4));
    add(h, stall(exit_warp(), 5));
    run(h, 1);
    /* The first begins one cycle after its issue. Then two wait, and each further one issues as one begins. */
    assert_int_equal(issued_at(h, 0, 2) - issued_at(h, 0, 0), 2);
    assert_int_equal(issued_at(h, 0, 3) - issued_at(h, 0, 0), 1 + 100);
    assert_int_equal(issued_at(h, 0, 4) - issued_at(h, 0, 0), 1 + 200);
    assert_int_equal(h->sm->n.stall[STALL_MATH_PIPE_THROTTLE] > 0, 1);
    harness_free(h);
}

static void two_warpgroups_take_turns_in_the_order_of_issue(void **state)
{
    (void)state;
    struct harness *h = begin();
    add(h, product(60, 8, true));
    add(h, wait_groups(0));
    add(h, nop());
    add(h, stall(exit_warp(), 5));
    run(h, 2);
    uint64_t first = issued_at(h, 0, 2), second = issued_at(h, GROUP, 2);
    assert_int_equal(first < second ? second - first : first - second, 60);
    harness_free(h);
}

static void loads_of_shared_memory_and_operands_share_the_port(void **state)
{
    (void)state;
    struct harness *h = begin();
    add(h, product(32, 32, true)); /* the port all the time */
    add_many(h, lds(4, false, 4, 0), 8);
    add(h, wait_groups(0));
    add(h, nop());
    add(h, stall(exit_warp(), 5));
    run(h, 1);
    uint64_t with_loads = issued_at(h, 0, 10) - issued_at(h, 0, 0);
    harness_free(h);
    assert_true(with_loads > span(1, 32, 32, true));
}

static void operands_bound_products_of_few_columns(void **state)
{
    (void)state;
    struct config config;
    config_defaults(&config);
    struct isa_inst i = {.op = ISA_OP_HGMMA};
    i.a.kind = ISA_UREG;
    static const uint32_t expected[][4] = {/* columns, A in shared memory, in registers, sparse */
                                           {8, 18, 16, 20},
                                           {32, 24, 16, 32},
                                           {64, 32, 32, 48},
                                           {128, 64, 64, 80},
                                           {256, 128, 128, 144}};
    for (unsigned k = 0; k < 5; k++) {
        i.mod[ISA_MOD_SHAPE] = (uint8_t)(expected[k][0] / 8 - 1);
        i.mod[ISA_MOD_SPARSE] = 0;
        i.a.kind = ISA_UREG;
        assert_int_equal(warpgroup_timing(&i, &config.core).interval, expected[k][1]);
        assert_int_equal(warpgroup_timing(&i, &config.core).port, 16 + expected[k][0] / 4);
        i.a.kind = ISA_REG;
        assert_int_equal(warpgroup_timing(&i, &config.core).interval, expected[k][2]);
        i.a.kind = ISA_UREG;
        i.mod[ISA_MOD_SPARSE] = 1;
        assert_int_equal(warpgroup_timing(&i, &config.core).interval, expected[k][3]);
    }
}

/* An H200 takes 53.6 + N / 2 cycles for a product alone, and 43.6 + N / 2 with A in registers. */
static void operands_that_come_late_do_not_delay_the_result(void **state)
{
    (void)state;
    struct config config;
    config_defaults(&config);
    config.core.wgmma_latency = 46;
    struct isa_inst i = {.op = ISA_OP_HGMMA};
    for (uint32_t columns = 8; columns <= 128; columns *= 2) {
        i.mod[ISA_MOD_SHAPE] = (uint8_t)(columns / 8 - 1);
        i.a.kind = ISA_UREG;
        assert_int_equal(warpgroup_timing(&i, &config.core).latency, 46 + columns / 2);
        i.a.kind = ISA_REG;
        assert_int_equal(warpgroup_timing(&i, &config.core).latency, 36 + columns / 2);
    }
    struct inst late = product(18, 18, true); /* N = 8: complete 4 + 46 cycles after its begin */
    late.code.latency = 50;
    struct harness *h = begin();
    add(h, late);
    add(h, wait_groups(0));
    add(h, nop());
    add(h, stall(exit_warp(), 5));
    run(h, 1);
    assert_int_equal(issued_at(h, 0, 2) - issued_at(h, 0, 0), 1 + 50);
    harness_free(h);
}

UNIT_TESTS(UNIT(products_of_one_group_follow_each_other_without_a_gap),
           UNIT(a_wait_leaves_as_many_groups_pending_as_it_says),
           UNIT(a_product_begins_when_the_last_of_its_warps_has_issued_it),
           UNIT(a_full_queue_holds_only_the_warp_that_has_filled_it),
           UNIT(two_warpgroups_take_turns_in_the_order_of_issue),
           UNIT(loads_of_shared_memory_and_operands_share_the_port), UNIT(operands_bound_products_of_few_columns),
           UNIT(operands_that_come_late_do_not_delay_the_result))
