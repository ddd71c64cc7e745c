#include "mem/l2_slice.h"

#include "base/bits.h"
#include "tests/mem/l2_rig.h"

static void an_idle_hit_takes_the_network_and_the_l2_latency(void **state)
{
    (void)state;
    rig_start(rig);
    assert_int_equal(rig_access(rig, 100, REQUEST_LOAD, 32, 1), 100 + MISS);
    assert_int_equal(rig_access(rig, 5000, REQUEST_LOAD, 32, 1), 5000 + HIT);
    assert_int_equal(rig->n.l2_requests, 2);
    assert_int_equal(rig->n.l2_sectors_read, 2);
    assert_int_equal(rig->n.l2_sectors_read_hit, 1);
    assert_int_equal(rig->n.l2_busy_cycles, 2);
    assert_int_equal(rig->fills_begun, 1);
}

static void a_second_miss_to_a_sector_merges_until_the_data_is_there(void **state)
{
    (void)state;
    rig_start(rig);
    uint64_t fill = 100 + MEMORY;
    const uint64_t when[] = {100, 101, fill - 1, fill, fill + 1};
    for (unsigned i = 0; i < 5; i++)
        rig_send(rig, when[i], REQUEST_LOAD, 32, 1, i);
    rig_run(rig, RIG_FOREVER);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(rig_arrival(rig, i), (when[i] > fill ? when[i] : fill) + HIT);
    assert_int_equal(rig->n.l2_sectors_read_hit, 4);
    assert_int_equal(rig->fills_begun, 1);
}

static void only_the_sectors_asked_for_are_fetched(void **state)
{
    (void)state;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 32, 5);
    rig_access(rig, 1000, REQUEST_LOAD, 32, 15);
    assert_int_equal(rig->fills_begun, 2);
    assert_int_equal(rig->fill[0].sectors, 5);
    assert_int_equal(rig->fill[1].sectors, 10);
    assert_int_equal(rig->n.l2_sectors_read, 6);
    assert_int_equal(rig->n.l2_sectors_read_hit, 2);
}

static void a_miss_brings_as_much_as_the_load_or_the_configuration_asks(void **state)
{
    (void)state;
    const struct {
        unsigned fetch, configured, want, brought;
    } row[] = {{0, 1, 4, 4}, {0, 2, 4, 12}, {0, 4, 4, 15}, {1, 4, 4, 4},
               {2, 1, 2, 3}, {2, 1, 6, 15}, {4, 1, 8, 15}, {8, 1, 1, 15}};
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        rig->config.l2.fetch_sectors = row[i].configured;
        rig_start(rig);
        struct request load = rig_request(REQUEST_LOAD, row[i].want, 0);
        load.fetch = (uint8_t)row[i].fetch;
        assert_int_equal(rig_access_at(rig, 0, 100, load, 7), 100 + MISS);
        assert_int_equal(rig->fill[0].sectors, row[i].brought);
        assert_int_equal(rig->n.l2_sectors_read, popcount32(row[i].want));
        rig_free(rig);
        rig = rig_new();
    }
    rig_start(rig);
}

static void a_wide_fetch_leaves_out_what_is_there_or_on_its_way(void **state)
{
    (void)state;
    rig->config.l2.fetch_sectors = 4;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_STORE, 3, 1);
    struct request narrow = rig_request(REQUEST_LOAD, 2, 0);
    narrow.fetch = 1;
    rig_send_at(rig, 0, 1000, narrow, 3);
    rig_send(rig, 1001, REQUEST_LOAD, 3, 4, 1);
    rig_run(rig, RIG_FOREVER);
    assert_int_equal(rig->fill[0].sectors, 2);
    assert_int_equal(rig->fill[1].sectors, 12);
}

static void a_reply_leaves_with_the_last_of_its_sectors(void **state)
{
    (void)state;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 32, 15);
    assert_int_equal(rig_access(rig, 1000, REQUEST_LOAD, 32, 15), 1000 + 3 + HIT);
    assert_int_equal(rig_access(rig, 2000, REQUEST_LOAD, 32, 8), 2000 + HIT);
}

