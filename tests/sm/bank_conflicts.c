/* Passes of an instruction through the banks of shared memory. */
#include "sm/memory/bank_conflicts.h"
#include "tests/unit.h"

static struct bank_passes strided(unsigned bytes, uint32_t stride, enum bank_use use)
{
    uint32_t offset[32];
    for (unsigned lane = 0; lane < 32; lane++)
        offset[lane] = lane * stride;
    return bank_conflicts(offset, UINT32_MAX, bytes, use);
}

static void check(struct bank_passes b, unsigned groups, unsigned passes)
{
    assert_int_equal(b.groups, groups);
    assert_int_equal(b.passes, passes);
}

static void words_in_different_banks_need_one_pass_and_a_stride_of_n_words_n(void **state)
{
    (void)state;
    for (uint32_t ways = 1; ways <= 32; ways *= 2)
        check(strided(4, 4 * ways, BANK_LOAD), 1, ways);
    check(strided(4, 4 * 3, BANK_LOAD), 1, 1); /* odd strides have no conflict */
    check(strided(4, 4 * 33, BANK_LOAD), 1, 1);
    check(strided(4, 4 * 6, BANK_LOAD), 1, 2);
}

static void lanes_that_ask_for_one_word_share_it_unless_each_goes_alone(void **state)
{
    (void)state;
    check(strided(4, 0, BANK_LOAD), 1, 1);
    check(strided(4, 0, BANK_STORE), 1, 1);
    check(strided(4, 0, BANK_EACH), 1, 32);
    check(strided(1, 1, BANK_LOAD), 1, 1);
    check(strided(2, 2, BANK_LOAD), 1, 1);
}

static void wide_accesses_go_in_halves_and_quarters(void **state)
{
    (void)state;
    check(strided(8, 8, BANK_LOAD), 2, 2);
    check(strided(16, 16, BANK_LOAD), 4, 4);
    check(strided(8, 16, BANK_LOAD), 2, 4); /* two ways in each half */
    check(strided(16, 32, BANK_LOAD), 4, 8);
}

static void a_wide_load_joins_two_groups_if_lanes_beside_each_other_want_the_same_and_a_store_never(void **state)
{
    (void)state;
    check(strided(8, 0, BANK_LOAD), 1, 1);
    check(strided(16, 0, BANK_LOAD), 2, 2);
    check(strided(8, 0, BANK_STORE), 2, 2);
    check(strided(16, 0, BANK_STORE), 4, 4);
    check(strided(16, 0, BANK_EACH), 4, 32);
    static const struct {
        unsigned lane[4]; /* whose word each of four lanes wants */
        unsigned wide, widest;
    } four[] = {{{0, 0, 2, 2}, 1, 2}, {{0, 1, 0, 1}, 1, 2}, {{0, 0, 0, 0}, 1, 2},
                {{0, 1, 1, 0}, 2, 4}, {{0, 0, 2, 3}, 2, 4}, {{0, 1, 2, 3}, 2, 4}};
    uint32_t offset[32];
    for (unsigned i = 0; i < sizeof four / sizeof four[0]; i++) {
        for (unsigned lane = 0; lane < 32; lane++)
            offset[lane] = 8 * (lane / 4 * 4 + four[i].lane[lane % 4]) % 128;
        check(bank_conflicts(offset, UINT32_MAX, 8, BANK_LOAD), four[i].wide, four[i].wide);
        check(bank_conflicts(offset, UINT32_MAX, 8, BANK_STORE), 2, 2);
        for (unsigned lane = 0; lane < 32; lane++)
            offset[lane] = 16 * (lane / 4 * 4 + four[i].lane[lane % 4]) % 128;
        check(bank_conflicts(offset, UINT32_MAX, 16, BANK_LOAD), four[i].widest, four[i].widest);
        check(bank_conflicts(offset, UINT32_MAX, 16, BANK_STORE), 4, 4);
    }
}

