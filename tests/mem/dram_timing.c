/* Each timing parameter: a command comes at exactly its clock. The channel's clock is the SM's. */
#include "tests/mem/dram_rig.h"

enum { START = 1000 };

static struct dram_rig *start(const char *kind)
{
    struct dram_rig *rig = dram_rig_new(kind);
    dram_rig_start(rig);
    return rig;
}

static void times_become_clocks_of_the_data_rate(void **state)
{
    (void)state;
    struct config config;
    struct dram_timing t;
    config_defaults(&config);
    dram_rig_kind(&config, "HBM2");
    config.dram.channels = 8; /* a stack at 2 Gbit/s: 32 GB/s a channel, 1 ns a clock */
    config.dram.bandwidth = 256;
    config.gpu.clock = 1410;
    dram_timing_init(&t, &config);
    assert_int_equal(t.RL, 14);
    assert_int_equal(t.tRAS, 33);
    assert_int_equal(t.tREFI, 3900);
    assert_int_equal(t.tCCD_S, 2);
    assert_int_equal(t.tCCD_L, 4);
    assert_int_equal(dram_cycle(&t, 1000), 1410);
    config.dram.bandwidth = 512; /* twice the rate: the same times take twice the clocks, a burst still takes two */
    dram_timing_init(&t, &config);
    assert_int_equal(t.RL, 28);
    assert_int_equal(t.tRAS, 66);
    assert_int_equal(t.tCCD_S, 2);
    assert_int_equal(t.tCCD_L, 6); /* 2.8 ns are more than four clocks now */
    assert_int_equal(dram_cycle(&t, 1000), 705);
}

static void clocks_and_cycles_agree_for_any_ratio(void **state)
{
    (void)state;
    struct dram_timing t = {0};
    const double ratios[] = {0.001, 0.3, 0.999, 1, 1.0000001, 2.5, 700};
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        t.ck_period = (uint64_t)(ratios[i] * 4294967296.0);
        const uint64_t cycles[] = {0, 1, 2, 3, 999, 1000, 123456789, UINT64_C(5) << 32, UINT64_C(1) << 40};
        for (size_t c = 0; c < sizeof cycles / sizeof *cycles; c++) {
            uint64_t ck = dram_ck(&t, cycles[c]);
            assert_true(dram_cycle(&t, ck) >= cycles[c]);
            assert_true(ck == 0 || dram_cycle(&t, ck - 1) < cycles[c]);
        }
    }
}

static void a_read_of_a_closed_bank_takes_tRCD_and_the_read_latency(void **state)
{
    (void)state;
    struct dram_rig *rig = start("GDDR6");
    dram_rig_push(rig, START, 0, 7, 0, false, 1);
    uint64_t when = START + rig->t->tRCDRD + rig->t->RL + DRAM_BURST;
    dram_rig_run(rig, when - 1);
    assert_int_equal(rig->finished, 0);
    dram_rig_run(rig, when);
    assert_int_equal(dram_rig_data(rig, 1), when);
    assert_int_equal(dram_rig_when(rig, DRAM_ACT, 0), START);
    dram_rig_free(rig);
}

static void the_latency_of_the_controller_comes_on_top(void **state)
{
    (void)state;
    struct dram_rig *rig = dram_rig_new("HBM3");
    rig->config.dram.latency = 321;
    dram_rig_start(rig);
    dram_rig_push(rig, START, 0, 7, 0, false, 1);
    uint64_t when = START + rig->t->tRCDRD + rig->t->RL + DRAM_BURST + 321;
    dram_rig_run(rig, when - 1);
    assert_int_equal(rig->finished, 0);
    dram_rig_run(rig, when);
    assert_int_equal(rig->finished, 1);
    dram_rig_free(rig);
}

static void an_open_row_is_read_at_once(void **state)
{
    (void)state;
    struct dram_rig *rig = start("GDDR6");
    dram_rig_push(rig, START, 0, 7, 0, false, 1);
    dram_rig_push(rig, 2 * START, 0, 7, 1, false, 2);
    dram_rig_run(rig, 3 * START);
    assert_int_equal(dram_rig_data(rig, 2), 2 * START + rig->t->RL + DRAM_BURST);
    assert_int_equal(dram_rig_counters(rig).dram_row_hits, 1);
    assert_int_equal(dram_rig_counters(rig).dram_row_misses, 1);
    dram_rig_free(rig);
}

