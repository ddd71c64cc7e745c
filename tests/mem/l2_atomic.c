#include "mem/l2_atomic.h"

#include "base/bits.h"
#include "tests/mem/l2_rig.h"

/* Sends `count` operations on one word in one cycle, 64 bytes of requests a cycle being no limit; the last reply. */
static uint64_t contend(unsigned count, enum request_kind kind)
{
    for (unsigned i = 0; i < count; i++)
        rig_send(rig, 2000, kind, 0, 1, i);
    rig_run(rig, RIG_FOREVER);
    return rig_arrival(rig, count - 1);
}

static void n_atomics_on_one_word_take_n_intervals(void **state)
{
    (void)state;
    const double intervals[] = {0.711, 1, 3, 2.5, 0.125};
    for (unsigned k = 0; k < sizeof intervals / sizeof *intervals; k++) {
        rig->config.l2.atomic_interval = intervals[k];
        rig->config.noc.slice_reply_bytes = 1024;
        rig_start(rig);
        rig_access(rig, 100, REQUEST_LOAD, 0, 1);
        enum { COUNT = 1000 };
        contend(COUNT, REQUEST_REDUCTION);
        for (unsigned i = 0; i < COUNT; i++) {
            uint64_t begin = (rig->model.atomic_interval * i) >> BUS_FRACTION;
            assert_int_equal(rig_arrival(rig, i), 2000 + begin + HIT);
        }
        uint64_t end = (rig->model.atomic_interval * COUNT) >> BUS_FRACTION;
        assert_int_equal(l2_atomic_next(&rig->slice[0].atomic), 2000 + end);
        assert_int_equal(rig->n.l2_busy_cycles, 1 + end);
        rig_free(rig);
        rig = rig_new();
    }
    rig_start(rig);
}

static void a_warps_reductions_to_one_word_take_51_cycles_each(void **state)
{
    (void)state;
    rig->config.l2.atomic_interval = 1.6; /* TU102 */
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 1);
    enum { ROUNDS = 20 };
    struct request reduction = rig_request(REQUEST_REDUCTION, 1, 0);
    reduction.lanes = UINT32_MAX;
    reduction.operations = 32;
    uint64_t last = 0;
    for (unsigned i = 0; i < ROUNDS; i++)
        last = rig_access_at(rig, 0, 2000 + i, reduction, 0) - HIT - 2000;
    assert_int_equal(last, (uint64_t)((ROUNDS * 32 - 1) * 1.6));
    assert_int_equal(l2_atomic_next(&rig->slice[0].atomic), 2000 + ROUNDS * 512 / 10);
}

static void the_address_does_not_matter_to_the_unit(void **state)
{
    (void)state;
    rig_start(rig);
    for (unsigned i = 0; i < 8; i++)
        rig_access(rig, 1000 * i + 100, REQUEST_LOAD, i, 1);
    for (unsigned i = 0; i < 8; i++)
        rig_send(rig, 9000, REQUEST_ATOMIC, i, 1, i);
    rig_run(rig, RIG_FOREVER);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(rig_arrival(rig, i), 9000 + 3 * i + HIT);
}

static void each_sector_of_an_atomic_is_an_operation(void **state)
{
    (void)state;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 15);
    rig_send(rig, 2000, REQUEST_ATOMIC, 0, 15, 0);
    rig_send(rig, 2000, REQUEST_REDUCTION, 0, 1, 1);
    rig_send(rig, 2000, REQUEST_LOAD, 0, 1, 2);
    rig_run(rig, RIG_FOREVER);
    assert_int_equal(rig_arrival(rig, 0), 2000 + 3 * 3 + HIT);
    assert_int_equal(rig_arrival(rig, 1), 2000 + 4 * 3 + HIT);
    assert_int_equal(rig_arrival(rig, 2), 2000 + 4 * 3 + HIT); /* not before it, but past the unit */
    assert_int_equal(rig->n.l2_sectors_atomic, 5);
    assert_int_equal(rig->n.l2_sectors_atomic_hit, 5);
}

static void a_request_takes_its_operations_and_one_a_lane_when_told_so(void **state)
{
    (void)state;
    for (unsigned merge = 0; merge < 2; merge++) {
        rig->config.l2.atomic_merge = merge;
        rig_start(rig);
        rig_access(rig, 100, REQUEST_LOAD, 0, 1);
        struct request atomic = rig_request(REQUEST_ATOMIC, 1, 0);
        atomic.lanes = 0xffff00ff;
        atomic.operations = 5;
        assert_int_equal(rig_access_at(rig, 0, 2000, atomic, 0), 2000 + (merge ? 4 : 23) * 3 + HIT);
        rig_free(rig);
        rig = rig_new();
    }
    rig_start(rig);
}

static void the_result_of_an_atomic_takes_longer_than_a_load_and_its_acknowledgement_does_not(void **state)
{
    (void)state;
    rig->config.l2.atomic_latency = 70;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 1);
    assert_int_equal(rig_access(rig, 2000, REQUEST_ATOMIC, 0, 1), 2000 + 70 + HIT);
    assert_int_equal(rig_access(rig, 3000, REQUEST_REDUCTION, 0, 1), 3000 + HIT);
}

