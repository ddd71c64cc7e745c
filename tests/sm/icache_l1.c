/* The L1 instruction cache, the L1.5, and the ports between them and to the L2. */
#include "tests/sm/icache.h"

/* ---- ports of the L1 -------------------------------------------------------------------------------------------- */

static void the_l1_takes_one_request_a_cycle_from_the_four_sub_cores(void **state)
{
    (void)state;
    struct harness *h = straight_line(4 * LINE, 8);
    warm(h, true);
    for (uint32_t w = 0; w < 4; w++)
        harness_warp(h, w, 0);
    harness_run(h);
    for (uint32_t w = 0; w < 4; w++)
        assert_int_equal(issued_at(h, w, 0), L1_TIME + w + LATE_FETCH);
    harness_free(h);
}

static void sub_cores_prefetch_by_turns(void **state)
{
    (void)state;
    struct harness *h = straight_line(20 * LINE, 8);
    warm(h, true);
    for (uint32_t w = 0; w < 4; w++)
        harness_warp(h, w, 0);
    harness_run_until(h, 5 + 4 * 8);
    for (uint32_t w = 0; w < 4; w++) {
        const struct stream_buffer *s = &h->sm->subcore[w].l0i.stream;
        assert_int_equal(s->count, 8);
        for (uint32_t k = 0; k < 8; k++) /* slots 1 to 4 are the demands' */
            assert_int_equal(s->line[k].ready, 5 + 4 * k + w - 1 + L1_TIME);
    }
    harness_free(h);
}

static void a_demand_goes_before_prefetches(void **state)
{
    (void)state;
    struct harness *h = straight_line(40 * LINE, 8);
    warm(h, true);
    for (uint32_t w = 0; w < 3; w++)
        harness_warp(h, w, 0);
    harness_run_until(h, 8);
    harness_warp(h, 3, 30 * LINE);
    harness_run(h);
    assert_int_equal(issued_at(h, 3, 30 * LINE), 8 + L1_TIME + LATE_FETCH);
    harness_free(h);
}

/* Lines 1 to 8 are those of the sub-core's stream, which ask one after another. */
static void the_l1_asks_for_code_behind_a_miss_up_to_so_many_lines(void **state)
{
    (void)state;
    struct harness *h = straight_line(40 * LINE, 8);
    h->config.icache.l1_prefetch = 12;
    warm(h, false);
    harness_warp(h, 0, 0);
    harness_run_until(h, 3);
    const struct tags *l1 = &h->sm->l1i.tags;
    for (uint64_t line = 0; line <= 14; line++)
        assert_int_equal(tags_has(l1, line), line == 0 || (line > 8 && line <= 12));
    assert_int_equal(tags_lookup(&h->sm->l1i.tags, 12), 1 + h->config.icache.l15_latency + 12 * L15_LINE);
    harness_run_until(h, 1 + L15_LINE + 2); /* the first of the stream */
    assert_true(tags_has(l1, 1) && tags_has(l1, 13) && !tags_has(l1, 14));
    harness_free(h);
}

static void the_l1_does_not_run_ahead_of_code_that_the_l15_misses(void **state)
{
    (void)state;
    struct harness *h = straight_line(40 * LINE, 8);
    h->config.icache.l1_prefetch = 12;
    harness_warp(h, 0, 0);
    harness_run_until(h, 3);
    assert_true(tags_has(&h->sm->l1i.tags, 0));
    assert_false(tags_has(&h->sm->l1i.tags, 9));
    harness_free(h);
}

/* Prefetches wait for the link outside it: the demand finds one line before it, not eight. */
static void a_demand_waits_for_one_line_of_its_sub_core(void **state)
{
    (void)state;
    struct harness *h = straight_line(40 * LINE, 8);
    warm(h, false);
    harness_warp(h, 0, 0); /* lines begin at cycles 1, 18, 35 */
    harness_run_until(h, 20);
    harness_warp(h, 4, 30 * LINE);
    harness_run(h);
    assert_int_equal(issued_at(h, 4, 30 * LINE), 1 + 2 * L15_LINE - 1 + L15_TIME + LATE_FETCH);
    harness_free(h);
}

