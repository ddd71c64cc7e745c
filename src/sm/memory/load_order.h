/* Strong loads of the scope of the SM (LDG.STRONG.SM) complete in the order in which their warp issued them, so that
 * DEPBAR.LE with a count knows which of them are there (MICRO 2025 paper, dependence counters). Other loads complete
 * as they come. */
#ifndef SUBCORE_SM_LOAD_ORDER_H
#define SUBCORE_SM_LOAD_ORDER_H

#include <stdint.h>

/* Of a warp: its ordered loads that have not been delivered, as a chain of tokens from the oldest on. */
struct load_order {
    uint16_t oldest, youngest;
    uint16_t count;
    uint64_t last; /* end of the delivery before */
};

struct sm;

/* Issued: the access joins its warp's chain. */
void load_order_join(struct sm *sm, uint16_t token);

/* The data are at the return path at `ready`: they are delivered when those of all older ones are. */
void load_order_answer(struct sm *sm, uint16_t token, uint64_t ready);

#endif
