/* A pseudo-channel's banks, sorted by the ranks that their accesses have (dram_policy.h), least first.
 *
 *   bank      7  2  11  4        a choice walks from the left, and stops at the first bank that no other can precede
 *   rank     31 35  36 52
 */
#ifndef SUBCORE_MEM_DRAM_ORDER_H
#define SUBCORE_MEM_DRAM_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/dram_timing.h"

#define DRAM_NO_RANK UINT64_C(0)

struct dram_order {
    uint32_t count;
    uint8_t bank[DRAM_BANKS];  /* [place] */
    uint64_t rank[DRAM_BANKS]; /* [bank]; DRAM_NO_RANK: the bank is not there */
};

/* Moves a bank to its new rank's place, or takes it out. Among equal ranks lower banks come first. */
void dram_order_move(struct dram_order *order, uint32_t bank, uint64_t rank);

/* The same for a rank that may be the old one. Returns whether it is another. */
static inline bool dram_order_put(struct dram_order *order, uint32_t bank, uint64_t rank)
{
    if (order->rank[bank] == rank)
        return false;
    dram_order_move(order, bank, rank);
    return true;
}

#endif
