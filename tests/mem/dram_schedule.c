/* Order of service: first ready, then oldest; the cap; write drain; row policies; forwarding from the write queue. */
#include "tests/mem/dram_rig.h"

enum { START = 1000 };

static void hits_pass_an_older_access_to_another_row(void **state)
{
    (void)state;
    struct dram_rig *rig = dram_rig_new("GDDR6");
    dram_rig_start(rig);
    dram_rig_push(rig, START, 0, 7, 0, false, 1);
    dram_rig_push(rig, START, 0, 8, 0, false, 2);
    dram_rig_push(rig, START, 0, 7, 1, false, 3);
    dram_rig_run(rig, 2 * START);
    assert_int_equal(rig->done[0].id, 1);
    assert_int_equal(rig->done[1].id, 3);
    assert_int_equal(rig->done[2].id, 2);
    assert_int_equal(dram_rig_count(rig, DRAM_ACT), 2);
    dram_rig_free(rig);
}

static void of_ready_accesses_the_oldest_goes_first(void **state)
{
    (void)state;
    struct dram_rig *rig = dram_rig_new("GDDR6");
    dram_rig_start(rig);
    const uint32_t banks[] = {0, 1, 2, 3};
    for (uint32_t i = 0; i < 4; i++)
        dram_rig_push(rig, START, banks[i], 7, 0, false, i);
    for (uint32_t i = 0; i < 4; i++) /* all rows are open: in the order of arrival, not by bank */
        dram_rig_push(rig, 2 * START, banks[3 - i], 7, 1, false, 10 + i);
    dram_rig_run(rig, 3 * START);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(rig->done[4 + i].id, 10 + i);
    dram_rig_free(rig);
}

static void no_more_than_the_cap_pass(void **state)
{
    (void)state;
    for (uint32_t cap = 1; cap <= 5; cap++) {
        struct dram_rig *rig = dram_rig_new("GDDR6");
        rig->config.dram.row_cap = cap;
        dram_rig_start(rig);
        dram_rig_push(rig, START, 0, 7, 0, false, 1);
        dram_rig_push(rig, START, 0, 8, 0, false, 2);
        for (uint32_t i = 1; i < 8; i++)
            dram_rig_push(rig, START, 0, 7, i, false, 10 + i);
        dram_rig_run(rig, 3 * START);
        assert_int_equal(rig->done[cap].id, 10 + cap); /* the first, and `cap` that pass */
        assert_int_equal(rig->done[cap + 1].id, 2);
        assert_int_equal(rig->finished, 9);
        dram_rig_free(rig);
    }
}

static struct dram_rig *with_watermarks(uint32_t high, uint32_t low)
{
    struct dram_rig *rig = dram_rig_new("GDDR6");
    rig->config.dram.write_high = high;
    rig->config.dram.write_low = low;
    dram_rig_start(rig);
    return rig;
}

static void writes_wait_for_the_high_watermark_and_drain_to_the_low_one(void **state)
{
    (void)state;
    for (uint32_t writes = 7; writes <= 8; writes++) {
        struct dram_rig *rig = with_watermarks(8, 3);
        for (uint32_t i = 0; i < 12; i++)
            dram_rig_push(rig, START, 0, 7, i % 8, false, i);
        for (uint32_t i = 0; i < writes; i++)
            dram_rig_push(rig, START, 1, 7, i, true, 0);
        dram_rig_run(rig, 3 * START);
        uint32_t before = 0; /* writes before the last read */
        for (uint32_t i = 0, reads = 0; i < rig->logged && reads < 12; i++) {
            reads += rig->log[i].command.op == DRAM_RD;
            before += rig->log[i].command.op == DRAM_WR;
        }
        assert_int_equal(before, writes == 8 ? 8 - 3 : 0);
        assert_int_equal(dram_rig_count(rig, DRAM_RD), 12);
        dram_rig_free(rig);
    }
}

static void writes_go_while_no_read_waits(void **state)
{
    (void)state;
    struct dram_rig *rig = with_watermarks(8, 3);
    dram_rig_push(rig, START, 1, 7, 0, true, 0);
    dram_rig_push(rig, 2 * START, 1, 7, 1, false, 1);
    dram_rig_run(rig, 3 * START);
    assert_int_equal(dram_rig_when(rig, DRAM_WR, 0), START + rig->t->tRCDWR);
    assert_int_equal(rig->finished, 1);
    dram_rig_free(rig);
}

static void a_read_is_answered_out_of_the_write_queue(void **state)
{
    (void)state;
    struct dram_rig *rig = dram_rig_new("GDDR6");
    rig->config.dram.latency = 50;
    dram_rig_start(rig);
    uint64_t line = dram_rig_line(rig, 0, 7, 0);
    dram_channel_push(&rig->channel, START, line, 3, true, 0);
    dram_channel_push(&rig->channel, START, line, 2, false, 1); /* all of it waits there */
    dram_channel_push(&rig->channel, START, line, 6, false, 2); /* the upper sector does not */
    assert_int_equal(dram_channel_next(&rig->channel), START + 50);
    dram_rig_run(rig, 2 * START);
    assert_int_equal(dram_rig_data(rig, 1), START + 50);
    assert_int_equal(dram_rig_data(rig, 2), START + rig->t->tRCDRD + rig->t->RL + DRAM_BURST + 50);
    assert_int_equal(dram_rig_count(rig, DRAM_RD), 1);
    assert_int_equal(rig->done[1].sectors, 6);
    assert_int_equal(dram_rig_counters(rig).dram_bytes_read, 32);
    dram_rig_free(rig);
}

