/* Loads of a GPC's SMs that want the same sectors at the same time (mem/lrc.h). */
#include "tests/mem/gpc_rig.h"

enum { GROUP = 3 }; /* TPCs: SMs 0, 1, 4, 5, 8, 9 are of one group, 12 and 13 of another */

static void begin(uint32_t lines)
{
    config.noc.join_loads = lines > 0;
    config.noc.join_lines = lines;
    config.noc.join_tpcs = GROUP;
    start();
}

static struct request load(uint16_t sm, uint64_t line, uint8_t sectors)
{
    return (struct request){.line = line, .sm = sm, .token = sm, .sectors = sectors, .kind = REQUEST_LOAD};
}

static void ask(uint64_t time, struct request request)
{
    request.arrival = time;
    assert_true(gpc_send(&gpc, &model, &request, 1));
}

static void reply_to(uint64_t time, struct request request)
{
    const struct reply reply = {.arrival = time,
                                .line = request.line,
                                .sm = request.sm,
                                .token = request.token,
                                .client = request.client,
                                .sectors = request.sectors,
                                .kind = request.kind};
    assert_true(gpc_return(&gpc, &reply));
}

static void assert_sent(unsigned count)
{
    depart(1000);
    assert_int_equal(gpc.sent_count, count);
    assert_int_equal(gpc.waiting, 0);
}

static void assert_reply(unsigned index, uint16_t sm, uint8_t sectors, uint64_t when)
{
    assert_int_equal(delivered[index].sm, sm);
    assert_int_equal(delivered[index].sectors, sectors);
    assert_delivered(index, sm, when);
}

/* Its reply takes the inlet once, 136 / 34 cycles, and goes on through each TPC. */
static void loads_of_a_group_that_want_the_same_sectors_send_one_request(void **state)
{
    (void)state;
    config.noc.gpc_reply_bytes = 34;
    begin(64);
    ask(100, load(0, 0x1000, 15));
    ask(110, load(8, 0x1000, 15));
    ask(120, load(5, 0x1000, 3)); /* a part */
    assert_sent(1);
    assert_int_equal(gpc.n.lrc_joined, 6);
    reply_to(300, load(0, 0x1000, 15));
    reply_to(300, load(0, 0x2000, 15)); /* of a load that no other has joined */
    take(400);
    assert_int_equal(deliveries, 4);
    assert_reply(0, 0, 15, 300);
    assert_reply(1, 8, 15, 300);
    assert_reply(2, 5, 3, 300);
    assert_reply(3, 0, 15, 304);
}

static void a_load_joins_none_of_another_group_of_fewer_sectors_of_another_line_or_of_its_own_sm(void **state)
{
    (void)state;
    begin(64);
    ask(100, load(0, 0x1000, 3));
    ask(101, load(12, 0x1000, 3)); /* another group */
    ask(102, load(8, 0x1000, 7));  /* more sectors */
    ask(103, load(8, 0x3000, 3));
    ask(104, load(0, 0x1000, 3));
    assert_sent(5);
    assert_int_equal(gpc.n.lrc_joined, 0);
}

static void a_load_behind_the_reply_asks_again(void **state)
{
    (void)state;
    begin(64);
    ask(100, load(0, 0x1000, 15));
    assert_sent(1);
    reply_to(300, load(0, 0x1000, 15));
    take(301);
    ask(310, load(8, 0x1000, 15));
    assert_sent(1);
    ask(320, load(0, 0x1000, 15)); /* joins that one */
    assert_sent(0);
    assert_int_equal(gpc.n.lrc_joined, 4);
}

static void other_requests_and_loads_that_go_alone_do_not_join(void **state)
{
    (void)state;
    struct request strong = load(8, 0x1000, 15), alone = strong, store = strong, nobody = strong;
    strong.effect = true;
    alone.alone = true;
    store.kind = REQUEST_STORE;
    nobody.client = PORT_NOBODY; /* a prefetch: no reply comes */
    begin(64);
    ask(100, load(0, 0x1000, 15));
    ask(101, strong);
    ask(102, alone);
    ask(103, store);
    ask(104, nobody);
    assert_sent(5);
    assert_int_equal(gpc.n.lrc_joined, 0);
}

static void a_load_whose_place_another_line_has_is_joined_by_none(void **state)
{
    (void)state;
    begin(1);
    ask(100, load(0, 0x1000, 15));
    ask(101, load(0, 0x2000, 15));
    ask(102, load(8, 0x2000, 15));
    ask(103, load(8, 0x1000, 15)); /* the only one to join */
    assert_sent(3);
    assert_int_equal(gpc.n.lrc_joined, 4);
}

static void without_lines_no_load_joins(void **state)
{
    (void)state;
    begin(0);
    ask(100, load(0, 0x1000, 15));
    ask(101, load(8, 0x1000, 15));
    assert_sent(2);
}

/* Places of loads that have been answered are used again. */
static void many_loads_join_one_and_each_gets_its_reply(void **state)
{
    (void)state;
    enum { TURNS = 300 };
    static const uint16_t sms[] = {1, 4, 5, 8, 9};
    begin(64);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        ask(100 * turn, load(0, 128 * turn, 15));
        for (unsigned i = 0; i < sizeof sms / sizeof *sms; i++)
            ask(100 * turn, load(sms[i], 128 * turn, 15));
        depart(100 * turn + 50);
        assert_int_equal(gpc.sent_count, 1);
        reply_to(100 * turn + 60, gpc.sent[0]); /* TPCs take turns: of any SM */
        take(100 * turn + 90);
        assert_int_equal(deliveries, 6 * (turn + 1));
    }
    assert_true(gpc.lrc.room <= 256);
}

UNIT_TESTS(GPC_TEST(loads_of_a_group_that_want_the_same_sectors_send_one_request),
           GPC_TEST(a_load_joins_none_of_another_group_of_fewer_sectors_of_another_line_or_of_its_own_sm),
           GPC_TEST(a_load_behind_the_reply_asks_again), GPC_TEST(other_requests_and_loads_that_go_alone_do_not_join),
           GPC_TEST(a_load_whose_place_another_line_has_is_joined_by_none), GPC_TEST(without_lines_no_load_joins),
           GPC_TEST(many_loads_join_one_and_each_gets_its_reply))
