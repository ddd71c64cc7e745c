#include "mem/noc.h"

#include "tests/unit.h"

static struct noc noc;
static struct arena arena;
static struct noc_port port;

static int setup(void **state)
{
    (void)state;
    struct config config;
    config_defaults(&config);
    config.noc.latency = 40;
    config.noc.header_bytes = 8;
    config.noc.slice_request_bytes = 16;
    config.noc.slice_reply_bytes = 16;
    noc_init(&noc, &config);
    return noc_port_create(&port, &noc, &arena) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

/* A store with so many bytes for a line, or a request without data. */
static uint64_t receive(uint64_t arrival, uint8_t bytes)
{
    struct request request = {.arrival = arrival, .bytes = bytes, .sectors = bytes > 96 ? 15 : 3};
    return noc_receive(&noc, &port, &request);
}

static void a_message_to_a_free_port_is_not_delayed(void **state)
{
    (void)state;
    assert_int_equal(receive(100, 128), 100);
    assert_int_equal(noc_send(&noc, &port, 300, 128), 340);
}

static void a_request_occupies_the_ingress_for_its_data_and_header(void **state)
{
    (void)state;
    assert_int_equal(receive(100, 128), 100); /* 136 bytes: 8.5 cycles */
    assert_int_equal(receive(100, 0), 108);   /* from 108.5 to 109 */
    assert_int_equal(receive(100, 0), 109);
    assert_int_equal(receive(109, 0), 109);
    assert_int_equal(receive(109, 0), 110);
    assert_int_equal(receive(111, 0), 111);
}

static void a_store_of_parts_of_sectors_carries_them_whole(void **state)
{
    (void)state;
    assert_int_equal(receive(100, 8), 100); /* 72 bytes of two sectors: 4.5 cycles */
    assert_int_equal(receive(100, 0), 104);
    noc.whole_sectors = false;
    assert_int_equal(receive(200, 8), 200); /* 16 bytes: a cycle */
    assert_int_equal(receive(200, 0), 201);
}

static void a_message_to_another_sm_carries_the_bytes_that_it_has(void **state)
{
    (void)state;
    struct request request = {.bytes = 4, .sectors = 1, .destination = DESTINATION_SM};
    assert_int_equal(noc_request_units(&noc, &request), 2);
    request.destination = DESTINATION_SLICE;
    assert_int_equal(noc_request_units(&noc, &request), 5);
}

static void a_reply_occupies_the_egress_for_its_data_and_header(void **state)
{
    (void)state;
    assert_int_equal(noc_send(&noc, &port, 100, 32), 140); /* 40 bytes: 2.5 cycles */
    assert_int_equal(noc_send(&noc, &port, 100, 32), 142); /* from 102.5 to 105 */
    assert_int_equal(noc_send(&noc, &port, 100, 0), 145);  /* 8 bytes: to 105.5 */
    assert_int_equal(noc_send(&noc, &port, 105, 32), 145); /* to 108 */
    assert_int_equal(noc_send(&noc, &port, 107, 0), 148);
    assert_int_equal(noc_send(&noc, &port, 109, 0), 149);
}

static void a_hit_passes_a_miss_that_was_served_before_it(void **state)
{
    (void)state;
    assert_int_equal(noc_send(&noc, &port, 500, 128), 540);
    assert_int_equal(noc_send(&noc, &port, 200, 128), 240);
}

static void acknowledgements_share_a_cycle_of_the_egress(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(noc_send(&noc, &port, 1000, 0), 1040 + i / 2);
}

#define NOC_UNIT_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

UNIT_TESTS(NOC_UNIT_TEST(a_message_to_a_free_port_is_not_delayed),
           NOC_UNIT_TEST(a_request_occupies_the_ingress_for_its_data_and_header),
           NOC_UNIT_TEST(a_store_of_parts_of_sectors_carries_them_whole),
           NOC_UNIT_TEST(a_message_to_another_sm_carries_the_bytes_that_it_has),
           NOC_UNIT_TEST(a_reply_occupies_the_egress_for_its_data_and_header),
           NOC_UNIT_TEST(a_hit_passes_a_miss_that_was_served_before_it),
           NOC_UNIT_TEST(acknowledgements_share_a_cycle_of_the_egress))
