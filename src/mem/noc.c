#include "mem/noc.h"

void noc_init(struct noc *noc, const struct config *config)
{
    noc->header_bytes = config->noc.header_bytes;
    noc->whole_sectors = config->noc.whole_sectors;
    noc->request_period = bus_period(NOC_UNIT, config->noc.slice_request_bytes);
    noc->reply_period = bus_period(NOC_UNIT, config->noc.slice_reply_bytes);
    topology_init(&noc->topology, config, config->l2.partitions);
}

bool noc_port_create(struct noc_port *port, const struct noc *noc, struct arena *arena)
{
    port->ingress_free = 0;
    return bus_create(&port->egress, noc->reply_period, arena);
}

void noc_port_reset(struct noc_port *port)
{
    port->ingress_free = 0;
    bus_reset(&port->egress);
}

uint64_t noc_receive(const struct noc *noc, struct noc_port *port, const struct request *request)
{
    uint64_t begin = request->arrival << BUS_FRACTION;
    if (port->ingress_free > begin)
        begin = port->ingress_free;
    port->ingress_free = begin + noc_request_units(noc, request) * noc->request_period;
    return begin >> BUS_FRACTION;
}

uint64_t noc_send(const struct noc *noc, struct noc_port *port, uint64_t ready, uint32_t bytes)
{
    return bus_take(&port->egress, ready, noc_units(noc, bytes)) + noc->topology.latency;
}
