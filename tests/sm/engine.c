/* An engine that moves data by itself is a client of the SM's port: a toy one reads boxes (toy_engine.h). */
#include "tests/sm/harness.h"
#include "tests/sm/toy_engine.h"

static struct toy_engine engine;

/* 2 dimensions of 4 bytes an element: rows of `columns`, 1024 bytes apart. */
static struct transfer box(uint64_t base, uint32_t columns, uint32_t rows)
{
    return (struct transfer){.base = base,
                             .stride = {4, 1024, 0, 0, 0},
                             .extent = {columns, rows, 1, 1, 1},
                             .to = {0, rows, 1, 1, 1},
                             .rows = rows,
                             .element_bytes = 4};
}

/* The warp in slot 0 issues `first` in cycle START. Instruction 1 waits for counter 5, which the engine lowers. */
static struct harness *with_engine_beside(struct inst first, uint64_t base, uint32_t columns, uint32_t rows)
{
    enum { CLIENT = PORT_ENGINE + 1 };
    const struct transfer transfer = box(base, columns, rows);
    struct harness *h = harness_new();
    h->config.l1.mshrs = 4;
    add(h, stall(first, 2));
    add(h, waits(nop(), 1u << 5));
    harness_start(h, 1);
    engine = (struct toy_engine){.to = {&h->sm->port, &h->sm->retire, CLIENT}};
    port_connect(&h->sm->port, CLIENT, (struct port_receiver){&engine, toy_engine_reply});
    toy_engine_start(&engine, &transfer, 0, 5);
    dependence_counters_raise(&h->sm->warp[0].counters, 5, COUNTED_GLOBAL);
    return h;
}

static struct harness *with_engine(uint64_t base, uint32_t columns, uint32_t rows)
{
    return with_engine_beside(nop(), base, columns, rows);
}

static void run(struct harness *h, uint64_t end)
{
    while (h->sm->now < end) {
        toy_engine_cycle(&engine, h->sm->now);
        harness_run_until(h, h->sm->now + 1);
    }
}

static void expect_request(const struct harness *h, uint32_t index, uint64_t line, uint8_t sectors)
{
    assert_int_equal(h->request[index].client, engine.to.client);
    assert_int_equal(h->request[index].line, line);
    assert_int_equal(h->request[index].sectors, sectors);
}

static void rows_of_a_transfer_are_a_stride_apart_in_each_dimension(void **state)
{
    (void)state;
    const struct transfer t = {.base = 1000,
                               .stride = {2, 100, 0, 7000, 0},
                               .extent = {8, 3, 1, 2, 1},
                               .from = {0, 1, 0, 0, 0},
                               .to = {0, 3, 1, 2, 1},
                               .rows = 6};
    const uint64_t at[] = {1000, 1100, 1200, 8000, 8100, 8200};
    for (uint32_t row = 0; row < t.rows; row++) {
        uint64_t address;
        assert_int_equal(transfer_row(&t, row, &address), row % 3 != 0);
        assert_int_equal(address, at[row]);
    }
}

/* Rows of 4 places, from place 2 of the second row on. */
static void rows_of_a_transfer_carry_into_the_next_dimension(void **state)
{
    (void)state;
    const struct transfer t = {.stride = {2, 10, 100, 0, 0},
                               .extent = {1, 4, UINT32_MAX, 1, 1},
                               .start = {0, 2, 1, 0, 0},
                               .to = {0, 4, 3, 1, 1},
                               .rows = 8};
    const uint64_t at[] = {120, 130, 200, 210, 220, 230, 300, 310};
    for (uint32_t row = 0; row < t.rows; row++) {
        uint64_t address;
        assert_int_equal(transfer_row(&t, row, &address), row < 6);
        assert_int_equal(address, at[row]);
    }
}

static void an_engine_asks_for_the_lines_of_its_box(void **state)
{
    (void)state;
    struct harness *h = with_engine(0x10000, 64, 2);
    run(h, START);
    assert_int_equal(h->requests, 4);
    for (uint32_t i = 0; i < 4; i++)
        expect_request(h, i, 0x10000 + i / 2 * 1024 + i % 2 * 128, 0xf);
    harness_free(h);
    h = with_engine(0x10000 + 96, 16, 2); /* one line's last sector, the first of the next */
    run(h, START);
    assert_int_equal(h->requests, 4);
    expect_request(h, 0, 0x10000, 0x8);
    expect_request(h, 1, 0x10080, 0x1);
    harness_free(h);
}

static void an_engine_has_as_many_requests_in_the_network_as_there_are_credits(void **state)
{
    (void)state;
    struct harness *h = with_engine(0x10000, 64, 3);
    h->silent = true;
    run(h, START);
    assert_int_equal(h->requests, 4);
    assert_false(port_room(&h->sm->port, 1));
    harness_reply(h, &h->request[2], START + 10);
    run(h, START + 11);
    assert_int_equal(h->requests, 4);
    run(h, START + 12);
    assert_int_equal(h->requests, 5);
    harness_free(h);
}

/* A reply goes to the client that its request names: tokens of others mean nothing to the engine, nor its to them. */
static void replies_go_to_the_client_that_asked(void **state)
{
    (void)state;
    struct harness *h = with_engine_beside(ldg(4, true, 4, 0x40000), 0x10000, 32, 2);
    h->silent = true;
    run(h, START + 60);
    assert_int_equal(h->requests, 3);
    assert_int_equal(h->request[2].client, PORT_DATA);
    harness_reply(h, &h->request[2], 200);
    run(h, 210);
    assert_int_equal(engine.expected, 2);
    assert_int_equal(h->sm->warp[0].accesses, 0);
    harness_reply(h, &h->request[1], 220);
    run(h, 221);
    assert_int_equal(engine.expected, 1);
    harness_free(h);
}

static void a_warp_that_waits_for_a_transfer_goes_on_when_the_last_of_it_has_come(void **state)
{
    (void)state;
    struct harness *h = with_engine(0x10000, 32, 2);
    h->silent = true;
    run(h, START);
    harness_reply(h, &h->request[0], 300);
    harness_reply(h, &h->request[1], 200);
    run(h, 300 + ENGINE_WRITE);
    assert_false(has_issued(h, 0, 1));
    run(h, 301 + ENGINE_WRITE);
    assert_true(has_issued(h, 0, 1));
    harness_free(h);
}

UNIT_TESTS(UNIT(rows_of_a_transfer_are_a_stride_apart_in_each_dimension),
           UNIT(rows_of_a_transfer_carry_into_the_next_dimension), UNIT(an_engine_asks_for_the_lines_of_its_box),
           UNIT(an_engine_has_as_many_requests_in_the_network_as_there_are_credits),
           UNIT(replies_go_to_the_client_that_asked),
           UNIT(a_warp_that_waits_for_a_transfer_goes_on_when_the_last_of_it_has_come))
