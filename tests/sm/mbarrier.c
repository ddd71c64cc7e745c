/* Operations on barrier objects in time: their results, lanes, waits, sleeps, and arrivals of copies. */
#include "base/bits.h"
#include "tests/sm/harness.h"

/* Cycles from issue to the data of one lane, as the configuration has them. */
static uint64_t to_the_data(const struct config *c)
{
    return (uint64_t)c->shared.latency + c->shared.vector_extra + c->mbarrier.extra;
}

/* Issue to issue of an instruction that waits for the operation, which nothing holds up. */
static uint64_t alone_with(uint32_t extra, struct inst operation)
{
    struct harness *h = harness_new();
    h->config.mbarrier.extra = extra;
    add(h, stall(writes_sb(operation, 0), 2));
    add(h, waits(nop(), 1));
    harness_start(h, 1);
    harness_run(h);
    uint64_t cycles = distance(h, 0, 0, 1);
    harness_free(h);
    return cycles;
}

static uint64_t alone(struct inst operation) { return alone_with(0, operation); }

static void an_operation_takes_as_long_as_a_load_and_the_extra(void **state)
{
    (void)state;
    uint64_t load = alone(lds(4, true, 4, 0));
    for (uint32_t extra = 0; extra < 3; extra++) {
        assert_int_equal(alone_with(extra, syncs_arrive(0)), load + extra);
        assert_int_equal(alone_with(extra, syncs_wait(0)), load + extra);
    }
}

static void each_further_lane_at_an_object_takes_its_interval(void **state)
{
    (void)state;
    struct inst one = syncs_arrive(0), four = lanes(syncs_arrive(0), 0xf), tests = lanes(syncs_wait(0), 0xf);
    const uint32_t apart[32] = {0, 8, 16, 24};
    assert_int_equal(alone(four), alone(one) + 3 * 2);
    assert_int_equal(alone(scattered(four, apart)), alone(one));
    assert_int_equal(alone(tests), alone(one));
}

static void operations_follow_each_other_at_their_interval(void **state)
{
    (void)state;
    for (uint32_t interval = 8; interval <= 9; interval++) {
        struct harness *h = harness_new();
        h->config.mbarrier.interval = interval;
        for (unsigned i = 0; i < 40; i++)
            add(h, stall(syncs_arrive(0), 1));
        uint32_t last = add(h, stall(writes_sb(syncs_arrive(0), 0), 2));
        add(h, waits(nop(), 1));
        harness_start(h, 1);
        harness_run(h);
        assert_int_equal(issued_at(h, 0, last + 1) - issued_at(h, 0, 0), 40 * interval + alone(syncs_arrive(0)));
        harness_free(h);
    }
}

/* ---- waits ------------------------------------------------------------------------------------------------------- */

enum { ARRIVES_AT = START + 200, ARRIVE = 4 };

/* Warp 0 waits. Warp 1 arrives at ARRIVES_AT, which ends the phase. */
static struct harness *begin_pair(struct harness *h, struct inst wait)
{
    add(h, stall(writes_sb(wait, 0), 2));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    add(h, nanosleep_for(ARRIVES_AT - START));
    assert_int_equal(add(h, stall(syncs_arrive(0), 2)), ARRIVE);
    add(h, exit_warp());
    h->phase_at = ARRIVES_AT;
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_warp(h, 1, 3);
    harness_hold(h, START);
    return h;
}

static void a_wait_ends_the_time_of_waking_after_the_operation_that_ends_its_phase(void **state)
{
    (void)state;
    for (uint32_t wake = 10; wake <= 11; wake++) {
        struct harness *h = harness_new();
        h->config.mbarrier.wake = wake;
        begin_pair(h, syncs_wait(0));
        harness_run(h);
        assert_int_equal(issued_at(h, 1, ARRIVE), ARRIVES_AT);
        uint64_t passes_and_returns = alone(syncs_arrive(0)) - to_the_data(&h->config);
        assert_int_equal(issued_at(h, 0, 1), ARRIVES_AT + passes_and_returns + wake);
        assert_int_equal(h->sm->objects.count, 0);
        assert_int_equal(h->sm->objects.retrying, 0);
        harness_free(h);
    }
}

