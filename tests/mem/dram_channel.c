/* The channel as the L2 sees it. */
#include "mem/dram_channel.h"

#include "port/message.h"
#include "tests/mem/dram_rig.h"

enum { START = 1000 };

static struct dram_rig *start(uint32_t queue)
{
    struct dram_rig *rig = dram_rig_new("HBM2");
    rig->config.dram.queue = queue;
    rig->config.dram.write_queue = 2 * queue;
    rig->config.dram.latency = 100;
    dram_rig_start(rig);
    return rig;
}

static void a_read_comes_at_the_cycle_that_next_names_and_not_before(void **state)
{
    (void)state;
    struct dram_rig *rig = start(4);
    assert_true(dram_channel_next(&rig->channel) == UINT64_MAX);
    dram_channel_push(&rig->channel, START, 5, 9, false, 77);
    uint64_t when = dram_channel_next(&rig->channel);
    while (dram_channel_run(&rig->channel, when, rig->done, 1) == 0) {
        assert_true(dram_channel_next(&rig->channel) > when);
        when = dram_channel_next(&rig->channel);
    }
    assert_int_equal(rig->done[0].when, when);
    assert_int_equal(rig->done[0].id, 77);
    assert_int_equal(rig->done[0].sectors, 9);
    assert_true(dram_channel_next(&rig->channel) == UINT64_MAX);
    dram_rig_free(rig);
}

static void reads_and_writes_have_queues_of_their_own(void **state)
{
    (void)state;
    struct dram_rig *rig = start(4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(dram_channel_room(&rig->channel, false));
        dram_channel_push(&rig->channel, START, i * 1000, 15, false, i);
    }
    assert_false(dram_channel_room(&rig->channel, false));
    for (uint32_t i = 0; i < 8; i++) {
        assert_true(dram_channel_room(&rig->channel, true));
        dram_channel_push(&rig->channel, START, 77777 + i * 1000, 15, true, i);
    }
    assert_false(dram_channel_room(&rig->channel, true));
    assert_int_equal(dram_rig_counters(rig).dram_queue_full, 2);
    dram_rig_free(rig);
}

static void next_names_the_cycle_at_which_there_is_room_again(void **state)
{
    (void)state;
    for (int write = 0; write <= 1; write++) {
        struct dram_rig *rig = start(1);
        while (dram_channel_room(&rig->channel, write))
            dram_channel_push(&rig->channel, START, rig->channel.age * 100, 1, write, 0);
        uint64_t now = START;
        while (!dram_channel_room(&rig->channel, write)) {
            now = dram_channel_next(&rig->channel);
            assert_true(now != UINT64_MAX);
            dram_channel_run(&rig->channel, now, rig->done, DONE_MOST);
        }
        uint64_t column = dram_rig_when(rig, write ? DRAM_WR : DRAM_RD, 0);
        assert_int_equal(now, dram_cycle(rig->t, column) + 1);
        dram_rig_free(rig);
    }
}

static void what_finds_no_room_is_handed_out_later(void **state)
{
    (void)state;
    struct dram_rig *rig = start(4);
    dram_channel_push(&rig->channel, 0, 1, 15, false, 1);
    dram_channel_push(&rig->channel, 0, 2, 15, false, 2);
    assert_int_equal(dram_channel_run(&rig->channel, 100000, rig->done, 1), 1);
    assert_int_equal(rig->done[0].id, 1);
    assert_true(dram_channel_next(&rig->channel) <= 100000);
    assert_int_equal(dram_channel_run(&rig->channel, 100000, rig->done, 1), 1);
    assert_int_equal(rig->done[0].id, 2);
    assert_int_equal(dram_rig_counters(rig).dram_bytes_read, 256);
    dram_rig_free(rig);
}

static void a_reset_channel_starts_anew(void **state)
{
    (void)state;
    struct dram_rig *rig = start(4);
    uint64_t when[2];
    for (int i = 0; i < 2; i++) {
        dram_channel_push(&rig->channel, START, 1, 15, false, 1);
        dram_channel_push(&rig->channel, START, 9, 15, true, 2);
        assert_int_equal(dram_channel_run(&rig->channel, 100000, rig->done, 1), 1);
        when[i] = rig->done[0].when;
        dram_channel_reset(&rig->channel);
    }
    assert_int_equal(when[0], when[1]);
    const struct mem_counters zero = {0}, n = dram_rig_counters(rig);
    assert_memory_equal(&n, &zero, sizeof n);
    dram_rig_free(rig);
}

/* Any number of channels and any clocks: a channel's data bus is full when its queue is. */
static void a_stream_fills_the_pins_whatever_the_shape(void **state)
{
    (void)state;
    const struct {
        const char *kind;
        uint32_t channels, banks;
        double bandwidth, clock;
    } shapes[] = {{"HBM2", 40, 32, 1555, 1410}, {"HBM3e", 96, 64, 4800, 1980}, {"GDDR6", 22, 16, 616, 1350},
                  {"GDDR7", 17, 12, 896, 2452}, {"GDDR6X", 1, 16, 42, 300},    {"HBM3", 7, 36, 300, 5000}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct config c;
        struct dram_channel channel;
        struct dram_done done[16];
        config_defaults(&c);
        c.gpu.clock = shapes[i].clock;
        dram_rig_kind(&c, shapes[i].kind);
        c.dram.channels = shapes[i].channels;
        c.dram.banks = shapes[i].banks;
        c.dram.bandwidth = shapes[i].bandwidth;
        c.dram.refresh = CONFIG_REFRESH_OFF;
        struct arena arena = {0};
        assert_true(dram_channel_create(&channel, &c, &arena));
        uint64_t now = 0, lines = 20000;
        for (uint64_t line = 0; line < lines; line++) {
            while (!dram_channel_room(&channel, false)) {
                now = dram_channel_next(&channel);
                dram_channel_run(&channel, now, done, 16);
            }
            dram_channel_push(&channel, now, line, 15, false, 0);
        }
        double peak = shapes[i].bandwidth / shapes[i].channels / shapes[i].clock * 1e3;
        double share = (double)lines * PORT_LINE / (double)now / peak;
        assert_true(share > 0.97 && share < 1.01);
        arena_free(&arena);
    }
}

UNIT_TESTS(UNIT(a_read_comes_at_the_cycle_that_next_names_and_not_before),
           UNIT(reads_and_writes_have_queues_of_their_own), UNIT(next_names_the_cycle_at_which_there_is_room_again),
           UNIT(what_finds_no_room_is_handed_out_later), UNIT(a_reset_channel_starts_anew),
           UNIT(a_stream_fills_the_pins_whatever_the_shape))
