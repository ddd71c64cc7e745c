/* Links of a GPC between its SMs, other SMs and the slices. */
#include "base/hash.h"
#include "tests/mem/gpc_rig.h"

static void free_links_do_not_delay_a_request(void **state)
{
    (void)state;
    config.noc.tpc_request_bytes = config.noc.gpc_request_bytes = 8;
    start();
    send(0, 100, 128, 1);
    depart(101);
    assert_int_equal(gpc.sent_count, 1);
    assert_left(0, 1, 100);
    assert_int_equal(gpc.n.noc_request_wait, 0);
}

static void a_request_leaves_before_the_end_and_not_at_it(void **state)
{
    (void)state;
    start();
    send(0, 100, 0, 1);
    depart(100);
    assert_int_equal(gpc.sent_count, 0);
    assert_int_equal(gpc.waiting, 1);
    depart(101);
    assert_left(0, 1, 100);
    assert_int_equal(gpc.waiting, 0);
}

static void both_sms_of_a_tpc_share_its_link(void **state)
{
    (void)state;
    config.noc.tpc_request_bytes = 16; /* 40 bytes: 2.5 cycles */
    start();
    send(0, 100, 32, 1);
    send(1, 100, 32, 2);
    send(4, 100, 32, 3); /* another TPC */
    send(0, 101, 32, 4);
    depart(200);
    assert_left(0, 1, 100);
    assert_left(1, 3, 100);
    assert_left(2, 2, 102);
    assert_left(3, 4, 105);
    assert_int_equal(gpc.n.noc_request_wait, 2 + 4);
}

static void all_tpcs_share_the_outlet(void **state)
{
    (void)state;
    config.noc.gpc_request_bytes = 8; /* 8 bytes: a cycle */
    start();
    for (uint16_t i = 0; i < 4; i++)
        send((uint16_t)(4 * i), 100, 0, i);
    send(0, 103, 0, 4);
    send(4, 105, 0, 5);
    depart(200);
    for (uint16_t i = 0; i < 6; i++)
        assert_left(i, i, 100u + i);
}

static void tpcs_take_turns_at_the_outlet_however_much_one_has(void **state)
{
    (void)state;
    config.noc.gpc_request_bytes = 8;
    start();
    for (uint16_t i = 0; i < 64; i++)
        send(0, 100, 0, i);
    for (uint16_t i = 0; i < 8; i++)
        send(12, 110, 0, (uint16_t)(100 + i));
    depart(1000);
    assert_int_equal(gpc.sent_count, 72);
    for (unsigned i = 0; i < 8; i++)
        assert_left(10 + 2 * i, (uint16_t)(100 + i), 110 + 2 * i);
}

static void sms_take_turns_at_the_link_of_their_tpc(void **state)
{
    (void)state;
    config.noc.tpc_request_bytes = 8;
    start();
    for (uint16_t i = 0; i < 16; i++)
        send(0, 100, 0, i);
    for (uint16_t i = 0; i < 4; i++)
        send(1, 104, 0, (uint16_t)(100 + i));
    depart(1000);
    for (unsigned i = 0; i < 4; i++)
        assert_left(4 + 2 * i, (uint16_t)(100 + i), 104 + 2 * i);
}

static void a_request_of_a_later_quantum_has_its_turn_before_what_waits(void **state)
{
    (void)state;
    config.noc.gpc_request_bytes = 8;
    start();
    for (uint16_t i = 0; i < 64; i++)
        send(0, 100, 0, i);
    depart(140);
    assert_int_equal(gpc.sent_count, 40);
    send(8, 140, 0, 99);
    depart(180);
    assert_left(0, 99, 140);
    assert_int_equal(gpc.sent_count, 25);
}

static void requests_of_an_sm_leave_by_time_whatever_the_order_of_sending(void **state)
{
    (void)state;
    start();
    send(5, 109, 0, 1);
    send(5, 101, 0, 2);
    send(5, 109, 0, 3);
    send(5, 105, 0, 4);
    depart(200);
    assert_left(0, 2, 101);
    assert_left(1, 4, 105);
    assert_left(2, 1, 109);
    assert_left(3, 3, 109);
}

