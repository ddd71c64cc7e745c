/* Global memory with misses: the L1, merging, limits behind the acceptor, the network. */
#include "tests/sm/harness.h"

enum { HIT = 32 }; /* 32-bit LDG with a per-lane address */

static uint64_t round_trip(const struct harness *h) { return 2 * (uint64_t)h->config.noc.latency + h->latency; }

/* ---- hits and misses -------------------------------------------------------------------------------------------- */

static void a_miss_takes_the_round_trip_more_and_the_next_load_of_the_line_hits(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, load(0, 0));
    add(h, waits(nop(), 1));
    add(h, load(0, 0));
    add(h, waits(nop(), 1));
    harness_start(h, 1);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 1), HIT + round_trip(h));
    assert_int_equal(distance(h, 0, 2, 3), HIT);
    assert_int_equal(h->requests, 1);
    assert_int_equal(h->sm->n.l1_requests_load, 2);
    assert_int_equal(h->sm->n.l1_sectors_load, 8);
    assert_int_equal(h->sm->n.l1_sectors_load_hit, 4);
    assert_int_equal(h->sm->n.l1_sectors_load_pending, 0);
    harness_free(h);
}

static void a_request_names_line_sectors_and_the_cycle_at_which_it_arrives(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, lanes(load(0x1240, 0), 0xffff));
    harness_start(h, 1);
    harness_run(h);
    assert_int_equal(h->requests, 1);
    const struct request *r = &h->request[0];
    assert_int_equal(r->line, 0x1200);
    assert_int_equal(r->sectors, 0xc);
    assert_int_equal(r->kind, REQUEST_LOAD);
    assert_int_equal(r->bytes, 0);
    assert_int_equal(r->arrival, START + 11 + 19 + h->config.noc.latency);
    assert_int_equal(h->sm->n.noc_bytes_out, h->config.noc.header_bytes);
    assert_int_equal(h->sm->n.noc_bytes_in, 64 + h->config.noc.header_bytes);
    harness_free(h);
}

static void loads_of_one_line_on_its_way_share_one_request_and_count_as_hits(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, load(0, 0));
    add(h, waits(nop(), 1));
    harness_start(h, 4);
    harness_run(h);
    assert_int_equal(h->requests, 1);
    for (unsigned w = 0; w < 4;
         w++) /* each sub-core has a return bus of its own, and the data stage takes one a cycle */
        assert_int_equal(distance(h, w, 0, 1), HIT + round_trip(h) + w);
    assert_int_equal(h->sm->n.l1_sectors_load, 4 * 4);
    assert_int_equal(h->sm->n.l1_sectors_load_hit, 3 * 4);
    assert_int_equal(h->sm->n.l1_sectors_load_pending, 3 * 4);
    harness_free(h);
}

static void only_sectors_that_nobody_asked_for_are_requested_and_count_as_misses(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, lanes(load(0, 0), 0x00ff));
    add(h, lanes(load(0, 1), 0xffff));
    add(h, waits(nop(), 1));
    add(h, waits(nop(), 2));
    harness_start(h, 1);
    harness_run(h);
    assert_int_equal(h->requests, 2);
    assert_int_equal(h->request[0].sectors, 1);
    assert_int_equal(h->request[1].sectors, 2);
    assert_int_equal(distance(h, 0, 0, 2), HIT + round_trip(h));
    assert_int_equal(distance(h, 0, 1, 3), HIT + round_trip(h) + 2); /* leaves 4 cycles later, issued 2 later */
    assert_int_equal(h->sm->n.l1_sectors_load, 3);
    assert_int_equal(h->sm->n.l1_sectors_load_hit, 1);
    assert_int_equal(h->sm->n.l1_sectors_load_pending, 1);
    harness_free(h);
}

static void an_l1_without_capacity_asks_again_every_time(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.sm.unified = 0;
    add(h, load(0, 0));
    add(h, waits(nop(), 1));
    add(h, load(0, 0));
    add(h, waits(nop(), 1));
    harness_start(h, 1);
    harness_run(h);
    assert_int_equal(h->requests, 2);
    assert_int_equal(distance(h, 0, 2, 3), HIT + round_trip(h));
    harness_free(h);
}

static void a_strong_load_passes_by_the_l1_and_tells_the_source_when_it_is_complete(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    struct inst strong = load(0, 0);
    strong.deferred = true;
    add(h, strong);
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 128);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 1), HIT + round_trip(h));
    assert_true(h->request[0].effect);
    assert_int_equal(h->completed[h->request[0].token], 1);
    harness_free(h);
}

/* ---- limits ----------------------------------------------------------------------------------------------------- */

