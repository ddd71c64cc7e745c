/* Slices and DRAM channels that share nothing with others: the unit that one thread runs.
 *
 *   requests by arrival --> slice 0 <-- link --> its mirror     fills
 *                           slice 1 <-- link --> its mirror  <--------- channel 0, channel 1, ...
 *                                                            accesses->
 *
 * A group goes from event to event: the arrival of a request, a slice's next turn, a channel's report. In a cycle it
 * takes the channels' reports first, then arrivals, runs the slices, and moves their accesses to the channels, each
 * in the order of their numbers. */
#ifndef SUBCORE_MEM_GROUP_H
#define SUBCORE_MEM_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "mem/dram_channel.h"
#include "mem/l2_slice.h"
#include "mem/mem.h"
#include "mem/request_pool.h"
#include "mem/request_queue.h"

struct group {
    _Alignas(64) struct request_queue queue; /* groups of different threads share no cache line */
    struct request_pool pool;
    uint32_t slices, channels;
    struct l2_slice *slice;
    struct dram_channel *channel;
    uint64_t *channel_wake; /* next cycle in which a channel has something to tell */
    uint64_t wake;          /* nothing happens in the group before this cycle */
    struct l2_context context;
    uint32_t reply_capacity;
    bool replies_taken; /* the next run starts a new list */
    bool touched;       /* something has happened here since the last reset */
    struct mem_counters n;
};

/* Returns false if the host is out of memory. `model` and `effects` outlive the group. */
bool group_create(struct group *group, const struct l2_model *model, const struct memory_effects *effects,
                  const struct config *config, uint32_t number, struct arena *arena);
/* Forgets requests in flight, and the lines of the L2 as well unless `keep`. Costs little when nothing has happened. */
void group_reset(struct group *group, bool keep);

/* `home` and `entry` are slices of the group. Returns false if the host has no memory left. Nothing is allocated
 * later. */
bool group_accept(struct group *group, const struct request *request, uint32_t home, uint32_t entry, uint64_t local);
void group_run(struct group *group, uint64_t end);
const struct reply *group_replies(struct group *group, uint32_t *count);
void group_counters(const struct group *group, struct mem_counters *out);

#endif
