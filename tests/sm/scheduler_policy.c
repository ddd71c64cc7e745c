/* The rules for every scheduling policy and every fetch order, and the reach of a policy with its own state do. */
#include "base/hash.h"
#include "sm/front/fetch_policy.h"
#include "tests/sm/harness.h"

enum { ROUNDS = 2000, WARPS = 16 };

static void every_policy_has_the_word_of_its_file(void **state)
{
    (void)state;
    for (int i = 0; i < SCHEDULER_POLICIES; i++) {
        const struct scheduler_policy *p = scheduler_policy((enum config_scheduler)i);
        assert_string_equal(p->name, config_scheduler_text((enum config_scheduler)i));
        assert_true(p->summary[0] != '\0' && p->state_bytes <= SCHEDULER_STATE);
    }
    for (int i = 0; i < FETCH_ORDER_POLICIES; i++) {
        const struct fetch_order_policy *p = fetch_order_policy((enum config_fetch_order)i);
        assert_string_equal(p->name, config_fetch_order_text((enum config_fetch_order)i));
        assert_true(p->summary[0] != '\0');
    }
}

static void the_chosen_warp_is_one_of_those_that_may(void **state)
{
    (void)state;
    struct scheduler s;
    uint64_t bytes[SCHEDULER_STATE / sizeof(uint64_t)];
    for (int i = 0; i < SCHEDULER_POLICIES; i++) {
        scheduler_init(&s, (enum config_scheduler)i, 6, bytes);
        for (unsigned w = 0; w < SUBCORE_WARPS; w++)
            scheduler_start(&s, w, hash_mix(w) % 1000);
        for (uint64_t now = 1; now < ROUNDS; now++) {
            uint16_t eligible = (uint16_t)(hash_mix(now) | 1u << now % SUBCORE_WARPS);
            int warp = scheduler_choose(&s, eligible, now);
            if (warp == SCHEDULER_NONE)
                assert_true(s.always_asked);
            else
                assert_true(eligible >> warp & 1);
            for (int f = 0; f < FETCH_ORDER_POLICIES; f++) {
                int fetches = fetch_order_policy((enum config_fetch_order)f)->choose(&s, eligible, now);
                assert_true(fetches >= 0 && eligible >> fetches & 1);
            }
            if (warp != SCHEDULER_NONE)
                scheduler_issued(&s, (unsigned)warp);
        }
    }
}

static void a_greedy_policy_that_is_asked_chooses_the_warp_that_issued_last_too(void **state)
{
    (void)state;
    struct scheduler s;
    uint64_t bytes[SCHEDULER_STATE / sizeof(uint64_t)];
    unsigned greedy = 0;
    for (int i = 0; i < SCHEDULER_POLICIES; i++) {
        scheduler_init(&s, (enum config_scheduler)i, 6, bytes);
        for (unsigned w = 0; w < SUBCORE_WARPS; w++)
            scheduler_start(&s, w, hash_mix(w) % 1000);
        for (uint64_t now = 1; now < ROUNDS && s.policy->greedy; now++) {
            unsigned last = now % SUBCORE_WARPS;
            uint16_t eligible = (uint16_t)(hash_mix(now) | 1u << last);
            scheduler_issued(&s, last);
            assert_int_equal(s.policy->choose(&s, s.state, eligible, now), last);
            assert_int_equal(scheduler_choose(&s, eligible, now), last);
        }
        greedy += s.policy->greedy;
    }
    assert_true(greedy >= 3);
}

/* Ages are the numbers. The next older warp comes behind the one that issued last, and the youngest behind the
 * oldest. */
static void turns_go_from_young_to_old_and_around(void **state)
{
    (void)state;
    struct scheduler s;
    uint64_t room[SCHEDULER_STATE / 8];
    scheduler_init(&s, CONFIG_SCHEDULER_CGGRR, 6, room);
    const struct fetch_order_policy *fetch = fetch_order_policy(CONFIG_FETCH_ORDER_TURN);
    for (unsigned w = 0; w < SUBCORE_WARPS; w++)
        scheduler_start(&s, w, w);
    static const struct {
        uint16_t eligible;
        int chosen;
    } turns[] = {{0x0f, 3}, {0x0f, 3}, {0x07, 2}, {0x0b, 1}, {0x1d, 0}, {0x1e, 4}, {0x0a, 3}};
    for (unsigned i = 0; i < sizeof turns / sizeof *turns; i++) {
        assert_int_equal(scheduler_choose(&s, turns[i].eligible, i + 1), turns[i].chosen);
        assert_int_equal(fetch->choose(&s, turns[i].eligible, i + 1), turns[i].chosen);
        scheduler_issued(&s, (unsigned)turns[i].chosen);
    }
}

