/* From lane addresses to lines and sectors of global memory, and to passes through the banks of shared memory. */
#include "sm/memory/coalesce.h"

#include "port/message.h"
#include "tests/unit.h"

static struct issued access_of(uint8_t bytes, uint64_t base, uint64_t stride)
{
    struct issued is = {.bytes = bytes};
    for (unsigned lane = 0; lane < 32; lane++)
        is.address[lane] = base + lane * stride;
    return is;
}

static unsigned lines_of(uint8_t bytes, uint64_t base, uint64_t stride, uint32_t lanes, struct line_access out[32])
{
    struct issued is = access_of(bytes, base, stride);
    return coalesce_lines(&is, lanes, out);
}

static void consecutive_words_make_one_line_of_four_full_sectors(void **state)
{
    (void)state;
    struct line_access line[32];
    assert_int_equal(lines_of(4, 4096, 4, UINT32_MAX, line), 1);
    assert_int_equal(line[0].line, 4096);
    assert_int_equal(line[0].sectors, 0xf);
    assert_int_equal(line[0].partial, 0);
    assert_int_equal(line[0].bytes, 128);
    assert_int_equal(line[0].lanes, UINT32_MAX);
    assert_int_equal(line[0].words, UINT32_MAX);
}

static void the_words_of_a_line_are_those_that_lanes_touch(void **state)
{
    (void)state;
    struct line_access line[32];
    lines_of(4, 4, 4, UINT32_MAX, line); /* in a row */
    assert_int_equal(line[0].words, UINT32_MAX - 1);
    assert_int_equal(line[1].words, 1);
    lines_of(4, 0, 8, 0xf, line);
    assert_int_equal(line[0].words, 0x55);
    lines_of(16, 0, 32, 0x3, line);
    assert_int_equal(line[0].words, 0xf0f);
    lines_of(1, 3, 1, UINT32_MAX, line); /* bytes 3 to 34 */
    assert_int_equal(line[0].words, 0x1ff);
    lines_of(2, 126, 2, 0x3, line);
    assert_int_equal(line[0].words, 0x80000000);
    assert_int_equal(line[1].words, 1);
}

static void wider_accesses_make_two_and_four_lines_with_their_lanes(void **state)
{
    (void)state;
    struct line_access line[32];
    assert_int_equal(lines_of(8, 0, 8, UINT32_MAX, line), 2);
    assert_int_equal(line[0].lanes, 0x0000ffff);
    assert_int_equal(line[1].lanes, 0xffff0000);
    assert_int_equal(lines_of(16, 0, 16, UINT32_MAX, line), 4);
    assert_int_equal(line[3].line, 384);
    assert_int_equal(line[3].lanes, 0xff000000);
    assert_int_equal(line[3].sectors, 0xf);
}

static void a_shift_by_one_word_touches_a_fifth_sector_in_a_second_line(void **state)
{
    (void)state;
    struct line_access line[32];
    assert_int_equal(lines_of(4, 4, 4, UINT32_MAX, line), 2);
    assert_int_equal(line[0].sectors, 0xf);
    assert_int_equal(line[0].partial, 1);
    assert_int_equal(line[0].bytes, 124);
    assert_int_equal(line[1].line, 128);
    assert_int_equal(line[1].sectors, 1);
    assert_int_equal(line[1].partial, 1);
    assert_int_equal(line[1].bytes, 4);
    assert_int_equal(line[1].lanes, 0x80000000);
}

static void a_stride_of_a_sector_fills_eight_lines_and_of_a_line_32(void **state)
{
    (void)state;
    struct line_access line[32];
    assert_int_equal(lines_of(4, 0, 32, UINT32_MAX, line), 8);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(line[i].line, 128 * i);
        assert_int_equal(line[i].sectors, 0xf);
        assert_int_equal(line[i].partial, 0xf);
        assert_int_equal(line[i].bytes, 16);
    }
    assert_int_equal(lines_of(4, 0, 128, UINT32_MAX, line), 32);
    assert_int_equal(line[31].line, 128 * 31);
    assert_int_equal(line[31].sectors, 1);
}

static void one_address_for_all_lanes_is_one_sector_with_the_bytes_of_one_lane(void **state)
{
    (void)state;
    struct line_access line[32];
    assert_int_equal(lines_of(4, 1000, 0, UINT32_MAX, line), 1);
    assert_int_equal(line[0].line, 896);
    assert_int_equal(line[0].sectors, 1u << 3);
    assert_int_equal(line[0].partial, 1u << 3);
    assert_int_equal(line[0].bytes, 4);
}