static void another_row_takes_tRP_more_and_waits_for_tRAS(void **state)
{
    (void)state;
    struct dram_rig *rig = start("GDDR6");
    dram_rig_push(rig, START, 0, 7, 0, false, 1);
    dram_rig_push(rig, START, 0, 8, 0, false, 2);
    dram_rig_push(rig, 3 * START, 0, 9, 0, false, 3);
    dram_rig_run(rig, 4 * START);
    assert_int_equal(dram_rig_when(rig, DRAM_PRE, 0), START + rig->t->tRAS);
    assert_int_equal(dram_rig_when(rig, DRAM_ACT, 1), START + rig->t->tRAS + rig->t->tRP); /* tRC */
    assert_int_equal(dram_rig_when(rig, DRAM_PRE, 1), 3 * START);
    assert_int_equal(dram_rig_data(rig, 3), 3 * START + rig->t->tRP + rig->t->tRCDRD + rig->t->RL + DRAM_BURST);
    assert_int_equal(dram_rig_counters(rig).dram_row_conflicts, 2);
    dram_rig_free(rig);
}

static void bursts_are_tCCD_S_apart_and_tCCD_L_within_a_group(void **state)
{
    (void)state;
    struct dram_rig *rig = start("GDDR6");
    dram_rig_push(rig, START, 0, 7, 0, false, 1);
    dram_rig_push(rig, START, 1, 7, 0, false, 2);
    dram_rig_push(rig, 2 * START, 0, 7, 1, false, 3);
    dram_rig_push(rig, 2 * START, 1, 7, 1, false, 4);
    dram_rig_push(rig, 2 * START, 0, 7, 2, false, 5);
    dram_rig_run(rig, 3 * START);
    uint64_t first = dram_rig_data(rig, 3);
    assert_int_equal(dram_rig_data(rig, 4), first + rig->t->tCCD_S);
    assert_int_equal(dram_rig_data(rig, 5), first + rig->t->tCCD_L);
    dram_rig_free(rig);
}

static void the_sectors_of_a_line_are_tCCD_L_apart(void **state)
{
    (void)state;
    struct dram_rig *rig = start("HBM2");
    dram_channel_push(&rig->channel, START, dram_rig_line(rig, 0, 7, 0), 15, false, 1);
    dram_rig_run(rig, 2 * START);
    assert_int_equal(dram_rig_data(rig, 1), START + rig->t->tRCDRD + 3 * rig->t->tCCD_L + rig->t->RL + DRAM_BURST);
    assert_int_equal(rig->done[0].sectors, 15);
    dram_rig_free(rig);
}

static void activations_are_tRRD_S_apart_and_tRRD_L_within_a_group(void **state)
{
    (void)state;
    struct dram_rig *rig = start("HBM2"); /* tRRD_S 8, tRRD_L 12 clocks */
    dram_rig_push(rig, START, 0, 7, 0, false, 1);
    dram_rig_push(rig, START, 4, 7, 0, false, 2); /* the same group */
    dram_rig_push(rig, START, 1, 7, 0, false, 3);
    dram_rig_run(rig, 2 * START);
    assert_int_equal(rig->log[1].command.bank, 1);
    assert_int_equal(dram_rig_when(rig, DRAM_ACT, 1), START + rig->t->tRRD_S);
    assert_int_equal(rig->log[2].command.bank, 4);
    assert_int_equal(dram_rig_when(rig, DRAM_ACT, 2), START + 2 * rig->t->tRRD_S); /* after tRRD_L, too */
    assert_true(2 * rig->t->tRRD_S > rig->t->tRRD_L && rig->t->tRRD_L > rig->t->tRRD_S);
    dram_rig_push(rig, 2 * START, 8, 7, 0, false, 4);
    dram_rig_push(rig, 2 * START, 12, 7, 0, false, 5);
    dram_rig_run(rig, 3 * START);
    assert_int_equal(dram_rig_when(rig, DRAM_ACT, 4), 2 * START + rig->t->tRRD_L);
    dram_rig_free(rig);
}

static void the_fifth_activation_waits_for_tFAW(void **state)
{
    (void)state;
    struct dram_rig *rig = start("HBM3"); /* tRRD_S 5, tFAW 30 clocks */
    for (uint32_t b = 0; b < 6; b++)
        dram_rig_push(rig, START, b, 7, 0, false, b);
    dram_rig_run(rig, 2 * START);
    assert_int_equal(dram_rig_when(rig, DRAM_ACT, 3), START + 3 * rig->t->tRRD_S);
    assert_true(4 * rig->t->tRRD_S < rig->t->tFAW);
    assert_int_equal(dram_rig_when(rig, DRAM_ACT, 4), START + rig->t->tFAW);
    assert_int_equal(dram_rig_when(rig, DRAM_ACT, 5), START + rig->t->tFAW + rig->t->tRRD_S);
    dram_rig_free(rig);
}

