#include "mem/dram_channel.h"

#include "tests/mem/rig.h"

static struct dram_channel channel;
static struct dram_done done[64];

static void open_channel(void)
{
    struct rig *rig = rig_new();
    rig->config.dram.queue = 4;
    assert_true(dram_channel_create(&channel, &rig->config));
    rig_free(rig);
}

static void a_read_comes_at_the_cycle_that_next_names_and_not_before(void **state)
{
    (void)state;
    open_channel();
    assert_true(dram_channel_next(&channel) == UINT64_MAX);
    dram_channel_push(&channel, 1000, 5, 1, false, 77);
    uint64_t when = dram_channel_next(&channel);
    assert_int_equal(when, 1000 + ROW + DRAM);
    assert_int_equal(dram_channel_run(&channel, when - 1, done, 64), 0);
    assert_int_equal(dram_channel_run(&channel, when, done, 64), 1);
    assert_int_equal(done[0].when, when);
    assert_int_equal(done[0].id, 77);
    assert_int_equal(done[0].sectors, 1);
    assert_true(dram_channel_next(&channel) == UINT64_MAX);
    dram_channel_destroy(&channel);
}

static void reads_and_writes_have_queues_of_their_own(void **state)
{
    (void)state;
    open_channel();
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(dram_channel_room(&channel, false));
        dram_channel_push(&channel, 0, i * 1000, 15, false, i);
    }
    assert_false(dram_channel_room(&channel, false));
    assert_true(dram_channel_room(&channel, true));
    while (!dram_channel_room(&channel, false)) {
        assert_true(dram_channel_next(&channel) != UINT64_MAX);
        dram_channel_run(&channel, dram_channel_next(&channel), done, 64);
    }
    dram_channel_destroy(&channel);
}

static void what_finds_no_room_is_handed_out_later(void **state)
{
    (void)state;
    open_channel();
    dram_channel_push(&channel, 0, 1, 15, false, 1);
    dram_channel_push(&channel, 0, 2, 15, false, 2);
    assert_int_equal(dram_channel_run(&channel, 100000, done, 1), 1);
    assert_int_equal(done[0].id, 1);
    assert_true(dram_channel_next(&channel) <= 100000);
    assert_int_equal(dram_channel_run(&channel, 100000, done, 1), 1);
    assert_int_equal(done[0].id, 2);
    struct mem_counters n = {0};
    dram_channel_count(&channel, &n);
    assert_int_equal(n.dram_bytes_read, 256);
    dram_channel_destroy(&channel);
}

UNIT_TESTS(UNIT(a_read_comes_at_the_cycle_that_next_names_and_not_before),
           UNIT(reads_and_writes_have_queues_of_their_own), UNIT(what_finds_no_room_is_handed_out_later))