static void inactive_lanes_touch_nothing_and_lines_come_in_the_order_of_lanes(void **state)
{
    (void)state;
    struct line_access line[32];
    assert_int_equal(lines_of(4, 0, 4, 0, line), 0);
    assert_int_equal(lines_of(4, 0, 4, 0x100, line), 1);
    assert_int_equal(line[0].sectors, 2);
    assert_int_equal(lines_of(4, 128 * 40, (uint64_t)-128, 0x7, line), 3);
    assert_int_equal(line[0].line, 128 * 40);
    assert_int_equal(line[2].line, 128 * 38);
}

static void bytes_of_one_sector_written_by_several_lanes_make_it_full(void **state)
{
    (void)state;
    struct line_access line[32];
    assert_int_equal(lines_of(1, 64, 1, UINT32_MAX, line), 1);
    assert_int_equal(line[0].sectors, 4);
    assert_int_equal(line[0].partial, 0);
    assert_int_equal(lines_of(1, 64, 1, 0x7fffffff, line), 1);
    assert_int_equal(line[0].partial, 4);
    assert_int_equal(line[0].bytes, 31);
    assert_int_equal(lines_of(2, 0, 2, UINT32_MAX, line), 1);
    assert_int_equal(line[0].sectors, 3);
    assert_int_equal(line[0].bytes, 64);
}

/* Counts the operations that a 32-bit atomic has on each line, each with so many bytes of operands. */
static unsigned operations_of(struct issued *is, uint32_t lanes, unsigned operands, struct line_access line[32])
{
    unsigned count = coalesce_lines(is, lanes, line);
    coalesce_operations(is, line, count, operands);
    return count;
}

static void lanes_of_one_word_are_an_atomic_operation_each_and_words_of_a_sector_one(void **state)
{
    (void)state;
    struct line_access line[32];
    static const struct {
        uint64_t stride;
        unsigned lines, operations; /* of each */
    } rows[] = {{0, 1, 32}, {4, 1, 4}, {8, 2, 4}, {32, 8, 4}, {128, 32, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct issued is = access_of(4, 4096, rows[r].stride);
        assert_int_equal(operations_of(&is, UINT32_MAX, PORT_SECTOR, line), rows[r].lines);
        for (unsigned i = 0; i < rows[r].lines; i++) {
            assert_int_equal(line[i].operations, rows[r].operations);
            assert_int_equal(line[i].packets, rows[r].operations);
        }
    }
    /* 20 lanes: 5 on a word, 4 on each of three others in the sector, 3 on one in another */
    struct issued is = access_of(4, 0, 0);
    for (unsigned lane = 0; lane < 20; lane++)
        is.address[lane] = 4 * (lane % 4) + (lane > 16 ? 64 : 0);
    is.address[19] = is.address[18] = is.address[17] = 64;
    assert_int_equal(operations_of(&is, 0xfffff, PORT_SECTOR, line), 1);
    assert_int_equal(line[0].operations, 5 + 3);
}

static void words_of_sixteen_bytes_are_an_operation_and_a_packet_has_those_of_a_sector(void **state)
{
    (void)state;
    struct line_access line[32];
    static const struct {
        uint64_t stride;
        unsigned lines, operations, packets; /* of each line */
    } rows[] = {{0, 1, 32, 32}, {4, 1, 8, 4}, {8, 2, 8, 4}, {16, 4, 8, 4}, {32, 8, 4, 4}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct issued is = access_of(4, 4096, rows[r].stride);
        assert_int_equal(operations_of(&is, UINT32_MAX, 16, line), rows[r].lines);
        for (unsigned i = 0; i < rows[r].lines; i++) {
            assert_int_equal(line[i].operations, rows[r].operations);
            assert_int_equal(line[i].packets, rows[r].packets);
        }
    }
    /* Three lanes on the first word, two on the fourth, one on the fifth. */
    struct issued is = access_of(4, 0, 0);
    is.address[3] = is.address[4] = 12;
    is.address[5] = 16;
    assert_int_equal(operations_of(&is, 0x3f, 16, line), 1);
    assert_int_equal(line[0].operations, 3 + 1);
    assert_int_equal(line[0].packets, 3);
}

UNIT_TESTS(UNIT(consecutive_words_make_one_line_of_four_full_sectors),
           UNIT(the_words_of_a_line_are_those_that_lanes_touch),
           UNIT(wider_accesses_make_two_and_four_lines_with_their_lanes),
           UNIT(a_shift_by_one_word_touches_a_fifth_sector_in_a_second_line),
           UNIT(a_stride_of_a_sector_fills_eight_lines_and_of_a_line_32),
           UNIT(one_address_for_all_lanes_is_one_sector_with_the_bytes_of_one_lane),
           UNIT(inactive_lanes_touch_nothing_and_lines_come_in_the_order_of_lanes),
           UNIT(bytes_of_one_sector_written_by_several_lanes_make_it_full),
           UNIT(lanes_of_one_word_are_an_atomic_operation_each_and_words_of_a_sector_one),
           UNIT(words_of_sixteen_bytes_are_an_operation_and_a_packet_has_those_of_a_sector))