/* As register-blocked products read them: rows that neighbours share, and columns that lanes further apart do. */
static void columns_that_lanes_eight_or_sixteen_apart_share_are_not_joined(void **state)
{
    (void)state;
    uint32_t offset[32];
    for (unsigned lane = 0; lane < 32; lane++)
        offset[lane] = 16 * (lane % 8);
    check(bank_conflicts(offset, UINT32_MAX, 16, BANK_LOAD), 4, 4);
    check(bank_conflicts(offset, 0xffff, 16, BANK_LOAD), 2, 2);
    for (unsigned lane = 0; lane < 32; lane++)
        offset[lane] = 16 * (lane / 8);
    check(bank_conflicts(offset, UINT32_MAX, 16, BANK_LOAD), 2, 2);
    check(bank_conflicts(offset, 0x11111111, 16, BANK_LOAD), 2, 2); /* lanes without an active neighbour */
    for (unsigned lane = 0; lane < 32; lane++)
        offset[lane] = 8 * (lane % 16);
    check(bank_conflicts(offset, UINT32_MAX, 8, BANK_LOAD), 2, 2);
}

static void a_load_joins_all_its_groups_or_none(void **state)
{
    (void)state;
    uint32_t offset[32];
    for (unsigned lane = 0; lane < 32; lane++)
        offset[lane] = lane < 16 ? 0 : 128 * (lane / 8); /* two words of one bank in the second half */
    check(bank_conflicts(offset, UINT32_MAX, 16, BANK_LOAD), 4, 4);
}

static void groups_without_an_active_lane_take_no_pass(void **state)
{
    (void)state;
    uint32_t offset[32];
    for (unsigned lane = 0; lane < 32; lane++)
        offset[lane] = 128 * lane;
    check(bank_conflicts(offset, 0, 4, BANK_LOAD), 0, 0);
    check(bank_conflicts(offset, 0, 16, BANK_LOAD), 0, 0);
    check(bank_conflicts(offset, 0xff, 16, BANK_LOAD), 1, 8);
    check(bank_conflicts(offset, 0xffff0000, 8, BANK_LOAD), 1, 16);
    check(bank_conflicts(offset, 1, 16, BANK_STORE), 1, 1);
}

/* PasTiS: transactions are the sum over the pools of one and the conflicts in the pool's fullest bank. */
static void pascal_adds_up_its_pools_and_never_joins_them(void **state)
{
    (void)state;
    static const struct {
        unsigned bytes, stride, pools, transactions;
    } table[] = {{4, 4, 1, 1},    {4, 8, 1, 2}, {4, 128, 1, 32}, {4, 0, 1, 1},   {8, 8, 2, 2},     {8, 16, 2, 4},
                 {8, 128, 2, 32}, {8, 0, 2, 2}, {16, 16, 4, 4},  {16, 32, 4, 8}, {16, 128, 4, 32}, {16, 0, 4, 4}};
    uint32_t offset[32];
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        for (unsigned lane = 0; lane < 32; lane++)
            offset[lane] = lane * table[i].stride;
        check(bank_pools(offset, UINT32_MAX, table[i].bytes, BANK_LOAD), table[i].pools, table[i].transactions);
        check(bank_pools(offset, UINT32_MAX, table[i].bytes, BANK_STORE), table[i].pools, table[i].transactions);
    }
    check(bank_pools(offset, 0, 16, BANK_LOAD), 0, 0);
    check(bank_pools(offset, 0xff, 16, BANK_LOAD), 1, 1);
    check(bank_pools(offset, UINT32_MAX, 4, BANK_EACH), 1, 32);
    for (unsigned lane = 0; lane < 32; lane++)
        offset[lane] = lane < 16 ? 8 * lane : 128 * lane; /* one half without conflict, the other in one bank pair */
    check(bank_pools(offset, UINT32_MAX, 8, BANK_LOAD), 2, 1 + 16);
}

UNIT_TESTS(UNIT(pascal_adds_up_its_pools_and_never_joins_them),
           UNIT(words_in_different_banks_need_one_pass_and_a_stride_of_n_words_n),
           UNIT(lanes_that_ask_for_one_word_share_it_unless_each_goes_alone),
           UNIT(wide_accesses_go_in_halves_and_quarters),
           UNIT(a_wide_load_joins_two_groups_if_lanes_beside_each_other_want_the_same_and_a_store_never),
           UNIT(columns_that_lanes_eight_or_sixteen_apart_share_are_not_joined),
           UNIT(a_load_joins_all_its_groups_or_none), UNIT(groups_without_an_active_lane_take_no_pass))
