/* Passes of accesses to global and local memory: patterns that a profiler counted on an RTX 5090, and random addresses
 * against an oracle that knows nothing of the fast ways. */
#include "sm/memory/wavefronts.h"

#include "port/message.h"
#include "sm/memory/coalesce.h"
#include "tests/unit.h"

static struct bank_passes strided(unsigned bytes, uint64_t stride)
{
    uint64_t address[32];
    for (unsigned l = 0; l < 32; l++)
        address[l] = 0x7f0000000000 + l * stride;
    return wavefronts_global(address, UINT32_MAX, bytes);
}

static void words_of_a_stride_take_as_many_passes_as_share_a_bank(void **state)
{
    (void)state;
    static const unsigned rows[][2] = {{0, 1}, {1, 1}, {2, 2}, {4, 4}, {8, 8}, {16, 16}, {32, 32}, {33, 1}, {64, 32}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bank_passes b = strided(4, (uint64_t)4 * rows[i][0]);
        assert_int_equal(b.groups, 1);
        assert_int_equal(b.passes, rows[i][1]);
    }
}

static void wide_loads_go_by_quarters_and_never_merge(void **state)
{
    (void)state;
    static const unsigned rows[][2] = {{16, 4}, {0, 4}, {32, 8}, {64, 16}, {128, 32}, {256, 32}, {144, 4}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(strided(16, rows[i][0]).passes, rows[i][1]);
    assert_int_equal(strided(8, 8).passes, 2);
    assert_int_equal(strided(8, 0).passes, 2);
    assert_int_equal(strided(32, 32).passes, 8);
    assert_int_equal(strided(1, 1).passes, 1);
    assert_int_equal(strided(2, 128).passes, 32);
}

/* Hot words at the border of two quarters: 7 and 8 lie in different ones, 6 and 7 in one. */
static void conflicts_count_within_a_quarter(void **state)
{
    (void)state;
    uint64_t address[32];
    for (unsigned cross = 0; cross < 2; cross++) {
        for (unsigned l = 0; l < 32; l++)
            address[l] = 64;
        address[6 + cross] = 0;
        address[7 + cross] = 128;
        struct bank_passes b = wavefronts_global(address, UINT32_MAX, 16);
        assert_int_equal(b.passes, cross ? 4 : 5);
    }
}

static void lanes_that_are_off_cost_nothing(void **state)
{
    (void)state;
    uint64_t address[32] = {0};
    assert_int_equal(wavefronts_global(address, 0, 16).passes, 0);
    assert_int_equal(wavefronts_global(address, 1, 16).passes, 1);
    assert_int_equal(wavefronts_global(address, 1u << 31 | 1, 16).passes, 2);
    assert_int_equal(wavefronts_local(UINT32_MAX, 16).passes, 4);
    assert_int_equal(wavefronts_local(UINT32_MAX, 2).passes, 1);
    assert_int_equal(wavefronts_local(0, 16).passes, 0);
}

/* Source strides in bytes, 16 bytes a lane, destination without conflicts: passes of the write to shared memory. */
static void a_copy_takes_the_passes_of_its_more_scattered_side(void **state)
{
    (void)state;
    static const unsigned rows[][2] = {{16, 4}, {32, 8}, {64, 16}, {128, 32}, {256, 32}};
    struct bank_passes plain = {4, 4};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned lines = rows[i][0] * 32 / 128 < 32 ? rows[i][0] * 32 / 128 : 32;
        assert_int_equal(wavefronts_copy(plain, strided(16, rows[i][0]), (lines + 3) / 4).passes, rows[i][1]);
    }
    assert_int_equal(wavefronts_copy(plain, strided(16, 16), 2).passes, 5);    /* not aligned to a line: a fifth line */
    assert_int_equal(wavefronts_copy(plain, strided(16, 144), 10).passes, 13); /* no conflict, ten passes of tags */
    assert_int_equal(wavefronts_copy((struct bank_passes){4, 28}, strided(16, 16), 1).passes, 28);
    assert_int_equal(wavefronts_copy((struct bank_passes){0, 0}, (struct bank_passes){0, 0}, 0).passes, 0);
}

/* ---- random addresses -------------------------------------------------------------------------------------------- */

static uint64_t seed = 12345;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

static unsigned oracle(const uint64_t address[32], uint32_t lanes, unsigned bytes)
{
    unsigned words = bytes < 4 ? 1 : bytes / 4, group = 32 / words, sum = 0;
    for (unsigned g = 0; g < words; g++) {
        unsigned most = 0;
        for (unsigned bank = 0; bank < 32; bank++) {
            uint64_t seen[256];
            unsigned n = 0;
            for (unsigned k = 0; k < group * words; k++) {
                unsigned lane = g * group + k / words;
                uint64_t word = address[lane] / 4 + k % words;
                bool again = false;
                for (unsigned i = 0; i < n; i++)
                    again |= seen[i] == word;
                if ((lanes >> lane & 1) && word % 32 == bank && !again)
                    seen[n++] = word;
            }
            most = n > most ? n : most;
        }
        sum += most;
    }
    return sum;
}

static void random_addresses_take_what_an_oracle_says(void **state)
{
    (void)state;
    static const unsigned widths[] = {1, 2, 4, 8, 16, 32}, spans[] = {64, 128, 256, 1024, 65536, 1u << 30};
    for (unsigned k = 0; k < 20000; k++) {
        unsigned bytes = widths[draw(6)], span = spans[draw(6)];
        uint64_t address[32], base = (uint64_t)draw(1u << 20) * 32;
        uint32_t lanes = draw(2) ? UINT32_MAX : draw(UINT32_MAX);
        for (unsigned l = 0; l < 32; l++)
            address[l] = base + draw(span / bytes) * (uint64_t)bytes;
        assert_int_equal(wavefronts_global(address, lanes, bytes).passes, oracle(address, lanes, bytes));
    }
}

/* Wide words of local memory lie a line apart. */
static void lines_of_local_memory_hold_a_word_of_every_lane(void **state)
{
    (void)state;
    struct issued issued = {.space = ISA_SPACE_LOCAL, .bytes = 16};
    struct line_access line[32];
    for (unsigned l = 0; l < 32; l++)
        issued.address[l] = 4096 + 4 * l;
    assert_int_equal(coalesce_lines(&issued, UINT32_MAX, line), 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(line[i].line, 4096 + 128 * i);
        assert_int_equal(line[i].sectors, 0xf);
        assert_int_equal(line[i].partial, 0);
        assert_int_equal(line[i].bytes, 128);
    }
    for (unsigned l = 0; l < 32; l++)
        issued.address[l] = 4096 + 512 * l + 4 * l;
    assert_int_equal(coalesce_lines(&issued, UINT32_MAX, line), 32);
    issued.bytes = 2;
    for (unsigned l = 0; l < 32; l++)
        issued.address[l] = 4096 + 4 * l;
    assert_int_equal(coalesce_lines(&issued, 0xff, line), 1);
    assert_int_equal(line[0].sectors, 1);
    assert_int_equal(line[0].partial, 1);
}

UNIT_TESTS(UNIT(words_of_a_stride_take_as_many_passes_as_share_a_bank), UNIT(wide_loads_go_by_quarters_and_never_merge),
           UNIT(conflicts_count_within_a_quarter), UNIT(lanes_that_are_off_cost_nothing),
           UNIT(a_copy_takes_the_passes_of_its_more_scattered_side), UNIT(random_addresses_take_what_an_oracle_says),
           UNIT(lines_of_local_memory_hold_a_word_of_every_lane))
