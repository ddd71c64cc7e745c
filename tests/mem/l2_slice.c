#include "mem/l2_slice.h"

#include "tests/mem/rig.h"

static struct rig *rig;

static int setup(void **state)
{
    (void)state;
    rig = rig_new();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rig_free(rig);
    return 0;
}

enum { HIT = L2 + NOC, MISS = DRAM + ROW + L2 + NOC }; /* from the arrival at the slice to that at the SM */

/* Lines of the rig's only slice that share a set: line numbers with equal places after the rotation. */
static uint64_t line_of_set(uint32_t set, unsigned number)
{
    struct address_map map;
    address_map_init(&map, 1, 128, 1);
    for (uint64_t local = 0;; local++)
        if (address_map_set(&map, local) == set && number-- == 0)
            return local * PORT_LINE;
}

static void an_idle_hit_takes_the_network_and_the_l2_latency(void **state)
{
    (void)state;
    rig_start(rig);
    uint64_t miss = rig_access(rig, NOC, REQUEST_LOAD, 0x1000, 1);
    assert_int_equal(miss, NOC + MISS);
    assert_int_equal(rig_access(rig, 5000, REQUEST_LOAD, 0x1000, 1), 5000 + HIT);
    struct mem_counters n = rig_counters(rig);
    assert_int_equal(n.l2_requests, 2);
    assert_int_equal(n.l2_sectors_read, 2);
    assert_int_equal(n.l2_sectors_read_hit, 1);
    assert_int_equal(n.l2_busy_cycles, 2);
    assert_int_equal(n.dram_bytes_read, 32);
}

static void a_second_miss_to_a_sector_merges_until_the_data_is_there(void **state)
{
    (void)state;
    rig_start(rig);
    uint64_t fill = 100 + DRAM + ROW;
    assert_int_equal(rig_access(rig, 100, REQUEST_LOAD, 0x1000, 1), fill + HIT);
    assert_int_equal(rig_access(rig, 101, REQUEST_LOAD, 0x1000, 1), fill + HIT);
    assert_int_equal(rig_access(rig, fill - 1, REQUEST_LOAD, 0x1000, 1), fill + HIT);
    assert_int_equal(rig_counters(rig).l2_sectors_read_hit, 2); /* no further fetch: DRAM bytes are 32 x misses */
    assert_int_equal(rig_access(rig, fill, REQUEST_LOAD, 0x1000, 1), fill + HIT);
    assert_int_equal(rig_counters(rig).l2_sectors_read_hit, 3);
    assert_int_equal(rig_access(rig, fill + 1, REQUEST_LOAD, 0x1000, 1), fill + 1 + HIT);
    assert_int_equal(rig_counters(rig).dram_bytes_read, 32);
}

static void only_the_sectors_asked_for_are_fetched(void **state)
{
    (void)state;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0x1000, 5);
    assert_int_equal(rig_counters(rig).dram_bytes_read, 64);
    rig_access(rig, 1000, REQUEST_LOAD, 0x1000, 15);
    struct mem_counters n = rig_counters(rig);
    assert_int_equal(n.dram_bytes_read, 128);
    assert_int_equal(n.l2_sectors_read, 6);
    assert_int_equal(n.l2_sectors_read_hit, 2);
}

static void a_reply_leaves_with_the_last_of_its_sectors(void **state)
{
    (void)state;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0x1000, 15);
    assert_int_equal(rig_access(rig, 1000, REQUEST_LOAD, 0x1000, 15), 1000 + 3 + HIT);
    assert_int_equal(rig_access(rig, 2000, REQUEST_LOAD, 0x1000, 8), 2000 + HIT);
}

static void a_slice_serves_one_sector_in_a_cycle(void **state)
{
    (void)state;
    rig_start(rig);
    for (unsigned line = 0; line < 8; line++)
        rig_access(rig, 100 + line, REQUEST_LOAD, line * PORT_LINE, 1);
    for (unsigned i = 0; i < 8; i++)
        rig_send(rig, 2000, REQUEST_LOAD, i * PORT_LINE, 1, i);
    rig_run(rig, 2001);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(rig_arrival(rig, i), 2000 + i + HIT);
    assert_int_equal(rig_counters(rig).l2_busy_cycles, 16);
}