/* A CTA with four warps, and another one behind it. */
static void the_youngest_cta_goes_first_and_its_warps_take_turns(void **state)
{
    (void)state;
    struct scheduler s;
    uint64_t room[SCHEDULER_STATE / 8], age = 0;
    scheduler_init(&s, CONFIG_SCHEDULER_CGGRR_CTA, 6, room);
    for (unsigned w = 0; w < 8; w++) {
        age = w % 4 ? age : scheduler_first_age(age);
        scheduler_start(&s, w, ++age);
    }
    static const struct {
        uint16_t eligible;
        int chosen;
    } turns[] = {{0xff, 7}, {0xff, 7}, {0x7f, 6}, {0x9f, 4}, {0x8f, 7}, {0x0f, 3}, {0x17, 4}, {0x07, 2}, {0x0b, 1}};
    for (unsigned i = 0; i < sizeof turns / sizeof *turns; i++) {
        assert_int_equal(scheduler_choose(&s, turns[i].eligible, i + 1), turns[i].chosen);
        scheduler_issued(&s, (unsigned)turns[i].chosen);
    }
}

/* Ages are the numbers. Each hundred cycles another of the four warps is the youngest, and a warp that leaves has no
 * share. The warp that issued last goes on all the same. */
static void a_renewed_age_makes_the_youngest_the_oldest_and_each_warp_the_youngest_for_as_long(void **state)
{
    (void)state;
    struct scheduler s;
    uint64_t room[SCHEDULER_STATE / 8];
    scheduler_init(&s, CONFIG_SCHEDULER_CGGTY_RENEWED, 6, room);
    scheduler_renew(&s, 100);
    for (unsigned w = 0; w < 4; w++)
        scheduler_start(&s, w, w);
    unsigned cycles[4] = {0};
    for (uint64_t now = 0; now < 400; now++) {
        int warp = scheduler_choose(&s, 0x0f, now);
        assert_int_equal(warp, 3 - (int)(now / 100));
        cycles[warp]++;
    }
    for (unsigned w = 0; w < 4; w++)
        assert_int_equal(cycles[w], 100);
    assert_int_equal(scheduler_choose(&s, 0x0f, 400), 3);
    assert_int_equal(scheduler_choose(&s, 0x0b, 100), 1);
    assert_int_equal(scheduler_choose(&s, 0x0b, 399), 0);
    scheduler_issued(&s, 1);
    assert_int_equal(scheduler_choose(&s, 0x0f, 300), 1);
    scheduler_retire(&s, 1);
    assert_int_equal(scheduler_choose(&s, 0x0d, 100), 2);
    assert_int_equal(scheduler_choose(&s, 0x0d, 200), 0);
    assert_int_equal(scheduler_choose(&s, 0x0d, 300), 3);
}

static void ages_that_are_never_renewed_give_cggty(void **state)
{
    (void)state;
    struct scheduler a, b;
    uint64_t room[2][SCHEDULER_STATE / 8];
    scheduler_init(&a, CONFIG_SCHEDULER_CGGTY, 6, room[0]);
    scheduler_init(&b, CONFIG_SCHEDULER_CGGTY_RENEWED, 6, room[1]);
    for (uint64_t now = 1; now < ROUNDS; now++) {
        unsigned slot = (unsigned)(hash_mix(now) % SUBCORE_WARPS);
        if (a.resident >> slot & 1) {
            scheduler_retire(&a, slot);
            scheduler_retire(&b, slot);
        } else {
            scheduler_start(&a, slot, now);
            scheduler_start(&b, slot, now);
        }
        uint16_t eligible = a.resident & (uint16_t)hash_mix(now + ROUNDS);
        if (!eligible)
            continue;
        int warp = scheduler_choose(&a, eligible, now);
        assert_int_equal(scheduler_choose(&b, eligible, now), warp);
        scheduler_issued(&a, (unsigned)warp);
        scheduler_issued(&b, (unsigned)warp);
    }
}

/* Warp 3 issues and has instructions. Of the others the next older one without any fetches first, and 3 only when no
 * buffer is empty. */
static void an_empty_buffer_fetches_before_the_warp_that_issues(void **state)
{
    (void)state;
    struct scheduler s;
    uint64_t room[SCHEDULER_STATE / 8];
    scheduler_init(&s, CONFIG_SCHEDULER_CGGRR, 6, room);
    const struct fetch_order_policy *fetch = fetch_order_policy(CONFIG_FETCH_ORDER_EMPTY);
    for (unsigned w = 0; w < 4; w++)
        scheduler_start(&s, w, w);
    scheduler_issued(&s, 3);
    static const struct {
        uint16_t room, empty;
        int chosen;
    } rows[] = {{0x0f, 0x00, 3}, {0x0f, 0x01, 0}, {0x0f, 0x03, 1}, {0x0d, 0x02, 3}, {0x0f, 0x08, 3}, {0x07, 0x00, 2}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        s.closed[STALL_NO_INSTRUCTION] = rows[i].empty;
        assert_int_equal(fetch->choose(&s, rows[i].room, i), rows[i].chosen);
    }
}

