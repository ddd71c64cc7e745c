/* Which line of the L1 makes room, by policy and by how lines were loaded. */
#include "sm/memory/l1_tags.h"

#include "base/bits.h"
#include "tests/unit.h"

static struct config_l1 config;
static struct arena storage;

static struct l1_tags *tags(enum config_l1_replacement replacement, uint32_t ways, uint32_t lines)
{
    struct l1_tags *t = malloc(sizeof *t);
    assert_non_null(t);
    config = (struct config_l1){.ways = ways, .replacement = replacement};
    assert_true(l1_tags_init(t, &config, lines, &storage));
    l1_tags_begin(t, lines);
    return t;
}

static void drop(struct l1_tags *t)
{
    arena_free(&storage);
    free(t);
}

static struct l1_line *take(struct l1_tags *t, uint64_t number, enum l1_keep keep)
{
    struct l1_line *way = l1_tags_take(t, number * 128, keep, false);
    assert_non_null(way);
    way->valid = 0xf;
    return way;
}

static bool there(const struct l1_tags *t, uint64_t number) { return l1_tags_find(t, number * 128) != NULL; }

static void touch(struct l1_tags *t, uint64_t number) { l1_tags_use(t, l1_tags_find(t, number * 128)); }

static void all_lines_are_used_whatever_the_carve_out_leaves(void **state)
{
    (void)state;
    struct l1_tags *t = tags(CONFIG_L1_REPLACEMENT_PSEUDO_LRU, 64, 1000);
    static const uint32_t rows[][3] = {{1000, 16, 62}, {64, 1, 64}, {65, 2, 32}, {1, 1, 1}, {445, 7, 63}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        l1_tags_begin(t, rows[i][0]);
        assert_int_equal(t->sets, rows[i][1]);
        assert_int_equal(t->ways, rows[i][2]);
        for (uint64_t n = 0; n < t->sets * t->ways; n++)
            take(t, n, L1_KEEP_NORMAL);
        for (uint64_t n = 0; n < t->sets * t->ways; n++)
            assert_true(there(t, n));
    }
    drop(t);
}

static void pseudo_lru_marks_lines_until_all_of_a_set_are_marked(void **state)
{
    (void)state;
    struct l1_tags *t = tags(CONFIG_L1_REPLACEMENT_PSEUDO_LRU, 4, 4);
    for (uint64_t n = 0; n < 4; n++)
        take(t, n, L1_KEEP_NORMAL); /* the mark of 3 clears 0's, 1's and 2's */
    touch(t, 0);
    take(t, 4, L1_KEEP_NORMAL); /* 1 is the first without a mark. Marked are 0, 3, 4 */
    assert_false(there(t, 1));
    take(t, 5, L1_KEEP_NORMAL); /* 2; with its mark all are marked, and only 5 stays so */
    assert_false(there(t, 2));
    take(t, 6, L1_KEEP_NORMAL);
    assert_false(there(t, 0));
    assert_true(there(t, 5));
    assert_true(there(t, 3));
    drop(t);
}

static void lru_evicts_what_was_used_longest_ago(void **state)
{
    (void)state;
    struct l1_tags *t = tags(CONFIG_L1_REPLACEMENT_LRU, 4, 4);
    for (uint64_t n = 0; n < 4; n++)
        take(t, n, L1_KEEP_NORMAL);
    touch(t, 0);
    touch(t, 1);
    take(t, 4, L1_KEEP_NORMAL);
    take(t, 5, L1_KEEP_NORMAL);
    assert_true(there(t, 0));
    assert_true(there(t, 1));
    assert_false(there(t, 2));
    assert_false(there(t, 3));
    drop(t);
}

static void random_evicts_four_neighbours_at_once_and_the_same_every_time(void **state)
{
    (void)state;
    uint64_t first = 0;
    for (unsigned again = 0; again < 2; again++) {
        struct l1_tags *t = tags(CONFIG_L1_REPLACEMENT_RANDOM, 64, 64);
        for (uint64_t n = 0; n < 64; n++)
            take(t, n, L1_KEEP_NORMAL);
        take(t, 64, L1_KEEP_NORMAL);
        uint64_t gone = 0;
        for (uint64_t n = 0; n < 64; n++)
            gone |= (uint64_t)!there(t, n) << n;
        assert_true(gone != 0 && gone == UINT64_C(15) << lowest_bit64(gone) && lowest_bit64(gone) % 4 == 0);
        for (uint64_t n = 65; n < 68; n++)
            take(t, n, L1_KEEP_NORMAL); /* the other three places */
        unsigned left = 0;
        for (uint64_t n = 0; n < 68; n++)
            left += there(t, n);
        assert_int_equal(left, 64);
        assert_true(!again || gone == first);
        first = gone;
        drop(t);
    }
}

