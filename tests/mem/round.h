/* Round numbers for memory systems in tests. */
#ifndef SUBCORE_TESTS_MEM_ROUND_H
#define SUBCORE_TESTS_MEM_ROUND_H

#include "config/config.h"

enum { NOC = 40, L2 = 100, RIG_MOST = 4096 };

/* One slice of 128 sets and 4 ways and one channel, with ports that are never in the way. */
static inline void round_numbers(struct config *c)
{
    config_defaults(c);
    c->noc.latency = NOC;
    c->noc.spread = 0;
    c->noc.slice_request_bytes = c->noc.slice_reply_bytes = 1024;
    c->l2.slices = 1;
    c->l2.size = 65536;
    c->l2.ways = 4;
    c->l2.latency = L2;
    c->l2.sectors_per_cycle = 1;
    c->l2.atomic_interval = 3;
    c->dram.channels = 1;
}

#endif