static void a_load_waits_for_all_its_sectors_whoever_asked_for_them(void **state)
{
    (void)state;
    rig_start(rig);
    rig_send(rig, 100, REQUEST_LOAD, 32, 1, 0);
    rig_send(rig, 150, REQUEST_LOAD, 32, 3, 1);
    rig_send(rig, 160, REQUEST_LOAD, 32, 1, 2);
    rig_run(rig, RIG_FOREVER);
    assert_int_equal(rig_arrival(rig, 0), 100 + MISS);
    assert_int_equal(rig_arrival(rig, 1), 150 + MISS);
    assert_int_equal(rig_arrival(rig, 2), 100 + MISS);
}

static void a_slice_serves_one_sector_in_a_cycle(void **state)
{
    (void)state;
    rig_start(rig);
    for (unsigned line = 0; line < 8; line++)
        rig_access(rig, 100 + line, REQUEST_LOAD, line, 1);
    for (unsigned i = 0; i < 8; i++)
        rig_send(rig, 5000, REQUEST_LOAD, i, 1, i);
    rig_run(rig, RIG_FOREVER);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(rig_arrival(rig, i), 5000 + i + HIT);
    assert_int_equal(rig->n.l2_busy_cycles, 16);
}

static void a_slice_of_two_sectors_a_cycle_serves_two(void **state)
{
    (void)state;
    rig->config.l2.sectors_per_cycle = 2;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 15);
    assert_int_equal(rig->n.l2_busy_cycles, 2);
    for (unsigned i = 0; i < 4; i++)
        rig_send(rig, 2000, REQUEST_LOAD, 0, i == 1 ? 7 : 1, i); /* sectors 1, 3, 1, 1 */
    rig_run(rig, RIG_FOREVER);
    const uint64_t late[] = {0, 1, 2, 2};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(rig_arrival(rig, i), 2000 + late[i] + HIT);
    assert_int_equal(rig->n.l2_busy_cycles, 2 + 3);
}

static void a_slice_of_three_sectors_in_two_cycles_serves_three_in_two(void **state)
{
    (void)state;
    rig->config.l2.sectors_per_cycle = 1.5;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 15);
    uint64_t before = rig->n.l2_busy_cycles;
    for (unsigned i = 0; i < 6; i++)
        rig_send(rig, 2000, REQUEST_LOAD, 0, 1, i);
    rig_run(rig, RIG_FOREVER);
    const uint64_t late[] = {0, 0, 1, 2, 2, 3};
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(rig_arrival(rig, i), 2000 + late[i] + HIT);
    assert_int_equal(rig->n.l2_busy_cycles - before, 4);
}

static void a_full_sector_is_written_without_a_fetch(void **state)
{
    (void)state;
    rig_start(rig);
    assert_int_equal(rig_access(rig, 100, REQUEST_STORE, 0, 15), 100 + 3 + HIT);
    assert_int_equal(rig_access(rig, 1000, REQUEST_LOAD, 0, 15), 1000 + 3 + HIT);
    assert_int_equal(rig->fills_begun, 0);
    assert_int_equal(rig->n.l2_sectors_write, 4);
    assert_int_equal(rig->n.l2_sectors_write_hit, 0);
    assert_int_equal(rig->n.l2_sectors_read_hit, 4);
    rig_access(rig, 2000, REQUEST_STORE, 0, 15);
    assert_int_equal(rig->n.l2_sectors_write_hit, 4);
}

