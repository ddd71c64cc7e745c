/* Patterns of lanes in global memory that a memory unit remembers. */
#include "sm/memory/address_memo.h"
#include "base/hash.h"
#include "sm/memory/wavefronts.h"
#include "tests/unit.h"

enum { PATTERNS = 24, ACCESSES = 20000 };

static uint32_t chance(uint64_t *state, uint32_t of) { return (uint32_t)(hash_mix((*state)++) >> 32) % of; }

struct pattern {
    int64_t distance[32];
    uint32_t lanes;
    unsigned bytes;
};

/* Rows, two rows, columns, broadcasts, lanes without order, and lanes that are gigabytes apart. */
static struct pattern some_pattern(uint64_t *state)
{
    static const uint32_t masks[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 0xffff, 0x80000001, 1, 0};
    static const int strides[] = {0, 1, 1, 2, 4, 32, -1};
    struct pattern p = {.lanes = masks[chance(state, 7)], .bytes = 1u << chance(state, 6)};
    int64_t stride = strides[chance(state, 7)] * (int64_t)p.bytes;
    unsigned kind = chance(state, 5);
    for (unsigned lane = 0; lane < 32; lane++) {
        int64_t row = lane / 16 * (kind == 1 ? 4096 : 0), far = kind == 2 && lane > 20 ? INT64_C(5) << 30 : 0;
        p.distance[lane] = kind == 3 ? (int64_t)chance(state, 64) * p.bytes : lane * stride + row + far;
    }
    return p;
}

static void check(struct address_memo *memo, const struct issued *is, uint32_t lanes, unsigned operands)
{
    struct line_access want[32], got[32];
    struct bank_passes passes = {0}, direct = wavefronts_global(is->address, lanes, is->bytes);
    unsigned lines = coalesce_lines(is, lanes, want);
    if (operands)
        coalesce_operations(is, want, lines, operands);
    assert_int_equal(address_memo_lines(memo, is, lanes, operands, got, &passes), lines);
    assert_int_equal(passes.groups, direct.groups);
    assert_int_equal(passes.passes, direct.passes);
    for (unsigned i = 0; i < lines; i++) {
        assert_int_equal(got[i].line, want[i].line);
        assert_int_equal(got[i].lanes, want[i].lanes);
        assert_int_equal(got[i].sectors, want[i].sectors);
        assert_int_equal(got[i].partial, want[i].partial);
        assert_int_equal(got[i].bytes, want[i].bytes);
        assert_true(!operands || got[i].operations == want[i].operations);
    }
}

static void a_pattern_has_its_lines_and_passes_wherever_it_lies_and_whatever_came_before(void **state)
{
    (void)state;
    struct address_memo memo = {.pattern = {{.bytes = 0}}};
    struct pattern pattern[PATTERNS];
    uint64_t seed = 1;
    for (unsigned i = 0; i < PATTERNS; i++)
        pattern[i] = some_pattern(&seed);
    for (unsigned i = 0; i < ACCESSES; i++) {
        const struct pattern *p = &pattern[chance(&seed, PATTERNS)];
        uint64_t base =
            (UINT64_C(1) << 40) + (uint64_t)chance(&seed, 64) * p->bytes + ((uint64_t)chance(&seed, 9) << 33);
        struct issued is = {.space = ISA_SPACE_GLOBAL, .bytes = (uint8_t)p->bytes, .active = p->lanes};
        for (unsigned lane = 0; lane < 32; lane++)
            is.address[lane] = base + (uint64_t)p->distance[lane];
        check(&memo, &is, p->lanes, (unsigned)chance(&seed, 3) * 16);
    }
}

/* Whether the memo holds the pattern shows in its place, which another one can take. */
static void a_known_pattern_is_not_looked_at_again(void **state)
{
    (void)state;
    struct address_memo memo = {.pattern = {{.bytes = 0}}};
    struct issued is = {.space = ISA_SPACE_GLOBAL, .bytes = 4, .active = UINT32_MAX};
    struct line_access line[32];
    struct bank_passes passes;
    for (unsigned lane = 0; lane < 32; lane++)
        is.address[lane] = 4096 + 4 * (lane % 16) + 512 * (lane / 16);
    assert_int_equal(address_memo_lines(&memo, &is, UINT32_MAX, 0, line, &passes), 2);
    for (unsigned i = 0; i < ADDRESS_PATTERNS; i++)
        memo.pattern[i].lines = memo.pattern[i].lines ? 1 : 0; /* a mark */
    assert_int_equal(address_memo_lines(&memo, &is, UINT32_MAX, 0, line, &passes), 1);
    is.address[31] += 4;
    assert_int_equal(address_memo_lines(&memo, &is, UINT32_MAX, 0, line, &passes), 2);
}

UNIT_TESTS(UNIT(a_pattern_has_its_lines_and_passes_wherever_it_lies_and_whatever_came_before),
           UNIT(a_known_pattern_is_not_looked_at_again))
