/* The engine for bulk and tensor copies: the times of its requests, and the end of a copy. The other side of its port
 * is the test. */
#include "base/bits.h"
#include "tests/sm/harness.h"

enum { OPERANDS = 12, COMMAND = 48, LATENCY = 30, SIGNAL = 4 };

static struct harness *h;
static uint64_t policy; /* of the instruction that issues */

/* A warp in slot 0 does nothing from cycle START on. */
static void begin(void)
{
    h = harness_new();
    h->config.tma = (struct config_tma){.commands = 4,
                                        .operands = OPERANDS,
                                        .command = COMMAND,
                                        .latency = LATENCY,
                                        .maps = 2,
                                        .interval = 1,
                                        .write_bytes = 128,
                                        .signal = SIGNAL};
    h->config.l1.mshrs = 64;
    add(h, nop());
    for (unsigned i = 0; i < 4; i++)
        add(h, stall(waits(nop(), 1u << 5), 15));
    harness_start(h, 1);
    h->silent = true;
}

/* Rows of `bytes`, 1024 apart. */
static struct transfer rows(enum transfer_kind kind, uint64_t base, uint32_t bytes, uint32_t count)
{
    return (struct transfer){.base = base,
                             .stride = {16, 1024},
                             .extent = {bytes / 16, count, 1, 1, 1},
                             .to = {0, count, 1, 1, 1},
                             .rows = count,
                             .bytes = bytes * count,
                             .element_bytes = 16,
                             .kind = (uint8_t)kind};
}

/* The warp issues a command now. Its counter 5 is raised if it reads registers until then, or closes a group. */
static void issue(const struct transfer *t)
{
    static const struct code plain = {.op = ISA_OP_UTMALDG, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB},
                             group = {.op = ISA_OP_UTMACMDFLUSH, .write_sb = ISA_NO_SB, .read_sb = 5};
    static struct issued out;
    out.active = UINT32_MAX;
    out.deferred = false;
    out.transfer = *t;
    out.cache_policy = policy;
    bool closes = t->kind == TRANSFER_GROUP;
    if (closes)
        dependence_counters_raise(&h->sm->warp[0].counters, 5, COUNTED_GLOBAL);
    tma_issue(&h->sm->tma, tma_take(&h->sm->tma), 0, closes ? &group : &plain, &out, h->sm->now);
}

static void run(uint64_t end) { harness_run_until(h, end); }

static void expect(uint32_t index, uint64_t line, uint8_t sectors)
{
    assert_int_equal(h->request[index].client, TMA_CLIENT);
    assert_int_equal(h->request[index].line, line);
    assert_int_equal(h->request[index].sectors, sectors);
}

static void rows_are_asked_for_line_by_line_after_operands_and_set_up(void **state)
{
    (void)state;
    begin();
    uint64_t at = h->sm->now;
    const struct transfer t = rows(TRANSFER_LOAD, 0x10000 + 96, 160, 2);
    issue(&t);
    run(at + OPERANDS + LATENCY);
    assert_int_equal(h->requests, 0);
    run(at + OPERANDS + LATENCY + 1);
    assert_int_equal(h->requests, 1);
    run(at + OPERANDS + LATENCY + 4);
    assert_int_equal(h->requests, 4);
    expect(0, 0x10000, 0x8);
    expect(1, 0x10080, 0xf);
    expect(2, 0x10400, 0x8);
    expect(3, 0x10480, 0xf);
    harness_free(h);
}

static void a_command_is_set_up_a_while_after_the_one_before(void **state)
{
    (void)state;
    begin();
    uint64_t at = h->sm->now;
    const struct transfer t = rows(TRANSFER_LOAD, 0x10000, 128, 1);
    issue(&t);
    issue(&t);
    run(at + OPERANDS + COMMAND + LATENCY);
    assert_int_equal(h->requests, 1);
    run(at + OPERANDS + COMMAND + LATENCY + 1);
    assert_int_equal(h->requests, 2);
    harness_free(h);
}

static void a_load_is_over_when_its_last_line_is_written_and_signalled(void **state)
{
    (void)state;
    begin();
    const struct transfer t = rows(TRANSFER_LOAD, 0x10000, 128, 2);
    issue(&t);
    run(h->sm->now + 100);
    assert_int_equal(h->requests, 2);
    uint64_t at = h->sm->now + 10;
    harness_reply(h, &h->request[1], at);
    run(at + 50);
    assert_int_not_equal(h->sm->tma.used, 0);
    at = h->sm->now + 10;
    harness_reply(h, &h->request[0], at);
    run(at + 1 + SIGNAL);
    assert_int_not_equal(h->sm->tma.used, 0);
    run(at + 1 + SIGNAL + 1);
    assert_int_equal(h->sm->tma.used, 0);
    assert_int_equal(h->sm->warp[0].queued_ops, 0);
    harness_free(h);
}

/* A box of which the tensor has nothing is filled: 1024 bytes, 128 a cycle. */
static void a_box_outside_of_its_tensor_takes_the_write_port_alone(void **state)
{
    (void)state;
    begin();
    struct transfer t = rows(TRANSFER_LOAD, 0x10000, 128, 8);
    t.from[1] = t.to[1] = 0;
    uint64_t at = h->sm->now + OPERANDS + LATENCY;
    issue(&t);
    run(at + 8 + SIGNAL);
    assert_int_not_equal(h->sm->tma.used, 0);
    run(at + 8 + SIGNAL + 1);
    assert_int_equal(h->sm->tma.used, 0);
    assert_int_equal(h->requests, 0);
    harness_free(h);
}