static void a_sector_written_in_part_is_fetched_when_it_is_read(void **state)
{
    (void)state;
    rig_start(rig);
    struct request part = rig_request(REQUEST_STORE, 3, 0);
    part.partial = 2;
    assert_int_equal(rig_access_at(rig, 0, 100, part, 0), 101 + HIT);
    rig_access_at(rig, 0, 1000, part, 0);
    assert_int_equal(rig->n.l2_sectors_write_hit, 2);
    assert_int_equal(rig->fills_begun, 0);
    assert_int_equal(rig_access(rig, 2000, REQUEST_LOAD, 0, 1), 2000 + HIT);
    assert_int_equal(rig_access(rig, 3000, REQUEST_LOAD, 0, 2), 3000 + MISS);
    assert_int_equal(rig_access(rig, 4000, REQUEST_LOAD, 0, 2), 4000 + HIT);
    assert_int_equal(rig->n.l2_sectors_read_hit, 2);
    assert_int_equal(rig->fill[0].sectors, 2);
}

static void a_store_of_a_part_occupies_the_slice_for_longer_when_told_so(void **state)
{
    (void)state;
    rig->config.l2.partial_extra = 3;
    rig_start(rig);
    struct request part = rig_request(REQUEST_STORE, 3, 0);
    part.partial = 2;
    assert_int_equal(rig_access_at(rig, 0, 100, part, 0), 100 + 2 + 3 - 1 + HIT);
    part.partial = 0;
    assert_int_equal(rig_access_at(rig, 0, 1000, part, 0), 1000 + 2 - 1 + HIT);
    assert_int_equal(rig->n.l2_sectors_write, 4);
}

static void a_slice_takes_so_many_bytes_of_a_store_in_each_cycle(void **state)
{
    (void)state;
    rig->config.l2.store_bytes = 16;
    rig_start(rig);
    struct request whole = rig_request(REQUEST_STORE, 15, 0), words = whole;
    whole.bytes = 128;
    words.bytes = 16;
    assert_int_equal(rig_access_at(rig, 0, 100, whole, 0), 100 + 8 - 1 + HIT);
    assert_int_equal(rig_access_at(rig, 0, 1000, words, 0), 1000 + 4 - 1 + HIT); /* a cycle for each sector */
    assert_int_equal(rig_access_at(rig, 0, 2000, rig_request(REQUEST_LOAD, 15, 0), 0), 2000 + 4 - 1 + HIT);
}

static void a_full_store_need_not_wait_for_a_sector_on_its_way(void **state)
{
    (void)state;
    rig_start(rig);
    rig_send(rig, 100, REQUEST_LOAD, 0, 1, 0);
    rig_send(rig, 110, REQUEST_STORE, 0, 1, 1);
    rig_send(rig, 120, REQUEST_LOAD, 0, 1, 2);
    rig_run(rig, RIG_FOREVER);
    assert_int_equal(rig_arrival(rig, 0), 100 + MISS);
    assert_int_equal(rig_arrival(rig, 1), 110 + HIT);
    assert_int_equal(rig_arrival(rig, 2), 120 + HIT);
}

static void dirty_sectors_of_a_victim_go_to_memory_at_once(void **state)
{
    (void)state;
    rig_start(rig);
    for (unsigned i = 0; i < 4; i++)
        rig_access(rig, 1000 * (i + 1), i == 1 ? REQUEST_STORE : REQUEST_LOAD, rig_line_of_set(rig, 5, i),
                   i == 1 ? 7 : 1);
    assert_int_equal(rig->slice[0].tags.dirty, 3);
    rig_access(rig, 6000, REQUEST_LOAD, rig_line_of_set(rig, 5, 0), 1); /* now 1 is the oldest */
    rig_access(rig, 7000, REQUEST_LOAD, rig_line_of_set(rig, 6, 0), 1);
    assert_int_equal(rig->writes, 0);
    assert_int_equal(rig_access(rig, 8000, REQUEST_LOAD, rig_line_of_set(rig, 5, 4), 1), 8000 + MISS);
    assert_int_equal(rig->writes, 1);
    assert_int_equal(rig->write[0].local, rig_line_of_set(rig, 5, 1));
    assert_int_equal(rig->write[0].sectors, 7);
    assert_int_equal(rig->n.l2_evictions_dirty, 3);
    assert_int_equal(rig->slice[0].tags.dirty, 0);
    assert_int_equal(rig_access(rig, 9000, REQUEST_LOAD, rig_line_of_set(rig, 5, 0), 1), 9000 + HIT);
    assert_int_equal(rig_access(rig, 10000, REQUEST_LOAD, rig_line_of_set(rig, 5, 1), 1), 10000 + MISS);
}

