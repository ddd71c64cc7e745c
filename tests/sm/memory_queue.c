/* Memory queue of a sub-core: the other users of it, how fast store data are read, the return path behind it. */
#include "sm/memory/return_path.h"
#include "tests/sm/harness.h"

/* Issue cycles of the sixth in a run of the instruction, and cycles between two later ones. */
static void run_of(struct inst i, uint64_t *sixth, uint64_t *step)
{
    struct harness *h = harness_new();
    h->config.noc.egress_queue = 1024;
    add_many(h, i, 16);
    harness_start(h, 1);
    harness_run(h);
    assert_int_equal(issued_at(h, 0, 4), START + 4);
    *sixth = issued_at(h, 0, 5) - START;
    *step = distance(h, 0, 14, 15);
    harness_free(h);
}

static void special_registers_and_cache_control_take_a_place_of_the_queue(void **state)
{
    (void)state;
    uint64_t sixth, step;
    run_of(s2r(4), &sixth, &step);
    assert_int_equal(sixth, 9);
    assert_int_equal(step, 2);
    run_of(cctl_ivall(), &sixth, &step);
    assert_int_equal(sixth, 9);
    assert_int_equal(step, 2);
    run_of(shfl(4, 2), &sixth, &step);
    assert_int_equal(sixth, 9);
    assert_int_equal(step, 2);
}

/* 64 bytes a cycle: 2, 4, 8 cycles for 32, 64, 128 bits a lane. Address steps take 4 or 2. */
static void a_run_of_wide_stores_is_bound_by_the_reading_of_its_data(void **state)
{
    (void)state;
    uint64_t sixth, step;
    for (unsigned bytes = 4; bytes <= 16; bytes *= 2) {
        run_of(lanes(stg(true, (uint8_t)bytes, 0), 1), &sixth, &step);
        assert_int_equal(sixth, 11);
        assert_int_equal(step, bytes == 16 ? 8 : 4);
        run_of(lanes(sts(true, (uint8_t)bytes, 0), 1), &sixth, &step);
        assert_int_equal(sixth, 9);
        assert_int_equal(step, bytes / 2);
    }
}

static void cctl_ivall_empties_the_l1(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(writes_sb(ldg(4, true, 4, 0), 0), 2));
    add(h, waits(nop(), 1));
    add(h, stall(writes_sb(cctl_ivall(), 1), 2));
    add(h, waits(stall(writes_sb(ldg(4, true, 4, 0), 0), 2), 2));
    add(h, waits(nop(), 1));
    add(h, stall(writes_sb(ldg(4, true, 4, 0), 0), 2));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 4096);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 1), 32);
    assert_int_equal(distance(h, 0, 3, 4), 32 + 2 * h->config.noc.latency + h->latency);
    assert_int_equal(distance(h, 0, 5, 6), 32);
    assert_int_equal(h->requests, 1);
    harness_free(h);
}

/* ---- return path ------------------------------------------------------------------------------------------------ */

static struct return_path path;

static void data_take_the_first_free_cycles(void **state)
{
    (void)state;
    memset(&path, 0, sizeof path);
    assert_int_equal(return_path_deliver(&path, RETURN_GLOBAL, 100, 8), 108);
    assert_int_equal(return_path_deliver(&path, RETURN_GLOBAL, 100, 2), 110);
    assert_int_equal(return_path_deliver(&path, RETURN_GLOBAL, 90, 2), 92); /* ready before, called after */
    assert_int_equal(return_path_deliver(&path, RETURN_GLOBAL, 97, 4), 111);
    assert_int_equal(return_path_deliver(&path, RETURN_GLOBAL, 99, 2), 113);
}

static void a_class_in_order_never_ends_before_its_last(void **state)
{
    (void)state;
    memset(&path, 0, sizeof path);
    assert_int_equal(return_path_deliver(&path, RETURN_SHARED, 100, 4), 104);
    assert_int_equal(return_path_deliver(&path, RETURN_SHARED, 90, 2), 106);
    assert_int_equal(return_path_deliver(&path, RETURN_CONSTANT, 300, 0), 300);
    assert_int_equal(return_path_deliver(&path, RETURN_CONSTANT, 101, 0), 300);
    assert_int_equal(return_path_deliver(&path, RETURN_GLOBAL, 90, 2), 92);
}

