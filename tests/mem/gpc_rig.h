/* Two GPCs whose links are as narrow as a test wants. The test plays SMs and slices. */
#ifndef SUBCORE_TESTS_MEM_GPC_RIG_H
#define SUBCORE_TESTS_MEM_GPC_RIG_H

#include "mem/gpc.h"
#include "tests/unit.h"

/* Two GPCs, eight SMs each; links as narrow as a test wants. Ways of 0, so that a request that leaves at n is at its
 * slice at n + WAY, one to another SM of the GPC there at n + BETWEEN. */
enum { WAY = 40, BETWEEN = 50, WIDE = 4096, MOST = 40000 };

static struct config config;
static struct noc noc;
static struct address_map map;
static struct gpc_model model;
static struct arena arena;
static struct gpc gpc;
static struct reply delivered[MOST];
static unsigned deliveries;
static struct request received[MOST];
static unsigned receipts;

static inline int setup(void **state)
{
    (void)state;
    config_defaults(&config);
    config.gpu.sms = 16;
    snprintf(config.gpu.gpcs, sizeof config.gpu.gpcs, "8 8");
    config.noc.latency = WAY;
    config.noc.peer_latency = BETWEEN;
    config.noc.spread = 0;
    config.noc.header_bytes = 8;
    config.noc.whole_sectors = false; /* the tests choose how long a message is */
    config.noc.tpc_request_bytes = config.noc.tpc_reply_bytes = WIDE;
    config.noc.gpc_request_bytes = config.noc.gpc_reply_bytes = WIDE;
    config.tlb.l2_miss_latency = 9;
    deliveries = 0;
    receipts = 0;
    return 0;
}

static inline void start(void)
{
    noc_init(&noc, &config);
    address_map_init(&map, config.l2.slices, 16, config.dram.channels, config.l2.partitions);
    gpc_model_init(&model, &noc, &map, &config);
    assert_true(gpc_create(&gpc, &model, &config.tlb, 0, &arena));
}

static inline int teardown(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

/* SMs of GPC 0: 0, 1, 4, 5, 8, 9, 12, 13. */
static inline void send(uint16_t sm, uint64_t time, unsigned bytes, uint16_t token)
{
    struct request request = {
        .arrival = time, .sm = sm, .token = token, .sectors = 1, .kind = REQUEST_STORE, .bytes = (uint8_t)bytes};
    assert_true(gpc_send(&gpc, &model, &request, 1));
}

static inline void depart(uint64_t end) { assert_true(gpc_depart(&gpc, &model, end)); }

static inline void assert_left(unsigned index, uint16_t token, uint64_t when)
{
    assert_true(index < gpc.sent_count);
    assert_int_equal(gpc.sent[index].token, token);
    assert_int_equal(gpc.sent[index].arrival, when + WAY);
}

static inline bool deliver(void *self, const struct reply *reply)
{
    assert_ptr_equal(self, &gpc);
    assert_true(deliveries < MOST);
    delivered[deliveries++] = *reply;
    return true;
}

static inline bool receive(void *self, const struct request *request)
{
    assert_ptr_equal(self, &gpc);
    assert_true(receipts < MOST);
    received[receipts++] = *request;
    return true;
}

static inline void tell(uint16_t from, uint16_t to, uint64_t time, uint8_t bytes)
{
    struct request request = {.arrival = time,
                              .line = 256,
                              .sm = from,
                              .to = to,
                              .destination = DESTINATION_SM,
                              .kind = REQUEST_STORE,
                              .sectors = 15,
                              .bytes = bytes};
    assert_true(gpc_send(&gpc, &model, &request, 1));
}

static inline void answer(uint16_t sm, uint64_t time, unsigned sectors, uint16_t token)
{
    struct reply reply = {.arrival = time, .sm = sm, .token = token, .sectors = (uint8_t)sectors, .kind = REQUEST_LOAD};
    assert_true(gpc_return(&gpc, &reply));
}

static inline void take(uint64_t end)
{
    assert_true(gpc_deliver(&gpc, &model, end, (struct gpc_sink){&gpc, deliver, receive}));
}

static inline void assert_delivered(unsigned index, uint16_t token, uint64_t when)
{
    assert_true(index < deliveries);
    assert_int_equal(delivered[index].token, token);
    assert_int_equal(delivered[index].arrival, when);
}

#define GPC_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