static void dirty_lines_of_the_victims_row_leave_with_it_and_stay_clean(void **state)
{
    (void)state;
    rig->config.l2.row_lines = 4;
    rig_start(rig);
    for (uint64_t line = 3; line < 9; line++) /* rows: 0 to 3, 4 to 7, 8 to 11 */
        rig_access(rig, 100 * line, line == 6 ? REQUEST_LOAD : REQUEST_STORE, line, 15);
    uint64_t set = address_map_set(&rig->model.map, 5);
    for (unsigned n = 0, line = 512; n < 4; line++)
        if (address_map_set(&rig->model.map, line) == set)
            rig_access(rig, 2000 + 1000 * ++n, REQUEST_LOAD, line, 1);
    assert_int_equal(rig->writes, 3);
    assert_int_equal(rig->write[0].local, 5);
    assert_int_equal(rig->write[1].local, 4);
    assert_int_equal(rig->write[2].local, 7);
    assert_int_equal(rig->slice[0].tags.dirty, 8);
    assert_int_equal(rig_access(rig, 9000, REQUEST_LOAD, 4, 1), 9000 + HIT);
    assert_int_equal(rig_access(rig, 9500, REQUEST_LOAD, 7, 1), 9500 + HIT);
}

static void a_clean_line_in_place_of_a_dirty_one_is_not_written_back(void **state)
{
    (void)state;
    rig->config.l2.ways = 1;
    rig->config.l2.size = 65536 / 4;
    rig_start(rig);
    rig_access(rig, 1000, REQUEST_STORE, rig_line_of_set(rig, 9, 0), 15);
    rig_access(rig, 2000, REQUEST_LOAD, rig_line_of_set(rig, 9, 1), 15);
    rig_access(rig, 3000, REQUEST_LOAD, rig_line_of_set(rig, 9, 2), 15);
    assert_int_equal(rig->n.l2_evictions_dirty, 4);
    assert_int_equal(rig->writes, 1);
}

static void the_ways_of_a_set_are_all_usable(void **state)
{
    (void)state;
    rig_start(rig);
    for (uint64_t line = 0; line < 512; line++)
        rig_access(rig, 100 + line * 40, REQUEST_LOAD, line, 15);
    for (uint64_t line = 0; line < 512; line++)
        assert_int_equal(rig_access(rig, 50000 + line * 40, REQUEST_LOAD, line, 15), 50003 + line * 40 + HIT);
    assert_int_equal(rig->fills_begun, 512);
}

static void a_miss_without_a_free_mshr_waits_and_so_does_what_is_behind_it(void **state)
{
    (void)state;
    rig->config.l2.mshrs = 2;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 1);
    rig_send(rig, 2000, REQUEST_LOAD, 1, 1, 0);
    rig_send(rig, 2010, REQUEST_LOAD, 2, 1, 1);
    rig_send(rig, 2100, REQUEST_LOAD, 0, 1, 2); /* a hit */
    rig_send(rig, 2101, REQUEST_LOAD, 2, 2, 3); /* another sector of a line that has its MSHR */
    rig_send(rig, 2102, REQUEST_LOAD, 3, 1, 4); /* the third line */
    rig_send(rig, 2103, REQUEST_LOAD, 0, 1, 5); /* a hit behind it */
    rig_run(rig, RIG_FOREVER);
    assert_int_equal(rig_arrival(rig, 0), 2000 + MISS);
    assert_int_equal(rig_arrival(rig, 1), 2010 + MISS);
    assert_int_equal(rig_arrival(rig, 2), 2100 + HIT);
    assert_int_equal(rig_arrival(rig, 3), 2101 + MISS);
    assert_int_equal(rig_arrival(rig, 4), 2000 + MEMORY + MISS);
    assert_int_equal(rig_arrival(rig, 5), 2000 + MEMORY + 1 + HIT);
}

