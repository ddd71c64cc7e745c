#include "mem/l2_tags.h"

#include "tests/mem/l2_rig.h"

static struct l2_slice *slice(void) { return &rig->slice[0]; }

/* Loads the set's line `number` with a policy, long after the last access. Whether it was there. */
static bool hits(unsigned number, enum request_policy policy)
{
    struct request load = rig_request(REQUEST_LOAD, 1, 0);
    load.policy = (uint8_t)policy;
    uint64_t now = rig->now + 1000;
    return rig_access_at(rig, 0, now, load, rig_line_of_set(rig, 5, number)) == now + HIT;
}

static void fill_set(const enum request_policy policy[4])
{
    for (unsigned i = 0; i < 4; i++)
        assert_false(hits(i, policy[i]));
}

static void the_least_recently_used_line_goes(void **state)
{
    (void)state;
    rig_start(rig);
    fill_set((const enum request_policy[]){POLICY_NORMAL, POLICY_NORMAL, POLICY_NORMAL, POLICY_NORMAL});
    assert_true(hits(0, POLICY_NORMAL));
    assert_false(hits(4, POLICY_NORMAL)); /* for 1 */
    assert_true(hits(0, POLICY_NORMAL));
    assert_true(hits(2, POLICY_NORMAL));
    assert_false(hits(1, POLICY_NORMAL)); /* for 3 */
    assert_true(hits(4, POLICY_NORMAL));
}

static void lines_marked_evict_first_go_first_and_evict_last_last(void **state)
{
    (void)state;
    rig_start(rig);
    fill_set((const enum request_policy[]){POLICY_EVICT_LAST, POLICY_NORMAL, POLICY_NORMAL, POLICY_EVICT_FIRST});
    assert_false(hits(4, POLICY_NORMAL)); /* for 3, the newest */
    assert_false(hits(5, POLICY_NORMAL)); /* for 1 */
    assert_false(hits(6, POLICY_NORMAL)); /* for 2 */
    assert_false(hits(7, POLICY_NORMAL)); /* for 4 */
    assert_true(hits(0, POLICY_NORMAL));  /* the oldest of all */
    const uint32_t *resident = slice()->tags.resident;
    assert_int_equal(resident[L2_FIRST], 0);
    assert_int_equal(resident[L2_NORMAL], 3);
    assert_int_equal(resident[L2_LAST], 1);
}

static void an_access_changes_the_class_of_a_line_and_a_normal_one_keeps_it(void **state)
{
    (void)state;
    rig_start(rig);
    fill_set((const enum request_policy[]){POLICY_NORMAL, POLICY_EVICT_LAST, POLICY_NORMAL, POLICY_NO_ALLOCATE});
    const uint32_t *resident = slice()->tags.resident;
    assert_int_equal(resident[L2_NORMAL], 3); /* no allocate is for the L1 */
    assert_true(hits(0, POLICY_EVICT_FIRST));
    assert_true(hits(1, POLICY_NORMAL));
    assert_int_equal(resident[L2_FIRST], 1);
    assert_int_equal(resident[L2_LAST], 1);
    assert_false(hits(4, POLICY_NORMAL)); /* for 0, the second newest */
    assert_true(hits(1, POLICY_EVICT_FIRST));
    assert_int_equal(resident[L2_LAST], 0);
    assert_false(hits(5, POLICY_NORMAL)); /* for 1, the newest */
    assert_true(hits(2, POLICY_NORMAL));
}

static void the_set_aside_bounds_the_lines_evicted_last(void **state)
{
    (void)state;
    for (unsigned share = 0; share <= 4; share++) {
        rig->config.l2.set_aside = share / 4.0;
        rig_start(rig);
        for (unsigned i = 0; i < 4; i++)
            hits(i, POLICY_EVICT_LAST);
        assert_int_equal(slice()->tags.resident[L2_LAST], share);
        assert_int_equal(slice()->tags.resident[L2_NORMAL], 4 - share);
        rig_free(rig);
        rig = rig_new();
    }
    rig_start(rig);
}

static void random_replacement_takes_every_way_alike(void **state)
{
    (void)state;
    rig->config.l2.replacement = CONFIG_L2_REPLACEMENT_RANDOM;
    rig_start(rig);
    struct l2_tags *tags = &slice()->tags;
    for (uint64_t key = 0; key < 4; key++) {
        struct l2_place victim;
        assert_true(l2_tags_victim(tags, 9, &victim));
        l2_tags_replace(tags, &victim, key, POLICY_NORMAL, false);
    }
    unsigned chosen[4] = {0};
    for (unsigned i = 0; i < 8000; i++) {
        struct l2_place victim;
        assert_true(l2_tags_victim(tags, 9, &victim));
        chosen[l2_tags_recency(tags, victim)]++;
    }
    for (unsigned i = 0; i < 4; i++)
        assert_in_range(chosen[i], 1850, 2150);
}

static void a_dropped_line_leaves_its_place_to_the_next(void **state)
{
    (void)state;
    rig_start(rig);
    struct l2_tags *tags = &slice()->tags;
    for (uint64_t key = 0; key < 4; key++) {
        struct l2_place victim;
        assert_true(l2_tags_victim(tags, 9, &victim));
        l2_tags_replace(tags, &victim, key, POLICY_NORMAL, false);
    }
    l2_tags_drop(tags, l2_tags_find(tags, 9, 2));
    assert_false(l2_tags_has(tags, l2_tags_find(tags, 9, 2)));
    assert_int_equal(tags->resident[L2_NORMAL], 3);
    struct l2_place victim;
    uint64_t key;
    assert_true(l2_tags_victim(tags, 9, &victim));
    assert_false(l2_tags_key(tags, victim, &key));
    l2_tags_replace(tags, &victim, 10, POLICY_NORMAL, false);
    for (uint64_t k = 0; k < 4; k++)
        assert_true(l2_tags_has(tags, l2_tags_find(tags, 9, k)) == (k != 2));
    assert_int_equal(l2_tags_recency(tags, l2_tags_find(tags, 9, 10)), 0);
}

static void a_set_whose_lines_all_wait_has_no_victim(void **state)
{
    (void)state;
    rig_start(rig);
    struct l2_tags *tags = &slice()->tags;
    struct l2_place victim;
    for (uint64_t key = 0; key < 4; key++) {
        assert_true(l2_tags_victim(tags, 9, &victim));
        l2_tags_replace(tags, &victim, key, POLICY_NORMAL, false);
        victim.line->mshr = (uint16_t)key;
    }
    assert_false(l2_tags_victim(tags, 9, &victim));
    l2_tags_find(tags, 9, 2).line->mshr = L2_NO_MSHR;
    assert_true(l2_tags_victim(tags, 9, &victim));
    uint64_t key;
    assert_true(l2_tags_key(tags, victim, &key));
    assert_int_equal(key, 2);
}

UNIT_TESTS(RIG_UNIT(the_least_recently_used_line_goes), RIG_UNIT(lines_marked_evict_first_go_first_and_evict_last_last),
           RIG_UNIT(an_access_changes_the_class_of_a_line_and_a_normal_one_keeps_it),
           RIG_UNIT(the_set_aside_bounds_the_lines_evicted_last), RIG_UNIT(random_replacement_takes_every_way_alike),
           RIG_UNIT(a_dropped_line_leaves_its_place_to_the_next), RIG_UNIT(a_set_whose_lines_all_wait_has_no_victim))