static void a_write_waits_for_tRCDWR_and_its_row_for_tWR(void **state)
{
    (void)state;
    struct dram_rig *rig = start("GDDR6");
    dram_rig_push(rig, START, 0, 7, 0, true, 1);
    dram_rig_push(rig, 2 * START, 0, 7, 1, true, 1);
    dram_rig_push(rig, 2 * START + 1, 0, 8, 0, false, 2);
    dram_rig_run(rig, 3 * START);
    assert_int_equal(dram_rig_when(rig, DRAM_WR, 0), START + rig->t->tRCDWR);
    assert_int_equal(dram_rig_when(rig, DRAM_WR, 1), 2 * START);
    assert_int_equal(dram_rig_when(rig, DRAM_PRE, 0), 2 * START + rig->t->WL + DRAM_BURST + rig->t->tWR);
    dram_rig_free(rig);
}

static void a_row_closes_tRTP_after_its_last_read(void **state)
{
    (void)state;
    struct dram_rig *rig = start("GDDR6");
    dram_rig_push(rig, START, 0, 7, 0, false, 1);
    dram_rig_push(rig, 2 * START, 0, 7, 1, false, 2);
    dram_rig_push(rig, 2 * START, 0, 8, 0, false, 3);
    dram_rig_run(rig, 3 * START);
    assert_int_equal(dram_rig_when(rig, DRAM_RD, 1), 2 * START);
    assert_int_equal(dram_rig_when(rig, DRAM_PRE, 0), 2 * START + rig->t->tRTP);
    dram_rig_free(rig);
}

/* Opens row 7 in two banks of different groups and in one of the same. */
static struct dram_rig *open_rows(void)
{
    struct dram_rig *rig = start("GDDR6");
    dram_rig_push(rig, START, 0, 7, 0, false, 100);
    dram_rig_push(rig, START, 1, 7, 0, false, 101);
    dram_rig_push(rig, START, 4, 7, 0, false, 102);
    dram_rig_run(rig, 2 * START);
    return rig;
}

static void a_read_follows_a_write_of_its_group_by_tWTR_L_and_of_another_by_tWTR_S(void **state)
{
    (void)state;
    const uint32_t banks[] = {4, 1};
    for (int i = 0; i < 2; i++) {
        struct dram_rig *rig = open_rows();
        dram_rig_push(rig, 2 * START, 0, 7, 1, true, 1);
        dram_rig_push(rig, 2 * START + 1, banks[i], 7, 1, false, 2);
        dram_rig_run(rig, 3 * START);
        uint64_t written = 2 * START + rig->t->WL + DRAM_BURST;
        uint64_t read = written + (i == 0 ? rig->t->tWTR_L : rig->t->tWTR_S);
        assert_int_equal(dram_rig_data(rig, 2), read + rig->t->RL + DRAM_BURST);
        dram_rig_free(rig);
    }
}

static void a_write_follows_a_read_by_tRTW(void **state)
{
    (void)state;
    struct dram_rig *rig = open_rows();
    dram_rig_push(rig, 2 * START, 0, 7, 1, false, 1);
    dram_rig_push(rig, 2 * START, 1, 7, 1, true, 2);
    dram_rig_run(rig, 3 * START);
    assert_int_equal(rig->t->tRTW, rig->t->RL + DRAM_BURST + rig->t->tRTW_gap - rig->t->WL);
    assert_int_equal(dram_rig_when(rig, DRAM_WR, 0), 2 * START + rig->t->tRTW);
    assert_int_equal(dram_rig_counters(rig).dram_turnarounds, 1);
    dram_rig_free(rig);
}

static void a_refresh_closes_its_bank_and_keeps_it_for_tRFC(void **state)
{
    (void)state;
    struct dram_rig *rig = dram_rig_new("GDDR6");
    rig->config.dram.refresh = CONFIG_REFRESH_PER_BANK;
    dram_rig_start(rig);
    uint64_t due = rig->t->tREFI / 16;
    dram_rig_push(rig, due - 100, 0, 7, 0, false, 1);
    dram_rig_push(rig, due, 0, 7, 1, false, 2);
    dram_rig_push(rig, due, 1, 7, 1, false, 3);
    dram_rig_run(rig, due + 1000);
    assert_int_equal(dram_rig_when(rig, DRAM_PRE, 0), due);
    uint64_t refresh = due + rig->t->tRP;
    assert_int_equal(dram_rig_when(rig, DRAM_REFPB, 0), refresh);
    uint64_t again = refresh + rig->t->tRFCpb;
    assert_int_equal(dram_rig_data(rig, 2), again + rig->t->tRCDRD + rig->t->RL + DRAM_BURST);
    assert_true(dram_rig_data(rig, 3) < again);
    dram_rig_free(rig);
}

