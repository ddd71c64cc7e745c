/* L0 instruction caches with their stream buffers. */
#include "tests/sm/icache.h"

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

UNIT_TESTS(UNIT(a_cold_start_waits_for_the_l2_and_then_for_each_line), UNIT(the_stream_stops_at_the_end_of_the_code),
           UNIT(the_stream_stays_as_many_lines_ahead_as_its_buffer_has),
           UNIT(eight_lines_of_stream_keep_code_of_the_l1_at_one_instruction_a_cycle_and_seven_do_not),
           UNIT(without_a_stream_buffer_every_line_waits_for_the_l1), UNIT(a_perfect_instruction_cache_never_misses),
           UNIT(code_that_has_run_is_in_the_l0), UNIT(only_the_first_line_of_the_buffer_is_compared),
           UNIT(a_new_miss_starts_a_new_stream_behind_it),
           UNIT(a_line_that_the_l0_has_leaves_the_buffer_when_it_is_fetched),
           UNIT(a_warp_that_misses_does_not_hold_up_the_fetch_of_another))
