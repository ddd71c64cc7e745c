#include "mem/address_map.h"

#include "port/message.h"
#include "tests/unit.h"

enum { LINES = 1 << 20, MOST = 96 };

static const uint32_t slice_counts[] = {10, 40, 48, 80, 96};

/* Largest distance of any slice's share from the mean, in thousandths of the mean. */
static unsigned imbalance(uint32_t slices, uint64_t base, uint64_t stride)
{
    struct address_map map;
    address_map_init(&map, slices, 64, slices / 2);
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
    address_map_init(&map, 48, 64, 24);
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
    address_map_init(&map, 10, 64, 5);
    struct address_place first = address_map_place(&map, 1280), last = address_map_place(&map, 1280 + 127);
    assert_int_equal(first.slice, last.slice);
    assert_int_equal(first.local, last.local);
}

static void consecutive_lines_of_a_slice_fill_all_its_sets(void **state)
{
    (void)state;
    struct address_map map;
    address_map_init(&map, 80, 160, 40);
    unsigned count[160] = {0};
    for (uint64_t local = 0; local < 160 * 16; local++)
        count[address_map_set(&map, local)]++;
    for (unsigned s = 0; s < 160; s++)
        assert_int_equal(count[s], 16);
}

static void consecutive_rows_take_all_banks(void **state)
{
    (void)state;
    struct divider lines = divider_of(16), banks = divider_of(16);
    for (uint64_t block = 0; block < 64; block++) {
        uint32_t seen = 0;
        for (uint64_t i = 0; i < 16; i++) {
            struct address_row first = address_row_of(lines, banks, (block * 16 + i) * 16);
            struct address_row last = address_row_of(lines, banks, (block * 16 + i) * 16 + 15);
            assert_int_equal(first.row, block);
            assert_int_equal(last.row, block);
            assert_int_equal(first.bank, last.bank);
            seen |= 1u << first.bank;
        }
        assert_int_equal(seen, 0xffff);
    }
}

static void groups_share_the_slices_as_evenly_as_possible(void **state)
{
    (void)state;
    for (uint32_t slices = 1; slices <= 96; slices++)
        for (uint32_t channels = 1; channels <= 100; channels++) {
            struct address_map map;
            address_map_init(&map, slices, 64, channels);
            assert_int_equal(map.groups, channels < slices ? channels : slices);
            uint32_t next = 0;
            for (uint32_t g = 0; g < map.groups; g++) {
                uint32_t first = address_map_first_slice(&map, g), end = address_map_first_slice(&map, g + 1);
                assert_int_equal(first, next);
                assert_in_range(end - first, slices / map.groups, (slices + map.groups - 1) / map.groups);
                for (uint32_t s = first; s < end; s++)
                    assert_int_equal(address_map_group(&map, s), g);
                next = end;
            }
            assert_int_equal(next, slices);
        }
}

static void division_by_the_reciprocal_is_exact(void **state)
{
    (void)state;
    for (uint32_t by = 1; by <= 512; by++) {
        struct address_map map;
        address_map_init(&map, by, 1, by);
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
           UNIT(the_bytes_of_a_line_have_one_place), UNIT(consecutive_lines_of_a_slice_fill_all_its_sets),
           UNIT(consecutive_rows_take_all_banks), UNIT(groups_share_the_slices_as_evenly_as_possible),
           UNIT(division_by_the_reciprocal_is_exact))
