#include "mem/dram_order.h"

/* Returns the place of the bank, or `count`. */
static uint32_t place_of(const struct dram_order *order, uint32_t bank)
{
    uint32_t place = 0;
    while (place < order->count && order->bank[place] != bank)
        place++;
    return place;
}

static inline bool follows(const struct dram_order *order, uint32_t other, uint64_t rank, uint32_t bank)
{
    return order->rank[other] > rank || (order->rank[other] == rank && other > bank);
}

void dram_order_move(struct dram_order *order, uint32_t bank, uint64_t rank)
{
    uint8_t *banks = order->bank;
    uint32_t place = order->rank[bank] == DRAM_NO_RANK ? order->count++ : place_of(order, bank);
    bool leaves = rank == DRAM_NO_RANK;
    for (; place > 0 && !leaves && follows(order, banks[place - 1], rank, bank); place--)
        banks[place] = banks[place - 1];
    for (; place + 1 < order->count && (leaves || !follows(order, banks[place + 1], rank, bank)); place++)
        banks[place] = banks[place + 1];
    banks[place] = (uint8_t)bank;
    order->rank[bank] = rank;
    order->count -= leaves;
}
