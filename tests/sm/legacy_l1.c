/* Tags and MSHRs of the legacy core's L1, and its coalescer. */
#include "sm/legacy/coalescer.h"
#include "sm/legacy/l1.h"
#include "tests/unit.h"

enum { LINE = 128, SECTOR = 32, REQUESTS = 256 };

struct bench {
    struct config_legacy config;
    struct arena arena;
    struct legacy_l1 l1;
};

static struct bench *bench_new(uint32_t sets, uint32_t ways)
{
    struct bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->config = (struct config_legacy){.l1_sets = sets, .l1_mshrs = 8, .l1_merges = 2, .l1_dirty = 0};
    assert_true(legacy_l1_init(&b->l1, &b->config, sets * ways * LINE, REQUESTS, &b->arena));
    legacy_l1_begin(&b->l1, sets * ways * LINE);
    return b;
}

static void bench_free(struct bench *b)
{
    arena_free(&b->arena);
    free(b);
}

static enum legacy_l1_answer load(struct bench *b, uint64_t sector, uint16_t request)
{
    return legacy_l1_load(&b->l1, sector, request, false, true);
}

static enum legacy_l1_answer store(struct bench *b, uint64_t sector, bool whole)
{
    return legacy_l1_store(&b->l1, sector, whole, false);
}

