/* Strong loads in the SM's scope (LDG.STRONG.SM), and on Pascal all loads and atomics, complete in the order in
 * which their warp issued them, so that DEPBAR.LE with a count knows which of them are there (MICRO 2025 paper,
 * dependence counters). Other loads complete as they come. */
#ifndef SUBCORE_SM_LOAD_ORDER_H
#define SUBCORE_SM_LOAD_ORDER_H

#include <stdint.h>

struct delivery;
struct pending_table;

/* Of a warp: its ordered loads that have not been delivered, as a chain of tokens from the oldest on. */
struct load_order {
    uint16_t oldest, youngest;
    uint16_t count;
    uint64_t last; /* end of the delivery before */
};

/* Joins an access that issues to the chain of its warp. */
void load_order_join(struct load_order *o, struct pending_table *table, uint16_t token);

/* The data are at the return path at `ready`, which takes so many bytes per cycle: they are delivered when those of all
 * older ones are. */
void load_order_answer(struct load_order *o, const struct delivery *delivery, uint16_t token, uint64_t ready,
                       uint32_t bytes_per_cycle);

#endif
