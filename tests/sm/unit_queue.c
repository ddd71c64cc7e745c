/* Queues of variable-latency units that are no memory units: places, order, reads in free port cycles. */
#include "tests/sm/harness.h"

static void run(struct harness *h)
{
    harness_start(h, 1);
    harness_run(h);
}

static void the_unit_takes_one_every_eighth_cycle_and_two_wait(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add_many(h, mufu(4, 2), 8);
    run(h);
    const uint64_t issue[] = {0, 1, 9, 17, 25, 33, 41, 49}; /* a place is free when its instruction leaves, from 9 on */
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(distance(h, 0, 0, i), issue[i]);
    harness_free(h);
}

static void other_instructions_issue_beside_a_full_queue(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add_many(h, mufu(4, 2), 2);
    add_many(h, ffma(8, 10, 11, RZ), 4);
    run(h);
    assert_int_equal(distance(h, 0, 0, 5), 5);
    harness_free(h);
}

static void a_lone_result_takes_the_latency_and_sources_are_free_before(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(writes_sb(mufu(4, 2), 0), 2));
    uint32_t use = add(h, waits(nop(), 1));
    uint32_t second = add(h, stall(reads_sb(mufu(4, 2), 1), 2));
    uint32_t overwrites = add(h, waits(nop(), 2));
    run(h);
    assert_int_equal(distance(h, 0, 0, use), h->config.core.xu_latency);
    assert_int_equal(distance(h, 0, second, overwrites), h->config.core.queue_war);
    harness_free(h);
}

/* Compilers name a counter only in the last of a run. */
static void the_last_result_of_a_run_is_the_last_to_come(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    uint32_t slow = add(h, mufu(4, 2));
    add(h, stall(writes_sb(mufu(6, 2), 0), 2));
    uint32_t use = add(h, waits(nop(), 1));
    h->code[slow].latency = 60; /* another function of the unit */
    run(h);
    assert_int_equal(distance(h, 0, slow, use), 61); /* one after the other */
    harness_free(h);
}

/* MUFU beside FFMA that take every cycle of a bank's port for `busy` instructions. */
static uint64_t war_beside(unsigned busy, uint8_t source, uint32_t ports)
{
    struct harness *h = harness_new();
    h->config.core.read_ports = ports;
    uint32_t first = add(h, reads_sb(mufu(4, source), 0));
    add_many(h, ffma(8, 20, 22, 24), busy); /* three reads of bank 0 */
    uint32_t overwrites = add(h, waits(nop(), 1));
    run(h);
    uint64_t cycles = distance(h, 0, first, overwrites);
    harness_free(h);
    return cycles;
}

/* Ports go to fixed-latency instructions first. */
static void a_queued_instruction_reads_only_what_allocate_leaves_free(void **state)
{
    (void)state;
    assert_int_equal(war_beside(1, 2, 1), 9);
    /* FFMA k reads bank 0 in cycles 4 + 3k to 6 + 3k. The only free one before is 3. */
    assert_int_equal(war_beside(8, 2, 1), war_beside(8, 3, 1));
    struct harness *h = harness_new();
    add_many(h, ffma(8, 20, 22, 24), 3);
    uint32_t queued = add(h, reads_sb(mufu(4, 2), 0));
    add_many(h, ffma(8, 20, 22, 24), 12);
    uint32_t overwrites = add(h, waits(nop(), 1));
    run(h);
    uint64_t last_read = issued_at(h, 0, 0) + 3 + 15 * 3 - 1;
    assert_int_equal(issued_at(h, 0, overwrites), last_read + 2);
    assert_true(distance(h, 0, queued, overwrites) > 9);
    harness_free(h);
}

static void a_load_reads_its_address_only_in_free_port_cycles(void **state)
{
    (void)state;
    for (unsigned odd = 0; odd < 2; odd++) {
        struct harness *h = harness_new();
        struct inst load = reads_sb(lds(4, true, 4, 0), 0);
        load.code.reads = 0;
        load.code.read[load.code.reads++] = (struct code_read){(uint8_t)(2 + odd), 1, 0, false};
        add_many(h, ffma(8, 20, 22, 24), 3);
        uint32_t queued = add(h, load);
        add_many(h, ffma(8, 20, 22, 24), 12);
        add(h, waits(nop(), 1));
        uint32_t store = add(h, stall(writes_sb(lds(6, false, 4, 0), 1), 2));
        uint32_t use = add(h, waits(nop(), 2));
        run(h);
        uint64_t last_read = issued_at(h, 0, 0) + 3 + 15 * 3 - 1;
        assert_int_equal(distance(h, 0, store, use), 23);
        if (odd)
            assert_true(issued_at(h, 0, queued + 13) < last_read + 2);
        else
            assert_int_equal(issued_at(h, 0, queued + 13), last_read + 2);
        harness_free(h);
    }
}

UNIT_TESTS(UNIT(the_unit_takes_one_every_eighth_cycle_and_two_wait), UNIT(other_instructions_issue_beside_a_full_queue),
           UNIT(a_lone_result_takes_the_latency_and_sources_are_free_before),
           UNIT(the_last_result_of_a_run_is_the_last_to_come),
           UNIT(a_queued_instruction_reads_only_what_allocate_leaves_free),
           UNIT(a_load_reads_its_address_only_in_free_port_cycles))
