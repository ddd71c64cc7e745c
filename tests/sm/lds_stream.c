/* Runs of LDS on an A100's configuration, as measured there: LDS in place of NOPs between two clock reads. */
#include "tests/sm/harness.h"

enum { SLOTS = 26 };

static struct harness *on(const char *gpu)
{
    struct harness *h = harness_new();
    struct status status = {0};
    assert_true(config_load(&h->config, gpu, &status));
    h->config.icache.perfect = true;
    return h;
}

/* Cycles between the two clock reads of each sub-core's warp, with `loads` LDS in front of the NOPs. */
static void window(const char *gpu, unsigned sub_cores, unsigned loads, uint64_t out[4])
{
    struct harness *h = on(gpu);
    add(h, clock_read(2));
    add_many(h, lds(4, true, 4, 0), loads);
    add_many(h, nop(), SLOTS - loads);
    uint32_t end = add(h, clock_read(3));
    harness_start(h, sub_cores);
    harness_run(h);
    for (unsigned k = 0; k < sub_cores; k++)
        out[k] = distance(h, k, 0, end);
    harness_free(h);
}

static void five_lds_are_free_and_each_further_one_costs_its_slot_and_one_cycle(void **state)
{
    (void)state;
    const uint64_t measured[] = {27, 27, 27, 27, 27, 27, 30, 31, 32, 33, 34};
    for (unsigned loads = 0; loads <= 10; loads++) {
        uint64_t cycles[4];
        window("a100", 1, loads, cycles);
        assert_int_equal(cycles[0], measured[loads]);
    }
}

/* 2, 3 and 4 cycles an LDS for 2, 3 and 4 sub-cores: the shared part takes one a cycle. */
static void several_sub_cores_share_one_lds_a_cycle(void **state)
{
    (void)state;
    for (unsigned sub_cores = 1; sub_cores <= 4; sub_cores++) {
        uint64_t few[4], many[4];
        window("a100", sub_cores, 12, few);
        window("a100", sub_cores, 24, many);
        for (unsigned k = 0; k < sub_cores; k++) /* each LDS stands in the place of a one-cycle NOP */
            assert_int_equal(many[k] - few[k], 12 * ((sub_cores < 2 ? 2 : sub_cores) - 1));
    }
}

static void a_part_that_accepts_every_second_cycle_takes_two_cycles_an_lds_and_sub_core(void **state)
{
    (void)state;
    for (unsigned sub_cores = 1; sub_cores <= 4; sub_cores++) {
        uint64_t few[4], many[4];
        window("rtx-a6000", sub_cores, 12, few);
        window("rtx-a6000", sub_cores, 24, many);
        for (unsigned k = 0; k < sub_cores; k++)
            assert_int_equal(many[k] - few[k], 12 * (2 * sub_cores - 1));
    }
}

UNIT_TESTS(UNIT(five_lds_are_free_and_each_further_one_costs_its_slot_and_one_cycle),
           UNIT(several_sub_cores_share_one_lds_a_cycle),
           UNIT(a_part_that_accepts_every_second_cycle_takes_two_cycles_an_lds_and_sub_core))
