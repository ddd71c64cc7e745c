/* PREEXIT and ACQBULK: when dependent grids may launch, and when a grid may read the words of others. */
#include "tests/sm/harness.h"

static void a_cta_lets_dependents_launch_once_and_a_cta_that_ended_is_told_apart(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    uint32_t first = add(h, stall(grid_control(false), 5));
    add(h, stall(nanosleep_for(100), 2));
    add(h, stall(grid_control(false), 5));
    add(h, exit_warp());
    uint32_t without = add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, first);
    harness_warp(h, 1, without);
    harness_warp(h, 2, first);
    harness_hold(h, START);
    harness_run_until(h, START);
    assert_int_equal(h->sm->grids.preexits, 0);
    harness_run_until(h, START + 60);
    assert_int_equal(h->sm->grids.preexits, 2);
    assert_int_equal(h->sm->grids.preexit[1].cycle, issued_at(h, 2, first));
    assert_int_equal(h->sm->grids.preexit[1].cta, 2);
    bool preexited[3] = {false};
    while (h->sm->ctas || h->sm->finished_count) {
        for (uint32_t i = 0; i < h->sm->finished_count; i++)
            preexited[h->sm->finished[i].cta_slot] = h->sm->finished[i].preexited;
        h->sm->finished_count = 0;
        if (h->sm->ctas)
            sm_run(h->sm, h->sm->now + 1);
    }
    assert_int_equal(h->sm->grids.preexits, 2);
    assert_true(preexited[0] && preexited[2]);
    assert_false(preexited[1]);
    harness_free(h);
}

static struct harness *with_wait(void)
{
    struct harness *h = harness_new();
    add(h, stall(grid_control(true), 2));
    add(h, nop());
    harness_start(h, 2);
    return h;
}

static void a_wait_for_grids_that_are_complete_is_none(void **state)
{
    (void)state;
    struct harness *h = with_wait();
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 1), 2);
    harness_free(h);
}

static void a_warp_waits_until_the_grids_are_complete(void **state)
{
    (void)state;
    struct harness *h = with_wait();
    h->sm->cta[0].waits = h->sm->cta[1].waits = true;
    harness_run_until(h, 500);
    assert_false(has_issued(h, 0, 1));
    assert_int_equal(h->sm->n.stall[STALL_MEMBAR], 2 * (500 - START - 1));
    assert_true(grid_link_acquire(&h->sm->grids, 0));
    assert_true(grid_link_acquire(&h->sm->grids, 1));
    harness_run_until(h, 501);
    assert_true(has_issued(h, 0, 1));
    assert_true(has_issued(h, 1, 1));
    assert_false(grid_link_acquire(&h->sm->grids, 0));
    harness_run(h);
    harness_free(h);
}

UNIT_TESTS(UNIT(a_cta_lets_dependents_launch_once_and_a_cta_that_ended_is_told_apart),
           UNIT(a_wait_for_grids_that_are_complete_is_none), UNIT(a_warp_waits_until_the_grids_are_complete))
