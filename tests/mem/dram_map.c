#include "mem/dram_map.h"

#include "tests/unit.h"

static void no_two_lines_share_a_place_and_a_row_has_its_lines(void **state)
{
    (void)state;
    const struct {
        uint32_t pseudo, groups, banks, columns;
    } shapes[] = {{2, 4, 4, 8}, {1, 4, 4, 16}, {1, 1, 1, 2}, {2, 3, 5, 8}, {1, 2, 7, 64}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct dram_map map;
        dram_map_init(&map, shapes[i].pseudo, shapes[i].groups, shapes[i].banks, shapes[i].columns);
        uint32_t banks = shapes[i].groups * shapes[i].banks;
        uint32_t rows = 5, lines = shapes[i].pseudo * banks * shapes[i].columns * rows;
        uint32_t *count = calloc((size_t)shapes[i].pseudo * banks * rows, sizeof *count);
        for (uint64_t line = 0; line < lines; line++) {
            struct dram_place place = dram_map_place(&map, line);
            assert_true(place.pseudo < shapes[i].pseudo && place.bank < banks && place.row < rows);
            count[(place.pseudo * banks + place.bank) * rows + place.row]++;
        }
        for (uint32_t r = 0; r < shapes[i].pseudo * banks * rows; r++)
            assert_int_equal(count[r], shapes[i].columns);
        free(count);
    }
}

static void a_stream_goes_round_pseudo_channels_and_groups(void **state)
{
    (void)state;
    struct dram_map map;
    dram_map_init(&map, 2, 4, 4, 8);
    for (uint64_t block = 0; block < 1000; block++) {
        uint32_t used = 0;
        for (uint64_t i = 0; i < 8; i++) {
            struct dram_place place = dram_map_place(&map, block * 8 + i);
            used |= 1u << (place.pseudo * 4 + place.bank % 4);
        }
        assert_int_equal(used, 0xff);
    }
}

static void strides_of_powers_of_two_use_all_banks(void **state)
{
    (void)state;
    struct dram_map map;
    dram_map_init(&map, 2, 4, 4, 8);
    for (uint32_t shift = 0; shift < 16; shift++) {
        uint32_t count[32] = {0};
        for (uint64_t i = 0; i < 3200; i++) {
            struct dram_place place = dram_map_place(&map, i << shift);
            count[place.pseudo * 16 + place.bank]++;
        }
        for (uint32_t b = 0; b < 32; b++)
            assert_in_range(count[b], 50, 160); /* 100 on average */
    }
}

UNIT_TESTS(UNIT(no_two_lines_share_a_place_and_a_row_has_its_lines),
           UNIT(a_stream_goes_round_pseudo_channels_and_groups), UNIT(strides_of_powers_of_two_use_all_banks))