static void a_wait_that_nothing_ends_lasts_as_long_as_its_limit(void **state)
{
    (void)state;
    for (uint32_t limit = 0; limit <= 150; limit += 50) {
        struct harness *h = harness_new();
        h->config.mbarrier.try_limit = limit;
        begin_pair(h, syncs_wait(0));
        harness_run(h);
        assert_int_equal(distance(h, 0, 0, 1), alone(syncs_wait(0)) + limit);
        harness_free(h);
    }
}

static void waiting_is_long_scoreboard(void **state)
{
    (void)state;
    struct harness *h = begin_pair(harness_new(), syncs_wait(0));
    harness_run(h);
    assert_int_equal(h->sm->n.stall[STALL_LONG_SCOREBOARD], distance(h, 0, 0, 1) - 2);
    harness_free(h);
}

static void waits_leave_the_pending_table_to_others(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.lsu.pending = 1;
    begin_pair(h, syncs_wait(0));
    harness_run_until(h, ARRIVES_AT - 10);
    assert_int_equal(h->sm->objects.count, 1);
    assert_int_equal(h->sm->lsu.table.entries, 0);
    harness_run(h);
    assert_true(issued_at(h, 0, 1) < ARRIVES_AT + 60);
    assert_int_equal(h->sm->lsu.table.entries, 0);
    assert_int_equal(h->sm->lsu.table.free_count, h->sm->lsu.table.records);
    harness_free(h);
}

static void a_wait_that_finds_all_places_taken_ends_at_once(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->phase_at = UINT64_MAX;
    h->config.mbarrier.try_limit = 5000;
    for (unsigned i = 0; i < MBARRIER_WAITS; i++)
        add(h, stall(syncs_wait(0), 2));
    uint32_t last = add(h, stall(writes_sb(syncs_wait(0), 0), 2));
    add(h, waits(nop(), 1));
    harness_start(h, 1);
    harness_run_until(h, 2000);
    assert_true(has_issued(h, 0, last + 1));
    assert_int_equal(h->sm->objects.count, MBARRIER_WAITS);
    harness_free(h);
}

static void skipping_idle_cycles_changes_no_wait(void **state)
{
    (void)state;
    uint64_t at[2], end[2];
    for (unsigned skip = 0; skip < 2; skip++) {
        struct harness *h = harness_new();
        h->config.run.skip_idle = skip;
        h->config.mbarrier.try_limit = 137;
        begin_pair(h, syncs_wait(0));
        harness_run(h);
        at[skip] = issued_at(h, 0, 1);
        end[skip] = h->end;
        harness_free(h);
    }
    assert_int_equal(at[0], at[1]);
    assert_int_equal(end[0], end[1]);
}

/* ---- sleep ------------------------------------------------------------------------------------------------------- */

static void a_sleep_at_an_object_ends_when_the_phase_does(void **state)
{
    (void)state;
    struct harness *h = begin_pair(harness_new(), nanosleep_syncs(5000));
    harness_run(h);
    /* The operation passes the memory unit, and the warp has woken. */
    uint64_t passes = ARRIVES_AT + h->config.lsu.to_shared_part;
    assert_int_equal(issued_at(h, 0, 1), passes + h->config.mbarrier.wake);
    harness_free(h);
}

static void a_sleep_at_an_object_that_nothing_ends_takes_its_time(void **state)
{
    (void)state;
    struct harness *h = begin_pair(harness_new(), nanosleep_syncs(150));
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 1), 150);
    harness_free(h);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static void an_arrival_of_copies_is_complete_when_the_copies_have_landed(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->silent = true;
    add(h, stall(ldgsts(16, 8192), 2));
    struct inst arrival = arrives(0);
    arrival.deferred = true;
    add(h, stall(arrival, 2));
    harness_start(h, 1);
    harness_run_until(h, 1000);
    assert_int_equal(h->sm->warp[0].accesses, 2);
    for (uint32_t i = 0; i < h->requests; i++)
        harness_reply(h, &h->request[i], 1000 + 100 * i);
    harness_run_until(h, 1000 + 100 * (h->requests - 1));
    assert_int_equal(h->sm->warp[0].accesses, 2);
    assert_int_equal(h->completed[1], 0);
    harness_run(h);
    assert_int_equal(h->completed[1], 1);
    harness_free(h);
}

