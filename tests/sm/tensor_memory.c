/* Tensor memory in time: loads, stores, the wait for stores, and operations on the map of columns. */
#include "tests/sm/harness.h"

enum { DATA = 8 };

/* Issue to issue of an instruction that waits for the result of `first`, which nothing holds up. */
static uint64_t alone(struct inst first, const char *set, uint32_t value)
{
    struct harness *h = harness_new();
    if (set && !strcmp(set, "load_latency"))
        h->config.tmem.load_latency = value;
    if (set && !strcmp(set, "map_latency"))
        h->config.tmem.map_latency = value;
    if (set && !strcmp(set, "pair_latency"))
        h->config.tmem.pair_latency = value;
    add(h, stall(writes_sb(first, 0), 2));
    add(h, waits(nop(), 1));
    harness_start(h, 1);
    harness_run(h);
    uint64_t cycles = distance(h, 0, 0, 1);
    harness_free(h);
    return cycles;
}

static struct inst loads(uint8_t words) { return tensor(CODE_TENSOR_LOAD, DATA, words); }
static struct inst store(uint8_t words) { return tensor(CODE_TENSOR_STORE, DATA, words); }

static void a_load_takes_its_latency_and_the_return_path_two_cycles_for_each_register(void **state)
{
    (void)state;
    uint64_t one = alone(loads(1), "load_latency", 20);
    assert_int_equal(alone(loads(1), "load_latency", 21), one + 1);
    for (unsigned words = 2; words <= 128; words *= 2)
        assert_int_equal(alone(loads((uint8_t)words), "load_latency", 20), one + 2u * (words - 1));
}

static void loads_of_a_sub_core_bring_their_data_back_in_the_order_of_issue(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(loads(64), 1)); /* no counter: the last one tells of all */
    uint32_t last = add(h, stall(writes_sb(loads(1), 0), 2));
    add(h, waits(nop(), 1));
    harness_start(h, 1);
    harness_run(h);
    assert_true(issued_at(h, 0, last + 1) >= issued_at(h, 0, 0) + alone(loads(64), NULL, 0));
    assert_int_equal(h->sm->n.tensor_loads, 2);
    assert_int_equal(h->sm->n.tensor_bytes_load, 65 * 128);
    harness_free(h);
}

static void sub_cores_have_lanes_of_their_own(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (unsigned apart = 0; apart < 2; apart++) {
        struct harness *h = harness_new();
        h->config.tmem.load_interval = 8;
        add(h, stall(writes_sb(loads(32), 0), 2));
        add(h, waits(nop(), 1));
        add(h, exit_warp());
        harness_begin(h);
        harness_warp(h, 0, 0);
        harness_warp(h, apart ? 1 : 4, 0); /* slot 4 is in the sub-core of slot 0 */
        harness_hold(h, START);
        harness_run(h);
        uint64_t first = issued_at(h, 0, 1), second = issued_at(h, apart ? 1 : 4, 1);
        cycles[apart] = (first > second ? first : second) - START;
        assert_int_equal(h->sm->n.tensor_wait_cycles > 200, !apart);
        harness_free(h);
    }
    assert_in_range(cycles[0] - cycles[1], 8 * 32 - 8, 8 * 32 + 8);
}

static void a_wait_for_stores_ends_when_the_last_has(void **state)
{
    (void)state;
    uint64_t nothing = alone(tensor(CODE_TENSOR_WAIT, 0, 0), NULL, 0), cycles[2];
    for (uint32_t more = 0; more < 2; more++) {
        struct harness *h = harness_new();
        h->config.tmem.store_latency = 20 + more;
        add(h, stall(store(16), 1));
        uint32_t wait = add(h, stall(writes_sb(tensor(CODE_TENSOR_WAIT, 0, 0), 0), 2));
        add(h, waits(nop(), 1));
        harness_start(h, 1);
        harness_run(h);
        cycles[more] = issued_at(h, 0, wait + 1) - issued_at(h, 0, 0);
        harness_free(h);
    }
    assert_int_equal(cycles[1], cycles[0] + 1);
    assert_true(cycles[0] >= 2 * 16 + 20 + 9);
    assert_true(nothing < 20);
}

static void the_sources_of_a_store_are_read_at_the_pace_of_the_lanes(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (unsigned k = 0; k < 2; k++) {
        struct harness *h = harness_new();
        add(h, stall(reads_sb(store(k ? 32 : 16), 0), 2));
        add(h, waits(nop(), 1));
        harness_start(h, 1);
        harness_run(h);
        cycles[k] = distance(h, 0, 0, 1);
        harness_free(h);
    }
    assert_in_range(cycles[1] - cycles[0], 2 * 16, 2 * 16 + 8); /* and the reads of 8 more in each bank */
}

static void an_operation_on_the_map_takes_its_latency_and_one_of_a_pair_its_own(void **state)
{
    (void)state;
    const struct inst map = tensor(CODE_TENSOR_MAP, 0, 0), pair = tensor(CODE_TENSOR_PAIR, 0, 0);
    uint64_t one = alone(map, "map_latency", 97);
    assert_int_equal(alone(map, "map_latency", 98), one + 1);
    assert_int_equal(alone(pair, "pair_latency", 300), one + 300 - 97);
}

static void operations_on_the_map_follow_each_other_at_their_interval(void **state)
{
    (void)state;
    for (uint32_t interval = 8; interval <= 9; interval++) {
        struct harness *h = harness_new();
        h->config.tmem.map_interval = interval;
        for (unsigned i = 0; i < 20; i++)
            add(h, stall(tensor(CODE_TENSOR_MAP, 0, 0), 1));
        uint32_t last = add(h, stall(writes_sb(tensor(CODE_TENSOR_MAP, 0, 0), 0), 2));
        add(h, waits(nop(), 1));
        harness_start(h, 1);
        harness_run(h);
        assert_int_equal(issued_at(h, 0, last + 1) - issued_at(h, 0, 0),
                         20 * interval + alone(tensor(CODE_TENSOR_MAP, 0, 0), NULL, 0));
        assert_int_equal(h->sm->n.tensor_allocations, 21);
        harness_free(h);
    }
}

static void a_copy_takes_its_bytes_and_its_latency(void **state)
{
    (void)state;
    struct config config;
    config_defaults(&config);
    assert_int_equal(tensor_memory_copy_cycles(&config.tmem, 2048), 47); /* measured on a B300: 128x128b */
    assert_int_equal(tensor_memory_copy_cycles(&config.tmem, 4096), 63);
    assert_int_equal(tensor_memory_copy_cycles(&config.tmem, 129), 33);
}

UNIT_TESTS(UNIT(a_load_takes_its_latency_and_the_return_path_two_cycles_for_each_register),
           UNIT(loads_of_a_sub_core_bring_their_data_back_in_the_order_of_issue),
           UNIT(sub_cores_have_lanes_of_their_own), UNIT(a_wait_for_stores_ends_when_the_last_has),
           UNIT(the_sources_of_a_store_are_read_at_the_pace_of_the_lanes),
           UNIT(an_operation_on_the_map_takes_its_latency_and_one_of_a_pair_its_own),
           UNIT(operations_on_the_map_follow_each_other_at_their_interval),
           UNIT(a_copy_takes_its_bytes_and_its_latency))
