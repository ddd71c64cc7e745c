/* Banks sorted by rank. */
#include "mem/dram_order.h"
#include "tests/unit.h"

enum { BANKS = 16, MOVES = 4000 };

static void assert_sorted(const struct dram_order *order, const uint64_t rank[BANKS])
{
    uint32_t members = 0;
    for (uint32_t b = 0; b < BANKS; b++)
        members += rank[b] != DRAM_NO_RANK;
    assert_int_equal(order->count, members);
    for (uint32_t i = 0; i < order->count; i++) {
        uint32_t b = order->bank[i];
        assert_true(rank[b] != DRAM_NO_RANK && order->rank[b] == rank[b]);
        if (i == 0)
            continue;
        uint32_t a = order->bank[i - 1];
        assert_true(rank[a] < rank[b] || (rank[a] == rank[b] && a < b));
    }
}

static void banks_stand_in_the_order_of_rank_and_number_after_any_move(void **state)
{
    (void)state;
    struct dram_order order = {0};
    uint64_t rank[BANKS] = {0};
    uint32_t random = 7;
    for (unsigned i = 0; i < MOVES; i++) {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        uint32_t bank = random % BANKS;
        uint64_t to = random >> 8 & 31; /* 0: out. Few ranks, so that some are equal */
        assert_int_equal(dram_order_put(&order, bank, to), to != rank[bank]);
        rank[bank] = to;
        assert_sorted(&order, rank);
    }
}

static void a_bank_that_keeps_its_rank_is_not_moved(void **state)
{
    (void)state;
    struct dram_order order = {0};
    assert_true(dram_order_put(&order, 3, 20));
    assert_false(dram_order_put(&order, 3, 20));
    assert_true(dram_order_put(&order, 3, 21));
    assert_true(dram_order_put(&order, 3, DRAM_NO_RANK));
    assert_false(dram_order_put(&order, 3, DRAM_NO_RANK));
    assert_int_equal(order.count, 0);
}

UNIT_TESTS(UNIT(banks_stand_in_the_order_of_rank_and_number_after_any_move),
           UNIT(a_bank_that_keeps_its_rank_is_not_moved))
