/* MEMBAR by scope: its conditions, and the least time it takes. */
#include "tests/sm/harness.h"

static struct harness *begin(struct harness *h)
{
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 128);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    return h;
}

/* Measured on a B300 (CTA); the fixed times in the artifact of the MICRO 2025 paper. */
static void a_fence_without_accesses_takes_the_time_of_its_scope(void **state)
{
    (void)state;
    const uint64_t cycles[] = {[FENCE_CTA] = 9, [FENCE_GPU] = 186, [FENCE_SYS] = 2900};
    for (unsigned scope = FENCE_CTA; scope <= FENCE_SYS; scope++) {
        struct harness *h = harness_new();
        add(h, membar(scope));
        add(h, nop());
        begin(h);
        assert_int_equal(distance(h, 0, 0, 1), cycles[scope]);
        assert_int_equal(h->sm->n.stall[STALL_MEMBAR], cycles[scope] - 1);
        harness_free(h);
    }
}

static void a_fence_of_the_gpu_waits_for_the_last_acknowledgement(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, strided(stall(stg(true, 4, 0), 2), 128, 0)); /* 32 lines: 32 acknowledgements */
    add(h, membar(FENCE_GPU));
    add(h, nop());
    begin(h);
    assert_int_equal(h->requests, 32);
    uint64_t last = h->request[31].arrival + h->latency + h->config.noc.latency;
    assert_int_equal(h->request[31].arrival - h->request[0].arrival, 31);
    assert_int_equal(issued_at(h, 0, 2), last);
    assert_int_equal(h->sm->n.stall[STALL_MEMBAR], last - issued_at(h, 0, 1) - 1);
    harness_free(h);
}

/* Two warps of one SM: the stores that the first sends before the fence of the second. */
static struct harness *two_warps(enum fence_scope scope, uint32_t fence_from, uint32_t *membar_at)
{
    struct harness *h = harness_new();
    h->config.lsu.fence_cta = h->config.lsu.fence_gpu = 2;
    struct inst store = strided(stall(stg(true, 4, 0), 2), 128, 0);
    store.deferred = true;
    add(h, store);
    add(h, exit_warp());
    *membar_at = add(h, membar(scope));
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_warp(h, 1, *membar_at);
    scheduler_stall(&h->sm->subcore[0].scheduler, 0, START);
    scheduler_stall(&h->sm->subcore[1].scheduler, 0, fence_from);
    harness_run(h);
    return h;
}

static void a_fence_of_the_gpu_waits_for_stores_that_other_warps_have_issued_before(void **state)
{
    (void)state;
    uint32_t at;
    struct harness *h = two_warps(FENCE_GPU, START + 1, &at);
    uint64_t last = h->request[31].arrival + h->latency + h->config.noc.latency;
    assert_int_equal(issued_at(h, 1, at + 1), last);
    harness_free(h);
    h = two_warps(FENCE_GPU, START - 1, &at); /* the store is younger */
    assert_int_equal(issued_at(h, 1, at + 1), START + 1);
    harness_free(h);
    h = two_warps(FENCE_CTA, START + 1, &at); /* the CTA sees it in the L1 */
    assert_int_equal(issued_at(h, 1, at + 1), START + 3);
    harness_free(h);
}

static void a_fence_of_the_cta_waits_for_stores_until_they_leave_the_sm(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.lsu.fence_cta = 2;
    add(h, stall(stg(true, 4, 0), 2));
    add(h, membar(FENCE_CTA));
    add(h, nop());
    begin(h);
    assert_int_equal(issued_at(h, 0, 2), START + h->config.lsu.to_shared_part_vector);
    harness_free(h);
}

static void a_fence_of_the_cta_waits_for_loads_until_they_are_answered(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.lsu.fence_cta = 2;
    add(h, stall(stg(true, 4, 0), 2));
    add(h, stall(writes_sb(ldg(4, true, 4, 0), 0), 2));
    add(h, stall(writes_sb(ldg(5, true, 4, 4096), 1), 2));
    add(h, membar(FENCE_CTA));
    uint32_t after = add(h, nop());
    uint32_t loaded = add(h, waits(nop(), 2));
    begin(h);
    assert_int_equal(distance(h, 0, after, loaded), 1);
    assert_true(issued_at(h, 0, after) > START + 2 * h->config.noc.latency + h->latency);
    harness_free(h);
}

static void other_warps_go_on_while_one_is_at_a_fence(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, membar(FENCE_SYS));
    add(h, exit_warp());
    add_many(h, nop(), 20);
    uint32_t out = add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 2);
    harness_warp(h, 4, 0); /* the younger goes first */
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(issued_at(h, 4, 0), START);
    assert_int_equal(issued_at(h, 0, out), START + 21);
    harness_free(h);
}

static void scopes_are_told_by_the_bits_of_membar(void **state)
{
    (void)state;
    assert_int_equal(fence_scope_of(0), FENCE_CTA);
    assert_int_equal(fence_scope_of(1), FENCE_CTA);
    assert_int_equal(fence_scope_of(2), FENCE_GPU);
    assert_int_equal(fence_scope_of(3), FENCE_SYS);
    assert_int_equal(fence_scope_of(5), FENCE_GPU);
    assert_int_equal(fence_scope_of(6), FENCE_CTA);
}

UNIT_TESTS(UNIT(a_fence_without_accesses_takes_the_time_of_its_scope),
           UNIT(a_fence_of_the_gpu_waits_for_the_last_acknowledgement),
           UNIT(a_fence_of_the_gpu_waits_for_stores_that_other_warps_have_issued_before),
           UNIT(a_fence_of_the_cta_waits_for_stores_until_they_leave_the_sm),
           UNIT(a_fence_of_the_cta_waits_for_loads_until_they_are_answered),
           UNIT(other_warps_go_on_while_one_is_at_a_fence), UNIT(scopes_are_told_by_the_bits_of_membar))
