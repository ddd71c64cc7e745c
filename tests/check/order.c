/* The order of accesses, without any code that runs: warps, stamps and synchronisations alone. */
#include "check/order.h"
#include "tests/unit.h"

enum { WARPS = 4, ALL = -1 };

struct rig {
    struct order order;
    struct order_warp warp[WARPS], other; /* `other`: the first warp of the next CTA */
};

static void begin(struct rig *r)
{
    order_begin(&r->order, WARPS);
    for (uint32_t w = 0; w < WARPS; w++)
        order_warp_begin(&r->warp[w], 5, w, WARPS);
    order_warp_begin(&r->other, 6, 0, WARPS);
}

static void end(struct rig *r)
{
    for (uint32_t w = 0; w < WARPS; w++)
        order_warp_end(&r->warp[w]);
    order_warp_end(&r->other);
    order_end(&r->order);
}

/* Whether lane `l` of `w` knows the access by lane `by` of `of` with this stamp. */
static bool knows(const struct rig *r, const struct order_warp *w, unsigned l, const struct order_warp *of, unsigned by,
                  uint32_t stamp)
{
    return order_knows(&r->order, w, l, of->number, by, stamp);
}

static void a_thread_knows_itself_and_nobody_else(void **state)
{
    (void)state;
    struct rig r;
    begin(&r);
    assert_true(knows(&r, &r.warp[1], 3, &r.warp[1], 3, 1));
    assert_false(knows(&r, &r.warp[1], 3, &r.warp[1], 4, 1));
    assert_false(knows(&r, &r.warp[1], 3, &r.warp[2], 3, 1));
    assert_false(knows(&r, &r.warp[1], 3, &r.other, 3, 1));
    end(&r);
}

static void lanes_that_meet_know_each_other_up_to_there_and_no_others(void **state)
{
    (void)state;
    struct rig r;
    begin(&r);
    uint32_t before = r.order.now;
    order_meet(&r.order, &r.warp[0], 0x0f, UINT32_MAX);
    assert_true(knows(&r, &r.warp[0], 0, &r.warp[0], 3, before));
    assert_false(knows(&r, &r.warp[0], 0, &r.warp[0], 3, r.order.now));
    assert_false(knows(&r, &r.warp[0], 0, &r.warp[0], 4, before));
    order_meet(&r.order, &r.warp[0], 0x18, UINT32_MAX); /* lane 4 learns of 0 to 2 from 3, and they not of it */
    assert_true(knows(&r, &r.warp[0], 4, &r.warp[0], 0, before));
    assert_false(knows(&r, &r.warp[0], 0, &r.warp[0], 4, before));
    order_meet(&r.order, &r.warp[0], UINT32_MAX, UINT32_MAX);
    assert_true(knows(&r, &r.warp[0], 0, &r.warp[0], 31, r.order.now - 1));
    assert_false(knows(&r, &r.warp[0], 0, &r.warp[0], 31, r.order.now));
    end(&r);
}

static void a_barrier_orders_the_warps_that_wait_behind_those_that_arrive(void **state)
{
    (void)state;
    struct rig r;
    uint32_t stamp[ORDER_WARPS] = {0};
    begin(&r);
    stamp[0] = order_arrive(&r.order);
    stamp[1] = order_arrive(&r.order);
    order_barrier(&r.order, r.warp, 0x3, 0x2, stamp); /* warp 0 arrives only */
    assert_true(knows(&r, &r.warp[1], 7, &r.warp[0], 9, stamp[0]));
    assert_false(knows(&r, &r.warp[1], 7, &r.warp[0], 9, stamp[0] + 1));
    assert_false(knows(&r, &r.warp[0], 7, &r.warp[1], 9, stamp[1]));
    stamp[1] = order_arrive(&r.order);
    stamp[2] = order_arrive(&r.order);
    order_barrier(&r.order, r.warp, 0x6, 0x6, stamp);
    assert_true(knows(&r, &r.warp[2], 0, &r.warp[0], 31, stamp[0])); /* by way of warp 1 */
    assert_false(knows(&r, &r.warp[3], 0, &r.warp[0], 31, stamp[0]));
    end(&r);
}

static void a_release_covers_what_comes_before_the_fence_only(void **state)
{
    (void)state;
    struct rig r;
    begin(&r);
    order_release(&r.order, &r.warp[0], 2, 64, ORDER_GPU, true); /* no fence: nothing */
    order_acquire(&r.order, &r.other, 0, 64, true);
    assert_false(knows(&r, &r.other, 0, &r.warp[0], 2, 1));
    uint32_t before = r.order.now;
    order_fence(&r.order, &r.warp[0], 0x4, ORDER_GPU);
    order_release(&r.order, &r.warp[0], 2, 64, ORDER_GPU, true);
    order_acquire(&r.order, &r.other, 0, 64, false);
    assert_false(knows(&r, &r.other, 0, &r.warp[0], 2, before)); /* it has read, and not fenced */
    order_fence(&r.order, &r.other, 0x1, ORDER_GPU);
    assert_true(knows(&r, &r.other, 0, &r.warp[0], 2, before));
    assert_false(knows(&r, &r.other, 0, &r.warp[0], 2, before + 1));
    assert_false(knows(&r, &r.other, 0, &r.warp[0], 3, before));
    assert_false(knows(&r, &r.other, 1, &r.warp[0], 2, before));
    end(&r);
}

