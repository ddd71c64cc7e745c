#include "sm/port/port.h"

#include "base/bits.h"
#include "base/order.h"

bool port_init(struct port *p, const struct config *config, uint32_t quantum, struct arena *arena)
{
    /* In a quantum the data way sends at most one message a cycle, and it may lag by its queue and one access. */
    return utlb_init(&p->utlb, &config->tlb, arena) && inbox_init(&p->in, config->l1.mshrs + 64) &&
           outbox_init(&p->out, quantum + config->noc.egress_queue + 64);
}

void port_free(struct port *p)
{
    inbox_free(&p->in);
    peers_free(&p->peers);
    outbox_free(&p->out);
}

void port_begin(struct port *p)
{
    utlb_begin(&p->utlb);
    p->in.first = p->in.end = 0;
    p->peers.first = p->peers.end = 0;
    p->in.port_free = 0;
    p->out.count = 0;
    p->egress_free[PORT_WAY_DATA] = p->egress_free[PORT_WAY_CODE] = p->peer_free = 0;
    p->in_network = 0;
}

static enum port_way way_of(unsigned client) { return client == PORT_CODE ? PORT_WAY_CODE : PORT_WAY_DATA; }

/* A request whose page is being translated waits beside the port: others pass. */
static void translate(struct port *p, struct request *request)
{
    struct utlb_answer translated = utlb_translate(&p->utlb, request->line, request->arrival);
    p->to.n->tlb_misses += translated.fresh;
    request->arrival = translated.ready;
    request->translate = translated.missed;
}

static void send(struct port *p, unsigned client, struct request *request)
{
    const struct config_noc *noc = p->to.noc;
    enum port_way way = way_of(client);
    uint64_t *free = &p->egress_free[way];
    uint32_t bytes = noc->header_bytes + request_data(request, noc->whole_sectors);
    request->sm = p->to.sm;
    request->client = (uint8_t)client;
    request->arrival = request->arrival > *free ? request->arrival : *free;
    *free = request->arrival + (bytes + noc->request_bytes - 1) / noc->request_bytes;
    if (way == PORT_WAY_DATA)
        translate(p, request);
    outbox_add(&p->out, request);
    p->to.n->noc_requests++;
    p->to.n->noc_bytes_out += bytes;
}

void port_send(struct port *p, unsigned client, struct request request)
{
    p->in_network += way_of(client) == PORT_WAY_DATA;
    send(p, client, &request);
}

void port_post(struct port *p, struct request request) { send(p, PORT_NOBODY, &request); }

void port_send_peer(struct port *p, unsigned client, struct request message)
{
    enum { TICK_BITS = 20 };
    const struct config_noc *noc = p->to.noc;
    uint32_t bytes = noc->header_bytes + message.bytes;
    uint64_t begin = latest(message.arrival << TICK_BITS, p->peer_free);
    message.sm = p->to.sm;
    message.client = (uint8_t)client;
    message.destination = DESTINATION_SM;
    message.sectors = 1;
    message.arrival = begin >> TICK_BITS;
    p->peer_free = begin + (uint64_t)(bytes / noc->peer_bytes * (1 << TICK_BITS) + 0.5);
    outbox_add(&p->out, &message);
    p->to.n->noc_bytes_out += bytes;
}

/* Messages of other SMs share the ingress with replies, and come after those of the same cycle. */
static bool take_peers(struct port *p, uint64_t now)
{
    const struct config_noc *noc = p->to.noc;
    bool moved = false;
    while (peers_next(&p->peers) <= now && inbox_port_free(&p->in) <= now) {
        struct request message = *peers_head(&p->peers);
        uint32_t bytes = noc->header_bytes + message.bytes;
        peers_take(&p->peers);
        inbox_port_take(&p->in, now, bytes, noc->reply_bytes);
        p->to.n->noc_bytes_in += bytes;
        const struct port_peer_receiver *client = &p->to.peer[message.client];
        client->take(client->self, &message, now);
        moved = true;
    }
    return moved;
}

bool port_deliver(struct port *p, uint64_t now)
{
    const struct config_noc *noc = p->to.noc;
    bool moved = false;
    while (inbox_next(&p->in) <= now && inbox_port_free(&p->in) <= now) {
        struct reply reply = inbox_take(&p->in);
        bool data = reply.kind == REQUEST_LOAD || reply.kind == REQUEST_ATOMIC;
        uint32_t bytes = noc->header_bytes + (data ? PORT_SECTOR * popcount4(reply.sectors) : 0);
        inbox_port_take(&p->in, now, bytes, noc->reply_bytes);
        p->to.n->noc_bytes_in += bytes;
        if (way_of(reply.client) == PORT_WAY_DATA)
            p->in_network--;
        const struct port_receiver *client = &p->to.client[reply.client];
        client->take(client->self, &reply, now);
        moved = true;
    }
    return peers_empty(&p->peers) ? moved : take_peers(p, now) || moved;
}

uint64_t port_next(const struct port *p)
{
    uint64_t reply = inbox_next(&p->in), message = peers_next(&p->peers);
    reply = reply < message ? reply : message;
    uint64_t ingress = inbox_port_free(&p->in);
    return reply == UINT64_MAX || reply > ingress ? reply : ingress;
}

void port_archive(struct archive *a, struct port *p)
{
    archive_keep(a, &p->to);
    archive_keep(a, &p->utlb.config);
    archive_array(a, &p->utlb.entry, p->utlb.config->entries);
    archive_room(a, NULL, &p->in.reply, &p->in.room, &p->in.end);
    archive_room(a, NULL, &p->peers.message, &p->peers.room, &p->peers.end);
    archive_room(a, NULL, &p->out.request, &p->out.room, &p->out.count);
}
