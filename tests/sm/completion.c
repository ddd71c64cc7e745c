/* In which order memory instructions of a warp complete. Compilers put a dependence counter on the last in a run of
 * LDS, LDC or shuffles only, so that each of these classes must complete in order. Loads of global memory may not be
 * relied on, except strong ones in the scope of the SM. */
#include "tests/sm/harness.h"

enum { BOTH = 2 };

/* Issues `first` with counter 0 and `second` with counter 1. At[k] receives the cycle at which a consumer of each could
 * issue. */
static void complete(struct inst first, struct inst second, uint64_t at[BOTH])
{
    for (unsigned k = 0; k < BOTH; k++) {
        struct harness *h = harness_new();
        add(h, stall(writes_sb(first, 0), 1));
        add(h, stall(writes_sb(second, 1), 2));
        uint32_t consumer = add(h, waits(nop(), (uint8_t)(1u << k)));
        add(h, exit_warp());
        harness_begin(h);
        harness_warm_l1(h, 0, 4096);
        harness_warm_constant(h, 0, 0, false, true);
        harness_warp(h, 0, 0);
        harness_hold(h, START);
        harness_run(h);
        at[k] = issued_at(h, 0, consumer) - START;
        harness_free(h);
    }
}

static void loads_of_shared_memory_complete_in_order(void **state)
{
    (void)state;
    uint64_t at[BOTH];
    complete(strided(lds(4, true, 4, 0), 128, 0), lds(5, true, 4, 0), at);
    assert_int_equal(at[0], 24 + 31);
    assert_int_equal(at[1], at[0] + 2);
    complete(lds(4, true, 16, 0), lds(8, true, 4, 0), at);
    assert_int_equal(at[0], 26);
    assert_int_equal(at[1], at[0] + 2);
    complete(atoms_cas(4, 0), lds(5, true, 4, 0), at); /* ready 13 cycles before the atomic */
    assert_int_equal(at[0], 24 + 15);
    assert_int_equal(at[1], at[0] + 2);
}

static void constants_complete_in_order_also_behind_a_miss(void **state)
{
    (void)state;
    uint64_t at[BOTH];
    complete(ldc(4, false, 4, 0, 0), ldc(5, false, 4, 0, 0), at);
    assert_int_equal(at[0], 26);
    assert_int_equal(at[1], 26 + 2);
    complete(ldc(4, false, 4, 3, 4096), ldc(5, false, 4, 0, 0), at);
    assert_true(at[0] > 26 + 70);
    assert_int_equal(at[1], at[0]);
}

static void operations_of_the_memory_queue_complete_in_order(void **state)
{
    (void)state;
    uint64_t at[BOTH];
    complete(s2r(4), shfl(5, 2), at);
    assert_int_equal(at[0], 25);
    assert_int_equal(at[1], 25 + 2);
}

static void a_load_of_shared_memory_does_not_wait_for_a_missing_constant_or_a_slower_load(void **state)
{
    (void)state;
    uint64_t at[BOTH];
    complete(ldc(4, false, 4, 3, 4096), lds(5, true, 4, 0), at);
    assert_int_equal(at[1], 24 + 2);
    complete(ldg(4, true, 4, 0), lds(5, true, 4, 0), at); /* 13 cycles behind it at the shared part, and 11 faster */
    assert_int_equal(at[0], 32);
    assert_int_equal(at[1], 24 + 4);
}

static void a_hit_passes_a_miss_of_global_memory(void **state)
{
    (void)state;
    uint64_t at[BOTH];
    complete(ldg(4, true, 4, 65536), ldg(5, true, 4, 0), at);
    assert_true(at[0] > 32 + 200);
    assert_int_equal(at[1], 32 + 4);
}

/* Two strong loads of which the second is answered 100 cycles before the first. */
static struct harness *answered_in_reverse(bool ordered)
{
    struct harness *h = harness_new();
    h->silent = true;
    struct inst first = writes_sb(ldg(4, true, 4, 0), 0), second = writes_sb(ldg(5, true, 4, 128), 0);
    first.deferred = second.deferred = true;
    add(h, ordered ? in_order(first) : first);
    add(h, stall(ordered ? in_order(second) : second, 2));
    add(h, depbar(0, 1, 0)); /* one of the two */
    add(h, depbar(0, 0, 0));
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run_until(h, 150);
    assert_int_equal(h->requests, 2);
    for (unsigned i = 0; i < 2; i++)
        harness_reply(h, &h->request[i], i ? 200 : 300);
    harness_run(h);
    return h;
}

static void strong_loads_of_the_sm_complete_in_order(void **state)
{
    (void)state;
    struct harness *h = answered_in_reverse(true);
    assert_int_equal(issued_at(h, 0, 3), 302);
    assert_int_equal(issued_at(h, 0, 4), 302 + 4); /* both counted down by then; the stall of DEPBAR */
    assert_int_equal(h->completed[h->request[0].token], 1);
    assert_int_equal(h->completed[h->request[1].token], 1);
    harness_free(h);
}

static void other_strong_loads_complete_as_they_are_answered(void **state)
{
    (void)state;
    struct harness *h = answered_in_reverse(false);
    assert_int_equal(issued_at(h, 0, 3), 202);
    assert_int_equal(issued_at(h, 0, 4), 302);
    harness_free(h);
}

UNIT_TESTS(UNIT(loads_of_shared_memory_complete_in_order), UNIT(constants_complete_in_order_also_behind_a_miss),
           UNIT(operations_of_the_memory_queue_complete_in_order),
           UNIT(a_load_of_shared_memory_does_not_wait_for_a_missing_constant_or_a_slower_load),
           UNIT(a_hit_passes_a_miss_of_global_memory), UNIT(strong_loads_of_the_sm_complete_in_order),
           UNIT(other_strong_loads_complete_as_they_are_answered))