static void fetch(struct bench *b, uint64_t sector)
{
    assert_int_equal(load(b, sector, 0), LEGACY_L1_MISS);
    assert_int_equal(legacy_l1_fill(&b->l1, sector), 0);
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

static void a_sector_is_asked_for_once_and_its_requests_come_in_order(void **state)
{
    (void)state;
    struct bench *b = bench_new(4, 4);
    assert_int_equal(load(b, 0, 7), LEGACY_L1_MISS);
    assert_int_equal(load(b, 0, 5), LEGACY_L1_MERGED);
    assert_int_equal(load(b, 0, 6), LEGACY_L1_FULL);      /* l1_merges = 2 */
    assert_int_equal(load(b, SECTOR, 8), LEGACY_L1_MISS); /* sectors are apart */
    uint16_t first = legacy_l1_fill(&b->l1, 0);
    assert_int_equal(first, 7);
    assert_int_equal(b->l1.next[first], 5);
    assert_int_equal(b->l1.next[5], LEGACY_L1_NONE);
    assert_int_equal(load(b, 0, 9), LEGACY_L1_HIT);
    assert_int_equal(load(b, SECTOR, 9), LEGACY_L1_MERGED);
    bench_free(b);
}

static void there_are_so_many_mshrs_and_so_much_room_in_the_miss_queue(void **state)
{
    (void)state;
    struct bench *b = bench_new(4, 16);
    for (uint16_t i = 0; i < 8; i++)
        assert_int_equal(load(b, i * SECTOR, i), LEGACY_L1_MISS);
    assert_int_equal(load(b, 8 * SECTOR, 8), LEGACY_L1_FULL);
    assert_int_equal(load(b, 0, 9), LEGACY_L1_MERGED);
    legacy_l1_fill(&b->l1, 0);
    assert_int_equal(legacy_l1_load(&b->l1, 8 * SECTOR, 8, false, false), LEGACY_L1_FULL);
    assert_int_equal(legacy_l1_load(&b->l1, SECTOR, 10, false, false), LEGACY_L1_MERGED);
    assert_int_equal(load(b, 8 * SECTOR, 8), LEGACY_L1_MISS);
    bench_free(b);
}

static void a_line_on_its_way_is_not_replaced_and_the_least_recently_used_is(void **state)
{
    (void)state;
    struct bench *b = bench_new(1, 2);
    fetch(b, 0 * LINE);
    fetch(b, 1 * LINE);
    assert_int_equal(load(b, 0 * LINE, 1), LEGACY_L1_HIT);
    fetch(b, 2 * LINE);
    assert_int_equal(load(b, 0 * LINE, 1), LEGACY_L1_HIT);
    assert_int_equal(load(b, 1 * LINE, 1), LEGACY_L1_MISS); /* in the place of line 2 */
    assert_int_equal(load(b, 2 * LINE, 2), LEGACY_L1_MISS); /* in that of line 0 */
    assert_int_equal(load(b, 3 * LINE, 3), LEGACY_L1_FULL);
    legacy_l1_fill(&b->l1, 1 * LINE);
    assert_int_equal(load(b, 3 * LINE, 3), LEGACY_L1_MISS);
    bench_free(b);
}

static void sets_follow_each_other_line_by_line(void **state)
{
    (void)state;
    struct bench *b = bench_new(4, 1);
    for (uint64_t line = 0; line < 4; line++)
        fetch(b, line * LINE);
    for (uint64_t line = 0; line < 4; line++)
        assert_int_equal(load(b, line * LINE, 1), LEGACY_L1_HIT);
    fetch(b, 6 * LINE);
    assert_int_equal(load(b, 2 * LINE, 1), LEGACY_L1_MISS);
    assert_int_equal(load(b, 3 * LINE, 2), LEGACY_L1_HIT);
    bench_free(b);
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

static void a_store_takes_a_line_and_a_part_is_fetched_when_it_is_loaded(void **state)
{
    (void)state;
    struct bench *b = bench_new(4, 4);
    assert_int_equal(store(b, 0, true), LEGACY_L1_MISS);
    assert_int_equal(load(b, 0, 1), LEGACY_L1_HIT);
    assert_int_equal(store(b, SECTOR, false), LEGACY_L1_MISS);
    assert_int_equal(store(b, SECTOR, false), LEGACY_L1_HIT);
    assert_int_equal(load(b, SECTOR, 1), LEGACY_L1_MISS);
    legacy_l1_fill(&b->l1, SECTOR);
    assert_int_equal(load(b, SECTOR, 1), LEGACY_L1_HIT);
    fetch(b, 2 * SECTOR);
    assert_int_equal(store(b, 2 * SECTOR, false), LEGACY_L1_HIT);
    assert_int_equal(load(b, 2 * SECTOR, 1), LEGACY_L1_HIT); /* the rest was there */
    bench_free(b);
}

static void written_lines_stay_until_enough_are_written(void **state)
{
    (void)state;
    struct bench *b = bench_new(1, 4);
    b->config.l1_dirty = 75;
    store(b, 0 * LINE, true);
    fetch(b, 1 * LINE);
    fetch(b, 2 * LINE);
    fetch(b, 3 * LINE);
    fetch(b, 4 * LINE); /* line 1, though line 0 is older */
    assert_int_equal(load(b, 0 * LINE, 1), LEGACY_L1_HIT);
    store(b, 2 * LINE, true);
    store(b, 3 * LINE, true); /* three of four */
    fetch(b, 5 * LINE);       /* the oldest: line 4 */
    fetch(b, 6 * LINE);       /* now line 0 */
    assert_int_equal(load(b, 0 * LINE, 1), LEGACY_L1_MISS);
    bench_free(b);
}

static void local_memory_leaves_with_its_line_if_it_was_not_written_through(void **state)
{
    (void)state;
    for (unsigned back = 0; back < 2; back++) {
        struct bench *b = bench_new(1, 1);
        b->config.l1_write_back = back;
        legacy_l1_store(&b->l1, 0, true, true);
        legacy_l1_store(&b->l1, 2 * SECTOR, true, true);
        legacy_l1_invalidate(&b->l1);
        assert_int_equal(load(b, 0, 1), back ? LEGACY_L1_HIT : LEGACY_L1_MISS);
        legacy_l1_begin(&b->l1, LINE);
        legacy_l1_store(&b->l1, 0, true, true);
        legacy_l1_store(&b->l1, 2 * SECTOR, true, true);
        fetch(b, 7 * LINE);
        assert_int_equal(load(b, 0, 1), LEGACY_L1_MISS);
        legacy_l1_fill(&b->l1, 0);
        legacy_l1_store(&b->l1, 7 * LINE, true, true);
        assert_int_equal(load(b, 8 * LINE, 1), LEGACY_L1_MISS);
        assert_int_equal(b->l1.victim.sectors, back ? 1 : 0);
        assert_int_equal(b->l1.victim.line, back ? 7 * LINE : 0);
        bench_free(b);
    }
}

static void an_empty_cache_misses_always(void **state)
{
    (void)state;
    struct bench *b = bench_new(4, 4);
    legacy_l1_begin(&b->l1, 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(load(b, 0, 1), LEGACY_L1_MISS);
        assert_int_equal(legacy_l1_fill(&b->l1, 0), 1);
    }
    assert_int_equal(store(b, 0, true), LEGACY_L1_MISS);
    bench_free(b);
}

/* ---- coalescer --------------------------------------------------------------------------------------------------- */

static unsigned coalesce(unsigned bytes, uint64_t stride, uint32_t lanes, struct line_access out[32])
{
    struct issued is = {.bytes = (uint8_t)bytes, .space = ISA_SPACE_GLOBAL};
    for (unsigned i = 0; i < 32; i++)
        is.address[i] = i * stride;
    return legacy_coalesce(&is, lanes, out);
}

static void a_request_is_a_sector_from_the_highest_down(void **state)
{
    (void)state;
    struct line_access out[32];
    assert_int_equal(coalesce(4, 4, UINT32_MAX, out), 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(out[i].line, 0);
        assert_int_equal(out[i].sectors, 8 >> i);
        assert_int_equal(out[i].lanes, UINT32_C(0xff) << 8 * (3 - i));
        assert_int_equal(out[i].bytes, 32);
        assert_int_equal(out[i].partial, 0);
    }
    assert_int_equal(coalesce(16, 16, UINT32_MAX, out), 16);
    assert_int_equal(out[0].line, 3 * LINE);
    assert_int_equal(coalesce(4, 0, UINT32_MAX, out), 1);
    assert_int_equal(out[0].partial, 1);
    assert_int_equal(out[0].bytes, 4);
    assert_int_equal(coalesce(4, 32, UINT32_MAX, out), 32);
    assert_int_equal(coalesce(4, 4, 0, out), 0);
    assert_int_equal(coalesce(4, 4, 1u << 31, out), 1);
    assert_int_equal(out[0].sectors, 8);
}

static unsigned cycles(uint64_t stride, unsigned bytes)
{
    struct issued is = {.bytes = (uint8_t)bytes, .space = ISA_SPACE_SHARED};
    for (unsigned i = 0; i < 32; i++)
        is.address[i] = i * stride;
    return legacy_shared_cycles(&is, UINT32_MAX);
}

static void shared_memory_takes_as_long_as_the_first_words_of_the_lanes_conflict(void **state)
{
    (void)state;
    assert_int_equal(cycles(4, 4), 1);
    assert_int_equal(cycles(0, 4), 1);
    assert_int_equal(cycles(8, 4), 2);
    assert_int_equal(cycles(128, 4), 32);
    assert_int_equal(cycles(16, 16), 4);
    assert_int_equal(cycles(4, 16), 1); /* the other words do not count */
}

UNIT_TESTS(UNIT(a_sector_is_asked_for_once_and_its_requests_come_in_order),
           UNIT(there_are_so_many_mshrs_and_so_much_room_in_the_miss_queue),
           UNIT(a_line_on_its_way_is_not_replaced_and_the_least_recently_used_is),
           UNIT(sets_follow_each_other_line_by_line),
           UNIT(a_store_takes_a_line_and_a_part_is_fetched_when_it_is_loaded),
           UNIT(written_lines_stay_until_enough_are_written),
           UNIT(local_memory_leaves_with_its_line_if_it_was_not_written_through), UNIT(an_empty_cache_misses_always),
           UNIT(a_request_is_a_sector_from_the_highest_down),
           UNIT(shared_memory_takes_as_long_as_the_first_words_of_the_lanes_conflict))
