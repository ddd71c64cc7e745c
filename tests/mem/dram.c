#include "mem/dram.h"

#include "tests/mem/rig.h"

static struct dram dram;
static struct mem_counters n;

static void open_channel(uint32_t queue, double bytes_per_cycle)
{
    struct config c;
    config_defaults(&c);
    c.gpu.clock = 1000;
    c.dram.bandwidth = bytes_per_cycle;
    c.dram.efficiency = 1;
    c.dram.latency = DRAM;
    c.dram.row_miss = ROW;
    c.dram.queue = queue;
    c.dram.row_bytes = 2048;
    assert_true(dram_create(&dram, &c, 1.0, 16));
    memset(&n, 0, sizeof n);
}

static struct address_row at(uint32_t bank, uint64_t row) { return (struct address_row){.bank = bank, .row = row}; }

static void a_row_hit_is_cheaper_than_a_row_miss_by_row_miss(void **state)
{
    (void)state;
    open_channel(64, 8);
    assert_int_equal(dram_read(&dram, at(3, 7), 1000, &n), 1000 + ROW + DRAM); /* closed */
    assert_int_equal(dram_read(&dram, at(3, 7), 2000, &n), 2000 + DRAM);       /* open */
    assert_int_equal(dram_read(&dram, at(3, 8), 3000, &n), 3000 + ROW + DRAM); /* another */
    assert_int_equal(dram_read(&dram, at(3, 7), 4000, &n), 4000 + ROW + DRAM); /* the first again */
    assert_int_equal(n.dram_row_hits, 1);
    assert_int_equal(n.dram_row_misses, 3);
    assert_int_equal(n.dram_bytes_read, 4 * 32);
    dram_destroy(&dram);
}

static void a_row_miss_overlaps_with_transfers_of_another_bank(void **state)
{
    (void)state;
    open_channel(64, 8);
    dram_read(&dram, at(0, 0), 0, &n);
    assert_int_equal(dram_read(&dram, at(1, 5), 1000, &n), 1000 + ROW + DRAM);
    assert_int_equal(dram_read(&dram, at(0, 0), 1000, &n), 1000 + DRAM);
    assert_int_equal(dram_read(&dram, at(0, 0), 1000, &n), 1000 + DRAM + SLOT);
    assert_int_equal(dram_read(&dram, at(2, 5), 1000, &n), 1000 + ROW + DRAM + 2); /* 30 is no multiple of a slot */
    dram_destroy(&dram);
}

static void row_misses_of_one_bank_follow_each_other(void **state)
{
    (void)state;
    open_channel(64, 8);
    for (uint64_t i = 0; i < 8; i++)
        assert_int_equal(dram_read(&dram, at(5, i), 1000, &n), 1000 + (i + 1) * ROW + DRAM);
    dram_destroy(&dram);
}

static void a_row_stays_open_for_the_accesses_that_wait_for_it(void **state)
{
    (void)state;
    open_channel(64, 8);
    dram_read(&dram, at(5, 1), 0, &n);
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(dram_read(&dram, at(5, 1), 1000, &n), 1000 + DRAM + i * SLOT);
    assert_int_equal(dram_read(&dram, at(5, 2), 1000, &n), 1000 + 9 * SLOT + ROW + DRAM);
    dram_destroy(&dram);
}

static void an_access_joins_a_row_whose_turn_is_not_over(void **state)
{
    (void)state;
    open_channel(64, 8);
    uint64_t first = dram_read(&dram, at(5, 1), 1000, &n); /* row 1 is open from 1030, row 2 from 1060 or so */
    dram_read(&dram, at(5, 2), 1000, &n);
    assert_int_equal(dram_read(&dram, at(5, 1), 1010, &n), first + 2);
    assert_int_equal(n.dram_row_misses, 2);
    dram_read(&dram, at(5, 1), 1029, &n);
    assert_int_equal(n.dram_row_misses, 2);
    dram_read(&dram, at(5, 1), 1030, &n);
    assert_int_equal(n.dram_row_misses, 3);
    dram_destroy(&dram);
}

static void sectors_stream_at_one_each_slot(void **state)
{
    (void)state;
    open_channel(64, 12); /* 8/3 cycles a sector */
    uint64_t first = dram_read(&dram, at(0, 0), 0, &n), last = 0;
    for (unsigned i = 1; i <= 30000; i++)
        last = dram_read(&dram, at(i / 64 % 16, i / 64 / 16), 0, &n);
    assert_in_range(last - first, 79999, 80000);
    assert_in_range(dram_busy(&dram), 80002, 80003);
    dram_destroy(&dram);
}

static void an_access_waits_for_the_queue_outside(void **state)
{
    (void)state;
    open_channel(2, 8);
    dram_read(&dram, at(0, 0), 0, &n);                             /* the row is open from now on */
    assert_int_equal(dram_write(&dram, at(0, 0), 1000, &n), 1000); /* leaves at 1000 */
    assert_int_equal(dram_write(&dram, at(0, 0), 1000, &n), 1000); /* leaves at 1004 */
    assert_int_equal(dram_write(&dram, at(0, 0), 1000, &n), 1000); /* in place of the first */
    assert_int_equal(dram_write(&dram, at(0, 0), 1000, &n), 1004); /* in place of the second */
    assert_int_equal(dram_write(&dram, at(0, 0), 1000, &n), 1008);
    assert_int_equal(n.dram_bytes_written, 5 * 32);
    dram_destroy(&dram);
}

UNIT_TESTS(UNIT(a_row_hit_is_cheaper_than_a_row_miss_by_row_miss),
           UNIT(a_row_miss_overlaps_with_transfers_of_another_bank), UNIT(row_misses_of_one_bank_follow_each_other),
           UNIT(a_row_stays_open_for_the_accesses_that_wait_for_it), UNIT(an_access_joins_a_row_whose_turn_is_not_over),
           UNIT(sectors_stream_at_one_each_slot), UNIT(an_access_waits_for_the_queue_outside))