static void an_mshr_takes_only_so_many_requests(void **state)
{
    (void)state;
    rig->config.l2.mshr_merges = 2;
    rig_start(rig);
    for (unsigned i = 0; i < 3; i++)
        rig_send(rig, 100, REQUEST_LOAD, 0, 1, i);
    rig_send(rig, 110, REQUEST_STORE, 1, 1, 3);
    rig_run(rig, RIG_FOREVER);
    assert_int_equal(rig_arrival(rig, 1), 100 + MISS);
    assert_int_equal(rig_arrival(rig, 2), 100 + MISS); /* a hit in the cycle of the fill */
    assert_int_equal(rig_arrival(rig, 3), 100 + MEMORY + 1 + HIT);
}

static void a_read_waits_for_room_towards_the_memory(void **state)
{
    (void)state;
    rig_start(rig);
    rig->memory_takes_reads = false;
    for (unsigned i = 0; i < l2_output_capacity + 1; i++)
        rig_send(rig, 100 + i, REQUEST_LOAD, i, 1, i);
    rig_send(rig, 200, REQUEST_STORE, 999, 1, 100);
    rig_run(rig, 1000);
    assert_int_equal(l2_output_count(&rig->slice[0].reads), l2_output_capacity);
    assert_int_equal(rig->context.replies, 0);
    rig->memory_takes_reads = true;
    rig_run(rig, RIG_FOREVER);
    assert_int_equal(rig_arrival(rig, 0), 1000 + MISS);
    assert_int_equal(rig_arrival(rig, l2_output_capacity), 1000 + MISS);
    assert_int_equal(rig_arrival(rig, 100), 1001 + HIT);
}

static void a_victim_waits_for_room_towards_the_memory(void **state)
{
    (void)state;
    rig->config.l2.ways = 1;
    rig->config.l2.size = 128;
    rig_start(rig);
    rig->memory_takes_writes = false;
    for (unsigned i = 0; i < l2_output_capacity + 2; i++)
        rig_send(rig, 100 + i, REQUEST_STORE, i, 15, i);
    rig_run(rig, 1000);
    assert_int_equal(rig->context.replies, l2_output_capacity + 1);
    rig->memory_takes_writes = true;
    rig_run(rig, RIG_FOREVER);
    assert_int_equal(rig_arrival(rig, l2_output_capacity + 1), 1000 + 3 + HIT);
    assert_int_equal(rig->writes, l2_output_capacity + 1);
}

static void a_line_on_its_way_is_not_evicted_before_it_has_come(void **state)
{
    (void)state;
    rig->config.l2.ways = 1;
    rig->config.l2.size = 128;
    rig_start(rig);
    rig_send(rig, 100, REQUEST_LOAD, 0, 1, 0);
    rig_send(rig, 101, REQUEST_STORE, 1, 1, 1);
    rig_run(rig, RIG_FOREVER);
    assert_int_equal(rig_arrival(rig, 0), 100 + MISS);
    assert_int_equal(rig_arrival(rig, 1), 100 + MISS);
}

static void the_ingress_delays_stores_by_their_data(void **state)
{
    (void)state;
    rig->config.noc.slice_request_bytes = 8;
    rig_start(rig);
    rig_send(rig, 100, REQUEST_STORE, 0, 1, 0); /* 40 bytes: 5 cycles */
    rig_send(rig, 100, REQUEST_STORE, 0, 1, 1);
    rig_run(rig, RIG_FOREVER);
    assert_int_equal(rig_arrival(rig, 0), 100 + HIT);
    assert_int_equal(rig_arrival(rig, 1), 105 + HIT);
}

