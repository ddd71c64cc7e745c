/* L0 instruction caches with their stream buffers, the L1, the L1.5, and the ports between them. */
#include "tests/sm/harness.h"

enum {
    LINE = 8,      /* instructions */
    L1_TIME = 60,  /* from an L0 miss to the line */
    L15_TIME = 68, /* from the L1.5 */
    L2_TIME = L15_TIME + HARNESS_L2_MORE,
    L15_LINE = 17, /* between two lines */
    L2_LINE = 36,
    LATE_FETCH = 2, /* from fetch to issue */
};

static struct harness *straight_line(uint32_t instructions, uint32_t stream)
{
    struct harness *h = harness_cold();
    h->config.icache.perfect = false;
    h->config.icache.stream_buffer = stream;
    add_many(h, nop(), instructions - 1);
    add(h, exit_warp());
    harness_begin(h);
    return h;
}

static void warm(struct harness *h, bool l1)
{
    for (uint32_t line = 0; line * LINE < h->count; line++) {
        tags_insert(&h->sm->l15.tags, line, 0);
        if (l1)
            tags_insert(&h->sm->l1i.tags, line, 0);
    }
}

/* ---- L0 and stream buffer --------------------------------------------------------------------------------------- */

static void a_cold_start_waits_for_the_l2_and_then_for_each_line(void **state)
{
    (void)state;
    struct harness *h = straight_line(8 * LINE, 8);
    harness_warp(h, 0, 0);
    harness_run(h);
    for (uint32_t i = 0; i < 8 * LINE; i++)
        assert_int_equal(issued_at(h, 0, i), L2_TIME + LATE_FETCH + i / LINE * L2_LINE + i % LINE);
    assert_int_equal(h->sm->n.l0i_misses, 1);
    assert_int_equal(h->sm->n.l0i_prefetch_hits, 7);
    assert_int_equal(h->sm->n.l1i_misses, 8);
    assert_int_equal(h->sm->n.l15_misses, 8);
    harness_free(h);
}

static void the_stream_stops_at_the_end_of_the_code(void **state)
{
    (void)state;
    struct harness *h = straight_line(2 * LINE + 1, 8);
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(h->sm->n.l1i_misses, 3);
    assert_int_equal(h->sm->subcore[0].l0i.stream.count, 0);
    harness_free(h);
}

/* A line that is taken from the buffer lets the stream ask for one more, which comes L1_TIME later. */
static void the_stream_stays_as_many_lines_ahead_as_its_buffer_has(void **state)
{
    (void)state;
    const uint32_t sizes[] = {1, 2, 4, 8, 16, 32};
    enum { LINES = 80 };
    for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        uint32_t size = sizes[k];
        struct harness *h = straight_line(LINES * LINE, size);
        warm(h, true);
        harness_warp(h, 0, 0);
        harness_run(h);
        uint64_t fetch[LINES] = {L1_TIME};
        for (uint32_t line = 1; line < LINES; line++) {
            uint64_t there = (line <= size ? line : fetch[line - size]) + L1_TIME;
            fetch[line] = fetch[line - 1] + LINE > there ? fetch[line - 1] + LINE : there;
            assert_int_equal(issued_at(h, 0, line * LINE), fetch[line] + LATE_FETCH);
        }
        assert_int_equal(h->sm->n.l0i_misses, 1);
        assert_int_equal(h->sm->n.l0i_prefetch_hits, LINES - 1);
        assert_int_equal(h->sm->n.l1i_misses, 0);
        harness_free(h);
    }
}

static void eight_lines_of_stream_keep_code_of_the_l1_at_one_instruction_a_cycle_and_seven_do_not(void **state)
{
    (void)state;
    for (uint32_t size = 7; size <= 8; size++) {
        struct harness *h = straight_line(200 * LINE, size);
        warm(h, true);
        harness_warp(h, 0, 0);
        harness_run(h);
        assert_int_equal(distance(h, 0, 0, 160 * LINE) == 160 * LINE, size == 8);
        harness_free(h);
    }
}

static void without_a_stream_buffer_every_line_waits_for_the_l1(void **state)
{
    (void)state;
    struct harness *h = straight_line(5 * LINE, 0);
    warm(h, true);
    harness_warp(h, 0, 0);
    harness_run(h);
    for (uint32_t line = 0; line < 5; line++)
        assert_int_equal(issued_at(h, 0, line * LINE), line * LINE + (line + 1) * L1_TIME + LATE_FETCH);
    assert_int_equal(h->sm->n.l0i_misses, 5);
    harness_free(h);
}

static void a_perfect_instruction_cache_never_misses(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    h->config.icache.perfect = true;
    add_many(h, nop(), 99);
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(issued_at(h, 0, i), LATE_FETCH + i);
    assert_int_equal(h->sm->n.l0i_hits, 100);
    assert_int_equal(h->sm->n.l0i_misses, 0);
    harness_free(h);
}

