#include "mem/dram_policy.h"

/* First ready, then first come (Rixner et al., ISCA 2000): of the commands that can come soonest, that of the oldest
 * access. dram.row_cap bounds how many accesses to an open row pass an older one to another row (Mutlu and Moscibroda,
 * MICRO 2007). */
const struct dram_pick_policy dram_pick_fr_fcfs = {
    .name = "fr-fcfs",
    .summary = "the access whose command can come soonest, and of several the oldest",
    .ready_first = true,
};