static void no_more_requests_are_under_way_than_the_limit_and_replies_let_the_rest_go(void **state)
{
    (void)state;
    const uint32_t limits[] = {16, 32, 40, 64};
    for (unsigned k = 0; k < 4; k++) {
        struct harness *h = harness_new();
        h->config.l1.mshrs = limits[k];
        for (unsigned i = 0; i < 4; i++)
            add(h, strided(ldg(4, true, 4, 4096 * i), 128, 0));
        harness_start(h, 1);
        harness_run_until(h, START + 11 + round_trip(h));
        assert_int_equal(h->requests, limits[k] < 64 ? 32 : 64);
        harness_run(h);
        assert_int_equal(h->requests, 128);
        assert_true(port_quiet(&h->sm->port));
        assert_int_equal(h->sm->lsu.table.entries, 0);
        harness_free(h);
    }
}

/* An entry is taken when the shared part accepts an instruction and free when it is complete. An access that waits for
 * one stays in its queue. */
static void the_pending_request_table_limits_what_the_shared_part_accepts(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.lsu.pending = 8;
    add_many(h, strided(ldg(4, true, 4, 0), 4, 4096), 20);
    harness_start(h, 1);
    harness_run_until(h, START + 200);
    assert_int_equal(h->logged, 8 + 5);
    assert_int_equal(h->sm->lsu.table.entries, 8);
    harness_run(h);
    assert_int_equal(h->logged, 21);
    harness_free(h);
}

static void the_table_has_128_entries_as_the_published_configuration(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->latency = 4000;
    add_many(h, strided(ldg(4, true, 4, 0), 4, 4096), 60);
    harness_start(h, 4);
    harness_run_until(h, START + 2000);
    assert_int_equal(h->logged, 128 + 4 * 5);
    harness_run(h);
    harness_free(h);
}

static void a_line_under_way_takes_48_accesses_and_the_rest_waits(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add_many(h, ldg(4, true, 4, 0), 20);
    harness_start(h, 4);
    harness_run_until(h, START + 11 + round_trip(h));
    assert_int_equal(h->sm->lsu.table.entries, 48);
    assert_int_equal(h->logged, 48 + 4 * 5);
    harness_run(h);
    assert_int_equal(h->requests, 1);
    harness_free(h);
}

static void no_more_than_384_lines_are_under_way(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->latency = 4000;
    h->config.noc.egress_queue = 1024;
    for (unsigned i = 0; i < 20; i++)
        add(h, strided(ldg(4, true, 4, 4096 * i), 128, 0)); /* 32 lines of one sector */
    harness_start(h, 1);
    harness_run_until(h, START + 2000);
    assert_int_equal(h->requests, 384);
    harness_run(h);
    assert_int_equal(h->requests, 640);
    harness_free(h);
}

/* cp.async.cg: the line is not brought into the L1, nor found there. */
static void a_copy_past_the_l1_asks_the_l2_every_time(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    struct inst past = ldgsts(16, 0);
    past.code.flags |= CODE_BYPASS;
    add(h, stall(writes_sb(past, 0), 2));
    add(h, waits(nop(), 1));
    add(h, stall(writes_sb(past, 0), 2));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 512);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(h->requests, 8);
    assert_false(h->request[0].effect);
    assert_int_equal(h->sm->n.l1_sectors_load_hit, 0);
    assert_true(distance(h, 0, 2, 3) >= 39 + round_trip(h));
    harness_free(h);
}

/* Of eight stores two may be in flight, and a load does not wait for them. */
static void stores_have_a_limit_of_their_own_in_the_table(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.lsu.stores = 2;
    h->latency = 1000;
    add_many(h, stg(true, 4, 0), 8);
    add(h, exit_warp());
    add(h, writes_sb(ldg(4, true, 4, 0), 0));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_warp(h, 1, 9); /* on another sub-core */
    harness_run_until(h, 900);
    assert_int_equal(h->requests, 3);
    harness_run(h);
    assert_int_equal(h->requests, 9);
    assert_int_equal(h->sm->lsu.table.stores, 0);
    harness_free(h);
}

/* 480 loads of 128 bits wait for one line: their data take 3840 cycles of one return path. */
static void a_backlog_of_the_whole_table_on_one_return_bus_is_worked_off(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.lsu.pending = 512;
    h->config.l1.mshr_merges = 512;
    h->latency = 8000;
    add_many(h, strided(writes_sb(ldg(4, true, 16, 0), 0), 0, 0), 60);
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    for (uint32_t w = 0; w < 8; w++)
        harness_warp(h, 4 * w, 0);
    harness_run_until(h, 7000);
    assert_int_equal(h->logged, 8 * 60);
    assert_int_equal(h->requests, 1);
    harness_run(h);
    uint64_t reply = h->request[0].arrival + h->latency + h->config.noc.latency;
    assert_int_equal(h->end, reply + 8 * 60 * 8 + 1);
    harness_free(h);
}

/* ---- network port ----------------------------------------------------------------------------------------------- */

static void a_full_line_of_store_data_takes_four_cycles_at_the_port(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    for (unsigned i = 0; i < 10; i++)
        add(h, stg(true, 4, 128 * i));
    harness_start(h, 1);
    harness_run(h);
    assert_int_equal(h->requests, 10);
    for (unsigned i = 0; i < 10; i++) { /* 128 + 8 bytes at 40 a cycle */
        assert_int_equal(h->request[i].line, 128 * i);
        assert_int_equal(h->request[i].arrival, START + 30 + h->config.noc.latency + 4 * i);
    }
    harness_free(h);
}

