/* Reuse distances against a list that is searched from its top, and a cache by them against lists per set. */
#include <math.h>

#include "base/hash.h"
#include "mem/reuse_cache.h"
#include "tests/unit.h"

enum { MOST = 4096 };

/* The oracle: keys, the last one used first. */
struct list {
    uint64_t key[MOST];
    uint32_t count, limit;
};

static uint64_t list_touch(struct list *l, uint64_t key)
{
    uint32_t depth = 0;
    while (depth < l->count && l->key[depth] != key)
        depth++;
    uint64_t distance = depth < l->count ? depth : REUSE_COLD;
    if (depth == l->count && l->count < l->limit)
        l->count++;
    else if (depth == l->count)
        depth--;
    for (; depth > 0; depth--)
        l->key[depth] = l->key[depth - 1];
    l->key[0] = key;
    return distance;
}

static uint64_t random_key(uint64_t step, uint64_t keys) { return hash_mix(hash_mix(step) % keys); }

static void compare(uint32_t limit, uint64_t keys, uint64_t steps)
{
    static struct list list;
    struct reuse_stack stack;
    list.count = 0;
    list.limit = limit;
    assert_true(reuse_stack_create(&stack, limit));
    for (uint64_t i = 0; i < steps; i++) {
        uint64_t key = random_key(i, i % 3 ? keys : keys / 8 + 1), distance;
        assert_int_equal(reuse_stack_touch(&stack, key, &distance)->key, key);
        assert_int_equal(distance, list_touch(&list, key));
        assert_int_equal(stack.count, list.count);
        uint32_t depth = (uint32_t)(hash_mix(~i) % list.count);
        assert_int_equal(reuse_stack_at(&stack, depth)->key, list.key[depth]);
    }
    assert_null(reuse_stack_at(&stack, list.count));
    reuse_stack_free(&stack);
}

static void distances_are_those_of_a_list_that_is_searched_from_its_top(void **state)
{
    (void)state;
    compare(1024, 500, 20000);
    compare(700, 700, 20000);
}

static void a_stack_forgets_the_deepest_key_beyond_its_limit(void **state)
{
    (void)state;
    compare(1, 3, 500);
    compare(64, 200, 20000);
    compare(63, 64, 20000);
}

static void notes_stay_with_a_key_until_it_is_forgotten(void **state)
{
    (void)state;
    struct reuse_stack stack;
    uint64_t distance;
    assert_true(reuse_stack_create(&stack, 2));
    reuse_stack_touch(&stack, 10, &distance)->valid = 5;
    reuse_stack_touch(&stack, 11, &distance);
    assert_int_equal(reuse_stack_touch(&stack, 10, &distance)->valid, 5);
    assert_int_equal(distance, 1);
    reuse_stack_touch(&stack, 12, &distance);
    assert_null(reuse_stack_find(&stack, 11));
    reuse_stack_touch(&stack, 13, &distance);
    assert_int_equal(reuse_stack_touch(&stack, 10, &distance)->valid, 0);
    assert_true(distance == REUSE_COLD);
    reuse_stack_free(&stack);
}

/* ---- caches ------------------------------------------------------------------------------------------------------ */

/* Accesses without a sector there are misses, which bring one. */
static bool hits(struct reuse_cache *c, uint64_t line)
{
    struct reuse_entry *e = reuse_cache_access(c, line);
    bool there = e->valid;
    e->valid = 1;
    return there;
}

static void a_cache_of_one_set_hits_below_its_ways_and_not_at_them(void **state)
{
    (void)state;
    struct reuse_odds odds;
    struct reuse_cache cache;
    reuse_odds_init(&odds, 1, 100);
    assert_true(reuse_cache_create(&cache, &odds));
    for (uint32_t lines = 99; lines <= 101; lines++) {
        uint32_t found = 0;
        reuse_cache_clear(&cache);
        for (uint32_t i = 0; i < 10 * lines; i++)
            found += hits(&cache, i % lines);
        assert_int_equal(found, lines <= 100 ? 9 * lines : 0);
    }
    reuse_cache_free(&cache);
}

/* Sets that hashed lines fall into, each with its own list. */
static uint32_t hits_of_sets(uint32_t sets, uint32_t ways, uint64_t lines, uint32_t steps, bool cyclic, uint64_t salt)
{
    static struct list list[64];
    uint32_t found = 0;
    for (uint32_t s = 0; s < sets; s++)
        list[s].count = 0, list[s].limit = ways;
    for (uint32_t i = 0; i < steps; i++) {
        uint64_t line = cyclic ? i % lines : hash_mix(i) % lines;
        found += list_touch(&list[hash_mix(line + salt) % sets], line) != REUSE_COLD;
    }
    return found;
}