static void a_request_without_translation_waits_for_it_and_others_pass(void **state)
{
    (void)state;
    start();
    struct request request = {.arrival = 100, .line = 0, .sm = 0, .token = 1, .sectors = 1, .translate = true};
    assert_true(gpc_send(&gpc, &model, &request, 1));
    send(0, 108, 0, 2);
    send(0, 109, 0, 3);
    request.sm = 4;
    request.token = 4;
    request.arrival = 103; /* the same page: no second miss */
    assert_true(gpc_send(&gpc, &model, &request, 1));
    request.token = 5;
    request.arrival = 110;
    assert_true(gpc_send(&gpc, &model, &request, 1));
    depart(200);
    assert_int_equal(gpc.sent_count, 5);
    uint64_t when[6];
    for (unsigned i = 0; i < 5; i++) {
        when[gpc.sent[i].token] = gpc.sent[i].arrival - WAY;
        assert_false(gpc.sent[i].translate);
    }
    const uint64_t expected[] = {109, 108, 109, 109, 110};
    assert_memory_equal(when + 1, expected, sizeof expected);
    struct mem_counters n;
    gpc_counters(&gpc, &n);
    assert_int_equal(n.tlb_l2_lookups, 3);
    assert_int_equal(n.tlb_l2_misses, 1);
}

static void the_way_to_the_slice_counts(void **state)
{
    (void)state;
    config.noc.spread = 30;
    config.l2.slices = 48;
    start();
    for (uint16_t i = 0; i < 48; i++) {
        struct request request = {.arrival = 100, .line = 128ull * i, .sm = 0, .token = i, .sectors = 1};
        assert_true(gpc_send(&gpc, &model, &request, 1));
    }
    depart(200);
    for (unsigned i = 0; i < 48; i++) {
        uint64_t left =
            gpc.sent[i].arrival - topology_latency(&noc.topology, 0, address_map_place(&map, gpc.sent[i].line).slice);
        assert_in_range(left, 100, 101); /* 4096 bytes a cycle: all but the last in the first cycle */
    }
}

static void free_links_do_not_delay_a_reply(void **state)
{
    (void)state;
    config.noc.tpc_reply_bytes = config.noc.gpc_reply_bytes = 8;
    start();
    answer(0, 100, 15, 1);
    take(100);
    assert_int_equal(deliveries, 0);
    take(101);
    assert_delivered(0, 1, 100);
    assert_int_equal(gpc.n.noc_reply_wait, 0);
}

static void a_message_to_an_sm_of_the_gpc_takes_the_peers_latency_and_no_outlet(void **state)
{
    (void)state;
    start();
    tell(0, 5, 100, 128);
    depart(100);
    assert_int_equal(gpc.waiting, 1);
    depart(101);
    assert_int_equal(gpc.waiting, 0);
    assert_int_equal(gpc.sent_count, 0);
    assert_int_equal(gpc.inlet.count, 1);
    take(100 + BETWEEN);
    assert_int_equal(receipts, 0);
    take(100 + BETWEEN + 1);
    assert_int_equal(receipts, 1);
    assert_int_equal(received[0].arrival, 100 + BETWEEN);
    assert_int_equal(received[0].sm, 0);
    assert_int_equal(received[0].to, 5);
    assert_int_equal(received[0].bytes, 128);
    assert_int_equal(deliveries, 0);
}

/* The payload takes the links of both TPCs. A reply waits for its turn behind it. */
static void messages_between_sms_share_links_with_what_comes_from_slices(void **state)
{
    (void)state;
    config.noc.tpc_request_bytes = config.noc.tpc_reply_bytes = 8;
    start();
    uint32_t units = noc_units(&noc, 128), link = units * NOC_UNIT / 8;
    tell(0, 5, 100, 128);
    tell(0, 5, 100, 128);
    depart(10000);
    answer(5, 100 + BETWEEN, 1, 7);
    take(10000);
    assert_int_equal(receipts, 2);
    assert_int_equal(received[0].arrival, 100 + BETWEEN);
    assert_int_equal(deliveries, 1);
    assert_int_equal(delivered[0].arrival, 100 + BETWEEN + link);
    uint32_t reply = noc_units(&noc, noc_reply_data(REQUEST_LOAD, 1)) * NOC_UNIT / 8;
    assert_int_equal(received[1].arrival, 100 + BETWEEN + link + reply);
}

static void replies_share_the_inlet_in_the_order_of_arrival(void **state)
{
    (void)state;
    config.noc.gpc_reply_bytes = 16; /* 40 bytes: 2.5 cycles */
    start();
    answer(4, 101, 1, 2);
    answer(0, 100, 1, 1);
    answer(8, 101, 1, 3);
    answer(12, 110, 1, 4);
    take(200);
    assert_delivered(0, 1, 100);
    assert_delivered(1, 2, 102);
    assert_delivered(2, 3, 105);
    assert_delivered(3, 4, 110);
    assert_int_equal(gpc.n.noc_reply_wait, 1 + 4);
}

