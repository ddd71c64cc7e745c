/* Results on their way to the register file: places, the write ports, loads that give way. */
#include "tests/sm/harness.h"

static struct code result(uint8_t first, uint8_t words)
{
    struct config config;
    struct code code = {.class = CLASS_FMA, .write_first = first, .write_words = words, .latency = 4};
    config_defaults(&config);
    code_derive(&code, &config.core);
    return code;
}

static void one_result_leaves_in_a_cycle_whatever_its_bank(void **state)
{
    (void)state;
    struct register_file rf;
    struct result_queue q = {0};
    struct code even = result(4, 1), odd = result(5, 1);
    memset(&rf, 0, sizeof rf);
    assert_int_equal(result_queue_put(&q, &rf.write, &even, 50), 0);
    assert_int_equal(result_queue_put(&q, &rf.write, &odd, 50), 1); /* HADD2, then FFMA: they end together */
    assert_int_equal(result_queue_put(&q, &rf.write, &even, 51), 1);
    assert_int_equal(result_queue_put(&q, &rf.write, &even, 60), 0);
    assert_false(write_ports_free(&rf.write, 1, 50));
    assert_true(write_ports_free(&rf.write, 2, 50));
    assert_false(write_ports_free(&rf.write, 2, 51));
    assert_true(write_ports_free(&rf.write, 1, 51));
    assert_false(write_ports_free(&rf.write, 1, 52));
    assert_true(write_ports_free(&rf.write, 3, 53));
}

static void a_pair_leaves_at_once_and_four_registers_take_two_cycles(void **state)
{
    (void)state;
    struct register_file rf;
    struct result_queue q = {0};
    struct code pair = result(4, 2), fragment = result(8, 4);
    memset(&rf, 0, sizeof rf);
    assert_int_equal(result_queue_put(&q, &rf.write, &pair, 50), 0);
    assert_int_equal(result_queue_put(&q, &rf.write, &fragment, 51), 1);
    assert_false(write_ports_free(&rf.write, 1, 52));
    assert_false(write_ports_free(&rf.write, 2, 52));
    assert_true(write_ports_free(&rf.write, 3, 53));
}

static void a_predicate_takes_a_place_and_no_port(void **state)
{
    (void)state;
    struct register_file rf;
    struct result_queue q = {0};
    struct code code = {.class = CLASS_ALU, .result_parts = 1, .latency = 4};
    struct config config;
    config_defaults(&config);
    code_derive(&code, &config.core);
    memset(&rf, 0, sizeof rf);
    assert_int_equal(code.result_latency, config.core.predicate_latency);
    assert_int_equal(result_queue_put(&q, &rf.write, &code, 50), 0);
    assert_int_equal(result_queue_put(&q, &rf.write, &code, 50), 1);
    assert_true(write_ports_free(&rf.write, 3, 50));
}

static void a_cycle_long_past_takes_no_port(void **state)
{
    (void)state;
    struct register_file rf;
    memset(&rf, 0, sizeof rf);
    assert_true(write_ports_free(&rf.write, 3, 0));
    write_ports_take(&rf.write, 1, 7);
    assert_true(write_ports_free(&rf.write, 1, 7 + RF_WRITE_SPAN));
    write_ports_take(&rf.write, 2, 7 + RF_WRITE_SPAN);
    assert_true(write_ports_free(&rf.write, 1, 7 + RF_WRITE_SPAN));
}

/* Results of `count` instructions that come in the same cycle: latencies that fall by one from one to the next. */
static uint64_t burst(unsigned count, uint32_t places)
{
    struct harness *h = harness_new();
    h->config.core.result_queue = places;
    for (unsigned i = 0; i < count; i++) {
        struct inst x = ffma((uint8_t)(2 * i + 4), RZ, RZ, RZ);
        uint32_t k = add(h, x);
        h->code[k].result_latency = (uint16_t)(60 - i);
    }
    add(h, ffma(100, RZ, RZ, RZ));
    harness_start(h, 1);
    harness_run(h);
    uint64_t cycles = distance(h, 0, 0, count);
    harness_free(h);
    return cycles;
}

static void with_every_place_taken_the_next_instruction_waits(void **state)
{
    (void)state;
    assert_int_equal(burst(8, 8), 8);
    assert_int_equal(burst(9, 8), 10);
    assert_int_equal(burst(9, 9), 9);
    assert_int_equal(burst(5, 4), 6);
}

static void a_stream_of_equal_latency_never_fills_the_queue(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.core.result_queue = 1;
    add_many(h, ffma(4, RZ, RZ, RZ), 60);
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 59), 59);
    harness_free(h);
}

/* Cycles from an LDS to the instruction that waits for it, while an FFMA writes register `d` in cycle `lead` after the
 * LDS + 9. */
static uint64_t load_beside(uint8_t d, unsigned lead)
{
    struct harness *h = harness_new();
    uint32_t load = add(h, stall(writes_sb(lds(8, false, 4, 0), 0), 2));
    add_many(h, nop(), lead - 2);
    add(h, ffma(d, RZ, RZ, RZ));
    uint32_t use = add(h, waits(nop(), 1));
    harness_start(h, 1);
    harness_run(h);
    uint64_t cycles = distance(h, 0, load, use);
    harness_free(h);
    return cycles;
}

/* The FFMA issues long after the LDS: the writer is chosen in the cycle in which both want to. */
static void a_load_gives_way_to_a_result_of_fixed_latency_in_its_bank_and_cycle(void **state)
{
    (void)state;
    unsigned late = 0;
    for (unsigned lead = 4; lead < 20; lead++) {
        assert_int_equal(load_beside(5, lead), 23); /* the other bank */
        uint64_t cycles = load_beside(4, lead);
        assert_in_range(cycles, 23, 24);
        late += cycles == 24;
    }
    assert_int_equal(late, 1);
    assert_int_equal(load_beside(4, 14), 24); /* written 9 cycles after its issue */
}

UNIT_TESTS(UNIT(one_result_leaves_in_a_cycle_whatever_its_bank),
           UNIT(a_pair_leaves_at_once_and_four_registers_take_two_cycles), UNIT(a_predicate_takes_a_place_and_no_port),
           UNIT(a_cycle_long_past_takes_no_port), UNIT(with_every_place_taken_the_next_instruction_waits),
           UNIT(a_stream_of_equal_latency_never_fills_the_queue),
           UNIT(a_load_gives_way_to_a_result_of_fixed_latency_in_its_bank_and_cycle))