static void a_demand_does_not_wait_for_lines_of_another_sub_core(void **state)
{
    (void)state;
    struct harness *h = straight_line(40 * LINE, 8);
    warm(h, false);
    harness_warp(h, 0, 0);
    harness_run_until(h, 20);
    harness_warp(h, 1, 30 * LINE);
    harness_run(h);
    assert_int_equal(issued_at(h, 1, 30 * LINE), 20 + L15_TIME + LATE_FETCH);
    harness_free(h);
}

/* Two warps of a sub-core at two places: the prefetched lines of one are not lost when the other begins a stream. */
static void a_new_stream_leaves_the_lines_of_the_one_before_to_the_l0(void **state)
{
    (void)state;
    struct harness *h = straight_line(40 * LINE, 8);
    warm(h, true);
    harness_warp(h, 0, 0);
    harness_run_until(h, 20); /* lines 1 to 8 are under way */
    harness_warp(h, 4, 30 * LINE);
    harness_run(h);
    for (uint32_t line = 1; line < 9; line++)
        assert_int_equal(issued_at(h, 0, line * LINE), issued_at(h, 0, 0) + line * LINE);
    harness_free(h);
}

static void sub_cores_that_miss_one_line_of_the_l2_wait_for_the_same_one(void **state)
{
    (void)state;
    struct harness *h = straight_line(LINE, 8);
    for (uint32_t w = 0; w < 4; w++)
        harness_warp(h, w, 0);
    harness_run(h);
    for (uint32_t w = 0; w < 4; w++)
        assert_int_equal(issued_at(h, w, 0), L2_TIME + LATE_FETCH);
    assert_int_equal(h->sm->n.l1i_misses, 1);
    harness_free(h);
}

static void the_port_can_be_held_for_several_cycles(void **state)
{
    (void)state;
    struct harness *h = straight_line(40 * LINE, 8);
    h->config.icache.l1_interval = 19;
    warm(h, true);
    harness_warp(h, 0, 0);
    harness_run(h);
    for (uint32_t line = 1; line < 40; line++)
        assert_int_equal(issued_at(h, 0, line * LINE), L1_TIME + 19 * line + LATE_FETCH);
    harness_free(h);
}

/* ---- the L2 ----------------------------------------------------------------------------------------------------- */

/* By warps of so many sub-cores. */
static void check_lines_of_the_l2(uint32_t warps)
{
    struct harness *h = straight_line(4 * LINE, 8);
    h->sm->code.window[0].address = 0x600004000000;
    for (uint32_t w = 0; w < warps; w++)
        harness_warp(h, w, 0);
    harness_run(h);
    assert_int_equal(h->requests, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(h->request[i].line, 0x600004000000 + 128 * i);
        assert_int_equal(h->request[i].sectors, 0xf);
        assert_int_equal(h->request[i].kind, REQUEST_LOAD);
        assert_false(h->request[i].effect);
        if (warps == 1)
            assert_int_equal(h->request[i].arrival, 1 + L2_LINE * i + h->config.noc.latency);
    }
    assert_int_equal(h->sm->n.l15_misses, 4);
    assert_int_equal(h->sm->n.noc_requests, 4);
    harness_free(h);
}

static void a_line_that_the_l15_misses_is_asked_of_the_l2_once(void **state)
{
    (void)state;
    check_lines_of_the_l2(1);
    check_lines_of_the_l2(4);
}

static void a_line_of_64_bytes_is_two_sectors_of_the_l2(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    h->config.icache.perfect = false;
    h->config.icache.line = h->config.l15.line = 64;
    h->config.icache.stream_buffer = 0;
    add_many(h, nop(), 2 * LINE - 1);
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(h->requests, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(h->request[i].line, i / 2 * 128);
        assert_int_equal(h->request[i].sectors, i % 2 ? 0xc : 0x3);
        assert_int_equal(issued_at(h, 0, LINE / 2 * i), (i + 1) * L2_TIME + i * LINE / 2 + LATE_FETCH);
    }
    harness_free(h);
}

