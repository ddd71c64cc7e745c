/* Fetch, instruction buffers, and taken branches. */
#include "tests/sm/harness.h"

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

/* ---- convergence ------------------------------------------------------------------------------------------------- */

enum { BEHIND, ELSEWHERE, AGAIN };

/* From the instruction to the one behind it, or to another path, elsewhere or there. */
static uint64_t convergence(enum isa_op op, uint32_t path, uint32_t converge, uint32_t other_path)
{
    struct harness *h = harness_new();
    h->config.core.converge = converge;
    h->config.core.converge_switch = other_path;
    h->config.core.converge_again = other_path / 2;
    struct inst i = branch(path == AGAIN ? 0 : 2, path == BEHIND ? 0 : 1);
    i.code.op = (uint16_t)op;
    add(h, i);
    add(h, nop());
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_hold(h, 40);
    harness_run(h);
    uint64_t cycles = path == AGAIN ? issued_nth(h, 0, 0, 1) - issued_nth(h, 0, 0, 0) : distance(h, 0, 0, path + 1);
    harness_free(h);
    return cycles;
}

static void a_warp_whose_paths_have_met_waits_and_keeps_its_buffer(void **state)
{
    (void)state;
    assert_int_equal(convergence(ISA_OP_BSYNC, BEHIND, 0, 0), 1);
    assert_int_equal(convergence(ISA_OP_BSYNC, BEHIND, 1, 29), 2);
    assert_int_equal(convergence(ISA_OP_BSYNC, BEHIND, 9, 29), 10);
}

static void another_path_goes_on_after_a_time_of_its_own(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    uint32_t branch_resolve = h->config.core.branch_resolve, fetch_to_issue = h->config.core.fetch_to_issue;
    harness_free(h);
    static const enum isa_op change[] = {ISA_OP_BSYNC, ISA_OP_WARPSYNC, ISA_OP_YIELD, ISA_OP_EXIT};
    for (unsigned i = 0; i < sizeof change / sizeof *change; i++) {
        assert_int_equal(convergence(change[i], ELSEWHERE, 9, 0), branch_resolve + fetch_to_issue);
        assert_int_equal(convergence(change[i], ELSEWHERE, 9, 28), 28 + fetch_to_issue);
    }
    assert_int_equal(convergence(ISA_OP_BRA, ELSEWHERE, 9, 28), branch_resolve + fetch_to_issue);
    assert_int_equal(convergence(ISA_OP_BSYNC, AGAIN, 9, 0), branch_resolve + fetch_to_issue);
    assert_int_equal(convergence(ISA_OP_BSYNC, AGAIN, 9, 28), 14 + fetch_to_issue);
}

/* ---- fetch policy ------------------------------------------------------------------------------------------------ */

/* A warp that issues is fetched for until its buffer is full. Then the buffers of the others fill, youngest first. */
static void fetch_follows_the_warp_that_issued_last_and_then_takes_the_youngest_with_room(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add_many(h, nop(), 40);
    add(h, exit_warp());
    harness_begin(h);
    for (uint32_t w = 0; w < 4; w++)
        harness_warp(h, 4 * w, 0);
    harness_run_until(h, 4);
    const struct sm_warp *warp = h->sm->warp;
    assert_int_equal(warp[12].ib.fetch_pc, 4 * 16); /* issues since cycle 2, and takes every fetch */
    assert_int_equal(warp[8].ib.fetch_pc, 0);
    harness_hold(h, 100);
    harness_run_until(h, 6);
    assert_int_equal(warp[12].ib.fetch_pc, 5 * 16); /* two have issued: full again after one more */
    assert_int_equal(warp[8].ib.fetch_pc, 16);
    harness_run_until(h, 11);
    assert_int_equal(warp[8].ib.fetch_pc, 3 * 16);
    assert_int_equal(warp[4].ib.fetch_pc, 3 * 16);
    assert_int_equal(warp[0].ib.fetch_pc, 0);
    harness_free(h);
}