static void a_slice_of_two_sectors_a_cycle_serves_two(void **state)
{
    (void)state;
    rig->config.l2.sectors_per_cycle = 2;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 15);
    struct mem_counters before = rig_counters(rig);
    assert_int_equal(before.l2_busy_cycles, 2);
    for (unsigned i = 0; i < 4; i++)
        rig_send(rig, 2000, REQUEST_LOAD, 0, i == 1 ? 7 : 1, i); /* sectors 1, 3, 1, 1 */
    rig_run(rig, 2001);
    const uint64_t late[] = {0, 1, 2, 2};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(rig_arrival(rig, i), 2000 + late[i] + HIT);
    assert_int_equal(rig_counters(rig).l2_busy_cycles, 2 + 3);
}

static void atomics_on_one_sector_are_one_interval_apart(void **state)
{
    (void)state;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 3);
    rig_send(rig, 2000, REQUEST_ATOMIC, 0, 1, 0);
    rig_send(rig, 2000, REQUEST_REDUCTION, 0, 1, 1);
    rig_send(rig, 2000, REQUEST_ATOMIC, 0, 3, 2);
    rig_send(rig, 2000, REQUEST_LOAD, 0, 1, 3);
    rig_run(rig, 2001);
    assert_int_equal(rig_arrival(rig, 0), 2000 + HIT);
    assert_int_equal(rig_arrival(rig, 1), 2003 + HIT);
    assert_int_equal(rig_arrival(rig, 2), 2009 + HIT);
    assert_int_equal(rig_arrival(rig, 3), 2012 + HIT);
    struct mem_counters n = rig_counters(rig);
    assert_int_equal(n.l2_sectors_atomic, 4);
    assert_int_equal(n.l2_sectors_atomic_hit, 4);
    assert_int_equal(n.l2_busy_cycles, 2 + 4 * 3 + 1);
    assert_int_equal(n.dram_bytes_read, 64);
}

static void atomics_fetch_their_sector_and_wait_for_it_in_turn(void **state)
{
    (void)state;
    rig_start(rig);
    uint64_t fill = 100 + DRAM + ROW;
    for (unsigned i = 0; i < 3; i++)
        rig_send(rig, 100, REQUEST_ATOMIC, 0, 1, i);
    rig_run(rig, 101);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(rig_arrival(rig, i), fill + i * 3 + HIT);
    struct mem_counters n = rig_counters(rig);
    assert_int_equal(n.dram_bytes_read, 32);
    assert_int_equal(n.l2_sectors_atomic_hit, 2);
}

static void a_full_sector_is_written_without_a_fetch(void **state)
{
    (void)state;
    rig_start(rig);
    assert_int_equal(rig_access(rig, 100, REQUEST_STORE, 0, 15), 100 + 3 + HIT);
    assert_int_equal(rig_access(rig, 200, REQUEST_LOAD, 0, 15), 200 + 3 + HIT);
    struct mem_counters n = rig_counters(rig);
    assert_int_equal(n.dram_bytes_read, 0);
    assert_int_equal(n.l2_sectors_write, 4);
    assert_int_equal(n.l2_sectors_write_hit, 0);
    assert_int_equal(n.l2_sectors_read_hit, 4);
    rig_access(rig, 300, REQUEST_STORE, 0, 15);
    assert_int_equal(rig_counters(rig).l2_sectors_write_hit, 4);
}

static void a_sector_written_in_part_is_fetched_when_it_is_read(void **state)
{
    (void)state;
    rig_start(rig);
    struct request store = rig_request(100, REQUEST_STORE, 0, 3, 0);
    store.partial = 2;
    mem_accept(rig->mem, &store);
    rig_run(rig, 101);
    assert_int_equal(rig_arrival(rig, 0), 101 + HIT);
    assert_int_equal(rig_counters(rig).dram_bytes_read, 0);

    store.arrival = 150;
    store.token = 1;
    mem_accept(rig->mem, &store);
    rig_run(rig, 151);
    assert_int_equal(rig_counters(rig).l2_sectors_write_hit, 2);

    assert_int_equal(rig_access(rig, 200, REQUEST_LOAD, 0, 1), 200 + HIT);
    assert_int_equal(rig_access(rig, 300, REQUEST_LOAD, 0, 2), 300 + MISS);
    assert_int_equal(rig_access(rig, 1000, REQUEST_LOAD, 0, 2), 1000 + HIT);
    struct mem_counters n = rig_counters(rig);
    assert_int_equal(n.l2_sectors_read_hit, 2);
    assert_int_equal(n.dram_bytes_read, 32);
}

