/* The waves that a hybrid launch sees, and its gaps' cycles, on made-up launches whose waves take known times. */
#include <math.h>

#include "plan/hybrid_waves.h"
#include "tests/unit.h"

/* Warp instructions and cycles of a wave. */
typedef double shape(uint64_t wave, uint64_t waves);

static double same(uint64_t wave, uint64_t waves) { return (void)wave, (void)waves, 1000; }
static double growing(uint64_t wave, uint64_t waves) { return 1000 + 1000 * (double)wave / (double)waves; }

struct outcome {
    double cycles, truth, work, all;
    uint64_t seen, gaps;
};

/* The CTAs of a wave are handed out when those before it have ended. */
static struct outcome run(uint64_t waves, shape *work, shape *cycles)
{
    struct hybrid_waves w;
    struct outcome o = {0};
    double now = 0, done = 0;
    hybrid_waves_begin(&w, waves);
    for (uint64_t i = 0; i < waves; i++) {
        const struct hybrid_mark mark = {done, {now}};
        uint64_t behind = hybrid_waves_ask(&w, &mark, i);
        for (; behind && i < behind; i++) {
            done += work(i, waves);
            o.truth += cycles(i, waves);
        }
        if (behind) {
            const struct hybrid_mark after = {done, {now}};
            assert_true(behind < waves);
            assert_int_equal(hybrid_waves_ask(&w, &after, i), 0);
            o.gaps++;
        }
        now += cycles(i, waves);
        done += work(i, waves);
        o.truth += cycles(i, waves);
        o.seen++;
    }
    o.cycles = now + w.value[HYBRID_CYCLES];
    o.work = w.work;
    o.all = done;
    return o;
}

static void a_launch_of_few_waves_is_seen_whole(void **state)
{
    (void)state;
    for (uint64_t waves = 1; waves < HYBRID_LEAST; waves++) {
        struct outcome o = run(waves, same, same);
        assert_int_equal(o.seen, waves);
        assert_true(o.cycles == o.truth && o.work == 0);
    }
}

static void gaps_of_equal_waves_have_exactly_their_cycles(void **state)
{
    (void)state;
    for (uint64_t waves = HYBRID_LEAST; waves < 3000; waves += 7) {
        struct outcome o = run(waves, same, same);
        assert_true(o.gaps >= 2 && o.seen < waves);
        assert_true(fabs(o.cycles - o.truth) < 1e-6 * o.truth);
        assert_true(o.work == (double)(waves - o.seen) * 1000);
    }
}

static void waves_that_take_longer_with_their_work_have_their_share(void **state)
{
    (void)state;
    struct outcome o = run(1000, growing, growing);
    assert_true(fabs(o.cycles / o.truth - 1) < 1e-9);
}

static void a_drift_of_the_rate_is_followed_within_two_percent(void **state)
{
    (void)state;
    for (uint64_t waves = 24; waves < 4000; waves = waves * 5 / 4) {
        struct outcome o = run(waves, same, growing);
        assert_true(fabs(o.cycles / o.truth - 1) < 0.02);
    }
}

static void a_launch_of_a_million_waves_is_seen_in_at_most_eighty(void **state)
{
    (void)state;
    for (uint64_t waves = 200; waves < 1000000; waves *= 3)
        assert_true(run(waves, same, same).seen <= 80);
}

static void a_steady_launch_of_60_waves_is_seen_in_12_and_one_that_drifts_in_20(void **state)
{
    (void)state;
    struct outcome steady = run(60, same, same), drift = run(60, same, growing);
    assert_int_equal(steady.seen, 12);
    assert_int_equal(drift.seen, 20);
}

UNIT_TESTS(UNIT(a_steady_launch_of_60_waves_is_seen_in_12_and_one_that_drifts_in_20),
           UNIT(a_launch_of_few_waves_is_seen_whole), UNIT(gaps_of_equal_waves_have_exactly_their_cycles),
           UNIT(waves_that_take_longer_with_their_work_have_their_share),
           UNIT(a_drift_of_the_rate_is_followed_within_two_percent),
           UNIT(a_launch_of_a_million_waves_is_seen_in_at_most_eighty))
