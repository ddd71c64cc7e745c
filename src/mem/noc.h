/* The crossbar between GPCs and L2 slices: a latency each way by distance (mem/topology.h) and, at each slice, a port
 * of limited bandwidth in each direction. The narrow links between SMs and the crossbar belong to the GPC (mem/gpc.h).
 *
 *   GPC --- latency ---> [ingress] slice [egress] --- latency ---> GPC
 *
 * Messages cut through: on a free port the first byte is not delayed. */
#ifndef SUBCORE_MEM_NOC_H
#define SUBCORE_MEM_NOC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bits.h"
#include "config/config.h"
#include "mem/bus.h"
#include "mem/topology.h"
#include "port/message.h"

enum { NOC_UNIT = 8 }; /* bytes; a message is rounded up to it */

struct noc {
    struct topology topology;
    uint32_t header_bytes;
    bool whole_sectors;
    uint64_t request_period; /* of a unit, as struct bus counts */
    uint64_t reply_period;
};

struct noc_port {
    uint64_t ingress_free; /* fixed point as in struct bus; requests come in order of time, so one number does */
    struct bus egress;
};

/* A message without data and header still takes a unit. */
static inline uint32_t noc_units(const struct noc *noc, uint32_t bytes)
{
    uint32_t total = noc->header_bytes + bytes;
    return total <= NOC_UNIT ? 1 : (total + NOC_UNIT - 1) / NOC_UNIT;
}

static inline uint32_t noc_request_units(const struct noc *noc, const struct request *request)
{
    return noc_units(noc, request_data(request, noc->whole_sectors));
}

/* Bytes of data in the reply to a request. */
static inline uint32_t noc_reply_data(uint8_t kind, uint8_t sectors)
{
    return kind == REQUEST_LOAD || kind == REQUEST_ATOMIC ? popcount4(sectors) * PORT_SECTOR : 0;
}

void noc_init(struct noc *noc, const struct config *config);

bool noc_port_create(struct noc_port *port, const struct noc *noc, struct arena *arena);
void noc_port_reset(struct noc_port *port);

/* Cycle in which the slice can begin with a request that reaches it at request->arrival. Called in the order of
 * arrivals. */
uint64_t noc_receive(const struct noc *noc, struct noc_port *port, const struct request *request);

/* Arrival at the nearest SMs of a reply that is ready at the slice at `ready`; noc_way is further to others. */
uint64_t noc_send(const struct noc *noc, struct noc_port *port, uint64_t ready, uint32_t bytes);

/* Cycles one way between an SM and a slice beyond the latency of the nearest. */
static inline uint32_t noc_way(const struct noc *noc, uint32_t sm, uint32_t slice)
{
    return topology_latency(&noc->topology, sm, slice) - noc->topology.latency;
}

#endif
