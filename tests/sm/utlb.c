/* The L1 TLB of an SM: entries, merging of misses, and where the path to the L2 meets it. */
#include "sm/port/utlb.h"

#include "tests/sm/harness.h"

enum { PAGE = 1 << 21, STEP = 9 };

static struct arena storage;

static struct utlb *tlb(struct config_tlb *config, uint32_t entries)
{
    static struct utlb t;
    *config = (struct config_tlb){.entries = entries, .page = PAGE, .miss_latency = STEP};
    assert_true(utlb_init(&t, config, &storage));
    utlb_begin(&t);
    return &t;
}

static void expect(struct utlb *t, uint64_t page, uint64_t when, uint64_t ready, bool missed, bool fresh)
{
    struct utlb_answer a = utlb_translate(t, page * PAGE + 128, when);
    assert_int_equal(a.ready, ready);
    assert_int_equal(a.missed, missed);
    assert_int_equal(a.fresh, fresh);
}

static void a_page_is_translated_once_and_covers_all_its_lines(void **state)
{
    (void)state;
    struct config_tlb config;
    struct utlb *t = tlb(&config, 16);
    expect(t, 3, 100, 109, true, true);
    expect(t, 3, 109, 109, false, false);
    assert_false(utlb_translate(t, 4 * (uint64_t)PAGE - 1, 120).missed);
    assert_true(utlb_translate(t, 4 * (uint64_t)PAGE, 120).missed);
    arena_free(&storage);
}

static void accesses_to_a_page_on_its_way_wait_with_the_first_and_other_pages_pass(void **state)
{
    (void)state;
    struct config_tlb config;
    struct utlb *t = tlb(&config, 16);
    expect(t, 1, 90, 99, true, true);
    expect(t, 2, 100, 109, true, true);
    expect(t, 2, 101, 109, true, false);
    expect(t, 1, 102, 102, false, false);
    expect(t, 2, 108, 109, true, false);
    expect(t, 2, 109, 109, false, false);
    arena_free(&storage);
}

static void a_tlb_that_keeps_has_its_pages_at_the_start_of_the_next_kernel(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        struct config_tlb config;
        struct utlb *t = tlb(&config, 2);
        config.keep = keep;
        expect(t, 5, 1000, 1000 + STEP, true, true);
        utlb_begin(t);
        expect(t, 5, 10, keep ? 10 : 10 + STEP, !keep, !keep);
    }
}

static void the_page_used_least_recently_leaves(void **state)
{
    (void)state;
    struct config_tlb config;
    struct utlb *t = tlb(&config, 16);
    for (uint64_t p = 0; p < 16; p++)
        expect(t, p, 100 * p, 100 * p + STEP, true, true);
    for (uint64_t p = 0; p < 16; p++) /* 32 MiB fit */
        expect(t, p, 2000 + p, 2000 + p, false, false);
    expect(t, 0, 2100, 2100, false, false);
    expect(t, 16, 2200, 2209, true, true);
    expect(t, 0, 2300, 2300, false, false);
    expect(t, 1, 2400, 2409, true, true);
    arena_free(&storage);
}

static void a_chase_around_one_page_more_than_fit_misses_every_time(void **state)
{
    (void)state;
    struct config_tlb config;
    struct utlb *t = tlb(&config, 16);
    for (uint64_t i = 0; i < 100; i++)
        expect(t, i % 17, 100 * i, 100 * i + STEP, true, true);
    arena_free(&storage);
}

/* ---- in the SM -------------------------------------------------------------------------------------------------- */

static struct harness *two_loads(uint64_t first, uint64_t second)
{
    struct harness *h = harness_new();
    h->config.tlb.miss_latency = STEP;
    add(h, load(first, 0));
    add(h, waits(nop(), 1));
    add(h, load(second, 0));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    return h;
}

static void run(struct harness *h)
{
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
}

static void a_miss_of_the_tlb_delays_the_miss_of_the_cache_and_asks_the_next_level(void **state)
{
    (void)state;
    struct harness *h = two_loads(0, 4096);
    run(h);
    assert_int_equal(h->requests, 2);
    assert_true(h->request[0].translate);
    assert_false(h->request[1].translate);
    assert_int_equal(distance(h, 0, 0, 1), distance(h, 0, 2, 3) + STEP);
    assert_int_equal(h->sm->n.tlb_misses, 1);
    harness_free(h);
}

static void a_hit_of_the_cache_needs_no_translation(void **state)
{
    (void)state;
    struct harness *h = two_loads(0, 4096);
    harness_warm_l1(h, 0, 8192);
    run(h);
    assert_int_equal(h->sm->n.tlb_misses, 0);
    assert_int_equal(distance(h, 0, 0, 1), distance(h, 0, 2, 3));
    harness_free(h);
}

static void stores_and_atomics_are_translated_too(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.tlb.miss_latency = STEP;
    add(h, stall(stg(true, 4, 0), 15));
    add(h, stall(red(PAGE), 15));
    add_many(h, stall(nop(), 15), 4); /* the first page has come */
    add(h, stall(stg(true, 4, 128), 15));
    add(h, exit_warp());
    harness_begin(h);
    run(h);
    assert_int_equal(h->requests, 3);
    assert_true(h->request[0].translate);
    assert_true(h->request[1].translate);
    assert_false(h->request[2].translate);
    assert_int_equal(h->sm->n.tlb_misses, 2);
    harness_free(h);
}

UNIT_TESTS(UNIT(a_page_is_translated_once_and_covers_all_its_lines),
           UNIT(accesses_to_a_page_on_its_way_wait_with_the_first_and_other_pages_pass),
           UNIT(the_page_used_least_recently_leaves),
           UNIT(a_tlb_that_keeps_has_its_pages_at_the_start_of_the_next_kernel),
           UNIT(a_chase_around_one_page_more_than_fit_misses_every_time),
           UNIT(a_miss_of_the_tlb_delays_the_miss_of_the_cache_and_asks_the_next_level),
           UNIT(a_hit_of_the_cache_needs_no_translation), UNIT(stores_and_atomics_are_translated_too))