static void writes_to_a_line_that_waits_join(void **state)
{
    (void)state;
    struct dram_rig *rig = dram_rig_new("GDDR6");
    dram_rig_start(rig);
    uint64_t line = dram_rig_line(rig, 0, 7, 0);
    dram_rig_push(rig, START, 0, 7, 1, false, 1); /* keeps them waiting */
    dram_channel_push(&rig->channel, START, line, 3, true, 0);
    dram_channel_push(&rig->channel, START, line, 6, true, 0);
    assert_int_equal(rig->channel.queued[DRAM_WRITE], 1);
    dram_rig_run(rig, 2 * START);
    dram_rig_push(rig, 2 * START, 2, 7, 1, false, 2);
    assert_int_equal(dram_rig_count(rig, DRAM_WR), 3);
    assert_int_equal(dram_rig_counters(rig).dram_bytes_written, 96);
    dram_rig_free(rig);
}

static void a_closed_policy_closes_rows_for_which_nothing_waits(void **state)
{
    (void)state;
    struct dram_rig *rig = dram_rig_new("GDDR6");
    rig->config.dram.row_policy = CONFIG_DRAM_ROW_CLOSED;
    dram_rig_start(rig);
    dram_rig_push(rig, START, 0, 7, 0, false, 1);
    dram_rig_push(rig, 2 * START, 0, 8, 0, false, 2);
    dram_rig_run(rig, 3 * START);
    assert_int_equal(dram_rig_when(rig, DRAM_PRE, 0), START + rig->t->tRAS);
    assert_int_equal(dram_rig_data(rig, 2), 2 * START + rig->t->tRCDRD + rig->t->RL + DRAM_BURST);
    assert_int_equal(dram_rig_counters(rig).dram_row_conflicts, 0);
    dram_rig_free(rig);
}

static void an_adaptive_policy_learns_from_conflicts_and_from_rows_opened_again(void **state)
{
    (void)state;
    struct dram_rig *rig = dram_rig_new("GDDR6");
    rig->config.dram.row_policy = CONFIG_DRAM_ROW_ADAPTIVE;
    dram_rig_start(rig);
    uint64_t now = 0;
    for (uint32_t row = 0; row < 4; row++) /* a new row each time */
        dram_rig_push(rig, now += START, 0, row, 0, false, row);
    dram_rig_run(rig, now + START);
    assert_int_equal(dram_rig_counters(rig).dram_row_conflicts, 2); /* after two it closes by itself */
    for (uint32_t i = 1; i < 6; i++)
        dram_rig_push(rig, now += START, 0, 3, i, false, 10 + i); /* the same row again and again */
    dram_rig_run(rig, now + START);
    assert_int_equal(dram_rig_data(rig, 11), 5 * START + rig->t->tRCDRD + rig->t->RL + DRAM_BURST);
    assert_int_equal(dram_rig_data(rig, 15), now + rig->t->RL + DRAM_BURST);
    dram_rig_free(rig);
}

static void what_comes_out_does_not_depend_on_how_often_it_is_run(void **state)
{
    (void)state;
    struct dram_rig *rig[2];
    for (int i = 0; i < 2; i++) {
        rig[i] = dram_rig_new("HBM3");
        rig[i]->config.gpu.clock = 1733;
        rig[i]->config.dram.latency = 30;
        rig[i]->config.dram.queue = rig[i]->config.dram.write_queue = 512;
        rig[i]->config.dram.refresh = CONFIG_REFRESH_PER_BANK;
        dram_rig_start(rig[i]);
        uint64_t now = 0;
        for (uint32_t n = 0; n < 300; n++) {
            dram_channel_push(&rig[i]->channel, now, n * 7919 % 1021, (uint8_t)(1 + n % 15), n % 3 == 0, n);
            uint64_t next = now + n * 7919 % 101;
            for (; i == 1 && now < next; now++)
                dram_rig_run(rig[i], now);
            now = next;
        }
        dram_rig_run(rig[i], now + 5000);
    }
    assert_int_equal(rig[0]->finished, rig[1]->finished);
    for (uint32_t i = 0; i < rig[0]->finished; i++) {
        assert_int_equal(rig[0]->done[i].id, rig[1]->done[i].id);
        assert_int_equal(rig[0]->done[i].when, rig[1]->done[i].when);
    }
    assert_int_equal(rig[0]->logged, rig[1]->logged);
    for (uint32_t i = 0, j = 0; i < rig[0]->logged; i++) /* the pseudo-channels' logs are interleaved as they are run */
        if (rig[0]->log[i].pseudo == 0) {
            while (rig[1]->log[j].pseudo != 0)
                j++;
            assert_int_equal(rig[0]->log[i].command.ck, rig[1]->log[j++].command.ck);
        }
    dram_rig_free(rig[0]);
    dram_rig_free(rig[1]);
}

UNIT_TESTS(UNIT(hits_pass_an_older_access_to_another_row), UNIT(of_ready_accesses_the_oldest_goes_first),
           UNIT(no_more_than_the_cap_pass), UNIT(writes_wait_for_the_high_watermark_and_drain_to_the_low_one),
           UNIT(writes_go_while_no_read_waits), UNIT(a_read_is_answered_out_of_the_write_queue),
           UNIT(writes_to_a_line_that_waits_join), UNIT(a_closed_policy_closes_rows_for_which_nothing_waits),
           UNIT(an_adaptive_policy_learns_from_conflicts_and_from_rows_opened_again),
           UNIT(what_comes_out_does_not_depend_on_how_often_it_is_run))
