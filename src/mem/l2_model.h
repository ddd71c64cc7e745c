/* The part that all L2 slices have in common: the [l2] section in the form in which the slices use it. */
#ifndef SUBCORE_MEM_L2_MODEL_H
#define SUBCORE_MEM_L2_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "mem/address_map.h"
#include "mem/noc.h"

/* Networks between the partitions. */
enum l2_channel { L2_REQUESTS, L2_ANSWERS, L2_CHANNELS };

struct l2_model {
    struct address_map map;
    struct noc noc;
    uint32_t sets, ways;
    uint32_t latency;
    uint64_t sector_interval; /* a slice serves a sector each; fixed point as in struct bus */
    uint64_t store_byte;      /* and takes a byte of a store's data */
    uint32_t mshrs, merges, fetch, row_lines;
    uint64_t atomic_interval, atomic_extra, atomic_least; /* fixed point as in struct bus */
    uint32_t atomic_latency;
    uint32_t atomic_bytes;
    uint32_t partial_extra;
    bool atomic_merge;
    uint32_t link_latency;
    uint64_t link_period[L2_CHANNELS]; /* for a unit of NOC_UNIT bytes, as struct bus counts */
    bool copies, keep;
    enum config_l2_replacement replacement;
    uint32_t last_ways; /* lines of a set that may be evicted last */
};

void l2_model_init(struct l2_model *model, const struct config *config);

#endif