/* Warps that load, stall and loop, with a cold instruction cache. */
static struct harness *run(enum config_scheduler policy, enum config_fetch_order order, bool skip)
{
    struct harness *h = harness_cold();
    h->config.core.scheduler = policy;
    h->config.core.fetch_order = order;
    h->config.run.skip_idle = skip;
    add(h, strided(load(4096, 0), 4, 128));
    add(h, stall(iadd(10, 11, 12, RZ), 3));
    add(h, waits(stall(nop(), 7), 1));
    add(h, branch(0, 3));
    harness_start(h, WARPS);
    harness_run(h);
    return h;
}

static void every_warp_ends_and_skipping_idle_cycles_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < SCHEDULER_POLICIES * FETCH_ORDER_POLICIES; i++) {
        enum config_scheduler policy = (enum config_scheduler)(i / FETCH_ORDER_POLICIES);
        enum config_fetch_order order = (enum config_fetch_order)(i % FETCH_ORDER_POLICIES);
        struct harness *skips = run(policy, order, true), *all = run(policy, order, false);
        assert_int_equal(skips->logged, all->logged);
        assert_memory_equal(skips->log, all->log, skips->logged * sizeof *skips->log);
        assert_memory_equal(&skips->sm->n, &all->sm->n, sizeof skips->sm->n);
        harness_free(skips);
        harness_free(all);
    }
}

/* ---- policies of the legacy core's baselines --------------------------------------------------------------------- */

/* Four warps, the oldest in slot 0, of which two may be active. */
static void start_four(struct scheduler *s, enum config_scheduler policy, void *room)
{
    scheduler_init(s, policy, 2, room);
    for (unsigned w = 0; w < 4; w++)
        scheduler_start(s, w, w);
}

static void the_oldest_warp_goes_first_whoever_issued_last(void **state)
{
    (void)state;
    struct scheduler s;
    uint64_t room[SCHEDULER_STATE / 8];
    start_four(&s, CONFIG_SCHEDULER_OLDEST, room);
    scheduler_issued(&s, 2);
    assert_int_equal(scheduler_choose(&s, 0x7, 1), 0);
    assert_int_equal(scheduler_choose(&s, 0xc, 1), 2);
}

static void limiting_lets_younger_warps_wait_behind_loads_but_not_behind_barriers(void **state)
{
    (void)state;
    struct scheduler s;
    uint64_t room[SCHEDULER_STATE / 8];
    start_four(&s, CONFIG_SCHEDULER_WARP_LIMITING, room);
    assert_int_equal(scheduler_choose(&s, 0xe, 1), 1);
    assert_int_equal(scheduler_choose(&s, 0xc, 1), SCHEDULER_NONE);
    scheduler_set(&s.closed[STALL_LONG_SCOREBOARD], 1, true);
    assert_int_equal(scheduler_choose(&s, 0xc, 1), SCHEDULER_NONE);
    scheduler_set(&s.closed[STALL_BARRIER], 0, true);
    assert_int_equal(scheduler_choose(&s, 0xc, 1), 2);
    assert_int_equal(scheduler_choose(&s, 0x8, 1), SCHEDULER_NONE);
    scheduler_issued(&s, 2);
    scheduler_set(&s.closed[STALL_BARRIER], 0, false);
    assert_int_equal(scheduler_choose(&s, 0x5, 1), 2); /* greedy */
    assert_int_equal(scheduler_choose(&s, 0x9, 1), 0);
    scheduler_retire(&s, 0);
    scheduler_retire(&s, 1);
    assert_int_equal(scheduler_choose(&s, 0x8, 1), 3);
}