static void check_sets(uint32_t sets, uint32_t ways, uint64_t lines, bool cyclic)
{
    enum { STEPS = 40000, HASHES = 100 };
    struct reuse_odds odds;
    struct reuse_cache cache;
    uint32_t found = 0;
    reuse_odds_init(&odds, sets, ways);
    assert_true(reuse_cache_create(&cache, &odds));
    for (uint32_t i = 0; i < STEPS; i++)
        found += hits(&cache, cyclic ? i % lines : hash_mix(i) % lines);
    uint32_t real = 0;
    for (uint64_t salt = 0; salt < HASHES; salt++)
        real += hits_of_sets(sets, ways, lines, STEPS, cyclic, salt << 32) / HASHES;
    assert_true(found < real + STEPS / 200 && real < found + STEPS / 200);
    reuse_cache_free(&cache);
}

static void sets_of_hashed_lines_hit_within_half_a_percent_of_the_odds(void **state)
{
    (void)state;
    check_sets(64, 16, 1500, false);
    check_sets(64, 16, 800, false);
    check_sets(64, 8, 520, false);
    check_sets(16, 4, 100, false);
    check_sets(64, 16, 1100, true);
}

static void odds_fall_from_one_to_nothing(void **state)
{
    (void)state;
    struct reuse_odds odds;
    reuse_odds_init(&odds, 64, 16);
    assert_true(fabs(reuse_odds_stays(&odds, 0) - 1) < 1e-9);
    assert_true(fabs(reuse_odds_stays(&odds, 15) - 1) < 1e-9);
    assert_true(fabs(reuse_odds_stays(&odds, 1024) - 0.46596) < 1e-4); /* P(binomial(1024, 1/64) < 16) */
    assert_true(reuse_odds_stays(&odds, REUSE_COLD) == 0);
    for (uint64_t d = 1; d < 5000; d++)
        assert_true(reuse_odds_stays(&odds, d) <= reuse_odds_stays(&odds, d - 1));
}

static void a_dirty_line_is_written_once_when_it_is_as_deep_as_the_cache(void **state)
{
    (void)state;
    struct reuse_odds odds;
    struct reuse_cache cache;
    reuse_odds_init(&odds, 1, 8);
    assert_true(reuse_cache_create(&cache, &odds));
    reuse_cache_access(&cache, 1)->dirty = 7;
    for (uint64_t line = 2; line <= 8; line++)
        reuse_cache_access(&cache, line);
    assert_int_equal(cache.written, 0);
    reuse_cache_access(&cache, 9);
    assert_int_equal(cache.written, 3);
    for (uint64_t line = 10; line < 30; line++)
        reuse_cache_access(&cache, line);
    assert_int_equal(reuse_cache_access(&cache, 1)->dirty, 0);
    assert_int_equal(cache.written, 3);
    reuse_cache_free(&cache);
}

static void dropped_sectors_are_not_there_and_the_others_are(void **state)
{
    (void)state;
    struct reuse_odds odds;
    struct reuse_cache cache;
    reuse_odds_init(&odds, 1, 8);
    assert_true(reuse_cache_create(&cache, &odds));
    reuse_cache_access(&cache, 1)->valid = 15;
    reuse_cache_drop(&cache, 1, 6);
    reuse_cache_drop(&cache, 2, 6);
    assert_int_equal(reuse_cache_access(&cache, 1)->valid, 9);
    reuse_cache_free(&cache);
}

UNIT_TESTS(UNIT(distances_are_those_of_a_list_that_is_searched_from_its_top),
           UNIT(a_stack_forgets_the_deepest_key_beyond_its_limit), UNIT(notes_stay_with_a_key_until_it_is_forgotten),
           UNIT(a_cache_of_one_set_hits_below_its_ways_and_not_at_them),
           UNIT(sets_of_hashed_lines_hit_within_half_a_percent_of_the_odds), UNIT(odds_fall_from_one_to_nothing),
           UNIT(a_dirty_line_is_written_once_when_it_is_as_deep_as_the_cache),
           UNIT(dropped_sectors_are_not_there_and_the_others_are))
