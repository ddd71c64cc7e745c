/* The LZ4 block decoder on blocks made by hand. */
#include "cubin/fatbin.h"
#include "tests/unit.h"

#define DECODE(out, size, ...)                                                                                         \
    lz4_decode((struct cubin_bytes){(const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})}, out, size)

static void literals_are_copied(void **state)
{
    (void)state;
    uint8_t out[5];
    assert_true(DECODE(out, 5, 0x50, 'h', 'e', 'l', 'l', 'o'));
    assert_memory_equal(out, "hello", 5);
}

static void a_match_repeats_earlier_output(void **state)
{
    (void)state;
    uint8_t out[10];
    assert_true(DECODE(out, 10, 0x41, 'a', 'b', 'c', 'd', 4, 0, 0x10, 'x'));
    assert_memory_equal(out, "abcdabcda", 9);
    assert_int_equal(out[9], 'x');
}

static void a_match_may_overlap_its_own_output(void **state)
{
    (void)state;
    uint8_t out[13];
    assert_true(DECODE(out, 12, 0x16, 'a', 1, 0, 0x10, 'z'));
    assert_memory_equal(out, "aaaaaaaaaaaz", 12);
    assert_true(DECODE(out, 13, 0x27, 'a', 'b', 2, 0, 0));
    assert_memory_equal(out, "ababababababa", 13);
}

static void long_lengths_go_on_in_further_bytes(void **state)
{
    (void)state;
    uint8_t block[303] = {0xf0, 255, 30}, out[300];
    memset(block + 3, 'q', 300);
    assert_true(lz4_decode((struct cubin_bytes){block, sizeof block}, out, 300));
    assert_int_equal(out[299], 'q');
    assert_true(DECODE(out, 300, 0x1f, 'r', 1, 0, 255, 25, 0)); /* 1 literal, match of 15 + 255 + 25 + 4 */
    assert_int_equal(out[0], 'r');
    assert_int_equal(out[299], 'r');
}

static void malformed_blocks_are_refused(void **state)
{
    (void)state;
    uint8_t out[16];
    assert_false(DECODE(out, 5, 0x50, 'h', 'e', 'l', 'l'));      /* literals end outside the block */
    assert_false(DECODE(out, 4, 0x50, 'h', 'e', 'l', 'l', 'o')); /* output too small */
    assert_false(DECODE(out, 6, 0x50, 'h', 'e', 'l', 'l', 'o')); /* output not filled */
    assert_false(DECODE(out, 8, 0x10, 'a', 0, 0));               /* distance 0 */
    assert_false(DECODE(out, 8, 0x10, 'a', 2, 0));               /* before the start */
    assert_false(DECODE(out, 8, 0x10, 'a', 1));                  /* half a distance */
    assert_false(DECODE(out, 16, 0x1f, 'a', 1, 0));              /* length goes on outside the block */
    assert_false(DECODE(out, 16, 0xf0, 255, 255));               /* likewise */
    assert_false(DECODE(out, 15, 0x1b, 'a', 1, 0));              /* match outside the output */
    assert_false(lz4_decode((struct cubin_bytes){NULL, 0}, out, 1));
}

UNIT_TESTS(UNIT(literals_are_copied), UNIT(a_match_repeats_earlier_output), UNIT(a_match_may_overlap_its_own_output),
           UNIT(long_lengths_go_on_in_further_bytes), UNIT(malformed_blocks_are_refused))
