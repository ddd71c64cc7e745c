/* Programs beside the one that is simulated, as far as they meet it behind the network: reads of single lines from all
 * over their own memory, evenly in time. They take their share of L2 slices and DRAM, evict lines from the L2 and close
 * rows. A setting of the simulator (run.co_load), for bounds. */
#ifndef SUBCORE_GPU_CO_RUNNER_H
#define SUBCORE_GPU_CO_RUNNER_H

#include "config/config.h"
#include "mem/mem.h"

struct co_runner {
    double period; /* cycles between two reads (0: there are none) */
    double next;   /* cycle of the next one */
    uint64_t sent;
    uint32_t most; /* requests in the memory system above which the co-runners wait */
};

/* Before the first cycle of a run. */
void co_runner_begin(struct co_runner *c, const struct config *config);

/* Sends the reads of the cycles from `now` to before `end`. False: the host has no memory. */
bool co_runner_read(struct co_runner *c, struct mem *mem, uint64_t now, uint64_t end);

#endif
