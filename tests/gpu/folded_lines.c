/* Lines of accesses whose addresses are folded: those of the same addresses. */
#include "gpu/folded_lines.h"

#include "base/hash.h"
#include "port/message.h"
#include "tests/unit.h"

enum { PATTERNS = 24, QUESTIONS = 4000 };

/* Rows, strides up and down, one place for all, and places without order. */
static void draw(uint64_t *seed, unsigned pattern, unsigned bytes, int32_t offset[32])
{
    static const int32_t strides[] = {1, 0, 2, -1, 8, -32, 33};
    for (int lane = 0; lane < 32; lane++) {
        *seed = hash_mix(*seed);
        int32_t anywhere = (int32_t)(*seed % 8192) - 4096;
        offset[lane] = (int32_t)bytes * (pattern % 8 == 7 ? anywhere : strides[pattern % 8] * lane);
    }
}

static void the_same_lines_come_each_time_a_pattern_is_asked_for(void **state)
{
    struct folded_lines *f = calloc(1, sizeof *f);
    int32_t offset[PATTERNS][32];
    uint64_t seed = 1;
    (void)state;
    for (unsigned i = 0; i < PATTERNS; i++)
        draw(&seed, i, 1u << i / 8 * 2, offset[i]);
    for (unsigned i = 0; i < QUESTIONS; i++) {
        seed = hash_mix(seed);
        unsigned pattern = (unsigned)(seed % PATTERNS);
        uint8_t bytes = (uint8_t)(1u << pattern / 8 * 2);
        unsigned operands = seed >> 20 & 1 ? seed >> 21 & 1 ? 16 : 32 : 0;
        struct issued is = {.bytes = bytes, .space = ISA_SPACE_GLOBAL}, scratch = is;
        struct line_access line[32];
        const struct trace_folded folded = {offset[pattern], (1 << 20) + (seed >> 30 & 0xffff) * bytes, pattern};
        for (unsigned lane = 0; lane < 32; lane++)
            is.address[lane] = folded.base + (uint64_t)(int64_t)offset[pattern][lane];
        unsigned lines = coalesce_lines(&is, UINT32_MAX, line);
        if (operands)
            coalesce_operations(&is, line, lines, operands);
        const struct folded_access *a = folded_lines_find(f, &folded, &scratch, operands);
        assert_int_equal(a->lines, lines);
        for (unsigned n = 0; n < lines; n++) {
            struct line_access got = a->line[n];
            got.line += folded.base - a->within;
            assert_int_equal(got.line, line[n].line);
            assert_int_equal(got.lanes, line[n].lanes);
            assert_true(got.sectors == line[n].sectors && got.partial == line[n].partial);
            assert_int_equal(got.bytes, line[n].bytes);
            assert_true(!operands || got.operations == line[n].operations);
        }
    }
    free(f);
}

UNIT_TESTS(UNIT(the_same_lines_come_each_time_a_pattern_is_asked_for))