static void a_refresh_of_all_banks_keeps_them_all(void **state)
{
    (void)state;
    struct dram_rig *rig = dram_rig_new("GDDR6");
    rig->config.dram.refresh = CONFIG_REFRESH_ALL_BANK;
    dram_rig_start(rig);
    uint64_t due = rig->t->tREFI;
    dram_rig_push(rig, due - 100, 0, 7, 0, false, 1);
    dram_rig_push(rig, due, 9, 7, 1, false, 2);
    dram_rig_run(rig, due + 1000);
    assert_int_equal(dram_rig_when(rig, DRAM_PREAB, 0), due);
    uint64_t again = due + rig->t->tRP + rig->t->tRFCab;
    assert_int_equal(dram_rig_when(rig, DRAM_REFAB, 0), due + rig->t->tRP);
    assert_int_equal(dram_rig_data(rig, 2), again + rig->t->tRCDRD + rig->t->RL + DRAM_BURST);
    dram_rig_free(rig);
}

static void channels_refresh_all_their_banks_one_after_another(void **state)
{
    (void)state;
    for (uint32_t index = 0; index < 4; index++) {
        struct dram_rig *rig = dram_rig_new("GDDR6");
        rig->config.dram.refresh = CONFIG_REFRESH_ALL_BANK;
        dram_rig_start(rig);
        dram_channel_stagger(&rig->channel, index, 4);
        uint64_t due = rig->t->tREFI * (index + UINT64_C(1)) / 4;
        dram_rig_push(rig, due - 100, 0, 7, 0, false, 1);
        dram_rig_push(rig, due, 9, 7, 1, false, 2);
        dram_rig_run(rig, due + 1000);
        assert_int_equal(dram_rig_when(rig, DRAM_REFAB, 0), due + rig->t->tRP);
        dram_rig_free(rig);
    }
}

static void refreshes_keep_their_rate_while_nothing_comes(void **state)
{
    (void)state;
    for (int refresh = CONFIG_REFRESH_ALL_BANK; refresh <= CONFIG_REFRESH_PER_BANK; refresh++) {
        struct dram_rig *rig = dram_rig_new("GDDR6");
        rig->config.dram.refresh = (enum config_refresh)refresh;
        dram_rig_start(rig);
        uint64_t interval = refresh == CONFIG_REFRESH_PER_BANK ? rig->t->tREFI / 16 : rig->t->tREFI;
        assert_true(dram_channel_next(&rig->channel) == UINT64_MAX);
        dram_rig_push(rig, 1000000 * interval + 10, 3, 7, 0, false, 1);
        assert_int_equal(dram_rig_counters(rig).dram_refreshes, 1000000);
        assert_true(rig->logged < 100);
        dram_rig_free(rig);
    }
}

UNIT_TESTS(UNIT(times_become_clocks_of_the_data_rate), UNIT(clocks_and_cycles_agree_for_any_ratio),
           UNIT(a_read_of_a_closed_bank_takes_tRCD_and_the_read_latency),
           UNIT(the_latency_of_the_controller_comes_on_top), UNIT(an_open_row_is_read_at_once),
           UNIT(another_row_takes_tRP_more_and_waits_for_tRAS), UNIT(bursts_are_tCCD_S_apart_and_tCCD_L_within_a_group),
           UNIT(the_sectors_of_a_line_are_tCCD_L_apart), UNIT(activations_are_tRRD_S_apart_and_tRRD_L_within_a_group),
           UNIT(the_fifth_activation_waits_for_tFAW), UNIT(a_write_waits_for_tRCDWR_and_its_row_for_tWR),
           UNIT(a_row_closes_tRTP_after_its_last_read),
           UNIT(a_read_follows_a_write_of_its_group_by_tWTR_L_and_of_another_by_tWTR_S),
           UNIT(a_write_follows_a_read_by_tRTW), UNIT(a_refresh_closes_its_bank_and_keeps_it_for_tRFC),
           UNIT(a_refresh_of_all_banks_keeps_them_all), UNIT(channels_refresh_all_their_banks_one_after_another),
           UNIT(refreshes_keep_their_rate_while_nothing_comes))
