#include "mem/dram_policy.h"

/* First come, first served, for comparison: commands are for the oldest access of the direction that is served. Other
 * banks stay idle meanwhile. */
const struct dram_pick_policy dram_pick_fcfs = {
    .name = "fcfs",
    .summary = "the oldest access, even if others could be served sooner",
    .ready_first = false,
};
