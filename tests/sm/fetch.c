/* Instruction buffers, L0 instruction caches with their stream buffers, the L1, and taken branches. */
#include "tests/sm/harness.h"

enum { L1_TIME = 78, L2_TIME = 260, LINE = 8 }; /* instructions of a line */

static void warm_l1i(struct harness *h)
{
    for (uint32_t line = 0; line * LINE < h->count; line++)
        tags_insert(&h->sm->l1i.tags, line, 0);
}

/* ---- instruction buffer ----------------------------------------------------------------------------------------- */

static void the_first_instruction_issues_two_cycles_after_its_fetch(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(issued_at(h, 0, 0), 2);
    harness_free(h);
}

static void three_entries_sustain_one_instruction_a_cycle_and_two_do_not(void **state)
{
    (void)state;
    const uint64_t cycles[] = {0, 3 * 60, 3 * 60 / 2, 60, 60};
    for (uint32_t entries = 1; entries <= 4; entries++) {
        struct harness *h = harness_new();
        h->config.core.instruction_buffer = entries;
        add_many(h, nop(), 100);
        add(h, exit_warp());
        harness_begin(h);
        harness_warp(h, 0, 0);
        harness_run(h);
        assert_int_equal(distance(h, 0, 20, 80), cycles[entries]);
        harness_free(h);
    }
}

/* The paper's argument for three entries: with two, a greedy warp whose buffer is full runs dry at its third. */
static void with_two_entries_a_greedy_warp_runs_dry_at_its_third_instruction(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.core.instruction_buffer = 2;
    add_many(h, nop(), 10);
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_warp(h, 4, 0);
    harness_hold(h, 40);
    harness_run(h);
    assert_int_equal(issued_at(h, 4, 0), 40);
    assert_int_equal(issued_at(h, 4, 1), 41);
    assert_int_equal(issued_at(h, 0, 0), 42);
    harness_free(h);
}

/* ---- branches --------------------------------------------------------------------------------------------------- */

static void a_taken_branch_discards_the_buffer_and_fetches_its_target(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    uint32_t from = add(h, branch(3, 1));
    add(h, nop());
    add(h, nop());
    uint32_t target = add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_hold(h, 40);
    harness_run(h);
    assert_int_equal(distance(h, 0, from, target), h->config.core.branch_resolve + h->config.core.fetch_to_issue);
    assert_false(has_issued(h, 0, 1));
    assert_int_equal(h->sm->n.stall[STALL_BRANCH_RESOLVING], h->config.core.branch_resolve - 1);
    assert_int_equal(h->sm->n.branches, 1);
    harness_free(h);
}

static void a_branch_that_is_not_taken_costs_one_cycle(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, branch(0, 0));
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_hold(h, 40);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 1), 1);
    harness_free(h);
}

static void a_loop_pays_for_its_branch_each_time(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    uint32_t top = add(h, nop());
    add(h, nop());
    add(h, branch(top, 5));
    uint32_t end = add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_hold(h, 40);
    harness_run(h);
    for (uint32_t n = 0; n < 5; n++)
        assert_int_equal(issued_nth(h, 0, top, n + 1) - issued_nth(h, 0, top, n), 2 + 9);
    assert_int_equal(issued_at(h, 0, end) - issued_nth(h, 0, top, 5), 3);
    harness_free(h);
}

/* ---- L0, stream buffer, L1 -------------------------------------------------------------------------------------- */

static struct harness *straight_line(uint32_t instructions, uint32_t stream)
{
    struct harness *h = harness_new();
    h->config.icache.perfect = false;
    h->config.icache.stream_buffer = stream;
    add_many(h, nop(), instructions - 1);
    add(h, exit_warp());
    harness_begin(h);
    return h;
}

static void a_cold_start_waits_for_the_l2_and_then_finds_what_the_stream_brought(void **state)
{
    (void)state;
    struct harness *h = straight_line(8 * LINE, 8);
    harness_warp(h, 0, 0);
    harness_run(h);
    for (uint32_t i = 0; i < 8 * LINE; i++)
        assert_int_equal(issued_at(h, 0, i), L1_TIME + L2_TIME + 2 + i);
    assert_int_equal(h->sm->n.l0i_misses, 1);
    assert_int_equal(h->sm->n.l0i_prefetch_hits, 7);
    assert_int_equal(h->sm->n.l1i_misses, 8);
    harness_free(h);
}

static void the_stream_stops_at_the_end_of_the_code(void **state)
{
    (void)state;
    struct harness *h = straight_line(2 * LINE + 1, 8);
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(h->sm->n.l1i_misses, 3);
    assert_int_equal(h->sm->partition[0].l0i.stream_count, 0);
    harness_free(h);
}

