/* The rules for every address hash; address_map.c and dram_map.c test the maps with the one that is used. */
#include "mem/address_hash.h"

#include "tests/unit.h"

enum { BLOCKS = 1 << 14, MOST = 96 };

#define ENTRY(constant, word, summary, policy) &policy,
#define TEXT(constant, word, summary, policy) word,
static const struct address_hash_policy *const all[] = {POLICIES_ADDRESS_HASH(ENTRY)};
static const char *const words[] = {POLICIES_ADDRESS_HASH(TEXT)};

static void every_hash_has_the_word_of_its_file(void **state)
{
    (void)state;
    for (int i = 0; i < ADDRESS_HASH_POLICIES; i++) {
        assert_string_equal(all[i]->name, words[i]);
        assert_true(all[i]->summary[0] != '\0');
    }
}

static void a_block_is_rotated_by_less_than_its_places(void **state)
{
    (void)state;
    for (int i = 0; i < ADDRESS_HASH_POLICIES; i++)
        for (uint32_t by = 1; by <= 512; by++)
            for (uint64_t block = 0; block < 1000; block++) {
                assert_true(all[i]->turn(block, by) < by);
                assert_true(all[i]->turn(UINT64_MAX - block, by) < by);
            }
}

static void strides_of_blocks_are_rotated_to_every_place_alike(void **state)
{
    (void)state;
    static const uint32_t places[] = {2, 3, 5, 8, 10, 48, MOST};
    for (int i = 0; i < ADDRESS_HASH_POLICIES; i++)
        for (size_t k = 0; k < sizeof places / sizeof *places; k++)
            for (uint64_t stride = 1; stride <= 1 << 16; stride *= 2) {
                uint32_t count[MOST] = {0}, mean = BLOCKS / places[k];
                for (uint64_t block = 0; block < BLOCKS; block++)
                    count[all[i]->turn(block * stride, places[k])]++;
                for (uint32_t p = 0; p < places[k]; p++)
                    assert_in_range(count[p], mean * 2 / 3, mean * 4 / 3);
            }
}

static void a_rotated_block_has_each_place_once(void **state)
{
    (void)state;
    for (uint64_t block = 0; block < 1000; block++) {
        uint64_t seen = 0;
        for (uint32_t place = 0; place < 48; place++)
            seen |= UINT64_C(1) << address_turn(block, place, 48);
        assert_true(seen == (UINT64_C(1) << 48) - 1);
    }
}

UNIT_TESTS(UNIT(every_hash_has_the_word_of_its_file), UNIT(a_block_is_rotated_by_less_than_its_places),
           UNIT(strides_of_blocks_are_rotated_to_every_place_alike), UNIT(a_rotated_block_has_each_place_once))
