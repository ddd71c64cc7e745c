#include "mem/address_map.h"

#include "port/message.h"
#include "tests/unit.h"

enum { LINES = 1 << 20, MOST = 96 };

static const uint32_t slice_counts[] = {10, 40, 48, 80, 96};

/* Largest distance of any slice's share from the mean, in thousandths of the mean. */
static unsigned imbalance(uint32_t slices, uint64_t base, uint64_t stride)
{
    struct address_map map;
    address_map_init(&map, slices, 64, slices / 2, 1);
    uint32_t count[MOST] = {0};
    for (uint64_t i = 0; i < LINES; i++)
        count[address_map_place(&map, base + i * stride * PORT_LINE).slice]++;
    double mean = (double)LINES / slices, most = 0;
    for (uint32_t s = 0; s < slices; s++) {
        double off = count[s] > mean ? count[s] - mean : mean - count[s];
        most = off > most ? off : most;
    }
    return (unsigned)(most / mean * 1000);
}

static void consecutive_lines_spread_evenly_over_any_number_of_slices(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof slice_counts / sizeof *slice_counts; i++) {
        assert_true(imbalance(slice_counts[i], 0, 1) <= 1);
        assert_true(imbalance(slice_counts[i], UINT64_C(0x7f3a12345680), 1) <= 1);
    }
}

static void power_of_two_strides_spread_within_four_percent(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof slice_counts / sizeof *slice_counts; i++)
        for (uint64_t stride = 2; stride <= 1 << 16; stride *= 2)
            assert_true(imbalance(slice_counts[i], UINT64_C(0x700000000000), stride) <= 40);
}

static void a_block_of_lines_visits_each_slice_once(void **state)
{
    (void)state;
    struct address_map map;
    address_map_init(&map, 48, 64, 24, 1);
    for (uint64_t block = 0; block < 1000; block++) {
        uint64_t seen = 0;
        for (uint64_t i = 0; i < 48; i++) {
            struct address_place p = address_map_place(&map, (block * 48 + i) * PORT_LINE);
            assert_int_equal(p.local, block);
            seen |= UINT64_C(1) << p.slice;
        }
        assert_true(seen == (UINT64_C(1) << 48) - 1);
    }
}

static void the_bytes_of_a_line_have_one_place(void **state)
{
    (void)state;
    struct address_map map;
    address_map_init(&map, 10, 64, 5, 1);
    struct address_place first = address_map_place(&map, 1280), last = address_map_place(&map, 1280 + 127);
    assert_int_equal(first.slice, last.slice);
    assert_int_equal(first.local, last.local);
}

static void without_the_hash_lines_follow_each_other_over_the_slices(void **state)
{
    (void)state;
    struct address_map map;
    address_map_init(&map, 24, 64, 12, 1);
    map.linear = true;
    for (uint64_t number = 0; number < 1000; number++) {
        struct address_place place = address_map_place(&map, number * PORT_LINE);
        assert_int_equal(place.slice, number % 24);
        assert_int_equal(place.local, number / 24);
    }
}

static void in_pairs_the_outer_and_the_inner_lines_of_four_share_a_slice(void **state)
{
    (void)state;
    struct address_map map, single;
    address_map_init(&map, 10, 64, 5, 1);
    address_map_init(&single, 10, 64, 5, 1);
    map.pairs = true;
    for (uint64_t four = 0; four < 1000; four++) {
        struct address_place p[4];
        for (unsigned i = 0; i < 4; i++)
            p[i] = address_map_place(&map, (four * 4 + i) * PORT_LINE);
        assert_true(p[0].slice == p[3].slice && p[1].slice == p[2].slice && p[0].slice != p[1].slice);
        assert_int_equal(p[0].slice, address_map_place(&single, four * 2 * PORT_LINE).slice);
        assert_true(p[3].local == p[0].local + 1 && p[2].local == p[1].local + 1);
    }
}

static void in_pairs_no_two_lines_share_a_place(void **state)
{
    (void)state;
    enum { SLICES = 10, EACH = 400 };
    static bool used[SLICES][EACH];
    struct address_map map;
    address_map_init(&map, SLICES, 64, SLICES / 2, 1);
    map.pairs = true;
    memset(used, 0, sizeof used);
    for (uint64_t number = 0; number < SLICES * EACH; number++) {
        struct address_place p = address_map_place(&map, number * PORT_LINE);
        assert_true(p.local < EACH && !used[p.slice][p.local]);
        used[p.slice][p.local] = true;
    }
}

