/* Tags and miss registers of the L1, and the tag store of the instruction and constant caches. */
#include "sm/memory/l1.h"

#include "base/bits.h"
#include "port/message.h"
#include "sm/front/tags.h"
#include "tests/unit.h"

struct done {
    uint16_t token[64];
    unsigned count;
};

static void note(void *context, uint16_t token)
{
    struct done *d = context;
    d->token[d->count++] = token;
}

/* Some words of line 0, with their sectors. */
static struct line_access words_of(uint32_t words)
{
    struct line_access access = {.words = words, .bytes = (uint8_t)(4 * popcount32(words))};
    for (unsigned s = 0; s < PORT_SECTORS; s++) {
        uint32_t here = words & l1_words_of((uint8_t)(1u << s));
        access.sectors |= (uint8_t)((here != 0) << s);
        access.partial |= (uint8_t)((here && here != l1_words_of((uint8_t)(1u << s))) << s);
    }
    return access;
}

static uint8_t load(struct l1 *l1, uint32_t words)
{
    struct line_access access = words_of(words);
    return l1_load(l1, &access, L1_KEEP_NORMAL);
}

static uint8_t store(struct l1 *l1, uint32_t words)
{
    struct line_access access = words_of(words);
    return l1_store(l1, &access, L1_KEEP_NORMAL);
}

static uint8_t present(struct l1 *l1, uint64_t line)
{
    return l1_load(l1, &(struct line_access){.line = line, .words = UINT32_MAX, .sectors = 0xf}, L1_KEEP_NORMAL);
}

static struct arena storage;

static uint8_t miss(struct l1 *l1, uint64_t line, uint8_t sectors, uint16_t token)
{
    return l1_miss(l1, line, sectors, token, L1_KEEP_NORMAL, false);
}

static struct l1 *cache(struct config_l1 *config, uint32_t ways, uint32_t bytes)
{
    struct l1 *l1 = malloc(sizeof *l1);
    assert_non_null(l1);
    *config = (struct config_l1){.ways = ways, .mshr_lines = 1024, .mshr_merges = 8192};
    assert_true(l1_init(l1, config, bytes, &storage));
    return l1;
}

static void drop(struct l1 *l1)
{
    arena_free(&storage);
    free(l1);
}

static void fill(struct l1 *l1, uint64_t line, uint8_t sectors)
{
    struct done d = {.count = 0};
    miss(l1, line, sectors, 0);
    l1_fill(l1, line, sectors, note, &d);
}

static void a_line_holds_the_sectors_that_came(void **state)
{
    (void)state;
    struct config_l1 config;
    struct l1 *l1 = cache(&config, 4, 1024);
    assert_int_equal(present(l1, 0), 0);
    fill(l1, 0, 0x5);
    assert_int_equal(present(l1, 0), 0x5);
    fill(l1, 0, 0x8);
    assert_int_equal(present(l1, 0), 0xd);
    assert_int_equal(present(l1, 128), 0);
    assert_int_equal(l1->mshr_count, 0);
    assert_int_equal(l1->waiter_count, 0);
    drop(l1);
}

static void the_least_recently_used_line_of_a_set_makes_room(void **state)
{
    (void)state;
    struct config_l1 config;
    struct l1 *l1 = cache(&config, 4, 1024); /* 2 sets of 4 ways */
    for (uint64_t i = 0; i < 4; i++)
        fill(l1, i * 256, 1);
    assert_int_equal(present(l1, 0), 1);
    fill(l1, 4 * 256, 1);
    assert_int_equal(present(l1, 0), 1);
    assert_int_equal(present(l1, 256), 0);
    assert_int_equal(present(l1, 512), 1);
    fill(l1, 128, 1); /* the other set */
    assert_int_equal(present(l1, 4 * 256), 1);
    drop(l1);
}

static void every_way_is_used_before_any_is_replaced(void **state)
{
    (void)state;
    struct config_l1 config;
    struct l1 *l1 = cache(&config, 64, 131072);
    for (uint64_t i = 0; i < 1024; i++)
        fill(l1, i * 128, 0xf);
    for (uint64_t i = 0; i < 1024; i++)
        assert_int_equal(present(l1, i * 128), 0xf);
    fill(l1, 1024 * 128, 0xf);
    unsigned left = 0;
    for (uint64_t i = 0; i < 1024; i++)
        left += present(l1, i * 128) != 0;
    assert_int_equal(left, 1023);
    drop(l1);
}