/* A line that is taken from the buffer lets the stream ask for one more, which comes L1_TIME later. */
static void the_stream_stays_as_many_lines_ahead_as_its_buffer_has(void **state)
{
    (void)state;
    const uint32_t sizes[] = {1, 4, 8, 16};
    enum { LINES = 40 };
    for (unsigned k = 0; k < 4; k++) {
        uint32_t size = sizes[k];
        struct harness *h = straight_line(LINES * LINE, size);
        warm_l1i(h);
        harness_warp(h, 0, 0);
        harness_run(h);
        uint64_t fetch[LINES] = {L1_TIME};
        for (uint32_t line = 1; line < LINES; line++) {
            uint64_t there = (line <= size ? line : fetch[line - size] + 1) + L1_TIME;
            fetch[line] = fetch[line - 1] + LINE > there ? fetch[line - 1] + LINE : there;
            assert_int_equal(issued_at(h, 0, line * LINE), fetch[line] + 2);
        }
        assert_int_equal(h->sm->n.l0i_misses, 1);
        assert_int_equal(h->sm->n.l0i_prefetch_hits, LINES - 1);
        assert_int_equal(h->sm->n.l1i_misses, 0);
        harness_free(h);
    }
}

static void without_a_stream_buffer_every_line_waits_for_the_l1(void **state)
{
    (void)state;
    struct harness *h = straight_line(5 * LINE, 0);
    warm_l1i(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    for (uint32_t line = 0; line < 5; line++)
        assert_int_equal(issued_at(h, 0, line * LINE), line * LINE + (line + 1) * L1_TIME + 2);
    assert_int_equal(h->sm->n.l0i_misses, 5);
    harness_free(h);
}

static void code_that_has_run_is_in_the_l0(void **state)
{
    (void)state;
    struct harness *h = harness_new();
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

static void the_l1_takes_one_request_a_cycle_from_the_four_sub_cores(void **state)
{
    (void)state;
    struct harness *h = straight_line(LINE, 8);
    warm_l1i(h);
    for (uint32_t w = 0; w < 4; w++)
        harness_warp(h, w, 0);
    harness_run(h);
    for (uint32_t w = 0; w < 4; w++)
        assert_int_equal(issued_at(h, w, 0), L1_TIME + 2 + w);
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
        assert_int_equal(issued_at(h, w, 0), L1_TIME + L2_TIME + 2);
    assert_int_equal(h->sm->n.l1i_misses, 1);
    harness_free(h);
}

static void a_warp_that_misses_does_not_hold_up_the_fetch_of_another(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.icache.perfect = false;
    add_many(h, nop(), LINE);
    add(h, exit_warp());
    while (h->count < 30 * LINE)
        add(h, nop());
    uint32_t far = add(h, exit_warp());
    harness_begin(h);
    warm_l1i(h);
    tags_insert(&h->sm->partition[0].l0i.tags, 0, 0);
    tags_insert(&h->sm->partition[0].l0i.tags, 1, 0);
    harness_warp(h, 0, 0);
    harness_warp(h, 4, far); /* the youngest: fetches first, and misses */
    harness_run(h);
    assert_int_equal(issued_at(h, 0, 0), 3);
    assert_int_equal(issued_at(h, 0, LINE), 3 + LINE);
    assert_int_equal(issued_at(h, 4, far), L1_TIME + 2);
    harness_free(h);
}

UNIT_TESTS(UNIT(the_first_instruction_issues_two_cycles_after_its_fetch),
           UNIT(three_entries_sustain_one_instruction_a_cycle_and_two_do_not),
           UNIT(with_two_entries_a_greedy_warp_runs_dry_at_its_third_instruction),
           UNIT(a_taken_branch_discards_the_buffer_and_fetches_its_target),
           UNIT(a_branch_that_is_not_taken_costs_one_cycle), UNIT(a_loop_pays_for_its_branch_each_time),
           UNIT(a_cold_start_waits_for_the_l2_and_then_finds_what_the_stream_brought),
           UNIT(the_stream_stops_at_the_end_of_the_code), UNIT(the_stream_stays_as_many_lines_ahead_as_its_buffer_has),
           UNIT(without_a_stream_buffer_every_line_waits_for_the_l1), UNIT(code_that_has_run_is_in_the_l0),
           UNIT(the_l1_takes_one_request_a_cycle_from_the_four_sub_cores),
           UNIT(sub_cores_that_miss_one_line_of_the_l2_wait_for_the_same_one),
           UNIT(a_warp_that_misses_does_not_hold_up_the_fetch_of_another))