static void a_full_store_need_not_wait_for_a_sector_on_its_way(void **state)
{
    (void)state;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 1);
    assert_int_equal(rig_access(rig, 110, REQUEST_STORE, 0, 1), 110 + HIT);
    assert_int_equal(rig_access(rig, 120, REQUEST_LOAD, 0, 1), 120 + HIT);
}

static void eviction_writes_the_dirty_sectors_of_the_least_recently_used_line(void **state)
{
    (void)state;
    rig_start(rig);
    uint64_t now = 100;
    for (unsigned i = 0; i < 4; i++, now += 1000)
        rig_access(rig, now, i == 1 ? REQUEST_STORE : REQUEST_LOAD, line_of_set(5, i), i == 1 ? 7 : 1);
    rig_access(rig, now, REQUEST_LOAD, line_of_set(5, 0), 1); /* now 1 is the oldest */
    assert_int_equal(rig_counters(rig).dram_bytes_written, 0);
    rig_access(rig, now += 1000, REQUEST_LOAD, line_of_set(6, 0), 1);
    assert_int_equal(rig_counters(rig).l2_evictions_dirty, 0);
    rig_access(rig, now += 1000, REQUEST_LOAD, line_of_set(5, 4), 1);
    struct mem_counters n = rig_counters(rig);
    assert_int_equal(n.l2_evictions_dirty, 3);
    assert_int_equal(n.dram_bytes_written, 96);
    assert_int_equal(n.dram_bytes_read, 5 * 32);
    assert_int_equal(n.dram_row_hits + n.dram_row_misses, 8);
    assert_int_equal(n.dram_busy_cycles, 8 * SLOT);
    assert_int_equal(rig_access(rig, now + 1000, REQUEST_LOAD, line_of_set(5, 0), 1), now + 1000 + HIT);
    rig_access(rig, now + 2000, REQUEST_LOAD, line_of_set(5, 1), 1); /* gone */
    assert_int_equal(rig_counters(rig).dram_bytes_read, 6 * 32);
}

static void a_clean_line_in_place_of_a_dirty_one_is_not_written_back(void **state)
{
    (void)state;
    rig->config.l2.ways = 1;
    rig->config.l2.size = 65536 / 4;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_STORE, line_of_set(9, 0), 15);
    rig_access(rig, 1000, REQUEST_LOAD, line_of_set(9, 1), 15);
    rig_access(rig, 2000, REQUEST_LOAD, line_of_set(9, 2), 15);
    assert_int_equal(rig_counters(rig).l2_evictions_dirty, 4);
}

static void an_atomic_does_not_share_its_cycle(void **state)
{
    (void)state;
    rig->config.l2.sectors_per_cycle = 2;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 15);
    rig_send(rig, 2000, REQUEST_LOAD, 0, 1, 0);
    rig_send(rig, 2000, REQUEST_ATOMIC, 0, 1, 1);
    rig_send(rig, 2000, REQUEST_LOAD, 0, 1, 2);
    rig_run(rig, 2001);
    assert_int_equal(rig_arrival(rig, 0), 2000 + HIT);
    assert_int_equal(rig_arrival(rig, 1), 2001 + HIT);
    assert_int_equal(rig_arrival(rig, 2), 2004 + HIT);
}

static void the_ways_of_a_set_are_all_usable(void **state)
{
    (void)state;
    rig_start(rig);
    for (uint64_t line = 0; line < 512; line++)
        rig_access(rig, 100 + line * 100, REQUEST_LOAD, line * PORT_LINE, 15);
    for (uint64_t line = 0; line < 512; line++)
        assert_int_equal(rig_access(rig, 100000 + line * 100, REQUEST_LOAD, line * PORT_LINE, 15),
                         100003 + line * 100 + HIT);
    assert_int_equal(rig_counters(rig).dram_bytes_read, 65536);
}

static void a_miss_without_a_free_mshr_waits_and_so_does_what_is_behind_it(void **state)
{
    (void)state;
    rig->config.l2.mshrs = 2;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 15); /* the row is open */
    for (unsigned i = 0; i < 2; i++)
        rig_send(rig, 2000, REQUEST_LOAD, (1 + i) * PORT_LINE, 1, i);
    rig_send(rig, 2100, REQUEST_LOAD, 0, 1, 2);             /* a hit */
    rig_send(rig, 2100, REQUEST_LOAD, 3 * PORT_LINE, 1, 3); /* the third miss */
    rig_send(rig, 2100, REQUEST_LOAD, 0, 1, 4);             /* a hit behind it */
    rig_run(rig, 2101);
    assert_int_equal(rig_arrival(rig, 0), 2000 + DRAM + HIT);
    assert_int_equal(rig_arrival(rig, 1), 2000 + DRAM + SLOT + HIT);
    assert_int_equal(rig_arrival(rig, 2), 2100 + HIT);
    assert_int_equal(rig_arrival(rig, 3), 2000 + DRAM + DRAM + HIT);
    assert_int_equal(rig_arrival(rig, 4), 2000 + DRAM + 1 + HIT);
}