static void priorities_go_before_the_policy(void **state)
{
    (void)state;
    for (unsigned r = 0; r < L1_REPLACEMENT_POLICIES; r++) {
        struct l1_tags *t = tags((enum config_l1_replacement)r, 8, 8);
        for (uint64_t n = 0; n < 8; n++)
            take(t, n, n == 2 || n == 3 ? L1_KEEP_LAST : n == 6 ? L1_KEEP_FIRST : L1_KEEP_NORMAL);
        touch(t, 6);
        take(t, 8, L1_KEEP_NORMAL);
        assert_false(there(t, 6));
        for (uint64_t n = 9; n < 50; n++)
            take(t, n, L1_KEEP_NORMAL);
        assert_true(there(t, 2));
        assert_true(there(t, 3));
        for (uint64_t n = 50; n < 58; n++)
            take(t, n, L1_KEEP_LAST); /* nothing else is left */
        assert_true(there(t, 57));
        drop(t);
    }
}

static void an_invalidated_cache_keeps_local_memory(void **state)
{
    (void)state;
    struct l1_tags *t = tags(CONFIG_L1_REPLACEMENT_PSEUDO_LRU, 4, 4);
    take(t, 0, L1_KEEP_NORMAL);
    l1_tags_take(t, 128, L1_KEEP_NORMAL, true)->valid = 1;
    l1_tags_invalidate(t);
    assert_false(there(t, 0));
    assert_true(there(t, 1));
    assert_int_equal(take(t, 0, L1_KEEP_NORMAL)->valid, 0xf);
    assert_true(there(t, 0));
    drop(t);
}

static void dirty_lines_that_leave_are_told(void **state)
{
    (void)state;
    struct l1_tags *t = tags(CONFIG_L1_REPLACEMENT_LRU, 2, 2);
    take(t, 0, L1_KEEP_NORMAL)->dirty = 0x5;
    take(t, 1, L1_KEEP_NORMAL);
    take(t, 2, L1_KEEP_NORMAL);
    assert_int_equal(t->victims, 1);
    assert_int_equal(t->victim[0].line, 0);
    assert_int_equal(t->victim[0].sectors, 0x5);
    take(t, 3, L1_KEEP_NORMAL);
    assert_int_equal(t->victims, 0);
    drop(t);
}

/* An array of places, searched from end to end. */
static void the_index_finds_what_a_search_finds(void **state)
{
    (void)state;
    for (unsigned r = 0; r < L1_REPLACEMENT_POLICIES; r++) {
        struct l1_tags *t = tags((enum config_l1_replacement)r, 6, 50);
        uint64_t seed = 7;
        for (unsigned k = 0; k < 20000; k++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            uint64_t n = (seed >> 33) % 40 + ((seed >> 50) % 4) * 4096;
            if (k % 997 == 0)
                l1_tags_invalidate(t);
            bool held = false;
            for (uint32_t i = 0; i < t->sets * t->ways; i++)
                held |= t->lines[i].line == n * 128 && t->lines[i].valid && t->lines[i].used > t->emptied;
            assert_int_equal(there(t, n), held);
            take(t, n, (enum l1_keep)((seed >> 60) % 4));
            assert_true(there(t, n));
        }
        drop(t);
    }
}

/* The first place of the set that holds nothing, searched from end to end (NULL: none). */
static const struct l1_line *first_empty(const struct l1_tags *t, uint64_t number)
{
    for (uint32_t w = 0; w < t->ways; w++) {
        const struct l1_line *way = &t->lines[w * t->sets + number % t->sets];
        if (!way->valid || (way->used <= t->emptied && !way->local))
            return way;
    }
    return NULL;
}

static void a_line_takes_the_first_place_that_holds_nothing(void **state)
{
    (void)state;
    for (unsigned r = 0; r < L1_REPLACEMENT_POLICIES; r++) {
        struct l1_tags *t = tags((enum config_l1_replacement)r, 70, 140);
        uint64_t seed = 5;
        unsigned into_empty = 0;
        for (unsigned k = 0; k < 20000; k++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            uint64_t n = (seed >> 33) % 200, other = (seed >> 50) % 200;
            if (k % 997 == 0)
                l1_tags_invalidate(t);
            if (k % 3 == 0 && there(t, other))
                l1_tags_give_up(t, l1_tags_find(t, other * 128), (uint8_t)(seed >> 60));
            bool new = true;
            for (uint32_t i = 0; i < t->sets * t->ways; i++)
                new &= t->lines[i].line != n * 128;
            const struct l1_line *place = first_empty(t, n);
            struct l1_line *way = l1_tags_take(t, n * 128, L1_KEEP_NORMAL, (seed >> 40 & 7) == 0);
            way->valid = 0xf;
            if (new &&place) {
                assert_ptr_equal(way, place);
                into_empty++;
            }
        }
        assert_true(into_empty > 1000);
        drop(t);
    }
}

UNIT_TESTS(UNIT(all_lines_are_used_whatever_the_carve_out_leaves),
           UNIT(pseudo_lru_marks_lines_until_all_of_a_set_are_marked), UNIT(lru_evicts_what_was_used_longest_ago),
           UNIT(random_evicts_four_neighbours_at_once_and_the_same_every_time), UNIT(priorities_go_before_the_policy),
           UNIT(an_invalidated_cache_keeps_local_memory), UNIT(dirty_lines_that_leave_are_told),
           UNIT(the_index_finds_what_a_search_finds), UNIT(a_line_takes_the_first_place_that_holds_nothing))
