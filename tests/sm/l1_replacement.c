/* The rules for every replacement policy of the L1, and a policy with its own notes. */
#include "sm/memory/l1_replacement.h"

#include "base/hash.h"
#include "tests/unit.h"

enum { WAYS = 10, LINES = 2 * WAYS, NUMBERS = 64, ROUNDS = 20000, KEEPS = L1_KEEP_FIRST + 1 };

struct cache {
    struct l1_tags tags;
    struct config_l1 config;
    struct arena arena;
};

static struct cache *cache_new(int policy, uint32_t ways, uint32_t lines)
{
    struct cache *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->config = (struct config_l1){.ways = ways, .replacement = (enum config_l1_replacement)policy};
    assert_true(l1_tags_init(&c->tags, &c->config, lines, &c->arena));
    l1_tags_begin(&c->tags, lines);
    return c;
}

static void cache_free(struct cache *c)
{
    arena_free(&c->arena);
    free(c);
}

static struct l1_line *take(struct cache *c, uint64_t number, enum l1_keep keep)
{
    struct l1_line *line = l1_tags_take(&c->tags, number * 128, keep, false);
    line->valid = line->dirty = 0xf;
    return line;
}

static struct l1_line *there(const struct cache *c, uint64_t number) { return l1_tags_find(&c->tags, number * 128); }

static void every_policy_has_the_word_of_its_file(void **state)
{
    (void)state;
    for (int i = 0; i < L1_REPLACEMENT_POLICIES; i++) {
        const struct l1_replacement_policy *p = l1_replacement_policy((enum config_l1_replacement)i);
        assert_string_equal(p->name, config_l1_replacement_text((enum config_l1_replacement)i));
        assert_true(p->summary[0] != '\0');
        assert_non_null(p->choose);
    }
}

/* Lines of a set that are kept in each way; bit n of `which`: number n is there. */
static uint64_t look(const struct cache *c, uint64_t set, unsigned count[KEEPS])
{
    uint64_t which = 0;
    memset(count, 0, KEEPS * sizeof *count);
    for (uint64_t n = set; n < NUMBERS; n += c->tags.sets) {
        if (!there(c, n))
            continue;
        which |= UINT64_C(1) << n;
        count[there(c, n)->keep]++;
    }
    return which;
}

static enum l1_keep first_to_go(const unsigned count[KEEPS])
{
    return count[L1_KEEP_FIRST] ? L1_KEEP_FIRST : count[L1_KEEP_NORMAL] ? L1_KEEP_NORMAL : L1_KEEP_LAST;
}

static void no_policy_breaks_a_priority(void **state)
{
    (void)state;
    for (int policy = 0; policy < L1_REPLACEMENT_POLICIES; policy++) {
        struct cache *c = cache_new(policy, WAYS, LINES);
        unsigned full = 0;
        for (uint64_t k = 1; k < ROUNDS; k++) {
            uint64_t n = hash_mix(k) % NUMBERS, set = n % c->tags.sets;
            unsigned before[KEEPS], after[KEEPS];
            if (there(c, n)) {
                l1_tags_use(&c->tags, there(c, n));
                continue;
            }
            uint64_t had = look(c, set, before);
            bool is_full = before[0] + before[1] + before[2] == WAYS;
            enum l1_keep keep = (enum l1_keep)(hash_mix(k) >> 32) % KEEPS;
            take(c, n, keep);
            uint64_t gone = had & ~look(c, set, after);
            after[keep]--;
            enum l1_keep goes = first_to_go(before);
            for (int other = 0; is_full && other < KEEPS; other++)
                assert_true(other == (int)goes ? after[other] < before[other] : after[other] == before[other]);
            assert_true(is_full || gone == 0);
            assert_int_equal(__builtin_popcountll(gone), c->tags.victims);
            assert_true(c->tags.victims <= L1_VICTIMS);
            full += is_full;
        }
        assert_true(full > ROUNDS / 4);
        cache_free(c);
    }
}

static uint64_t digest_of(struct cache *c)
{
    uint64_t digest = HASH_SEED;
    for (uint64_t k = 1; k < ROUNDS; k++) {
        uint64_t n = hash_mix(k) % NUMBERS;
        bool hit = there(c, n) != NULL;
        digest = hash_bytes(digest, &hit, sizeof hit);
        take(c, n, (enum l1_keep)(hash_mix(k) >> 32) % KEEPS);
    }
    return digest;
}

static void the_same_uses_give_the_same_choices_in_the_next_kernel(void **state)
{
    (void)state;
    for (int policy = 0; policy < L1_REPLACEMENT_POLICIES; policy++) {
        struct cache *c = cache_new(policy, WAYS, LINES);
        uint64_t first = digest_of(c);
        l1_tags_begin(&c->tags, LINES);
        assert_true(digest_of(c) == first);
        cache_free(c);
    }
}

/* A toy: the line used least often goes. */
static void count_use(struct l1_tags *t, uint32_t set, uint32_t way) { l1_tags_line(t, set, way)->note++; }

static uint32_t least_often(struct l1_tags *t, uint32_t set, enum l1_keep keep)
{
    uint32_t least = L1_NO_WAY;
    for (uint32_t w = 0; w < t->ways; w++)
        if (l1_tags_line(t, set, w)->keep == keep &&
            (least == L1_NO_WAY || l1_tags_line(t, set, w)->note < l1_tags_line(t, set, least)->note))
            least = w;
    return least;
}

static void a_policy_may_keep_notes_of_its_own(void **state)
{
    (void)state;
    static const struct l1_replacement_policy toy = {.use = count_use, .choose = least_often};
    struct cache *c = cache_new(0, 4, 4);
    c->tags.policy = &toy;
    for (uint64_t n = 0; n < 4; n++)
        take(c, n, L1_KEEP_NORMAL);
    for (uint64_t n = 0; n < 4; n++)
        for (uint64_t uses = 0; uses < 3 && n != 2; uses++)
            l1_tags_use(&c->tags, there(c, n));
    l1_tags_use(&c->tags, there(c, 2)); /* the last use, but one of two */
    take(c, 4, L1_KEEP_NORMAL);
    assert_null(there(c, 2));
    take(c, 5, L1_KEEP_NORMAL); /* 4 was used once */
    assert_null(there(c, 4));
    assert_non_null(there(c, 0));
    cache_free(c);
}

UNIT_TESTS(UNIT(every_policy_has_the_word_of_its_file), UNIT(no_policy_breaks_a_priority),
           UNIT(the_same_uses_give_the_same_choices_in_the_next_kernel), UNIT(a_policy_may_keep_notes_of_its_own))