static void code_that_has_run_is_in_the_l0(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    h->config.icache.perfect = false;
    add_many(h, nop(), 3 * LINE);
    add(h, branch(0, 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    for (uint32_t i = 1; i < 3 * LINE; i++)
        assert_int_equal(issued_nth(h, 0, i, 1) - issued_nth(h, 0, i - 1, 1), 1);
    assert_int_equal(h->sm->n.l0i_misses, 1);
    harness_free(h);
}

/* A jump to the next line finds it first in the buffer. A jump over it does not find the second. */
static void only_the_first_line_of_the_buffer_is_compared(void **state)
{
    (void)state;
    for (uint32_t skipped = 0; skipped < 2; skipped++) {
        struct harness *h = harness_cold();
        h->config.icache.perfect = false;
        add_many(h, nop(), LINE / 2); /* so that the fetch of the code behind the branch stays in its line */
        uint32_t from = add(h, branch((1 + skipped) * LINE, 1));
        add_many(h, nop(), 4 * LINE);
        add(h, exit_warp());
        harness_begin(h);
        warm(h, true);
        harness_warp(h, 0, 0);
        harness_hold(h, 100);
        harness_run(h);
        assert_int_equal(h->sm->n.l0i_misses, 1 + skipped);
        assert_int_equal(distance(h, 0, from, (1 + skipped) * LINE), 7 + LATE_FETCH + (skipped ? L1_TIME : 0));
        harness_free(h);
    }
}

static void a_new_miss_starts_a_new_stream_behind_it(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    h->config.icache.perfect = false;
    add_many(h, nop(), LINE - 1);
    add(h, branch(20 * LINE, 1));
    add_many(h, nop(), 30 * LINE);
    add(h, exit_warp());
    harness_begin(h);
    warm(h, true);
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(distance(h, 0, 20 * LINE, 28 * LINE), 8 * LINE);
    assert_int_equal(h->sm->n.l0i_misses, 2);
    harness_free(h);
}

static void a_line_that_the_l0_has_leaves_the_buffer_when_it_is_fetched(void **state)
{
    (void)state;
    struct harness *h = straight_line(6 * LINE, 8);
    warm(h, true);
    tags_insert(&h->sm->subcore[0].l0i.tags, 1, 0);
    tags_insert(&h->sm->subcore[0].l0i.tags, 2, 0);
    harness_warp(h, 0, 0);
    harness_run_until(h, 10);
    const struct stream_buffer *s = &h->sm->subcore[0].l0i.stream;
    assert_int_equal(s->count, 5);
    assert_int_equal(s->head, 1);
    harness_run_until(h, L1_TIME + LINE + 1);
    assert_int_equal(s->head, 2);
    harness_run(h);
    assert_int_equal(s->count, 0);
    assert_int_equal(h->sm->n.l0i_misses, 1);
    assert_int_equal(h->sm->n.l0i_prefetch_hits, 3);
    harness_free(h);
}

static void a_warp_that_misses_does_not_hold_up_the_fetch_of_another(void **state)
{
    (void)state;
    struct harness *h = harness_cold();
    h->config.icache.perfect = false;
    add_many(h, nop(), LINE);
    add(h, exit_warp());
    while (h->count < 30 * LINE)
        add(h, nop());
    uint32_t far = add(h, exit_warp());
    harness_begin(h);
    warm(h, true);
    tags_insert(&h->sm->subcore[0].l0i.tags, 0, 0);
    tags_insert(&h->sm->subcore[0].l0i.tags, 1, 0);
    harness_warp(h, 0, 0);
    harness_warp(h, 4, far); /* the youngest: fetches first, and misses */
    harness_run(h);
    assert_int_equal(issued_at(h, 0, 0), 3);
    assert_int_equal(issued_at(h, 0, LINE), 3 + LINE);
    assert_int_equal(issued_at(h, 4, far), L1_TIME + LATE_FETCH);
    harness_free(h);
}

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

UNIT_TESTS(UNIT(a_cold_start_waits_for_the_l2_and_then_for_each_line), UNIT(the_stream_stops_at_the_end_of_the_code),
           UNIT(the_stream_stays_as_many_lines_ahead_as_its_buffer_has),
           UNIT(eight_lines_of_stream_keep_code_of_the_l1_at_one_instruction_a_cycle_and_seven_do_not),
           UNIT(without_a_stream_buffer_every_line_waits_for_the_l1), UNIT(a_perfect_instruction_cache_never_misses),
           UNIT(code_that_has_run_is_in_the_l0), UNIT(only_the_first_line_of_the_buffer_is_compared),
           UNIT(a_new_miss_starts_a_new_stream_behind_it),
           UNIT(a_line_that_the_l0_has_leaves_the_buffer_when_it_is_fetched),
           UNIT(a_warp_that_misses_does_not_hold_up_the_fetch_of_another),
           UNIT(the_l1_takes_one_request_a_cycle_from_the_four_sub_cores), UNIT(sub_cores_prefetch_by_turns),
           UNIT(a_demand_goes_before_prefetches), UNIT(a_demand_waits_for_one_line_of_its_sub_core),
           UNIT(a_demand_does_not_wait_for_lines_of_another_sub_core),
           UNIT(a_new_stream_leaves_the_lines_of_the_one_before_to_the_l0),
           UNIT(sub_cores_that_miss_one_line_of_the_l2_wait_for_the_same_one),
           UNIT(the_port_can_be_held_for_several_cycles), UNIT(a_line_that_the_l15_misses_is_asked_of_the_l2_once),
           UNIT(a_line_of_64_bytes_is_two_sectors_of_the_l2), UNIT(a_slow_l2_delays_the_line_by_as_much),
           UNIT(a_line_that_comes_is_used_even_if_it_has_been_replaced),
           UNIT(lines_of_instructions_do_not_hold_up_requests_of_data))
