/* A DRAM channel: a scheduler queue, banks with an open row, and one data bus.
 *
 *   access --> [queue] --> bank: row open? --------------------> [data bus] --> data
 *                             \-- no: opens it, row_miss cycles --/
 *
 * An access is one sector. Its data moves in the first free slot of the bus once its bank is ready and the base
 * latency is over, so the opening of a row overlaps with transfers of other banks. Rows that a bank is going to open
 * are kept as a plan: an access to a row whose turn is not over joins it, which is what a first-ready first-come
 * scheduler does (Rixner et al., ISCA 2000). Refresh, bus turnaround, activation windows and bank groups are not
 * modelled one by one; dram.efficiency stands for them. A closed row costs as much as another open row. */
#ifndef SUBCORE_MEM_DRAM_H
#define SUBCORE_MEM_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "mem/address_map.h"
#include "mem/bus.h"
#include "probe/counters.h"

enum { DRAM_PLAN = 4 }; /* rows of a bank that the scheduler can see at once; real depths are unknown */

struct dram_bank {
    struct {
        uint64_t row, open, close;
    } plan[DRAM_PLAN]; /* row is its number + 1; ring, newest last */
    uint64_t last;     /* last column access of the newest row */
    uint32_t newest;
};

struct dram {
    uint32_t latency, row_miss, banks, queue;
    struct divider row_lines, bank_count;
    struct dram_bank *bank;
    uint64_t *issued; /* cycle at which the access `queue` before left the queue; ring */
    uint32_t head;
    uint64_t accesses;
    struct bus bus;
};

/* `share`: the part of all DRAM bandwidth, between 0 and 1, that this channel has; `banks`: how many it has. */
bool dram_create(struct dram *dram, const struct config *config, double share, uint32_t banks);
void dram_destroy(struct dram *dram);
void dram_reset(struct dram *dram);

struct address_row dram_row(const struct dram *dram, uint64_t number);

/* A sector read that the slice starts at `when`: the cycle at which its data is there. It waits for the queue
 * outside. */
uint64_t dram_read(struct dram *dram, struct address_row row, uint64_t when, struct mem_counters *n);

/* A sector written: the cycle at which the queue has taken it. */
uint64_t dram_write(struct dram *dram, struct address_row row, uint64_t when, struct mem_counters *n);

/* Cycles in which data moved. */
uint64_t dram_busy(const struct dram *dram);

#endif
