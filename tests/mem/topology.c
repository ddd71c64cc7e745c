#include "mem/topology.h"

#include "tests/unit.h"

static struct topology topology;

static void build(const char *gpcs, uint32_t sms, uint32_t slices, uint32_t partitions, uint32_t spread)
{
    struct config config;
    config_defaults(&config);
    config.gpu.sms = sms;
    config.noc.latency = 40;
    config.noc.spread = spread;
    config.l2.slices = slices;
    snprintf(config.gpu.gpcs, sizeof config.gpu.gpcs, "%s", gpcs);
    topology_init(&topology, &config, partitions);
}

static void sms_are_dealt_to_the_gpcs_a_tpc_at_a_time(void **state)
{
    (void)state;
    build("6 4", 10, 4, 1, 0);
    const uint8_t gpc[] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0}, tpc[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2};
    for (uint32_t sm = 0; sm < 10; sm++) {
        assert_int_equal(topology.gpc[sm], gpc[sm]);
        assert_int_equal(topology.tpc[sm], tpc[sm]);
        assert_int_equal(topology.place[sm], sm % 2);
    }
    assert_int_equal(topology.gpcs, 2);
    assert_int_equal(topology.gpc_tpcs[0], 3);
    assert_int_equal(topology.gpc_tpcs[1], 2);
    assert_int_equal(topology.tpcs, 5);
}

static void an_sm_beyond_the_number_is_missing_from_the_end(void **state)
{
    (void)state;
    build("6 4", 5, 4, 1, 0);
    assert_int_equal(topology.gpc[4], 0);
    assert_int_equal(topology.tpc[4], 1);
    assert_int_equal(topology.gpc_tpcs[0], 2);
    assert_int_equal(topology.gpc_tpcs[1], 1);
    assert_int_equal(topology.tpcs, 3);
}

static void without_a_list_gpcs_of_up_to_16_are_filled_evenly(void **state)
{
    (void)state;
    build("", 68, 4, 1, 0);
    uint32_t sms[GPCS_MOST] = {0};
    for (uint32_t sm = 0; sm < 68; sm++)
        sms[topology.gpc[sm]]++;
    const uint32_t expected[] = {14, 14, 14, 14, 12};
    assert_int_equal(topology.gpcs, 5);
    assert_memory_equal(sms, expected, sizeof expected);
    build("", 256, 4, 1, 0);
    assert_int_equal(topology.gpcs, 16);
    build("", 1, 4, 1, 0);
    assert_int_equal(topology.gpcs, 1);
}

static void the_way_is_the_sum_of_that_of_the_gpc_and_that_of_the_slice(void **state)
{
    (void)state;
    build("2 2 2 2 2", 10, 5, 1, 40);
    const uint32_t gpc[] = {10, 15, 20, 0, 5}, slice[] = {20, 10, 0, 10, 20};
    for (uint32_t g = 0; g < 5; g++)
        for (uint32_t s = 0; s < 5; s++)
            assert_int_equal(topology_latency(&topology, 2 * g, s), 40 + gpc[g] + slice[s]);
}

static void the_nearest_pair_has_the_latency_and_the_farthest_the_spread_more(void **state)
{
    (void)state;
    for (uint32_t gpcs = 2; gpcs <= 8; gpcs++)
        for (uint32_t slices = 4; slices <= 80; slices += 2)
            for (uint32_t partitions = 1; partitions <= 2; partitions++) {
                build(&"2 2 2 2 2 2 2 2"[2 * (8 - gpcs)], 2 * gpcs, slices, partitions, 37);
                uint32_t least = UINT32_MAX, most = 0;
                for (uint32_t sm = 0; sm < 2 * gpcs; sm++)
                    for (uint32_t s = 0; s < slices; s++) {
                        uint32_t latency = topology_latency(&topology, sm, s);
                        least = latency < least ? latency : least;
                        most = latency > most ? latency : most;
                    }
                assert_int_equal(least, 40);
                bool ways = gpcs > partitions && slices > 2 * partitions;
                assert_true(most == 77 || !ways);
            }
}

static void the_mean_way_over_gpcs_and_slices_is_half_the_spread(void **state)
{
    (void)state;
    build("16 16 16 16 16 16 16 16", 128, 80, 2, 36);
    uint32_t sum = 0;
    for (uint32_t g = 0; g < 8; g++)
        for (uint32_t s = 0; s < 80; s++)
            sum += topology_latency(&topology, 2 * g, s) - 40;
    assert_in_range(sum * 100 / 640, 1790, 1810);
}

static void partitions_take_runs_of_gpcs(void **state)
{
    (void)state;
    build("16 16 16 16 16 14 14", 108, 80, 2, 0);
    for (uint32_t g = 0; g < 7; g++)
        assert_int_equal(topology_gpc_partition(&topology, g), g >= 4);
}

UNIT_TESTS(UNIT(sms_are_dealt_to_the_gpcs_a_tpc_at_a_time), UNIT(an_sm_beyond_the_number_is_missing_from_the_end),
           UNIT(without_a_list_gpcs_of_up_to_16_are_filled_evenly),
           UNIT(the_way_is_the_sum_of_that_of_the_gpc_and_that_of_the_slice),
           UNIT(the_nearest_pair_has_the_latency_and_the_farthest_the_spread_more),
           UNIT(the_mean_way_over_gpcs_and_slices_is_half_the_spread), UNIT(partitions_take_runs_of_gpcs))
