/* Stores and atomics of global memory: their requests and acknowledgements, and the warps that exit behind them. */
#include "tests/sm/harness.h"

enum {
    HIT = 32, /* 32-bit LDG with a per-lane address */
    SENT = 11 /* from the issue of a store until the shared part has it */
};

static uint64_t round_trip(const struct harness *h) { return 2 * (uint64_t)h->config.noc.latency + h->latency; }

static void stores_go_through_to_the_l2_and_neither_drop_nor_bring_a_line(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(stg(true, 4, 0), 15));
    add(h, stall(stg(true, 4, 4096), 15));
    add(h, load(0, 0));
    add(h, load(4096, 1));
    add(h, waits(nop(), 1));
    add(h, waits(nop(), 2));
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 128);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(h->requests, 3);
    assert_int_equal(h->request[0].kind, REQUEST_STORE);
    assert_int_equal(h->request[0].bytes, 128);
    assert_int_equal(h->request[0].partial, 0);
    assert_int_equal(h->request[2].kind, REQUEST_LOAD);
    assert_int_equal(h->request[2].line, 4096);
    assert_int_equal(h->sm->n.l1_sectors_store, 8);
    assert_int_equal(h->sm->n.l1_sectors_store_hit, 4);
    assert_true(distance(h, 0, 2, 4) < HIT + 10);
    assert_true(distance(h, 0, 3, 5) >= HIT + round_trip(h));
    harness_free(h);
}

static void a_store_that_allocates_leaves_its_words_to_loads(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.l1.store = CONFIG_L1_STORE_ALLOCATE;
    add(h, stall(lanes(stg(true, 4, 4096), 0xf), 15));
    add(h, lanes(load(4096, 0), 0x7));
    add(h, lanes(load(4096, 1), 0x1f));
    add(h, waits(nop(), 1));
    add(h, waits(nop(), 2));
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(h->requests, 2);
    assert_int_equal(h->request[0].kind, REQUEST_STORE);
    assert_int_equal(h->request[1].kind, REQUEST_LOAD);
    assert_true(distance(h, 0, 1, 3) < HIT + 10);
    assert_true(distance(h, 0, 2, 4) >= HIT + round_trip(h));
    harness_free(h);
}

static void a_warp_that_exits_drains_until_its_stores_are_sent(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stg(true, 4, 0));
    harness_start(h, 1);
    harness_run(h);
    uint64_t ack = h->request[0].arrival + h->latency + h->config.noc.latency;
    assert_int_equal(h->finished[0], issued_at(h, 0, 0) + SENT);
    assert_int_equal(h->sm->n.stall[STALL_DRAIN], h->finished[0] - issued_at(h, 0, 1) - 1);
    assert_int_equal(h->sm->lsu.unwaited[0].last, ack);
    assert_int_equal(h->sm->lsu.unwaited[0].count, 0);
    assert_int_equal(h->sm->n.warps, 1);
    assert_int_equal(h->sm->n.ctas, 1);
    harness_free(h);
}

static void the_l1_holds_a_store_back_while_as_many_lines_as_it_may_have_are_unacknowledged(void **state)
{
    (void)state;
    for (uint32_t most = 0; most < 5; most++) {
        struct harness *h = harness_new();
        h->config.l1.stores_pending = most;
        for (unsigned i = 0; i < 4; i++)
            add(h, stall(stg(true, 4, 4096 * i), 2));
        harness_start(h, 1);
        harness_run(h);
        assert_int_equal(h->requests, 4);
        unsigned free = most == 0 ? 4 : most; /* stores that do not wait */
        for (unsigned i = 1; i < 4; i++) {
            uint64_t behind = h->request[i].arrival - h->request[i < free ? 0 : i - free].arrival;
            if (i < free)
                assert_true(behind < h->latency);
            else
                assert_in_range(behind, round_trip(h), round_trip(h) + 40);
        }
        harness_free(h);
    }
}