static void the_egress_delays_replies_by_their_data(void **state)
{
    (void)state;
    rig->config.noc.slice_reply_bytes = 8;
    rig->config.l2.atomic_interval = 1;
    rig_start(rig);
    rig_access(rig, 100, REQUEST_LOAD, 0, 15);
    const enum request_kind kinds[] = {REQUEST_LOAD, REQUEST_ATOMIC, REQUEST_STORE, REQUEST_REDUCTION, REQUEST_LOAD};
    for (unsigned i = 0; i < 5; i++)
        rig_send(rig, 2000, kinds[i], 0, 1, i);
    rig_run(rig, RIG_FOREVER);
    const uint64_t late[] = {0, 5, 10, 11, 12}; /* 40 bytes take 5 cycles, acknowledgements 1 */
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(rig_arrival(rig, i), 2000 + late[i] + HIT);
}

static void strong_accesses_take_effect_in_the_order_of_service(void **state)
{
    (void)state;
    rig_start(rig);
    const enum request_kind kinds[] = {REQUEST_ATOMIC, REQUEST_STORE, REQUEST_LOAD, REQUEST_REDUCTION};
    for (unsigned i = 0; i < 4; i++) {
        struct request request = rig_request(kinds[i], 1, i);
        request.effect = true;
        rig_send_at(rig, 0, 100, request, 5); /* the atomic waits for its sector, the store does not */
    }
    rig_send(rig, 100, REQUEST_LOAD, 5, 1, 4);
    rig_run(rig, 110);
    assert_int_equal(rig->applies, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(rig->applied[i].token, i);
}

UNIT_TESTS(RIG_UNIT(an_idle_hit_takes_the_network_and_the_l2_latency),
           RIG_UNIT(a_second_miss_to_a_sector_merges_until_the_data_is_there),
           RIG_UNIT(only_the_sectors_asked_for_are_fetched),
           RIG_UNIT(a_miss_brings_as_much_as_the_load_or_the_configuration_asks),
           RIG_UNIT(a_wide_fetch_leaves_out_what_is_there_or_on_its_way),
           RIG_UNIT(a_reply_leaves_with_the_last_of_its_sectors),
           RIG_UNIT(a_load_waits_for_all_its_sectors_whoever_asked_for_them),
           RIG_UNIT(a_slice_serves_one_sector_in_a_cycle), RIG_UNIT(a_slice_of_two_sectors_a_cycle_serves_two),
           RIG_UNIT(a_slice_of_three_sectors_in_two_cycles_serves_three_in_two),
           RIG_UNIT(a_full_sector_is_written_without_a_fetch),
           RIG_UNIT(a_sector_written_in_part_is_fetched_when_it_is_read),
           RIG_UNIT(a_store_of_a_part_occupies_the_slice_for_longer_when_told_so),
           RIG_UNIT(a_slice_takes_so_many_bytes_of_a_store_in_each_cycle),
           RIG_UNIT(a_full_store_need_not_wait_for_a_sector_on_its_way),
           RIG_UNIT(dirty_sectors_of_a_victim_go_to_memory_at_once),
           RIG_UNIT(dirty_lines_of_the_victims_row_leave_with_it_and_stay_clean),
           RIG_UNIT(a_clean_line_in_place_of_a_dirty_one_is_not_written_back),
           RIG_UNIT(the_ways_of_a_set_are_all_usable),
           RIG_UNIT(a_miss_without_a_free_mshr_waits_and_so_does_what_is_behind_it),
           RIG_UNIT(an_mshr_takes_only_so_many_requests), RIG_UNIT(a_read_waits_for_room_towards_the_memory),
           RIG_UNIT(a_victim_waits_for_room_towards_the_memory),
           RIG_UNIT(a_line_on_its_way_is_not_evicted_before_it_has_come),
           RIG_UNIT(the_ingress_delays_stores_by_their_data), RIG_UNIT(the_egress_delays_replies_by_their_data),
           RIG_UNIT(strong_accesses_take_effect_in_the_order_of_service))
