/* Every policy of a kind keeps the kind's promises; dram_trace.c runs all of them against the timing rules. */
#include "tests/mem/dram_rig.h"

enum { START = 1000, ACCESSES = 64, LONG = 200000 };

static void every_policy_has_the_word_of_its_file(void **state)
{
    (void)state;
    for (int i = 0; i < DRAM_PICK_POLICIES; i++) {
        const struct dram_pick_policy *pick = dram_pick_policy((enum config_dram_pick)i);
        assert_string_equal(pick->name, config_dram_pick_text((enum config_dram_pick)i));
        assert_true(pick->summary[0] != '\0');
    }
    for (int i = 0; i < DRAM_ROW_POLICIES; i++) {
        const struct dram_row_policy *row = dram_row_policy((enum config_dram_row)i);
        assert_string_equal(row->name, config_dram_row_text((enum config_dram_row)i));
        assert_non_null(row->close_at);
    }
}

/* A row is hit again and again, and one access wants another row of the bank. */
static void no_pick_starves_an_access(void **state)
{
    (void)state;
    for (int i = 0; i < DRAM_PICK_POLICIES * DRAM_ROW_POLICIES; i++) {
        struct dram_rig *rig = dram_rig_new("GDDR6");
        rig->config.dram.pick = (enum config_dram_pick)(i / DRAM_ROW_POLICIES);
        rig->config.dram.row_policy = (enum config_dram_row)(i % DRAM_ROW_POLICIES);
        rig->config.dram.row_cap = 4;
        dram_rig_start(rig);
        dram_rig_push(rig, START, 0, 7, 0, false, 1000);
        dram_rig_push(rig, START, 0, 8, 0, false, 2000);
        uint64_t now = START;
        for (uint32_t n = 0; n < ACCESSES; n++, now += 2) {
            dram_rig_push(rig, now, 0, 7, n % 8, false, n);
            dram_rig_run(rig, now);
        }
        dram_rig_run(rig, LONG);
        assert_int_equal(rig->finished, ACCESSES + 2);
        assert_true(dram_rig_data(rig, 2000) < dram_rig_data(rig, ACCESSES - 1));
        dram_rig_free(rig);
    }
}

/* The same accesses give the same commands however often the channel is run in between. */
static void a_pick_depends_on_accesses_and_not_on_when_it_is_asked(void **state)
{
    (void)state;
    for (int i = 0; i < DRAM_PICK_POLICIES * DRAM_ROW_POLICIES; i++) {
        struct dram_rig *rig[2];
        for (int often = 0; often < 2; often++) {
            rig[often] = dram_rig_new("HBM3");
            rig[often]->config.dram.pick = (enum config_dram_pick)(i / DRAM_ROW_POLICIES);
            rig[often]->config.dram.row_policy = (enum config_dram_row)(i % DRAM_ROW_POLICIES);
            rig[often]->config.dram.refresh = CONFIG_REFRESH_PER_BANK;
            dram_rig_start(rig[often]);
            for (uint32_t n = 0; n < ACCESSES; n++) {
                uint64_t now = START + 7 * n;
                dram_rig_push(rig[often], now, n * 5 % 8, n % 3, n % 8, n % 4 == 0, n);
                for (uint64_t t = now; often && t < now + 7; t++)
                    dram_rig_run(rig[often], t);
            }
            dram_rig_run(rig[often], START + LONG / 10);
        }
        assert_int_equal(rig[0]->logged, rig[1]->logged);
        for (uint32_t n = 0; n < rig[0]->logged; n++)
            assert_true(rig[0]->log[n].command.ck == rig[1]->log[n].command.ck &&
                        rig[0]->log[n].command.op == rig[1]->log[n].command.op);
        dram_rig_free(rig[0]);
        dram_rig_free(rig[1]);
    }
}

static void fcfs_serves_the_oldest_though_a_younger_one_is_ready(void **state)
{
    (void)state;
    for (int fcfs = 0; fcfs < 2; fcfs++) {
        struct dram_rig *rig = dram_rig_new("GDDR6");
        rig->config.dram.pick = fcfs ? CONFIG_DRAM_PICK_FCFS : CONFIG_DRAM_PICK_FR_FCFS;
        dram_rig_start(rig);
        dram_rig_push(rig, START, 0, 7, 0, false, 1);
        dram_rig_run(rig, 2 * START);
        dram_rig_push(rig, 2 * START, 1, 9, 0, false, 2); /* a closed bank */
        dram_rig_push(rig, 2 * START, 0, 7, 1, false, 3); /* an open row */
        dram_rig_run(rig, 3 * START);
        assert_int_equal(rig->done[1].id, fcfs ? 2 : 3);
        assert_int_equal(rig->done[2].id, fcfs ? 3 : 2);
        dram_rig_free(rig);
    }
}

UNIT_TESTS(UNIT(every_policy_has_the_word_of_its_file), UNIT(no_pick_starves_an_access),
           UNIT(a_pick_depends_on_accesses_and_not_on_when_it_is_asked),
           UNIT(fcfs_serves_the_oldest_though_a_younger_one_is_ready))
