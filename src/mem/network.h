/* The networks between SMs and slices: requests one way, replies the other; they share nothing.
 *
 *   outboxes of SMs --send--> GPC 0 --depart--> requests in flight, ordered by the receiver
 *                             GPC 1
 *   inboxes of SMs <-deliver- GPC 0 <--return-- replies of slices
 *
 * GPCs share nothing, so each phase can run for all of them in parallel. */
#ifndef SUBCORE_MEM_NETWORK_H
#define SUBCORE_MEM_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "config/config.h"
#include "mem/gpc.h"

struct network {
    struct gpc_model model;
    uint32_t gpcs; /* of those in gpc[] that are set up */
    struct gpc *gpc;
};

/* `noc` and `map` stay where they are. Returns false if the host is out of memory, here and below. */
bool network_create(struct network *network, const struct noc *noc, const struct address_map *map,
                    const struct config *config, struct arena *arena);
void network_reset(struct network *network);

static inline struct gpc *network_gpc(struct network *network, uint32_t sm)
{
    return &network->gpc[network->model.noc->topology.gpc[sm]];
}

/* Requests that wait in GPCs, and replies on their way to SMs. */
uint32_t network_requests(const struct network *network);
uint32_t network_replies(const struct network *network);

void network_counters(const struct network *network, struct mem_counters *to);

#endif