static void replies_to_both_sms_of_a_tpc_share_its_link_and_others_pass(void **state)
{
    (void)state;
    config.noc.tpc_reply_bytes = 8; /* 40 bytes: 5 cycles */
    start();
    answer(0, 100, 1, 1);
    answer(1, 100, 1, 2);
    answer(1, 100, 1, 3);
    answer(4, 101, 1, 4);
    take(200);
    assert_delivered(0, 1, 100);
    assert_delivered(1, 2, 105);
    assert_delivered(2, 3, 110);
    assert_delivered(3, 4, 101);
}

static void the_two_networks_share_nothing(void **state)
{
    (void)state;
    config.noc.tpc_request_bytes = config.noc.tpc_reply_bytes = 8;
    config.noc.gpc_request_bytes = config.noc.gpc_reply_bytes = 8;
    start();
    send(0, 100, 128, 1);
    answer(0, 100, 15, 2);
    depart(200);
    take(200);
    assert_left(0, 1, 100);
    assert_delivered(0, 2, 100);
}

/* The messages that a lone SM can send in 1000 cycles, and those of the whole GPC. */
static void a_narrow_outlet_gives_its_width_and_each_sm_the_same_share(void **state)
{
    (void)state;
    config.noc.tpc_request_bytes = 64;
    config.noc.gpc_request_bytes = 72;
    start();
    const uint16_t sms[] = {0, 1, 4, 5, 8, 9, 12, 13};
    for (unsigned s = 0; s < 8; s++)
        for (unsigned i = 0; i < 1000; i++)
            send(sms[s], i, 28, 0); /* 40 bytes with the header */
    depart(1000);
    assert_in_range(gpc.sent_count, 1800, 1801);
    unsigned share[16] = {0};
    for (unsigned i = 0; i < gpc.sent_count; i++)
        share[gpc.sent[i].sm]++;
    for (unsigned s = 0; s < 8; s++)
        assert_in_range(share[sms[s]], 225, 226);
}

static void every_request_leaves_once_and_those_of_an_sm_in_order(void **state)
{
    (void)state;
    config.noc.tpc_request_bytes = 24;
    config.noc.gpc_request_bytes = 56;
    start();
    const uint16_t sms[] = {0, 1, 4, 5, 8, 9, 12, 13};
    uint16_t sent[16] = {0}, left[16] = {0};
    unsigned total = 0, gone = 0;
    for (uint64_t t = 0; gone < total || t < 4000; t += WAY) {
        for (unsigned s = 0; s < 8 && t < 4000; s++) {
            unsigned count = (unsigned)(hash_mix(t * 8 + s) % 60);
            for (unsigned i = 0; i < count; i++, total++)
                send(sms[s], t + i * WAY / count, (unsigned)hash_mix(total) % 129, sent[sms[s]]++);
        }
        depart(t + WAY);
        uint64_t last = 0;
        for (unsigned i = 0; i < gpc.sent_count; i++, gone++) {
            const struct request *r = &gpc.sent[i];
            assert_int_equal(r->token, left[r->sm]++);
            assert_in_range(r->arrival, t + WAY, t + 2 * WAY - 1);
            assert_true(r->arrival >= last);
            last = r->arrival;
        }
    }
    assert_memory_equal(sent, left, sizeof sent);
}

UNIT_TESTS(GPC_TEST(free_links_do_not_delay_a_request), GPC_TEST(a_request_leaves_before_the_end_and_not_at_it),
           GPC_TEST(both_sms_of_a_tpc_share_its_link), GPC_TEST(all_tpcs_share_the_outlet),
           GPC_TEST(tpcs_take_turns_at_the_outlet_however_much_one_has),
           GPC_TEST(sms_take_turns_at_the_link_of_their_tpc),
           GPC_TEST(a_request_of_a_later_quantum_has_its_turn_before_what_waits),
           GPC_TEST(requests_of_an_sm_leave_by_time_whatever_the_order_of_sending),
           GPC_TEST(a_request_without_translation_waits_for_it_and_others_pass), GPC_TEST(the_way_to_the_slice_counts),
           GPC_TEST(free_links_do_not_delay_a_reply), GPC_TEST(replies_share_the_inlet_in_the_order_of_arrival),
           GPC_TEST(replies_to_both_sms_of_a_tpc_share_its_link_and_others_pass),
           GPC_TEST(the_two_networks_share_nothing),
           GPC_TEST(a_message_to_an_sm_of_the_gpc_takes_the_peers_latency_and_no_outlet),
           GPC_TEST(messages_between_sms_share_links_with_what_comes_from_slices),
           GPC_TEST(a_narrow_outlet_gives_its_width_and_each_sm_the_same_share),
           GPC_TEST(every_request_leaves_once_and_those_of_an_sm_in_order))