static void a_map_is_read_once_and_again_when_it_is_forgotten(void **state)
{
    (void)state;
    begin();
    struct transfer t = rows(TRANSFER_LOAD, 0x10000, 128, 1), forget = {.kind = TRANSFER_FORGET, .map = 0x20040};
    t.map = 0x20040;
    issue(&t);
    run(h->sm->now + 100);
    assert_int_equal(h->requests, 1);
    expect(0, 0x20000, 0xf);
    uint64_t at = h->sm->now + 10;
    harness_reply(h, &h->request[0], at);
    run(at + LATENCY);
    assert_int_equal(h->requests, 1);
    run(at + LATENCY + 1);
    assert_int_equal(h->requests, 2);
    expect(1, 0x10000, 0xf);
    issue(&t);
    run(h->sm->now + 200);
    assert_int_equal(h->requests, 3); /* the map is there */
    expect(2, 0x10000, 0xf);
    assert_int_equal(h->sm->n.tma_map_misses, 1);
    issue(&forget);
    issue(&t);
    run(h->sm->now + 200);
    assert_int_equal(h->requests, 4);
    expect(3, 0x20000, 0xf);
    harness_free(h);
}

static void stores_say_what_they_write_and_which_row(void **state)
{
    (void)state;
    begin();
    struct transfer t = rows(TRANSFER_STORE, 0x10000 + 112, 64, 2);
    issue(&t);
    run(h->sm->now + 100);
    assert_int_equal(h->requests, 4);
    expect(0, 0x10000, 0x8);
    expect(1, 0x10080, 0x3);
    expect(3, 0x10480, 0x3);
    assert_int_equal(h->request[0].kind, REQUEST_STORE);
    assert_int_equal(h->request[0].bytes, 32);
    assert_int_equal(h->request[0].partial, 0x8);
    assert_int_equal(h->request[1].partial, 0x2);
    assert_int_equal(h->request[0].lanes, 0);
    assert_int_equal(h->request[3].lanes, 1);
    harness_free(h);
}

static void a_group_is_complete_when_all_stores_before_it_are_acknowledged(void **state)
{
    (void)state;
    begin();
    const struct transfer t = rows(TRANSFER_STORE, 0x10000, 128, 1), group = {.kind = TRANSFER_GROUP};
    issue(&t);
    issue(&group);
    issue(&t);
    issue(&group);
    run(h->sm->now + 150);
    assert_int_equal(h->requests, 2);
    assert_int_equal(h->sm->warp[0].counters.count[5], 2);
    uint64_t at = h->sm->now + 10;
    harness_reply(h, &h->request[1], at);
    run(at + 20);
    assert_int_equal(h->sm->warp[0].counters.count[5], 2); /* the second group waits for the first */
    at = h->sm->now + 10;
    harness_reply(h, &h->request[0], at);
    run(at);
    assert_int_equal(h->sm->warp[0].counters.count[5], 2);
    run(at + 1);
    assert_int_equal(h->sm->warp[0].counters.count[5], 0);
    assert_int_equal(h->sm->tma.used, 0);
    harness_free(h);
}

/* Bit 28 of the upper word: there is a policy; 26:25: evict first; 23:20: all lines. */
static void a_descriptor_says_how_the_l2_keeps_the_lines(void **state)
{
    (void)state;
    begin();
    const struct transfer t = rows(TRANSFER_LOAD, 0x10000, 128, 1);
    policy = UINT64_C(0x12f0000000000000);
    issue(&t);
    policy = 0;
    issue(&t);
    run(h->sm->now + 150);
    assert_int_equal(h->requests, 2);
    assert_int_equal(h->request[0].policy, POLICY_EVICT_FIRST);
    assert_int_equal(h->request[1].policy, POLICY_NORMAL);
    harness_free(h);
}

static void a_prefetch_takes_no_credit_and_waits_for_nothing(void **state)
{
    (void)state;
    begin();
    const struct transfer t = rows(TRANSFER_PREFETCH, 0x10000, 256, 1);
    issue(&t);
    run(h->sm->now + 100);
    assert_int_equal(h->requests, 2);
    assert_int_equal(h->request[0].client, PORT_NOBODY);
    assert_true(port_quiet(&h->sm->port));
    assert_int_equal(h->sm->tma.used, 0);
    harness_free(h);
}

static void the_engine_is_full_at_its_places_and_not_one_before(void **state)
{
    (void)state;
    begin();
    const struct transfer t = rows(TRANSFER_LOAD, 0x10000, 128, 1);
    for (unsigned i = 0; i < 4; i++) {
        assert_false(tma_full(&h->sm->tma));
        issue(&t);
    }
    assert_true(tma_full(&h->sm->tma));
    harness_free(h);
}

UNIT_TESTS(UNIT(rows_are_asked_for_line_by_line_after_operands_and_set_up),
           UNIT(a_command_is_set_up_a_while_after_the_one_before),
           UNIT(a_load_is_over_when_its_last_line_is_written_and_signalled),
           UNIT(a_box_outside_of_its_tensor_takes_the_write_port_alone),
           UNIT(a_map_is_read_once_and_again_when_it_is_forgotten), UNIT(stores_say_what_they_write_and_which_row),
           UNIT(a_group_is_complete_when_all_stores_before_it_are_acknowledged),
           UNIT(a_descriptor_says_how_the_l2_keeps_the_lines), UNIT(a_prefetch_takes_no_credit_and_waits_for_nothing),
           UNIT(the_engine_is_full_at_its_places_and_not_one_before))