static void a_store_of_more_lines_than_the_l1_may_have_goes_alone(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.l1.stores_pending = 3;
    for (unsigned i = 0; i < 2; i++)
        add(h, stall(strided(stg(true, 4, 8192 * i), 128, 0), 2));
    harness_start(h, 1);
    harness_run(h);
    assert_int_equal(h->requests, 64);
    assert_true(h->request[32].arrival >= h->request[31].arrival + round_trip(h));
    harness_free(h);
}

static void exit_holds_its_warp_as_a_branch_does_and_the_warp_drains_then(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.core.exit = 8;
    h->config.core.exit_drain = 5;
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(h->finished[0], issued_at(h, 0, 1) + 1 + 8 + 5);
    assert_int_equal(h->sm->n.stall[STALL_BRANCH_RESOLVING], 8);
    assert_int_equal(h->sm->n.stall[STALL_DRAIN], 5);
    harness_free(h);
}

static void a_warp_can_stay_until_its_stores_have_left_the_sm(void **state)
{
    (void)state;
    for (uint8_t bytes = 4; bytes <= 16; bytes = (uint8_t)(2 * bytes)) {
        struct harness *h = harness_new();
        h->config.lsu.stores_leave = true;
        add(h, stg(true, bytes, 0));
        harness_start(h, 1);
        harness_run(h);
        const struct request *last = &h->request[h->requests - 1];
        uint32_t width = h->config.noc.request_bytes, sent = h->config.noc.header_bytes + 128;
        assert_int_equal(h->requests, bytes / 4u);
        assert_int_equal(h->finished[0], last->arrival - h->config.noc.latency + (sent + width - 1) / width);
        harness_free(h);
    }
}

/* The next warp of the slot has a store as well, and a fence that waits for its own acknowledgement. */
static void an_acknowledgement_for_a_warp_that_has_left_changes_nothing_of_the_next_one(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (unsigned before = 0; before < 2; before++) {
        struct harness *h = harness_new();
        add(h, stall(stg(true, 4, 0), 2));
        add(h, exit_warp());
        uint32_t store = add(h, stall(stg(true, 4, 4096), 2));
        add(h, membar(FENCE_GPU));
        uint32_t behind = add(h, nop());
        add(h, exit_warp());
        harness_begin(h);
        if (before)
            harness_warp(h, 0, 0);
        while (h->sm->ctas)
            harness_run_until(h, h->sm->now + 1);
        assert_int_equal(h->sm->lsu.unwaited[0].count, before);
        harness_warp(h, 0, store);
        harness_run(h);
        assert_int_equal(h->requests, before + 1);
        cycles[before] = distance(h, 0, store, behind);
        harness_free(h);
    }
    assert_int_equal(cycles[1], cycles[0]);
}

/* The result of another unit comes in the cycle in which the warp's last store is sent, for one of the distances. */
static void a_warp_leaves_once_whatever_comes_in_the_cycle_in_which_it_leaves(void **state)
{
    (void)state;
    for (unsigned between = 0; between < 48; between++) {
        struct harness *h = harness_new();
        add(h, mufu(8, 4));
        add_many(h, nop(), between);
        add(h, stg(true, 4, 0));
        harness_start(h, 1);
        harness_run(h);
        assert_int_equal(h->sm->n.warps, 1);
        assert_int_equal(h->sm->n.ctas, 1);
        assert_int_equal(h->sm->warps, 0);
        harness_free(h);
    }
}

static void atomics_return_a_value_from_the_l2_and_reductions_only_an_acknowledgement(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(writes_sb(atomg(4, 0), 0), 2));
    add(h, stall(red(0), 2));
    add(h, waits(nop(), 1));
    harness_start(h, 1);
    harness_run(h);
    assert_int_equal(h->requests, 2);
    assert_int_equal(h->request[0].kind, REQUEST_ATOMIC);
    assert_int_equal(h->request[1].kind, REQUEST_REDUCTION);
    assert_true(h->request[0].effect && h->request[1].effect);
    assert_int_equal(distance(h, 0, 0, 2), HIT + round_trip(h));
    assert_int_equal(h->completed[h->request[0].token] + h->completed[h->request[1].token], 2);
    assert_int_equal(h->sm->n.l1_requests_atomic, 2);
    assert_int_equal(h->sm->n.l1_sectors_atomic, 8);
    harness_free(h);
}

