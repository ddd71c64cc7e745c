/* The rules for every replacement policy of the L2, and a policy with its own notes. */
#include "mem/l2_replacement.h"

#include "base/hash.h"
#include "mem/l2_mshr.h"
#include "tests/unit.h"

enum { WAYS = 8, SETS = 4, KEYS = 24, ROUNDS = 20000, PENDING = 3 };

struct cache {
    struct l2_tags tags;
    struct l2_model model;
    struct arena arena;
};

static struct cache *cache_new(int policy)
{
    struct cache *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->model = (struct l2_model){
        .sets = SETS, .ways = WAYS, .last_ways = WAYS / 2, .replacement = (enum config_l2_replacement)policy};
    assert_true(l2_tags_create(&c->tags, &c->model, 1, &c->arena));
    return c;
}

static void cache_free(struct cache *c)
{
    arena_free(&c->arena);
    free(c);
}

static void every_policy_has_the_word_of_its_file(void **state)
{
    (void)state;
    for (int i = 0; i < L2_REPLACEMENT_POLICIES; i++) {
        const struct l2_replacement_policy *p = l2_replacement_policy((enum config_l2_replacement)i);
        assert_string_equal(p->name, config_l2_replacement_text((enum config_l2_replacement)i));
        assert_true(p->summary[0] != '\0');
        assert_non_null(p->choose);
    }
}

/* The class that has to give up a line of a full set (L2_CLASSES: none may go). */
static unsigned first_to_go(const struct cache *c, uint32_t set)
{
    unsigned first = L2_CLASSES;
    for (uint32_t way = 0; way < WAYS; way++) {
        const struct l2_line *line = &c->tags.line[set * WAYS + way];
        if (line->mshr == L2_NO_MSHR && line->class < first)
            first = line->class;
    }
    return first;
}

/* Puts a line where the victim was, unless all lines wait. Returns the victim's way, or -1. */
static int put(struct cache *c, uint32_t set, uint64_t key, uint64_t chance)
{
    static const enum request_policy policies[] = {POLICY_NORMAL, POLICY_EVICT_FIRST, POLICY_EVICT_LAST};
    struct l2_place place = l2_tags_find(&c->tags, set, key);
    if (l2_tags_has(&c->tags, place)) {
        l2_tags_touch(&c->tags, &place, policies[chance % 3]);
        return -1;
    }
    if (!l2_tags_victim(&c->tags, set, &place))
        return -1;
    int way = (int)(l2_tags_index(&c->tags, place.line) % WAYS);
    l2_tags_replace(&c->tags, &place, key, policies[chance % 3], chance / 3 % 4 == 0);
    return way;
}

static void no_policy_breaks_a_class(void **state)
{
    (void)state;
    for (int policy = 0; policy < L2_REPLACEMENT_POLICIES; policy++) {
        struct cache *c = cache_new(policy);
        unsigned looked = 0, refused = 0;
        for (uint64_t k = 1; k < ROUNDS; k++) {
            uint64_t chance = hash_mix(k), key = chance % KEYS, other;
            uint32_t set = (uint32_t)(chance >> 32) % SETS;
            struct l2_place victim = l2_tags_find(&c->tags, set, key);
            for (uint32_t way = 0; way < WAYS; way++) /* some wait for sectors, now and then all of them */
                if (l2_tags_key(&c->tags, l2_tags_at(&c->tags, set * WAYS + way), &other))
                    c->tags.line[set * WAYS + way].mshr =
                        k % 16 == 0 || hash_mix(k + way) % PENDING == 0 ? 0 : L2_NO_MSHR;
            bool found = l2_tags_victim(&c->tags, set, &victim);
            if (found && l2_tags_key(&c->tags, victim, &other)) {
                assert_int_equal(victim.line->class, first_to_go(c, set));
                assert_int_equal(victim.line->mshr, L2_NO_MSHR);
                looked++;
            }
            if (!found)
                assert_int_equal(first_to_go(c, set), L2_CLASSES);
            refused += !found;
            put(c, set, key, chance >> 16);
        }
        assert_true(looked > ROUNDS / 4 && refused > 0);
        cache_free(c);
    }
}

static uint64_t digest_of(struct cache *c)
{
    uint64_t digest = HASH_SEED;
    for (uint64_t k = 1; k < ROUNDS; k++) {
        uint64_t chance = hash_mix(k);
        int way = put(c, (uint32_t)(chance >> 32) % SETS, chance % KEYS, chance >> 16);
        digest = hash_bytes(digest, &way, sizeof way);
    }
    return digest;
}

static void the_same_accesses_give_the_same_victims_after_a_reset(void **state)
{
    (void)state;
    for (int policy = 0; policy < L2_REPLACEMENT_POLICIES; policy++) {
        struct cache *c = cache_new(policy);
        uint64_t first = digest_of(c);
        l2_tags_reset(&c->tags);
        assert_true(digest_of(c) == first);
        cache_free(c);
    }
}

/* A toy: the line used least often goes. */
static void count_use(struct l2_tags *tags, struct l2_line *line)
{
    (void)tags;
    line->note++;
}

static uint32_t least_often(const struct l2_tags *tags, uint32_t set, enum l2_class class)
{
    uint32_t least = tags->ways;
    for (uint32_t r = 0; r < tags->ways; r++)
        if (l2_tags_may_go(tags, set, r, class) &&
            (least == tags->ways || l2_tags_line(tags, set, r)->note < l2_tags_line(tags, set, least)->note))
            least = r;
    return least;
}

static bool there(struct cache *c, uint64_t key) { return l2_tags_has(&c->tags, l2_tags_find(&c->tags, 2, key)); }

static void a_policy_may_keep_notes_of_its_own(void **state)
{
    (void)state;
    static const struct l2_replacement_policy toy = {.use = count_use, .choose = least_often};
    struct cache *c = cache_new(0);
    c->tags.policy = &toy;
    for (unsigned uses = 0; uses < 3; uses++)
        for (uint64_t key = 0; key < WAYS; key++)
            if (uses == 0 || key != 5)
                put(c, 2, key, 3);
    put(c, 2, 5, 3); /* the most recent, but used twice only */
    put(c, 2, 20, 3);
    assert_false(there(c, 5));
    put(c, 2, 21, 3); /* for 20, used once */
    assert_false(there(c, 20));
    assert_true(there(c, 0) && there(c, 21));
    cache_free(c);
}

UNIT_TESTS(UNIT(every_policy_has_the_word_of_its_file), UNIT(no_policy_breaks_a_class),
           UNIT(the_same_accesses_give_the_same_victims_after_a_reset), UNIT(a_policy_may_keep_notes_of_its_own))
