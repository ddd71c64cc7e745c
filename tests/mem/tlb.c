#include "mem/tlb.h"

#include "tests/unit.h"

enum { PAGE = 2 << 20, MISS = 9 };

static struct arena arena;
static struct tlb tlb;

static void build(uint32_t entries, uint32_t ways)
{
    struct config config;
    config_defaults(&config);
    config.tlb.page = PAGE;
    config.tlb.l2_entries = entries;
    config.tlb.l2_ways = ways;
    config.tlb.l2_miss_latency = MISS;
    assert_true(tlb_create(&tlb, &config.tlb, &arena));
}

static void a_page_that_is_not_there_takes_the_miss_latency_and_then_none(void **state)
{
    (void)state;
    build(8, 8);
    assert_int_equal(tlb_translate(&tlb, 5 * (uint64_t)PAGE, 100), 109);
    assert_int_equal(tlb_translate(&tlb, 5 * (uint64_t)PAGE + PAGE - 1, 109), 109);
    assert_int_equal(tlb_translate(&tlb, 6 * (uint64_t)PAGE, 200), 209);
    assert_int_equal(tlb.lookups, 3);
    assert_int_equal(tlb.misses, 2);
    arena_free(&arena);
}

static void requests_for_a_page_on_its_way_wait_for_it_and_do_not_miss(void **state)
{
    (void)state;
    build(8, 8);
    assert_int_equal(tlb_translate(&tlb, 0, 100), 109);
    assert_int_equal(tlb_translate(&tlb, 4096, 101), 109);
    assert_int_equal(tlb_translate(&tlb, 8192, 108), 109);
    assert_int_equal(tlb_translate(&tlb, 8192, 110), 110);
    assert_int_equal(tlb.misses, 1);
    arena_free(&arena);
}

static void other_pages_go_on_while_one_is_translated(void **state)
{
    (void)state;
    build(8, 8);
    tlb_translate(&tlb, 0, 0);
    tlb_translate(&tlb, PAGE, 100);
    assert_int_equal(tlb_translate(&tlb, 0, 101), 101);
    arena_free(&arena);
}

static void as_many_pages_as_entries_stay_and_one_more_does_not(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        build(64, 8);
        for (unsigned round = 0; round < 3; round++)
            for (uint64_t page = 0; page < 64 + more; page++)
                tlb_translate(&tlb, page * PAGE, round * 10000 + page * 100);
        assert_int_equal(tlb.misses, more ? 65 + 2 * 9 : 64); /* only the set that has nine pages loses them */
        arena_free(&arena);
    }
}

static void the_least_recently_used_page_of_a_set_goes(void **state)
{
    (void)state;
    build(2, 2);
    tlb_translate(&tlb, 0, 0);
    tlb_translate(&tlb, PAGE, 100);
    tlb_translate(&tlb, 0, 200);
    tlb_translate(&tlb, 2 * (uint64_t)PAGE, 300);
    assert_int_equal(tlb_translate(&tlb, 0, 400), 400);
    assert_int_equal(tlb_translate(&tlb, PAGE, 500), 509);
    arena_free(&arena);
}

static void a_reset_tlb_is_empty(void **state)
{
    (void)state;
    build(8, 8);
    tlb_translate(&tlb, 0, 100);
    tlb_reset(&tlb);
    assert_int_equal(tlb.lookups, 0);
    assert_int_equal(tlb_translate(&tlb, 0, 50), 59);
    arena_free(&arena);
}

static void a_tlb_that_keeps_has_its_pages_at_the_start_of_the_next_kernel(void **state)
{
    (void)state;
    build(16, 8);
    tlb.keep = true;
    for (uint64_t i = 0; i < 8; i++)
        tlb_translate(&tlb, 2 * i * PAGE, 100 + i);
    tlb_translate(&tlb, 0, 200);
    tlb_reset(&tlb);
    assert_int_equal(tlb.lookups + tlb.misses, 0);
    assert_int_equal(tlb_translate(&tlb, 2 * (uint64_t)PAGE, 50), 50); /* no cycle of the kernel before counts */
    assert_int_equal(tlb_translate(&tlb, 16 * (uint64_t)PAGE, 60), 69);
    assert_int_equal(tlb_translate(&tlb, 0, 70), 70); /* the order of uses stays, too: another page went */
    assert_int_equal(tlb_translate(&tlb, 4 * (uint64_t)PAGE, 80), 89);
    arena_free(&arena);
}

UNIT_TESTS(UNIT(a_page_that_is_not_there_takes_the_miss_latency_and_then_none),
           UNIT(requests_for_a_page_on_its_way_wait_for_it_and_do_not_miss),
           UNIT(other_pages_go_on_while_one_is_translated), UNIT(as_many_pages_as_entries_stay_and_one_more_does_not),
           UNIT(the_least_recently_used_page_of_a_set_goes), UNIT(a_reset_tlb_is_empty),
           UNIT(a_tlb_that_keeps_has_its_pages_at_the_start_of_the_next_kernel))