static void a_long_backlog_and_old_cycles_are_told_apart(void **state)
{
    (void)state;
    memset(&path, 0, sizeof path);
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(return_path_deliver(&path, RETURN_GLOBAL, 64, 8), 64 + 8 * (i + 1));
    uint64_t later = 64 + RETURN_SPAN;
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(return_path_deliver(&path, RETURN_GLOBAL, later, 8), later + 8 * (i + 1));
}

/* ---- the last place --------------------------------------------------------------------------------------------- */

enum { WARPS = 4, LOADS = 40 };

/* Issues of one warp between two issues of another, at most, from load `from` on: 1 when they take turns. */
static unsigned longest_run(const struct harness *h, unsigned from)
{
    unsigned run[WARPS] = {0}, longest = 0;
    for (uint32_t i = 0; i < h->logged; i++) {
        unsigned warp = h->log[i].slot / 4;
        run[warp]++;
        for (unsigned w = 0; w < WARPS; w++)
            if (w != warp && run[warp] > from && run[w] < LOADS)
                longest = run[warp] - run[w] > longest && run[warp] > run[w] ? run[warp] - run[w] : longest;
    }
    return longest;
}

static void warps_take_the_last_place_in_turn_whatever_the_scheduler_prefers(void **state)
{
    (void)state;
    static const enum config_scheduler policies[] = {CONFIG_SCHEDULER_CGGTY, CONFIG_SCHEDULER_GTO,
                                                     CONFIG_SCHEDULER_LRR};
    for (unsigned p = 0; p < sizeof policies / sizeof policies[0]; p++) {
        struct harness *h = harness_new();
        h->config.core.scheduler = policies[p];
        add_many(h, lds(4, true, 4, 0), LOADS);
        add(h, exit_warp());
        harness_begin(h);
        for (uint32_t w = 0; w < WARPS; w++)
            harness_warp(h, 4 * w, 0);
        harness_hold(h, START);
        harness_run(h);
        /* The first warp takes the empty queue's places but the last. */
        assert_in_range(longest_run(h, 0), 1, h->config.lsu.queue);
        uint64_t first = UINT64_MAX, last = 0;
        for (uint32_t w = 0; w < WARPS; w++) {
            uint64_t end = issued_at(h, 4 * w, LOADS - 1);
            first = end < first ? end : first;
            last = end > last ? end : last;
        }
        assert_true(last - first <= WARPS * (h->config.lsu.queue + 1) * 2);
        harness_free(h);
    }
}

static void without_turns_the_last_place_goes_to_the_warp_that_the_scheduler_prefers(void **state)
{
    (void)state;
    static const enum config_scheduler policies[] = {CONFIG_SCHEDULER_CGGTY, CONFIG_SCHEDULER_GTO};
    for (unsigned p = 0; p < sizeof policies / sizeof policies[0]; p++) {
        struct harness *h = harness_new();
        h->config.lsu.turns = false;
        h->config.core.scheduler = policies[p];
        add_many(h, lds(4, true, 4, 0), LOADS);
        add(h, exit_warp());
        harness_begin(h);
        for (uint32_t w = 0; w < WARPS; w++)
            harness_warp(h, 4 * w, 0);
        harness_hold(h, START);
        harness_run(h);
        bool oldest = policies[p] == CONFIG_SCHEDULER_GTO;
        for (uint32_t w = 0; w + 1 < WARPS; w++)
            assert_true((issued_at(h, 4 * w, LOADS - 1) < issued_at(h, 4 * (w + 1), 0)) == oldest);
        harness_free(h);
    }
}

static void a_warp_alone_takes_every_place(void **state)
{
    (void)state;
    uint64_t sixth, step;
    run_of(lds(4, true, 4, 0), &sixth, &step);
    assert_int_equal(sixth, 9);
}

UNIT_TESTS(UNIT(warps_take_the_last_place_in_turn_whatever_the_scheduler_prefers),
           UNIT(without_turns_the_last_place_goes_to_the_warp_that_the_scheduler_prefers),
           UNIT(a_warp_alone_takes_every_place), UNIT(special_registers_and_cache_control_take_a_place_of_the_queue),
           UNIT(a_run_of_wide_stores_is_bound_by_the_reading_of_its_data), UNIT(cctl_ivall_empties_the_l1),
           UNIT(data_take_the_first_free_cycles), UNIT(a_class_in_order_never_ends_before_its_last),
           UNIT(a_long_backlog_and_old_cycles_are_told_apart))