/* An L0 of one line, which eight warps at different places of a loop take from each other. Each that has waited for its
 * line gets an instruction of it. */
static void warps_that_drop_each_other_s_lines_still_get_on(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.icache.perfect = false;
    h->config.icache.l0_sets = h->config.icache.l0_ways = 1;
    add_many(h, nop(), 400);
    add(h, exit_warp());
    harness_begin(h);
    for (uint32_t w = 0; w < 8; w++)
        harness_warp(h, 4 * w, 24 * w);
    harness_run(h);
    assert_int_equal(h->logged, 8 * 401 - 24 * 28);
    harness_free(h);
}

static void a_sub_core_fetches_one_instruction_a_cycle(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add_many(h, nop(), 10);
    add(h, exit_warp());
    harness_begin(h);
    for (uint32_t w = 0; w < 5; w++)
        harness_warp(h, w, 0);
    harness_hold(h, 100);
    for (uint32_t cycle = 1; cycle <= 8; cycle++) {
        harness_run_until(h, cycle);
        const struct sm_warp *w = h->sm->warp;
        assert_int_equal(w[0].ib.fetch_pc / 16 + w[4].ib.fetch_pc / 16, cycle < 6 ? cycle : 6);
        assert_int_equal(w[1].ib.fetch_pc / 16, cycle < 3 ? cycle : 3);
    }
    harness_free(h);
}

/* Figure 4 (a) of the MICRO 2025 paper: 32 instructions of four warps, and the youngest goes on late with its last 16,
 * which the paper puts down to an instruction fetch miss. It comes about when code that only the L1.5 has arrives line
 * by line: here the third line comes 18 cycles after the warps begin. */
static void a_fetch_miss_of_the_youngest_warp_gives_the_timeline_of_figure_4a(void **state)
{
    (void)state;
    const struct {
        uint32_t warp, first, start, end;
    } runs[] = {{3, 0, 0, 16}, {2, 0, 16, 48}, {3, 16, 48, 64}, {1, 0, 64, 96}, {0, 0, 96, 128}};
    struct harness *h = harness_new();
    h->config.icache.perfect = false;
    add_many(h, nop(), 31);
    add(h, exit_warp());
    harness_begin(h);
    for (uint32_t line = 0; line < 4; line++)
        tags_insert(&h->sm->l15.tags, line, 0);
    for (uint32_t w = 0; w < 4; w++)
        harness_warp(h, 4 * w, 0);
    const struct config_icache *c = &h->config.icache;
    uint64_t third = c->l1_latency + c->l15_latency + 2 * c->l15_interval;
    uint64_t begin = third - 18;
    harness_hold(h, begin);
    harness_run(h);
    for (unsigned r = 0; r < sizeof runs / sizeof runs[0]; r++) {
        for (uint32_t cycle = runs[r].start; cycle < runs[r].end; cycle++)
            assert_int_equal(issued_at(h, 4 * runs[r].warp, runs[r].first + cycle - runs[r].start), begin + cycle);
    }
    harness_free(h);
}

UNIT_TESTS(UNIT(the_first_instruction_issues_two_cycles_after_its_fetch),
           UNIT(three_entries_sustain_one_instruction_a_cycle_and_two_do_not),
           UNIT(with_two_entries_a_greedy_warp_runs_dry_at_its_third_instruction),
           UNIT(a_taken_branch_discards_the_buffer_and_fetches_its_target),
           UNIT(a_branch_that_is_not_taken_costs_one_cycle), UNIT(a_loop_pays_for_its_branch_each_time),
           UNIT(a_warp_whose_paths_have_met_waits_and_keeps_its_buffer),
           UNIT(another_path_goes_on_after_a_time_of_its_own),
           UNIT(fetch_follows_the_warp_that_issued_last_and_then_takes_the_youngest_with_room),
           UNIT(warps_that_drop_each_other_s_lines_still_get_on), UNIT(a_sub_core_fetches_one_instruction_a_cycle),
           UNIT(a_fetch_miss_of_the_youngest_warp_gives_the_timeline_of_figure_4a))
