/* CTA barriers: cost, named barriers and their counts, arrivals that do not wait, warps that exit. */
#include "tests/sm/harness.h"

static struct harness *cta_of(uint32_t warps)
{
    struct harness *h = harness_new();
    h->warps_per_cta = warps;
    return h;
}

static void run(struct harness *h, unsigned ctas)
{
    harness_begin(h);
    for (unsigned c = 0; c < ctas; c++)
        harness_cta(h, c);
    harness_hold(h, START);
    harness_run(h);
}

/* First issue of the k-th barrier by any warp: the release cycle of the one before. */
static uint64_t round_begins(const struct harness *h, uint32_t k)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t w = 0; w < h->warps_per_cta; w++)
        first = issued_at(h, w, k) < first ? issued_at(h, w, k) : first;
    return first;
}

/* TU102: 22.3, 24.3, 28.3, 36.3, 52.3, 84.3 cycles for 1, 2, 4, 8, 16, 32 warps, averages of a loop. A second resident
 * CTA changes nothing. The two share the units of their sub-cores, which costs a cycle in the first round at most. */
static void back_to_back_barriers_cost_what_tu102_shows_alone_and_beside_another_cta(void **state)
{
    (void)state;
    const uint64_t cycles[] = {22, 24, 28, 36, 52, 84};
    for (unsigned k = 0; k < 6; k++) {
        for (unsigned ctas = 1; ctas <= 2; ctas++) {
            struct harness *h = cta_of(1u << k);
            add_many(h, barrier_sync(0, 0), 8);
            add(h, exit_warp());
            run(h, ctas);
            for (uint32_t n = 2; n < 7; n++)
                assert_int_equal(round_begins(h, n + 1) - round_begins(h, n), cycles[k]);
            harness_free(h);
        }
    }
}

static void all_wait_for_the_last(void **state)
{
    (void)state;
    struct harness *h = cta_of(4);
    add(h, nop());
    add(h, nop());
    add(h, barrier_sync(0, 0));
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_cta(h, 0);
    harness_hold(h, START);
    scheduler_stall(&h->sm->subcore[2].scheduler, 0, START + 200);
    harness_run(h);
    for (uint32_t w = 0; w < 4; w++)
        assert_int_equal(issued_at(h, w, 3), START + 202 + 2 + h->config.core.barrier_base);
    harness_free(h);
}

static void a_warp_that_exits_counts_out(void **state)
{
    (void)state;
    struct harness *h = cta_of(4);
    add(h, barrier_sync(0, 0));
    add(h, nop());
    uint32_t out = add(h, exit_warp());
    harness_begin(h);
    harness_cta(h, 0);
    harness_enter(h, 3, out);
    harness_hold(h, START);
    scheduler_stall(&h->sm->subcore[3].scheduler, 0, START + 100);
    harness_run(h);
    for (uint32_t w = 0; w < 3; w++)
        assert_int_equal(issued_at(h, w, 1), START + 100 + h->config.core.barrier_base);
    assert_int_equal(h->released, 3);
    harness_free(h);
}

/* Two pairs of warps meet at their own barriers, at their own pace. */
static void named_barriers_with_a_count_are_independent(void **state)
{
    (void)state;
    struct harness *h = cta_of(4);
    add(h, barrier_sync(1, 2));
    add(h, nop());
    add(h, exit_warp());
    uint32_t other = add(h, barrier_sync(2, 2));
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_cta(h, 0);
    harness_enter(h, 2, other);
    harness_enter(h, 3, other);
    harness_hold(h, START);
    scheduler_stall(&h->sm->subcore[3].scheduler, 0, START + 100);
    harness_run(h);
    uint64_t base = h->config.core.barrier_base;
    assert_int_equal(issued_at(h, 0, 1), START + 2 * 2 + base);
    assert_int_equal(issued_at(h, 1, 1), START + 2 * 2 + base);
    assert_int_equal(issued_at(h, 2, other + 1), START + 100 + 2 + base);
    assert_int_equal(issued_at(h, 3, other + 1), START + 100 + 2 + base);
    harness_free(h);
}

static void an_arrival_counts_and_does_not_wait(void **state)
{
    (void)state;
    struct harness *h = cta_of(2);
    add(h, barrier_sync(1, 2));
    add(h, nop());
    add(h, exit_warp());
    uint32_t producer = add(h, barrier_arrive(1, 2));
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_cta(h, 0);
    harness_enter(h, 1, producer);
    harness_hold(h, START);
    scheduler_stall(&h->sm->subcore[1].scheduler, 0, START + 50);
    harness_run(h);
    assert_int_equal(distance(h, 1, producer, producer + 1), 1);
    assert_int_equal(issued_at(h, 0, 1), START + 50 + 2 + h->config.core.barrier_base);
    assert_int_equal(h->released, 1);
    harness_free(h);
}

/* A barrier is free for its next use as soon as it is complete: arrivals before the release belong to that. */
static void arrivals_between_completion_and_release_belong_to_the_next_use(void **state)
{
    (void)state;
    struct harness *h = cta_of(2);
    add(h, barrier_sync(1, 2));
    add(h, barrier_sync(1, 2));
    add(h, nop());
    add(h, exit_warp());
    uint32_t producer = add(h, barrier_arrive(1, 2));
    add(h, barrier_arrive(1, 2));
    add(h, exit_warp());
    harness_begin(h);
    harness_cta(h, 0);
    harness_enter(h, 1, producer);
    harness_hold(h, START);
    scheduler_stall(&h->sm->subcore[1].scheduler, 0, START + 50);
    harness_run(h);
    uint64_t base = h->config.core.barrier_base;
    assert_int_equal(distance(h, 1, producer, producer + 1), 1);
    assert_int_equal(issued_at(h, 0, 1), START + 50 + 2 + base);
    assert_int_equal(distance(h, 0, 1, 2), 2 + base);
    assert_int_equal(h->released, 2);
    harness_free(h);
}

static void the_wait_is_counted_as_barrier(void **state)
{
    (void)state;
    struct harness *h = cta_of(1);
    add(h, barrier_sync(0, 0));
    add(h, exit_warp());
    run(h, 1);
    assert_int_equal(h->sm->n.stall[STALL_BARRIER], h->config.core.barrier_base + 2 - 1);
    harness_free(h);
}

/* An event of a CTA that has ended could release warps of the next one in its place too early. */
static void a_barrier_of_arrivals_alone_leaves_nothing_behind(void **state)
{
    (void)state;
    struct harness *h = cta_of(4);
    add(h, barrier_arrive(1, 4));
    add_many(h, nop(), 8);
    add(h, exit_warp());
    harness_begin(h);
    harness_cta(h, 0);
    harness_hold(h, START);
    harness_run_until(h, START + 6);
    assert_true(has_issued(h, 3, 0));
    assert_int_equal(h->sm->calendar.count, 0);
    harness_run(h);
    harness_free(h);
}

UNIT_TESTS(UNIT(back_to_back_barriers_cost_what_tu102_shows_alone_and_beside_another_cta), UNIT(all_wait_for_the_last),
           UNIT(a_warp_that_exits_counts_out), UNIT(named_barriers_with_a_count_are_independent),
           UNIT(an_arrival_counts_and_does_not_wait),
           UNIT(arrivals_between_completion_and_release_belong_to_the_next_use), UNIT(the_wait_is_counted_as_barrier),
           UNIT(a_barrier_of_arrivals_alone_leaves_nothing_behind))
