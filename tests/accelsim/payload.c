/* The addresses of a line, and the memory of the words behind a base address. */
#include "accelsim/payload.h"

#include "tests/unit.h"

static const char *read_line(const char *line, uint32_t mask, struct payload_memo *memo, uint64_t address[32])
{
    memset(address, 0xee, 32 * sizeof *address);
    return payload_read(line, strchr(line, '\n'), mask, false, memo, address);
}

static void the_same_words_behind_another_base_give_the_same_distances(void **state)
{
    (void)state;
    struct payload_memo memo = {0};
    uint64_t address[32];
    assert_null(read_line("2 0x1000 4 4 -60 0\n", 0xf0, &memo, address));
    assert_int_equal(address[4], 0x1000);
    assert_int_equal(address[7], 0x1000 + 4 + 4 - 60);
    assert_non_null(memo.text);
    const char *text = memo.text;
    assert_null(read_line("2 0x7f0000001234 4 4 -60 0\n", 0xf0, &memo, address));
    assert_ptr_equal(memo.text, text);
    assert_int_equal(address[4], 0x7f0000001234);
    assert_int_equal(address[5], 0x7f0000001238);
    assert_int_equal(address[6], 0x7f000000123c);
    assert_int_equal(address[7], 0x7f0000001200);
    payload_memo_free(&memo);
}

static void other_words_lanes_and_lengths_are_read_anew(void **state)
{
    (void)state;
    struct payload_memo memo = {0};
    uint64_t address[32];
    assert_null(read_line("2 0x1000 4 4 -60 0\n", 0xf, &memo, address));
    assert_null(read_line("2 0x1000 4 4 -64 0\n", 0xf, &memo, address)); /* as long */
    assert_int_equal(address[3], 0x1000 - 56);
    assert_null(read_line("2 0x1000 4 4 -64 0\n", 0xf0, &memo, address)); /* other lanes */
    assert_int_equal(address[7], 0x1000 - 56);
    assert_null(read_line("2 0x1000 4 4 -64\n", 0xf0, &memo, address)); /* without the immediate */
    assert_int_equal(address[7], 0x1000 - 56);
    assert_null(read_line("2 0x1000 4 0\n", 0x3, &memo, address));
    assert_int_equal(address[1], 0x1004);
    payload_memo_free(&memo);
}

static void a_line_that_is_wrong_is_wrong_again_and_forgets_nothing(void **state)
{
    (void)state;
    struct payload_memo memo = {0};
    uint64_t address[32];
    assert_null(read_line("2 0x1000 8 8 0\n", 0x7, &memo, address));
    for (unsigned i = 0; i < 2; i++) {
        assert_non_null(read_line("2 0x1000 8 x 0\n", 0x7, &memo, address));
        assert_non_null(read_line("2 0x1000 8 8 0 0\n", 0x7, &memo, address));
        assert_non_null(read_line("2 0x1000 8\n", 0x7, &memo, address));
        assert_non_null(read_line("2 1000 8 8 0\n", 0x7, &memo, address));
    }
    assert_null(read_line("2 0x2000 8 8 0\n", 0x7, &memo, address));
    assert_int_equal(address[2], 0x2010);
    payload_memo_free(&memo);
}

static void lists_and_strides_leave_the_memory_alone(void **state)
{
    (void)state;
    struct payload_memo memo = {0};
    uint64_t address[32];
    assert_null(read_line("1 0x1000 128 0\n", UINT32_MAX, &memo, address));
    assert_int_equal(address[31], 0x1000 + 31 * 128);
    assert_null(read_line("0 0x10 0x20 0x40 0\n", 0x7, &memo, address));
    assert_int_equal(address[2], 0x40);
    assert_null(memo.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_words_behind_another_base_give_the_same_distances),
        cmocka_unit_test(other_words_lanes_and_lengths_are_read_anew),
        cmocka_unit_test(a_line_that_is_wrong_is_wrong_again_and_forgets_nothing),
        cmocka_unit_test(lists_and_strides_leave_the_memory_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