static void a_fence_of_the_cta_reaches_no_other_cta(void **state)
{
    (void)state;
    struct rig r;
    begin(&r);
    order_fence(&r.order, &r.warp[0], 0x1, ORDER_CTA);
    order_release(&r.order, &r.warp[0], 0, 64, ORDER_GPU, true);
    order_acquire(&r.order, &r.warp[1], 0, 64, true);
    order_acquire(&r.order, &r.other, 0, 64, true);
    assert_true(knows(&r, &r.warp[1], 0, &r.warp[0], 0, 1));
    assert_false(knows(&r, &r.other, 0, &r.warp[0], 0, 1));
    end(&r);
}

static void a_release_passes_on_what_barriers_have_told(void **state)
{
    (void)state;
    struct rig r;
    uint32_t stamp[ORDER_WARPS] = {0};
    begin(&r);
    for (uint32_t w = 0; w < WARPS; w++)
        stamp[w] = order_arrive(&r.order);
    order_barrier(&r.order, r.warp, 0xf, 0xf, stamp);
    order_fence(&r.order, &r.warp[0], 0x1, ORDER_GPU);
    order_release(&r.order, &r.warp[0], 0, 64, ORDER_GPU, false);
    order_acquire(&r.order, &r.other, 5, 64, true);
    for (uint32_t w = 0; w < WARPS; w++)
        assert_true(knows(&r, &r.other, 5, &r.warp[w], 17, stamp[0]));
    assert_false(knows(&r, &r.other, 5, &r.warp[3], 17, stamp[3] + 1));
    end(&r);
}

static void a_store_replaces_what_was_released_and_an_atomic_adds_to_it(void **state)
{
    (void)state;
    struct rig r;
    begin(&r);
    for (unsigned lane = 0; lane < 2; lane++)
        order_fence(&r.order, &r.warp[lane], 0x1, ORDER_GPU);
    order_release(&r.order, &r.warp[0], 0, 64, ORDER_GPU, false);
    order_release(&r.order, &r.warp[1], 0, 64, ORDER_GPU, false);
    order_acquire(&r.order, &r.other, 0, 64, true);
    assert_true(knows(&r, &r.other, 0, &r.warp[0], 0, 1) && knows(&r, &r.other, 0, &r.warp[1], 0, 2));
    order_release(&r.order, &r.warp[1], 0, 64, ORDER_GPU, true);
    order_acquire(&r.order, &r.other, 1, 64, true);
    assert_false(knows(&r, &r.other, 1, &r.warp[0], 0, 1));
    assert_true(knows(&r, &r.other, 1, &r.warp[1], 0, 2));
    end(&r);
}

static void a_clock_with_too_many_entries_orders_more_and_never_less(void **state)
{
    (void)state;
    enum { MANY = CLOCK_MOST + 1 };
    struct clock_entry *entry = calloc(MANY, sizeof *entry);
    for (uint32_t i = 0; i < MANY; i++)
        entry[i] = (struct clock_entry){clock_key(CLOCK_THREAD, 3 * (uint64_t)i), i + 1};
    struct clock *all = clock_make(entry, MANY), *most = clock_make(entry, MANY - 1);
    assert_int_equal(all->count, 1);
    assert_true(clock_knows(all, 1000, 7, 9, MANY));
    assert_false(clock_knows(all, 1000, 7, 9, MANY + 1));
    assert_int_equal(most->count, MANY - 1);
    assert_true(clock_knows(most, 3, 0, 9, 33)); /* thread 96 is entry 32 */
    assert_false(clock_knows(most, 3, 0, 9, 34));
    assert_false(clock_knows(most, 3, 1, 9, 1));
    clock_drop(all);
    clock_drop(most);
    free(entry);
}

UNIT_TESTS(UNIT(a_thread_knows_itself_and_nobody_else), UNIT(lanes_that_meet_know_each_other_up_to_there_and_no_others),
           UNIT(a_barrier_orders_the_warps_that_wait_behind_those_that_arrive),
           UNIT(a_release_covers_what_comes_before_the_fence_only), UNIT(a_fence_of_the_cta_reaches_no_other_cta),
           UNIT(a_release_passes_on_what_barriers_have_told),
           UNIT(a_store_replaces_what_was_released_and_an_atomic_adds_to_it),
           UNIT(a_clock_with_too_many_entries_orders_more_and_never_less))
