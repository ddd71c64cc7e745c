/* Requests for code of the SMs of a GPC, and the lines that a launch has read into its cache. */
#include "tests/mem/gpc_rig.h"

/* Lines that a launch has read into the GPC's cache: one after another, 2.5 cycles each, and none goes to a slice. */
static void the_cache_of_the_gpc_answers_one_after_another(void **state)
{
    (void)state;
    config.l15.gpc_interval = 2.5;
    config.l15.gpc_latency = WAY + 7;
    start();
    const uint16_t sms[] = {0, 4, 8, 12};
    for (unsigned i = 0; i < 4; i++) {
        struct request request = {.arrival = 100,
                                  .line = 0x1000,
                                  .sm = sms[i],
                                  .client = PORT_CODE,
                                  .sectors = 15,
                                  .token = (uint16_t)i,
                                  .destination = DESTINATION_GPC};
        assert_true(gpc_send(&gpc, &model, &request, 1));
    }
    depart(101);
    assert_int_equal(gpc.sent_count, 0);
    assert_int_equal(gpc.waiting, 0);
    assert_true(gpc_deliver(&gpc, &model, 1000, (struct gpc_sink){.self = &gpc, .deliver = deliver}));
    const uint64_t begin[] = {100, 102, 105, 107};
    for (unsigned i = 0; i < 4; i++)
        assert_delivered(i, (uint16_t)i, begin[i] + WAY + 7);
}

static void ask_for_code(uint16_t sm, uint64_t time, uint64_t line)
{
    struct request request = {
        .arrival = time, .line = line, .sm = sm, .client = PORT_CODE, .sectors = 0xf, .kind = REQUEST_LOAD};
    assert_true(gpc_send(&gpc, &model, &request, 1));
}

/* One request leaves. Its reply takes the inlet once and goes on through each TPC, in 136 / 64 cycles for an SM. */
static void sms_of_a_gpc_that_want_one_line_of_code_send_one_request(void **state)
{
    (void)state;
    config.noc.gpc_request_bytes = 8; /* a request without data: a cycle */
    config.noc.tpc_reply_bytes = 68;
    config.noc.gpc_reply_bytes = 34;
    start();
    ask_for_code(0, 100, 0x1000);
    ask_for_code(1, 110, 0x1000);
    ask_for_code(8, 100, 0x1000);
    ask_for_code(4, 100, 0x2000);
    depart(200);
    assert_int_equal(gpc.sent_count, 2);
    assert_int_equal(gpc.sent[0].sm, 0);
    assert_left(0, 0, 100);
    assert_int_equal(gpc.sent[1].line, 0x2000);
    assert_left(1, 0, 101);
    assert_int_equal(gpc.n.gcc_joined, 2);
    struct reply reply = {
        .arrival = 300, .line = 0x1000, .sm = 0, .client = PORT_CODE, .sectors = 0xf, .kind = REQUEST_LOAD};
    assert_true(gpc_return(&gpc, &reply));
    reply.line = 0x2000;
    reply.sm = 4;
    assert_true(gpc_return(&gpc, &reply));
    take(400);
    assert_int_equal(deliveries, 4);
    const uint16_t sms[] = {0, 1, 8, 4};
    const uint64_t when[] = {300, 302, 300, 304};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(delivered[i].sm, sms[i]);
        assert_int_equal(delivered[i].line, i < 3 ? 0x1000 : 0x2000);
        assert_int_equal(delivered[i].client, PORT_CODE);
        assert_delivered(i, 0, when[i]);
    }
    ask_for_code(1, 500, 0x1000); /* nothing is kept */
    depart(501);
    assert_int_equal(gpc.sent_count, 1);
}

UNIT_TESTS(GPC_TEST(the_cache_of_the_gpc_answers_one_after_another),
           GPC_TEST(sms_of_a_gpc_that_want_one_line_of_code_send_one_request))