static void a_write_back_waits_for_the_dram_queue(void **state)
{
    (void)state;
    rig->config.dram.queue = 1;
    rig->config.dram.row_miss = 0;
    rig->config.l2.ways = 1;
    rig->config.l2.size = 128;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_STORE, 0, 15);
    /* Four write-backs: taken at 1000, 1000, 1004, 1008 as their predecessors leave. */
    assert_int_equal(rig_access(rig, 1000, REQUEST_STORE, PORT_LINE, 1), 1008 + HIT);
    assert_int_equal(rig_counters(rig).dram_bytes_written, 128);
}

static void a_line_on_its_way_is_not_evicted_before_it_has_come(void **state)
{
    (void)state;
    rig->config.l2.ways = 1;
    rig->config.l2.size = 128;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 1);
    assert_int_equal(rig_access(rig, 101, REQUEST_STORE, PORT_LINE, 1), 100 + DRAM + ROW + HIT);
}

static void the_ingress_delays_stores_by_their_data(void **state)
{
    (void)state;
    rig->config.noc.slice_request_bytes = 8;
    rig_start(rig);
    rig_send(rig, 100, REQUEST_STORE, 0, 1, 0); /* 40 bytes: 5 cycles */
    rig_send(rig, 100, REQUEST_STORE, 0, 1, 1);
    rig_run(rig, 101);
    assert_int_equal(rig_arrival(rig, 0), 100 + HIT);
    assert_int_equal(rig_arrival(rig, 1), 105 + HIT);
}

static void the_egress_delays_replies_by_their_data(void **state)
{
    (void)state;
    rig->config.noc.slice_reply_bytes = 8;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 15);
    const enum request_kind kinds[] = {REQUEST_LOAD, REQUEST_ATOMIC, REQUEST_STORE, REQUEST_REDUCTION, REQUEST_LOAD};
    for (unsigned i = 0; i < 5; i++)
        rig_send(rig, 2000, kinds[i], 0, 1, i);
    rig_run(rig, 2001);
    const uint64_t late[] = {0, 5, 10, 11, 12}; /* 40 bytes take 5 cycles, acknowledgements 1 */
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(rig_arrival(rig, i), 2000 + late[i] + HIT);
}

#define SLICE_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

UNIT_TESTS(SLICE_TEST(an_idle_hit_takes_the_network_and_the_l2_latency),
           SLICE_TEST(a_second_miss_to_a_sector_merges_until_the_data_is_there),
           SLICE_TEST(only_the_sectors_asked_for_are_fetched), SLICE_TEST(a_reply_leaves_with_the_last_of_its_sectors),
           SLICE_TEST(a_slice_serves_one_sector_in_a_cycle), SLICE_TEST(a_slice_of_two_sectors_a_cycle_serves_two),
           SLICE_TEST(atomics_on_one_sector_are_one_interval_apart),
           SLICE_TEST(atomics_fetch_their_sector_and_wait_for_it_in_turn),
           SLICE_TEST(a_full_sector_is_written_without_a_fetch),
           SLICE_TEST(a_sector_written_in_part_is_fetched_when_it_is_read),
           SLICE_TEST(a_full_store_need_not_wait_for_a_sector_on_its_way),
           SLICE_TEST(eviction_writes_the_dirty_sectors_of_the_least_recently_used_line),
           SLICE_TEST(a_clean_line_in_place_of_a_dirty_one_is_not_written_back),
           SLICE_TEST(an_atomic_does_not_share_its_cycle), SLICE_TEST(the_ways_of_a_set_are_all_usable),
           SLICE_TEST(a_miss_without_a_free_mshr_waits_and_so_does_what_is_behind_it),
           SLICE_TEST(a_write_back_waits_for_the_dram_queue),
           SLICE_TEST(a_line_on_its_way_is_not_evicted_before_it_has_come),
           SLICE_TEST(the_ingress_delays_stores_by_their_data), SLICE_TEST(the_egress_delays_replies_by_their_data))