static void the_carve_out_leaves_the_rest_and_a_cache_without_lines_keeps_nothing(void **state)
{
    (void)state;
    struct config_l1 config;
    struct l1 *l1 = cache(&config, 64, 131072);
    l1_begin(l1, 28672);
    assert_int_equal(l1->tags.sets, 4); /* 224 lines */
    assert_int_equal(l1->tags.ways, 56);
    l1_begin(l1, 256);
    assert_int_equal(l1->tags.sets, 1);
    assert_int_equal(l1->tags.ways, 2);
    l1_begin(l1, 0);
    fill(l1, 0, 0xf);
    assert_int_equal(present(l1, 0), 0);
    drop(l1);
}

static void a_second_miss_asks_only_for_new_sectors_and_all_are_told_in_order(void **state)
{
    (void)state;
    struct config_l1 config;
    struct l1 *l1 = cache(&config, 4, 1024);
    struct done d = {.count = 0};
    assert_int_equal(miss(l1, 0, 0x3, 10), 0x3);
    assert_int_equal(miss(l1, 0, 0x6, 11), 0x4);
    assert_int_equal(miss(l1, 0, 0x1, 12), 0);
    assert_int_equal(miss(l1, 128, 0x1, 13), 0x1);
    l1_fill(l1, 0, 0x4, note, &d);
    assert_int_equal(d.count, 0);
    l1_fill(l1, 0, 0x3, note, &d);
    assert_int_equal(d.count, 3);
    assert_int_equal(d.token[0], 10);
    assert_int_equal(d.token[1], 11);
    assert_int_equal(d.token[2], 12);
    assert_int_equal(l1->mshr_count, 1);
    l1_fill(l1, 128, 0x1, note, &d);
    assert_int_equal(d.token[3], 13);
    assert_int_equal(l1->mshr_count, 0);
    drop(l1);
}

static void hundreds_of_lines_can_miss_and_come_back_in_any_order(void **state)
{
    (void)state;
    struct config_l1 config;
    struct l1 *l1 = cache(&config, 4, 1024);
    struct done d = {.count = 0};
    for (unsigned round = 0; round < 20; round++) {
        for (uint64_t i = 0; i < 1000; i++)
            assert_int_equal(miss(l1, (i * 4096 + round) * 128, 0xf, (uint16_t)i), 0xf);
        struct line_access line[32] = {{.line = 1}};
        assert_true(l1_can_miss(l1, line, 24));
        assert_false(l1_can_miss(l1, line, 25));
        for (uint64_t i = 0; i < 1000; i++) {
            d.count = 0;
            uint64_t k = i * 387 % 1000;
            l1_fill(l1, (k * 4096 + round) * 128, 0xf, note, &d);
            assert_int_equal(d.count, 1);
            assert_int_equal(d.token[0], k);
        }
        assert_int_equal(l1->mshr_count, 0);
    }
    drop(l1);
}

static void a_line_takes_so_many_accesses_and_no_more(void **state)
{
    (void)state;
    struct config_l1 config;
    struct l1 *l1 = cache(&config, 4, 1024);
    config.mshr_merges = 3;
    struct line_access line[2] = {{.line = 256}, {.line = 128}};
    for (uint16_t i = 0; i < 3; i++) {
        assert_true(l1_can_miss(l1, line, 2));
        miss(l1, 128, 1, i);
    }
    assert_false(l1_can_miss(l1, line, 2));
    assert_true(l1_can_miss(l1, line, 1)); /* another line */
    struct done d = {.count = 0};
    l1_fill(l1, 128, 1, note, &d);
    assert_int_equal(d.count, 3);
    assert_true(l1_can_miss(l1, line, 2));
    drop(l1);
}

static void tags_keep_the_cycle_from_which_a_line_is_there(void **state)
{
    (void)state;
    struct tags t;
    assert_true(tags_init(&t, 2, 2, false, &storage));
    assert_true(tags_lookup(&t, 4) == TAGS_MISS);
    tags_insert(&t, 4, 100);
    assert_int_equal(tags_lookup(&t, 4), 100);
    tags_insert(&t, 6, 200);
    tags_insert(&t, 5, 300); /* the other set */
    assert_int_equal(tags_lookup(&t, 4), 100);
    tags_insert(&t, 8, 400); /* in place of 6 */
    assert_true(tags_lookup(&t, 6) == TAGS_MISS);
    assert_int_equal(tags_lookup(&t, 4), 100);
    tags_insert(&t, 4, 500); /* again: no second copy */
    assert_int_equal(tags_lookup(&t, 4), 500);
    assert_int_equal(tags_lookup(&t, 8), 400);
    tags_clear(&t);
    assert_true(tags_lookup(&t, 4) == TAGS_MISS);
    arena_free(&storage);
}