static void the_acceptor_stops_when_the_port_lags_by_its_queue(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.noc.egress_queue = 30;
    add_many(h, strided(stg(true, 4, 0), 128, 0), 12);
    harness_start(h, 1);
    harness_run(h);
    /* 32 messages an instruction, one a cycle. The n-th is accepted when the port is at most 30 cycles ahead. */
    for (unsigned n = 1; n < 12; n++)
        assert_int_equal(h->request[32 * n].arrival - h->request[32 * n - 32].arrival, 32);
    uint64_t first_departs = START + 11 + 19 + 7; /* eight cycles of tag look-ups */
    assert_int_equal(issued_at(h, 0, 6), first_departs + 32 - 30);
    harness_free(h);
}

static void the_port_takes_a_full_line_of_replies_in_three_cycles(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.noc.reply_bytes = 45;
    add(h, strided(load(0, 0), 4, 128));
    add(h, waits(nop(), 1));
    harness_start(h, 2);
    harness_run(h);
    assert_int_equal(h->request[1].arrival - h->request[0].arrival, 2);
    assert_int_equal(distance(h, 0, 0, 1), HIT + round_trip(h));
    assert_int_equal(distance(h, 1, 0, 1), HIT + round_trip(h) + 3); /* 136 bytes at 45 a cycle: 3.02 */
    harness_free(h);
}

static void replies_are_taken_in_the_order_of_arrival_not_of_request(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->silent = true;
    add(h, load(0, 0));
    add(h, load(128, 1));
    uint32_t second = add(h, waits(nop(), 2));
    uint32_t first = add(h, waits(nop(), 1));
    harness_start(h, 1);
    harness_run_until(h, 100);
    assert_int_equal(h->requests, 2);
    for (unsigned i = 0; i < 2; i++)
        harness_reply(h, &h->request[i], i ? 200 : 300);
    harness_run(h);
    assert_int_equal(issued_at(h, 0, second), 202);
    assert_int_equal(issued_at(h, 0, first), 302);
    harness_free(h);
}

static void a_gather_over_many_lines_pays_for_its_tag_look_ups(void **state)
{
    (void)state;
    const unsigned line_counts[] = {1, 4, 5, 8, 32};
    for (unsigned k = 0; k < 5; k++) {
        unsigned lines = line_counts[k];
        struct harness *h = harness_new();
        uint32_t offsets[32];
        for (unsigned lane = 0; lane < 32; lane++)
            offsets[lane] = 128 * (lane % lines) + 4 * lane;
        add(h, scattered(load(0, 0), offsets));
        add(h, waits(nop(), 1));
        add(h, exit_warp());
        harness_begin(h);
        harness_warm_l1(h, 0, 8192);
        harness_warp(h, 0, 0);
        harness_hold(h, START);
        harness_run(h);
        assert_int_equal(distance(h, 0, 0, 1), HIT + (lines + 3) / 4 - 1); /* four tags a cycle */
        assert_int_equal(h->sm->n.l1_tags, lines);
        assert_int_equal(h->sm->n.l1_tag_wavefronts, (lines + 3) / 4);
        assert_int_equal(h->sm->n.l1_wavefronts, 1);
        harness_free(h);
    }
}

UNIT_TESTS(UNIT(a_miss_takes_the_round_trip_more_and_the_next_load_of_the_line_hits),
           UNIT(a_request_names_line_sectors_and_the_cycle_at_which_it_arrives),
           UNIT(loads_of_one_line_on_its_way_share_one_request_and_count_as_hits),
           UNIT(only_sectors_that_nobody_asked_for_are_requested_and_count_as_misses),
           UNIT(an_l1_without_capacity_asks_again_every_time),
           UNIT(a_strong_load_passes_by_the_l1_and_tells_the_source_when_it_is_complete),
           UNIT(no_more_requests_are_under_way_than_the_limit_and_replies_let_the_rest_go),
           UNIT(the_pending_request_table_limits_what_the_shared_part_accepts),
           UNIT(the_table_has_128_entries_as_the_published_configuration),
           UNIT(a_line_under_way_takes_48_accesses_and_the_rest_waits), UNIT(no_more_than_384_lines_are_under_way),
           UNIT(a_copy_past_the_l1_asks_the_l2_every_time), UNIT(stores_have_a_limit_of_their_own_in_the_table),
           UNIT(a_backlog_of_the_whole_table_on_one_return_bus_is_worked_off),
           UNIT(a_full_line_of_store_data_takes_four_cycles_at_the_port),
           UNIT(the_acceptor_stops_when_the_port_lags_by_its_queue),
           UNIT(the_port_takes_a_full_line_of_replies_in_three_cycles),
           UNIT(replies_are_taken_in_the_order_of_arrival_not_of_request),
           UNIT(a_gather_over_many_lines_pays_for_its_tag_look_ups))
