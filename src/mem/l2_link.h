/* One direction of the link between an L2 slice and its mirror in the other partition, at the receiving end.
 *
 *                   +-> [wire, l2.link_request_bytes a cycle] -- l2.link_latency --> requests -+
 *   the other slice |                                                                          +-> this slice
 *                   +-> [wire, l2.link_reply_bytes a cycle] ---- l2.link_latency --> answers --+
 *
 * Requests and answers have wires of their own, as in the networks between SMs and slices, and keep their order each.
 * Neither waits for the other, so that answers always get through. */
#ifndef SUBCORE_MEM_L2_LINK_H
#define SUBCORE_MEM_L2_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "mem/bus.h"
#include "mem/l2_model.h"
#include "mem/request_pool.h"

struct l2_link {
    struct bus wire[L2_CHANNELS];
    struct request_list list[L2_CHANNELS]; /* by their arrival */
    uint64_t next[L2_CHANNELS];            /* arrival of the first; UINT64_MAX: none */
    uint64_t last[L2_CHANNELS];            /* arrival of the newest */
};

/* Returns false if the host is out of memory. */
bool l2_link_create(struct l2_link *link, const struct l2_model *model, struct arena *arena);
void l2_link_reset(struct l2_link *link);

/* Sends a request, or its answer, that is ready at `ready` with so many bytes of data. */
void l2_link_send(struct l2_link *link, const struct l2_model *model, struct request_pool *pool, uint32_t index,
                  enum l2_channel channel, uint64_t ready, uint32_t bytes);

/* A message without data passes that is no request: the order to give up a copy. */
void l2_link_order(struct l2_link *link, const struct l2_model *model, uint64_t ready);

/* Takes the channel's first member. There is one. */
static inline uint32_t l2_link_take(struct l2_link *link, const struct request_pool *pool, enum l2_channel channel)
{
    uint32_t index = request_list_take(pool, &link->list[channel]), first = link->list[channel].first;
    link->next[channel] = first == REQUEST_NONE ? UINT64_MAX : pool->entry[first].request.arrival;
    return index;
}

#endif