/* Lines that a loop finds when it goes through `lines` of them once more. */
static unsigned found_in_a_loop(bool random, uint64_t lines)
{
    enum { WAYS = 46, TURNS = 16 };
    struct tags t;
    unsigned found = 0;
    assert_true(tags_init(&t, 1, WAYS, random, &storage));
    for (unsigned turn = 0; turn < TURNS; turn++) {
        found = 0;
        for (uint64_t line = 0; line < lines; line++) {
            if (tags_lookup(&t, line) != TAGS_MISS)
                found++;
            else
                assert_true((tags_insert(&t, line, 1) == TAGS_EMPTY) == (turn == 0 && line < WAYS));
        }
    }
    arena_free(&storage);
    return found;
}

/* Where lines are replaced at random, 46 of 64 lines keep the share h = exp(-(1 - h) * 64 / 46), which is a half. */
static void random_replacement_keeps_a_part_of_a_loop_that_does_not_fit(void **state)
{
    (void)state;
    assert_int_equal(found_in_a_loop(false, 46), 46);
    assert_int_equal(found_in_a_loop(false, 47), 0);
    assert_int_equal(found_in_a_loop(true, 46), 46);
    assert_in_range(found_in_a_loop(true, 47), 40, 46);
    assert_in_range(found_in_a_loop(true, 64), 24, 40);
    assert_in_range(found_in_a_loop(true, 128), 3, 16);
}

/* ---- stores that allocate ---------------------------------------------------------------------------------------- */

static struct l1 *allocating(struct config_l1 *config)
{
    struct l1 *l1 = cache(config, 4, 1024);
    config->store = CONFIG_L1_STORE_ALLOCATE;
    return l1;
}

static void a_store_leaves_its_words_for_loads_of_no_more_than_these(void **state)
{
    (void)state;
    struct config_l1 config;
    struct l1 *l1 = allocating(&config);
    assert_int_equal(store(l1, 0x38), 0);
    assert_int_equal(load(l1, 0x08), 1);
    assert_int_equal(load(l1, 0x38), 1);
    assert_int_equal(load(l1, 0x78), 0);
    assert_int_equal(load(l1, 0x04), 0);
    assert_int_equal(store(l1, 0x10000), 4); /* the line is there, though not this sector */
    assert_int_equal(load(l1, 0x10018), 5);
    assert_int_equal(load(l1, 0x10100), 4);
    drop(l1);
}

static void a_sector_is_valid_when_stores_have_left_all_its_words(void **state)
{
    (void)state;
    struct config_l1 config;
    struct l1 *l1 = allocating(&config);
    store(l1, 0x7f00);
    assert_int_equal(present(l1, 0), 0);
    store(l1, 0x8000);
    assert_int_equal(present(l1, 0), 2);
    assert_int_equal(l1_load(l1, &(struct line_access){.sectors = 2}, L1_KEEP_NORMAL), 2); /* words not known */
    drop(l1);
}

static void a_store_to_a_part_of_a_sector_leaves_its_words_only(void **state)
{
    (void)state;
    struct config_l1 config;
    struct l1 *l1 = allocating(&config);
    fill(l1, 0, 7);
    assert_int_equal(store(l1, 0x1ff02), 7); /* a word each of the first and the third, and all of the second */
    assert_int_equal(present(l1, 0), 2);
    assert_int_equal(load(l1, 0x10002), 5);
    assert_int_equal(load(l1, 0x1), 0);
    assert_int_equal(load(l1, 0x20000), 0);
    fill(l1, 0, 1);
    assert_int_equal(store(l1, 0x1000000), 8); /* sectors that it leaves alone stay as they are */
    assert_int_equal(present(l1, 0), 3);
    assert_int_equal(load(l1, 0x10000), 4);
    drop(l1);
}

static void a_store_to_a_line_that_is_valid_with_it_takes_nothing_away(void **state)
{
    (void)state;
    struct config_l1 config;
    struct l1 *l1 = allocating(&config);
    fill(l1, 0, 15);
    store(l1, 0x2);
    assert_int_equal(present(l1, 0), 15);
    fill(l1, PORT_LINE, 7);
    struct line_access access = words_of(0xff000002);
    access.line = PORT_LINE;
    l1_store(l1, &access, L1_KEEP_NORMAL); /* it brings the fourth */
    assert_int_equal(present(l1, PORT_LINE), 15);
    drop(l1);
}