static void consecutive_lines_of_a_slice_fill_all_its_sets(void **state)
{
    (void)state;
    struct address_map map;
    address_map_init(&map, 80, 160, 40, 1);
    unsigned count[160] = {0};
    for (uint64_t local = 0; local < 160 * 16; local++)
        count[address_map_set(&map, local)]++;
    for (unsigned s = 0; s < 160; s++)
        assert_int_equal(count[s], 16);
}

static void groups_are_as_many_as_slices_and_channels_of_a_partition_divide_into(void **state)
{
    (void)state;
    for (uint32_t partitions = 1; partitions <= 2; partitions++)
        for (uint32_t slices = partitions; slices <= 96; slices += partitions)
            for (uint32_t channels = partitions; channels <= 100; channels += partitions) {
                struct address_map map;
                address_map_init(&map, slices, 64, channels, partitions);
                assert_int_equal(map.groups * map.group_slices * partitions, slices);
                assert_int_equal(map.groups * map.channels.by * partitions, channels);
                for (uint32_t more = map.groups + 1; more <= slices / partitions; more++)
                    assert_true(slices / partitions % more != 0 || channels / partitions % more != 0);
                for (uint32_t s = 0; s < slices; s++) {
                    struct address_home home = address_map_home(&map, s);
                    assert_true(home.group < map.groups && home.index < map.group_slices * partitions);
                    assert_int_equal(address_map_slice(&map, home), s);
                }
            }
}

static void a_slice_and_its_mirror_share_a_group(void **state)
{
    (void)state;
    struct address_map map;
    address_map_init(&map, 80, 256, 40, 2);
    for (uint32_t s = 0; s < 40; s++) {
        struct address_home near = address_map_home(&map, s), far = address_map_home(&map, s + 40);
        assert_int_equal(near.group, far.group);
        assert_int_equal(far.index, near.index + map.group_slices);
    }
}

static void the_lines_of_a_group_spread_evenly_over_its_channels_and_share_no_place(void **state)
{
    (void)state;
    struct address_map map;
    address_map_init(&map, 80, 256, 96, 2); /* 8 groups of 2 x 5 slices and 2 x 6 channels */
    enum { LOCALS = 600, CHANNEL_LINES = LOCALS * 5 / 6 };
    static bool used[12][CHANNEL_LINES];
    memset(used, 0, sizeof used);
    for (uint32_t slice = 0; slice < 10; slice++)
        for (uint64_t local = 0; local < LOCALS; local++) {
            struct address_channel to = address_map_channel(&map, slice, local);
            assert_int_equal(to.channel / 6, slice / 5);
            assert_true(to.line < CHANNEL_LINES);
            assert_false(used[to.channel][to.line]);
            used[to.channel][to.line] = true;
        }
}

static void division_by_the_reciprocal_is_exact(void **state)
{
    (void)state;
    for (uint32_t by = 1; by <= 512; by++) {
        struct address_map map;
        address_map_init(&map, by, 1, by, 1);
        uint64_t edges[] = {0, 1, (UINT64_C(1) << 42) / by, (UINT64_C(1) << 50) / by};
        for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
            uint64_t number = edges[i] * by;
            assert_true(address_map_place(&map, number * PORT_LINE).local == edges[i]);
            if (number > 0)
                assert_true(address_map_place(&map, (number - 1) * PORT_LINE).local == edges[i] - 1);
        }
    }
}

UNIT_TESTS(UNIT(consecutive_lines_spread_evenly_over_any_number_of_slices),
           UNIT(power_of_two_strides_spread_within_four_percent), UNIT(a_block_of_lines_visits_each_slice_once),
           UNIT(the_bytes_of_a_line_have_one_place), UNIT(without_the_hash_lines_follow_each_other_over_the_slices),
           UNIT(in_pairs_the_outer_and_the_inner_lines_of_four_share_a_slice),
           UNIT(in_pairs_no_two_lines_share_a_place), UNIT(consecutive_lines_of_a_slice_fill_all_its_sets),
           UNIT(groups_are_as_many_as_slices_and_channels_of_a_partition_divide_into),
           UNIT(a_slice_and_its_mirror_share_a_group),
           UNIT(the_lines_of_a_group_spread_evenly_over_its_channels_and_share_no_place),
           UNIT(division_by_the_reciprocal_is_exact))
