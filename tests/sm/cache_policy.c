/* Caching in compiled code: fields of instructions, and policies in descriptors. */
#include "sm/memory/cache_policy.h"

#include "tests/unit.h"

static struct cache_hint hint(enum isa_op op, unsigned cache, unsigned prefetch)
{
    struct isa_inst inst = {.op = (uint16_t)op};
    inst.mod[ISA_MOD_CACHE] = (uint8_t)cache;
    inst.mod[ISA_MOD_PREFETCH] = (uint8_t)prefetch;
    return cache_hint_of(&inst);
}

static void instructions_name_priorities_of_both_levels(void **state)
{
    (void)state;
    static const struct {
        enum l1_keep keep;
        enum request_policy policy;
    } rows[] = {{L1_KEEP_FIRST, POLICY_EVICT_FIRST}, {L1_KEEP_NORMAL, POLICY_NORMAL},
                {L1_KEEP_LAST, POLICY_EVICT_LAST},   {L1_KEEP_LAST_USE, POLICY_EVICT_FIRST},
                {L1_KEEP_UNCHANGED, POLICY_NORMAL},  {L1_KEEP_NOT, POLICY_NORMAL}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(hint(ISA_OP_LDG, i, 0).keep, rows[i].keep);
        assert_int_equal(hint(ISA_OP_LDG, i, 0).policy, rows[i].policy);
        assert_int_equal(hint(ISA_OP_STG, i, 0).policy, rows[i].policy);
    }
    assert_int_equal(hint(ISA_OP_LDC, 0, 0).keep, L1_KEEP_NORMAL); /* no such field */
}

static void loads_name_how_much_the_l2_should_fetch(void **state)
{
    (void)state;
    static const unsigned sectors[] = {0, 2, 4, 8};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(hint(ISA_OP_LDG, 1, i).fetch, sectors[i]);
        assert_int_equal(hint(ISA_OP_LDGSTS, 1, i).fetch, sectors[i]);
        assert_int_equal(hint(ISA_OP_STG, 1, i).fetch, 0);
    }
}

static void accesses_of_256_bits_have_a_priority_of_their_own_in_the_l2(void **state)
{
    (void)state;
    struct isa_inst inst = {.op = ISA_OP_LDG_256};
    inst.mod[ISA_MOD_CACHE] = 5;
    inst.mod[ISA_MOD_EVICT_L2] = 0;
    assert_int_equal(cache_hint_of(&inst).keep, L1_KEEP_NOT);
    assert_int_equal(cache_hint_of(&inst).policy, POLICY_EVICT_FIRST);
    inst.mod[ISA_MOD_EVICT_L2] = 2;
    assert_int_equal(cache_hint_of(&inst).policy, POLICY_EVICT_LAST);
}

static enum request_policy of(uint32_t high, uint64_t line)
{
    return cache_policy_of((uint64_t)high << 32, line, POLICY_NO_ALLOCATE);
}

static void a_whole_fraction_is_of_its_primary_priority(void **state)
{
    (void)state;
    for (uint64_t line = 0; line < 128 * 100; line += 128) {
        assert_int_equal(of(0x12f00000, line), POLICY_EVICT_FIRST);
        assert_int_equal(of(0x14f00000, line), POLICY_EVICT_LAST);
        assert_int_equal(of(0x16f00000, line), POLICY_NORMAL);
        assert_int_equal(of(0x10f00000, line), POLICY_NORMAL);
        assert_int_equal(of(0, line), POLICY_NO_ALLOCATE); /* no policy: as the instruction says */
    }
}

static void a_fraction_of_the_lines_is_primary_and_the_rest_secondary(void **state)
{
    (void)state;
    enum { LINES = 16000 };
    unsigned last = 0, first = 0;
    for (uint64_t line = 0; line < LINES; line++) {
        last += of(0x15700000, line * 128) == POLICY_EVICT_LAST; /* half of them, else evict first */
        first += of(0x15700000, line * 128) == POLICY_EVICT_FIRST;
    }
    assert_int_equal(last + first, LINES);
    assert_in_range(last, LINES / 2 - LINES / 50, LINES / 2 + LINES / 50);
}

/* createpolicy.range.L2::evict_last.L2::evict_first [0x700000100], 1 MiB, 3 MiB, computed as the compiled code does:
 * 32-KiB blocks, 33 of them from block 0x700000100 / 32 KiB on. */
static void a_range_is_primary_within_and_secondary_around(void **state)
{
    (void)state;
    uint64_t base = 0x700000100;
    uint32_t high = 0x1d000000 | 3u << 20 | (uint32_t)(base >> 15 & 127) << 12 | 33u << 5;
    assert_int_equal(of(high, base & ~UINT64_C(127)), POLICY_EVICT_LAST);
    assert_int_equal(of(high, base + 0x100000), POLICY_EVICT_LAST);
    assert_int_equal(of(high, base + 0x108000), POLICY_EVICT_FIRST);
    assert_int_equal(of(high, base - 0x8000), POLICY_EVICT_FIRST);
}

UNIT_TESTS(UNIT(instructions_name_priorities_of_both_levels), UNIT(loads_name_how_much_the_l2_should_fetch),
           UNIT(accesses_of_256_bits_have_a_priority_of_their_own_in_the_l2),
           UNIT(a_whole_fraction_is_of_its_primary_priority),
           UNIT(a_fraction_of_the_lines_is_primary_and_the_rest_secondary),
           UNIT(a_range_is_primary_within_and_secondary_around))