static void a_load_behind_an_atomic_on_its_line_asks_the_l2_again(void **state)
{
    (void)state;
    for (unsigned drops = 0; drops < 2; drops++) {
        struct harness *h = harness_new();
        h->config.l1.atomics_drop = drops;
        add(h, stall(red(0), 15));
        add(h, load(0, 0));
        add(h, waits(nop(), 1));
        add(h, exit_warp());
        harness_begin(h);
        harness_warm_l1(h, 0, 128);
        harness_warp(h, 0, 0);
        harness_run(h);
        assert_int_equal(h->requests, 1 + drops);
        harness_free(h);
    }
}

static void operations_of_an_atomic_leave_the_sm_one_after_another(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.l1.atomic_interval = 1.6;
    add(h, strided(red(4096), 128, 0));
    add(h, stall(strided(red(0), 0, 0), 2));
    add(h, strided(red(0), 0, 0));
    harness_start(h, 1);
    harness_run(h);
    assert_int_equal(h->requests, 34);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(h->request[i].operations, 1);
        assert_int_equal(h->request[i].arrival, h->request[0].arrival + 16 * i / 10);
    }
    /* 32 lanes of one word behind them are one request, and keep the way for as long */
    for (unsigned i = 32; i < 34; i++)
        assert_int_equal(h->request[i].operations, 32);
    assert_int_equal(h->request[32].arrival, h->request[0].arrival + 51);
    assert_int_equal(h->request[33].arrival, h->request[0].arrival + 102);
    harness_free(h);
}

static void old_values_of_lanes_in_one_bank_come_back_as_fast_as_those_in_a_row(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (unsigned i = 0; i < 2; i++) {
        struct harness *h = harness_new();
        h->config.l1.atomic_interval = 0.125;
        add(h, stall(writes_sb(i ? strided(atomg(4, 4096), 128, 0) : atomg(4, 4096), 0), 2));
        add(h, waits(nop(), 1));
        harness_start(h, 1);
        harness_run(h);
        cycles[i] = distance(h, 0, 0, 1);
        assert_int_equal(h->sm->n.l1_conflicts, 0);
        harness_free(h);
    }
    assert_in_range(cycles[1], cycles[0] + 7, cycles[0] + 7 + 31); /* tags, and a message for each line */
}

UNIT_TESTS(UNIT(stores_go_through_to_the_l2_and_neither_drop_nor_bring_a_line),
           UNIT(a_store_that_allocates_leaves_its_words_to_loads),
           UNIT(a_warp_that_exits_drains_until_its_stores_are_sent),
           UNIT(the_l1_holds_a_store_back_while_as_many_lines_as_it_may_have_are_unacknowledged),
           UNIT(a_store_of_more_lines_than_the_l1_may_have_goes_alone),
           UNIT(exit_holds_its_warp_as_a_branch_does_and_the_warp_drains_then),
           UNIT(a_warp_can_stay_until_its_stores_have_left_the_sm),
           UNIT(an_acknowledgement_for_a_warp_that_has_left_changes_nothing_of_the_next_one),
           UNIT(a_warp_leaves_once_whatever_comes_in_the_cycle_in_which_it_leaves),
           UNIT(atomics_return_a_value_from_the_l2_and_reductions_only_an_acknowledgement),
           UNIT(a_load_behind_an_atomic_on_its_line_asks_the_l2_again),
           UNIT(operations_of_an_atomic_leave_the_sm_one_after_another),
           UNIT(old_values_of_lanes_in_one_bank_come_back_as_fast_as_those_in_a_row))