static void a_store_takes_nothing_from_a_sector_under_way_and_keeps_others_from_the_line(void **state)
{
    (void)state;
    struct config_l1 config;
    struct l1 *l1 = allocating(&config);
    struct done d = {.count = 0};
    fill(l1, 0, 1);
    miss(l1, 0, 2, 0);
    store(l1, 0x200);
    l1_fill(l1, 0, 2, note, &d);
    assert_int_equal(present(l1, 0), 3);
    miss(l1, 0, 4, 0);
    store(l1, 0x1);
    l1_fill(l1, 0, 4, note, &d);
    assert_int_equal(present(l1, 0), 2);
    assert_int_equal(d.count, 2); /* the loads are answered all the same */
    drop(l1);
}

static void an_atomic_takes_its_line_away_when_told_so(void **state)
{
    (void)state;
    struct config_l1 config;
    for (unsigned drops = 0; drops < 2; drops++) {
        struct l1 *l1 = allocating(&config);
        config.atomics_drop = drops;
        fill(l1, 0, 15);
        fill(l1, PORT_LINE, 15);
        l1_change(l1, 0);
        assert_int_equal(present(l1, 0), drops ? 0 : 15);
        assert_int_equal(present(l1, PORT_LINE), 15);
        drop(l1);
    }
}

static void a_store_to_a_line_under_way_does_not_hit_but_leaves_its_words(void **state)
{
    (void)state;
    struct config_l1 config;
    struct l1 *l1 = allocating(&config);
    struct done d = {.count = 0};
    miss(l1, 0, 1, 0);
    assert_int_equal(store(l1, 0x1), 0);
    assert_int_equal(store(l1, 0x1), 0);
    assert_int_equal(load(l1, 0x1), 1);
    l1_fill(l1, 0, 1, note, &d);
    assert_int_equal(store(l1, 0x1), 1);
    drop(l1);
}

static void parts_of_words_and_stores_that_want_no_line_leave_nothing(void **state)
{
    (void)state;
    struct config_l1 config;
    struct l1 *l1 = allocating(&config);
    l1_store(l1, &(struct line_access){.words = 1, .sectors = 1, .partial = 1, .bytes = 3}, L1_KEEP_NORMAL);
    assert_int_equal(load(l1, 1), 0);
    l1_store(l1, &(struct line_access){.words = 0x1ff, .sectors = 3, .partial = 2, .bytes = 33}, L1_KEEP_NORMAL);
    assert_int_equal(load(l1, 0x1ff), 1); /* the sector that it writes whole */
    l1_invalidate(l1);
    assert_int_equal(load(l1, 1), 0);
    struct line_access access = words_of(1);
    assert_int_equal(l1_store(l1, &access, L1_KEEP_NOT), 0);
    assert_int_equal(load(l1, 1), 0);
    drop(l1);
}

static void an_invalidation_takes_the_words_of_stores(void **state)
{
    (void)state;
    struct config_l1 config;
    struct l1 *l1 = allocating(&config);
    store(l1, 0x3);
    l1_invalidate(l1);
    assert_int_equal(load(l1, 0x1), 0);
    assert_int_equal(store(l1, 0x4), 0);
    assert_int_equal(load(l1, 0x7), 0);
    assert_int_equal(load(l1, 0x4), 1);
    drop(l1);
}

UNIT_TESTS(UNIT(a_line_holds_the_sectors_that_came), UNIT(the_least_recently_used_line_of_a_set_makes_room),
           UNIT(every_way_is_used_before_any_is_replaced),
           UNIT(the_carve_out_leaves_the_rest_and_a_cache_without_lines_keeps_nothing),
           UNIT(a_second_miss_asks_only_for_new_sectors_and_all_are_told_in_order),
           UNIT(a_line_takes_so_many_accesses_and_no_more), UNIT(hundreds_of_lines_can_miss_and_come_back_in_any_order),
           UNIT(tags_keep_the_cycle_from_which_a_line_is_there),
           UNIT(random_replacement_keeps_a_part_of_a_loop_that_does_not_fit),
           UNIT(a_store_leaves_its_words_for_loads_of_no_more_than_these),
           UNIT(a_sector_is_valid_when_stores_have_left_all_its_words),
           UNIT(a_store_to_a_part_of_a_sector_leaves_its_words_only),
           UNIT(a_store_to_a_line_that_is_valid_with_it_takes_nothing_away),
           UNIT(a_store_takes_nothing_from_a_sector_under_way_and_keeps_others_from_the_line),
           UNIT(an_atomic_takes_its_line_away_when_told_so),
           UNIT(a_store_to_a_line_under_way_does_not_hit_but_leaves_its_words),
           UNIT(parts_of_words_and_stores_that_want_no_line_leave_nothing),
           UNIT(an_invalidation_takes_the_words_of_stores))