static void atomics_fetch_their_sector_and_begin_in_turn_when_it_comes(void **state)
{
    (void)state;
    rig_start(rig);
    for (unsigned i = 0; i < 3; i++)
        rig_send(rig, 100, REQUEST_ATOMIC, 0, 1, i);
    rig_run(rig, RIG_FOREVER);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(rig_arrival(rig, i), 100 + MISS + 3 * i);
    assert_int_equal(rig->fills_begun, 1);
    assert_int_equal(rig->n.l2_sectors_atomic_hit, 2);
    assert_int_equal(rig->slice[0].tags.dirty, 1);
}

static void an_operation_takes_so_many_bytes_of_operands_and_no_more(void **state)
{
    (void)state;
    rig->config.l2.atomic_interval = 2;
    rig->config.l2.atomic_bytes = 16;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 3);
    struct request reduction = rig_request(REQUEST_REDUCTION, 3, 0);
    reduction.operations = 2;
    uint64_t start = 1000;
    for (uint8_t bytes = 31; bytes <= 49; start += 1000, bytes++) {
        reduction.bytes = bytes;
        uint64_t operations = bytes <= 32 ? 2 : bytes <= 48 ? 3 : 4;
        assert_int_equal(rig_access_at(rig, 0, start, reduction, 0), start + 2 * (operations - 1) + HIT);
    }
}

static void each_sector_takes_the_unit_longer_when_told_so(void **state)
{
    (void)state;
    rig->config.l2.atomic_interval = 1;
    rig->config.l2.atomic_extra = 0.5;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 3);
    const uint8_t sectors[] = {1, 1, 3, 2, 1};
    const double ends[] = {1.5, 3, 6, 7.5, 9};
    for (unsigned i = 0; i < 5; i++)
        rig_send(rig, 2000, REQUEST_REDUCTION, 0, sectors[i], i);
    rig_run(rig, RIG_FOREVER);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(rig_arrival(rig, i), 2000 + (uint64_t)(ends[i] - 1) + HIT);
    assert_int_equal(l2_atomic_next(&rig->slice[0].atomic), 2009);
}

static void a_sector_other_than_the_last_takes_the_unit_at_least_so_long_when_told_so(void **state)
{
    (void)state;
    rig->config.l2.atomic_interval = 1;
    rig->config.l2.atomic_extra = 0.5;
    rig->config.l2.atomic_least = 2;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 3);
    struct request one = rig_request(REQUEST_REDUCTION, 1, 0), two = one, again = one;
    one.operations = again.operations = 1;
    two.sectors = 2;
    two.operations = 2;
    rig_access_at(rig, 0, 2000, one, 0);
    assert_int_equal(l2_atomic_next(&rig->slice[0].atomic), 2002);
    rig_access_at(rig, 0, 3000, again, 0); /* the last sector: an operation and the half cycle */
    assert_int_equal(rig->slice[0].atomic.free, ((UINT64_C(3001) << BUS_FRACTION) + (1u << (BUS_FRACTION - 1))));
    rig_access_at(rig, 0, 4000, two, 0); /* two operations and the half cycle are longer */
    assert_int_equal(rig->slice[0].atomic.free, ((UINT64_C(4002) << BUS_FRACTION) + (1u << (BUS_FRACTION - 1))));
}

static void an_idle_unit_does_not_run_up_time(void **state)
{
    (void)state;
    struct l2_atomic unit = {0};
    const uint64_t interval = UINT64_C(5) << (BUS_FRACTION - 1); /* 2.5 cycles */
    assert_int_equal(l2_atomic_take(&unit, interval, 100, 1, 0), 100);
    assert_int_equal(l2_atomic_next(&unit), 102);
    assert_int_equal(l2_atomic_take(&unit, interval, 102, 1, 0), 102); /* at 102.5 */
    assert_int_equal(l2_atomic_next(&unit), 105);
    assert_int_equal(l2_atomic_take(&unit, interval, 200, 2, 0), 202);
    assert_int_equal(l2_atomic_next(&unit), 205);
}

UNIT_TESTS(RIG_UNIT(n_atomics_on_one_word_take_n_intervals),
           RIG_UNIT(a_warps_reductions_to_one_word_take_51_cycles_each),
           RIG_UNIT(the_address_does_not_matter_to_the_unit), RIG_UNIT(each_sector_of_an_atomic_is_an_operation),
           RIG_UNIT(a_request_takes_its_operations_and_one_a_lane_when_told_so),
           RIG_UNIT(the_result_of_an_atomic_takes_longer_than_a_load_and_its_acknowledgement_does_not),
           RIG_UNIT(atomics_fetch_their_sector_and_begin_in_turn_when_it_comes),
           RIG_UNIT(an_operation_takes_so_many_bytes_of_operands_and_no_more),
           RIG_UNIT(each_sector_takes_the_unit_longer_when_told_so),
           RIG_UNIT(a_sector_other_than_the_last_takes_the_unit_at_least_so_long_when_told_so),
           UNIT(an_idle_unit_does_not_run_up_time))