static void of_two_levels_active_warps_take_turns_until_one_waits_for_memory(void **state)
{
    (void)state;
    struct scheduler s;
    uint64_t room[SCHEDULER_STATE / 8];
    start_four(&s, CONFIG_SCHEDULER_TWO_LEVEL, room);
    for (unsigned turn = 0; turn < 4; turn++) {
        assert_int_equal(scheduler_choose(&s, 0xf, 1), turn % 2);
        scheduler_issued(&s, turn % 2);
    }
    assert_int_equal(scheduler_choose(&s, 0xc, 1), SCHEDULER_NONE); /* these are pending */
    scheduler_set(&s.closed[STALL_LONG_SCOREBOARD], 0, true);
    assert_int_equal(scheduler_choose(&s, 0xe, 1), 1);
    assert_int_equal(scheduler_choose(&s, 0xc, 1), 2);
    assert_int_equal(scheduler_choose(&s, 0x8, 1), SCHEDULER_NONE);
    scheduler_issued(&s, 2); /* active: 1, 2; pending: 3, 0 */
    scheduler_set(&s.closed[STALL_LONG_SCOREBOARD], 0, false);
    scheduler_set(&s.closed[STALL_BARRIER], 1, true);
    assert_int_equal(scheduler_choose(&s, 0x9, 1), 3);
    assert_int_equal(scheduler_choose(&s, 0x1, 1), SCHEDULER_NONE);
    scheduler_retire(&s, 2);
    assert_int_equal(scheduler_choose(&s, 0x1, 1), 0);
}

/* ---- a policy with a state --------------------------------------------------------------------------------------- */

struct even {
    uint32_t count[SCHEDULER_MISSES + 1];
};

/* Declines in odd cycles. */
static int even_choose(const struct scheduler *s, const void *state, uint16_t eligible, uint64_t now)
{
    (void)state;
    return now % 2 ? SCHEDULER_NONE : scheduler_last_or_youngest(s, eligible);
}

static void even_event(const struct scheduler *s, void *state, enum scheduler_event what, unsigned warp, uint64_t line)
{
    (void)s, (void)warp, (void)line;
    ((struct even *)state)->count[what]++;
}

static const struct scheduler_policy even = {.name = "even",
                                             .summary = "the youngest, in even cycles",
                                             .state_bytes = sizeof(struct even),
                                             .always_asked = true,
                                             .choose = even_choose,
                                             .event = even_event};

static struct harness *run_even(bool skip)
{
    struct harness *h = harness_new();
    h->config.run.skip_idle = skip;
    add(h, strided(load(4096, 0), 4, 128));
    add(h, waits(nop(), 1));
    add_many(h, nop(), 4);
    add(h, exit_warp());
    harness_begin(h);
    struct scheduler *s = &h->sm->subcore[0].scheduler;
    s->policy = &even;
    scheduler_begin(s);
    for (uint32_t w = 0; w < 2; w++)
        harness_warp(h, 4 * w, 0);
    harness_hold(h, START);
    harness_run(h);
    return h;
}

static void a_policy_may_decline_and_hears_what_happens_to_its_warps(void **state)
{
    (void)state;
    struct harness *h = run_even(true), *all = run_even(false);
    const struct even *seen = (const struct even *)h->sm->subcore[0].scheduler.state;
    for (uint32_t i = 0; i < h->logged; i++)
        assert_true(h->log[i].cycle % 2 == 0);
    assert_int_equal(h->logged, 14);
    assert_int_equal(seen->count[SCHEDULER_STARTS], 2);
    assert_int_equal(seen->count[SCHEDULER_ISSUES], 14);
    assert_int_equal(seen->count[SCHEDULER_LEAVES], 2);
    assert_int_equal(seen->count[SCHEDULER_MISSES], 2);
    assert_int_equal(issued_at(h, 4, 3) - issued_at(h, 4, 2), 2);
    assert_true(stall_sum(&h->sm->n) == h->sm->n.warp_cycles);
    assert_memory_equal(h->log, all->log, h->logged * sizeof *h->log);
    assert_memory_equal(&h->sm->n, &all->sm->n, sizeof h->sm->n);
    harness_free(h);
    harness_free(all);
}

UNIT_TESTS(UNIT(a_greedy_policy_that_is_asked_chooses_the_warp_that_issued_last_too),
           UNIT(every_policy_has_the_word_of_its_file), UNIT(the_chosen_warp_is_one_of_those_that_may),
           UNIT(turns_go_from_young_to_old_and_around), UNIT(the_youngest_cta_goes_first_and_its_warps_take_turns),
           UNIT(an_empty_buffer_fetches_before_the_warp_that_issues),
           UNIT(a_renewed_age_makes_the_youngest_the_oldest_and_each_warp_the_youngest_for_as_long),
           UNIT(ages_that_are_never_renewed_give_cggty), UNIT(every_warp_ends_and_skipping_idle_cycles_changes_nothing),
           UNIT(the_oldest_warp_goes_first_whoever_issued_last),
           UNIT(limiting_lets_younger_warps_wait_behind_loads_but_not_behind_barriers),
           UNIT(of_two_levels_active_warps_take_turns_until_one_waits_for_memory),
           UNIT(a_policy_may_decline_and_hears_what_happens_to_its_warps))