static void an_arrival_without_copies_is_complete_when_it_has_passed(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(writes_sb(arrives(0), 0), 2));
    add(h, waits(nop(), 1));
    harness_start(h, 1);
    harness_run(h);
    assert_true(distance(h, 0, 0, 1) <= alone(syncs_arrive(0)));
    harness_free(h);
}

/* A copy on its way is before all of them. */
static void more_arrivals_than_there_are_groups_wait_for_a_place(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.mbarrier.interval = 1;
    add(h, stall(ldgsts(16, 8192), 2));
    for (unsigned i = 0; i < 70; i++)
        add(h, stall(arrives(0), 2));
    h->silent = true;
    harness_start(h, 1);
    harness_run_until(h, 1000);
    assert_true(has_issued(h, 0, 63));
    assert_false(has_issued(h, 0, 64));
    for (uint32_t i = 0; i < h->requests; i++)
        harness_reply(h, &h->request[i], 1001);
    harness_run(h);
    assert_true(has_issued(h, 0, 70));
    harness_free(h);
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

/* Goes round to a wait that nothing ends. The rest of the loop decides. */
static struct harness *loop(struct inst other)
{
    struct harness *h = harness_new();
    h->phase_at = UINT64_MAX;
    h->config.mbarrier.try_limit = 20;
    add(h, stall(writes_sb(syncs_wait(0), 0), 2));
    add(h, stall(waits(other, 1), 2));
    add(h, stall(branch(0, 500), 5));
    harness_start(h, 2);
    harness_run_until(h, 10000);
    assert_true(h->sm->ctas > 0);
    return h;
}

static void warps_that_only_wait_again_make_no_progress(void **state)
{
    (void)state;
    struct harness *h = loop(nop());
    assert_true(h->sm->last_progress < 200);
    harness_free(h);
}

static void warps_that_store_between_waits_make_progress(void **state)
{
    (void)state;
    struct harness *h = loop(sts(true, 4, 0));
    assert_true(h->sm->last_progress > 9800);
    harness_free(h);
}

static void warps_that_get_no_registers_make_no_progress(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    struct inst asks = nop();
    asks.retries = true;
    add(h, stall(asks, 2));
    add(h, stall(branch(0, 2000), 5));
    harness_start(h, 2);
    harness_run_until(h, 10000);
    assert_true(h->sm->last_progress < 200);
    harness_free(h);
}

UNIT_TESTS(UNIT(an_operation_takes_as_long_as_a_load_and_the_extra),
           UNIT(each_further_lane_at_an_object_takes_its_interval),
           UNIT(operations_follow_each_other_at_their_interval),
           UNIT(a_wait_ends_the_time_of_waking_after_the_operation_that_ends_its_phase),
           UNIT(a_wait_that_nothing_ends_lasts_as_long_as_its_limit), UNIT(waiting_is_long_scoreboard),
           UNIT(waits_leave_the_pending_table_to_others), UNIT(a_wait_that_finds_all_places_taken_ends_at_once),
           UNIT(skipping_idle_cycles_changes_no_wait), UNIT(a_sleep_at_an_object_ends_when_the_phase_does),
           UNIT(a_sleep_at_an_object_that_nothing_ends_takes_its_time),
           UNIT(an_arrival_of_copies_is_complete_when_the_copies_have_landed),
           UNIT(an_arrival_without_copies_is_complete_when_it_has_passed),
           UNIT(more_arrivals_than_there_are_groups_wait_for_a_place),
           UNIT(warps_that_only_wait_again_make_no_progress), UNIT(warps_that_store_between_waits_make_progress),
           UNIT(warps_that_get_no_registers_make_no_progress))