/* A line that comes late is late for everybody, by as much: nothing between knows how long the L2 takes. */
static void a_slow_l2_delays_the_line_by_as_much(void **state)
{
    (void)state;
    for (uint32_t more = 0; more <= 900; more += 300) {
        struct harness *h = straight_line(LINE, 8);
        h->latency += more;
        harness_warp(h, 0, 0);
        harness_warp(h, 1, 0);
        harness_run(h);
        assert_int_equal(issued_at(h, 0, 0), L2_TIME + more + LATE_FETCH);
        assert_int_equal(issued_at(h, 1, 0), L2_TIME + more + LATE_FETCH);
        harness_free(h);
    }
}

/* One line in the L1.5 and the L1: the second warp's line takes the place of the first one's while that is coming. */
static void a_line_that_comes_is_used_even_if_it_has_been_replaced(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    h->config.icache.perfect = false;
    h->config.icache.stream_buffer = 0;
    h->config.icache.l1_sets = h->config.icache.l1_ways = h->config.l15.sets = h->config.l15.ways = 1;
    add_many(h, exit_warp(), 9 * LINE);
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_warp(h, 4, 8 * LINE);
    harness_run(h);
    assert_int_equal(issued_at(h, 4, 8 * LINE), L2_TIME + LATE_FETCH); /* the youngest is fetched for first */
    assert_int_equal(issued_at(h, 0, 0), L2_TIME + L2_LINE + LATE_FETCH);
    harness_free(h);
}

/* Instructions leave by a port of their own: a load that issues at the same time finds the data's free. */
static void lines_of_instructions_do_not_hold_up_requests_of_data(void **state)
{
    (void)state;
    uint64_t arrival[2];
    for (unsigned cold = 0; cold < 2; cold++) {
        struct harness *h = harness_cold();
        h->config.icache.perfect = false;
        uint32_t load = add(h, ldg(4, false, 4, 0x100000));
        add(h, exit_warp());
        while (h->count < 20 * LINE)
            add(h, exit_warp());
        harness_begin(h);
        warm(h, true);
        harness_warp(h, 0, 0);
        harness_hold(h, 100);
        if (cold) {
            tags_clear(&h->sm->l15.tags);
            tags_clear(&h->sm->l1i.tags);
            tags_insert(&h->sm->l1i.tags, 0, 0);
            harness_warp(h, 1, 10 * LINE);
            harness_warp(h, 2, 15 * LINE);
        }
        harness_run(h);
        arrival[cold] = UINT64_MAX;
        for (uint32_t i = 0; i < h->requests; i++)
            if (h->request[i].line == 0x100000)
                arrival[cold] = h->request[i].arrival - issued_at(h, 0, load);
        harness_free(h);
    }
    assert_int_equal(arrival[0], arrival[1]);
}

UNIT_TESTS(UNIT(the_l1_takes_one_request_a_cycle_from_the_four_sub_cores), UNIT(sub_cores_prefetch_by_turns),
           UNIT(a_demand_goes_before_prefetches), UNIT(the_l1_asks_for_code_behind_a_miss_up_to_so_many_lines),
           UNIT(the_l1_does_not_run_ahead_of_code_that_the_l15_misses),
           UNIT(a_demand_waits_for_one_line_of_its_sub_core),
           UNIT(a_demand_does_not_wait_for_lines_of_another_sub_core),
           UNIT(a_new_stream_leaves_the_lines_of_the_one_before_to_the_l0),
           UNIT(sub_cores_that_miss_one_line_of_the_l2_wait_for_the_same_one),
           UNIT(the_port_can_be_held_for_several_cycles), UNIT(a_line_that_the_l15_misses_is_asked_of_the_l2_once),
           UNIT(a_line_of_64_bytes_is_two_sectors_of_the_l2), UNIT(a_slow_l2_delays_the_line_by_as_much),
           UNIT(a_line_that_comes_is_used_even_if_it_has_been_replaced),
           UNIT(lines_of_instructions_do_not_hold_up_requests_of_data))
