/* A cache by reuse distances in its sets, against lists that are searched from their top. */
#include "base/hash.h"
#include "mem/reuse_sets.h"
#include "tests/unit.h"

enum { MOST = 4096 };

/* The oracle: keys, the last one used first. */
struct list {
    uint64_t key[MOST];
    uint32_t count, limit;
};

/* Returns whether the key was there. */
static bool list_touch(struct list *l, uint64_t key)
{
    uint32_t depth = 0;
    while (depth < l->count && l->key[depth] != key)
        depth++;
    bool found = depth < l->count;
    if (!found && l->count < l->limit)
        l->count++;
    else if (!found)
        depth--;
    for (; depth > 0; depth--)
        l->key[depth] = l->key[depth - 1];
    l->key[0] = key;
    return found;
}

/* Accesses without a sector there are misses, which bring one. */
static bool hits(struct reuse_sets *c, uint64_t number, bool copy)
{
    struct reuse_line *line = reuse_sets_access(c, number, copy);
    bool there = line->valid;
    line->valid = 1;
    return there;
}

static void one_set_hits_as_a_list_that_is_searched_from_its_top(void **state)
{
    static struct list list;
    (void)state;
    for (uint32_t ways = 1; ways <= 256; ways = ways * 2 + 1) {
        struct reuse_sets cache;
        list.count = 0;
        list.limit = ways;
        assert_true(reuse_sets_create(&cache, 1, ways));
        for (uint64_t i = 0; i < 20000; i++) {
            uint64_t number = hash_mix(hash_mix(i) % (i % 3 ? 300 : 40)) >> 25;
            bool copy = hash_mix(~i) % 4 == 0;
            assert_int_equal(hits(&cache, number, copy), list_touch(&list, 2 * number + copy));
        }
        reuse_sets_free(&cache);
    }
}

static void a_set_hits_below_its_ways_and_not_at_them(void **state)
{
    (void)state;
    struct reuse_sets cache;
    assert_true(reuse_sets_create(&cache, 1, 100));
    for (uint32_t lines = 99; lines <= 101; lines++) {
        uint32_t found = 0;
        reuse_sets_clear(&cache);
        for (uint32_t i = 0; i < 10 * lines; i++)
            found += hits(&cache, i % lines, false);
        assert_int_equal(found, lines <= 100 ? 9 * lines : 0);
    }
    reuse_sets_free(&cache);
}

/* Sets that lines fall into by another hash, each with its own list. */
static uint32_t hits_of_sets(uint32_t sets, uint32_t ways, uint64_t lines, uint32_t steps, bool cyclic, uint64_t salt)
{
    static struct list list[64];
    uint32_t found = 0;
    for (uint32_t s = 0; s < sets; s++)
        list[s].count = 0, list[s].limit = ways;
    for (uint32_t i = 0; i < steps; i++) {
        uint64_t line = cyclic ? i % lines : hash_mix(i) % lines;
        found += list_touch(&list[hash_mix(line + salt) % sets], line);
    }
    return found;
}

/* Compares means over places, since a few sets do not share lines out evenly. */
static void check_sets(uint32_t sets, uint32_t ways, uint64_t lines, bool cyclic)
{
    enum { STEPS = 40000, HASHES = 100 };
    struct reuse_sets cache;
    uint32_t found = 0, real = 0;
    assert_true(reuse_sets_create(&cache, sets, ways));
    for (uint64_t salt = 0; salt < HASHES; salt++) {
        uint32_t own = 0;
        reuse_sets_clear(&cache);
        for (uint32_t i = 0; i < STEPS; i++)
            own += hits(&cache, (cyclic ? i % lines : hash_mix(i) % lines) + (salt << 20), false);
        found += own / HASHES;
        real += hits_of_sets(sets, ways, lines, STEPS, cyclic, salt << 32) / HASHES;
    }
    assert_true(found < real + STEPS / 200 && real < found + STEPS / 200);
    reuse_sets_free(&cache);
}

static void sets_of_hashed_lines_hit_within_half_a_percent_of_those_of_another_hash(void **state)
{
    (void)state;
    check_sets(64, 16, 1500, false);
    check_sets(64, 16, 800, false);
    check_sets(64, 8, 520, false);
    check_sets(16, 4, 100, false);
    check_sets(64, 16, 1100, true);
}

static void a_dirty_line_is_written_once_when_it_leaves_its_set(void **state)
{
    (void)state;
    struct reuse_sets cache;
    assert_true(reuse_sets_create(&cache, 1, 8));
    reuse_sets_access(&cache, 1, false)->dirty = 7;
    for (uint64_t line = 2; line <= 8; line++)
        reuse_sets_access(&cache, line, false);
    assert_int_equal(cache.written, 0);
    reuse_sets_access(&cache, 9, false);
    assert_int_equal(cache.written, 3);
    for (uint64_t line = 10; line < 30; line++)
        reuse_sets_access(&cache, line, false);
    assert_int_equal(reuse_sets_access(&cache, 1, false)->dirty, 0);
    assert_int_equal(cache.written, 3);
    reuse_sets_free(&cache);
}

static void notes_stay_with_a_line_until_it_leaves(void **state)
{
    (void)state;
    struct reuse_sets cache;
    assert_true(reuse_sets_create(&cache, 1, 2));
    reuse_sets_access(&cache, 10, false)->note = 5;
    assert_int_equal(reuse_sets_access(&cache, 10, true)->note, 0);
    assert_int_equal(reuse_sets_access(&cache, 10, false)->note, 5);
    reuse_sets_access(&cache, 12, false);
    reuse_sets_access(&cache, 13, false);
    assert_int_equal(reuse_sets_access(&cache, 10, false)->note, 0);
    reuse_sets_free(&cache);
}

static void dropped_sectors_are_not_there_and_the_others_are(void **state)
{
    (void)state;
    struct reuse_sets cache;
    assert_true(reuse_sets_create(&cache, 1, 8));
    reuse_sets_access(&cache, 1, false)->valid = 15;
    reuse_sets_drop(&cache, 1, false, 6);
    reuse_sets_drop(&cache, 1, true, 9);
    reuse_sets_drop(&cache, 2, false, 6);
    assert_int_equal(reuse_sets_access(&cache, 1, false)->valid, 9);
    reuse_sets_free(&cache);
}

UNIT_TESTS(UNIT(one_set_hits_as_a_list_that_is_searched_from_its_top), UNIT(a_set_hits_below_its_ways_and_not_at_them),
           UNIT(sets_of_hashed_lines_hit_within_half_a_percent_of_those_of_another_hash),
           UNIT(a_dirty_line_is_written_once_when_it_leaves_its_set), UNIT(notes_stay_with_a_line_until_it_leaves),
           UNIT(dropped_sectors_are_not_there_and_the_others_are))
