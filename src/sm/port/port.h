/* Port of an SM to the memory system, which the units that ask the L2 share.
 *
 *   global_path, engines --> data way: egress, L1 TLB, credits --+
 *                                                                +--> outbox --> [NoC]
 *   L1.5 ------------------> code way: egress of its own --------+
 *   remote_path, engines --> way to SMs of the cluster ----------+
 *
 *   receiver of the client <-- ingress <-- inbox <-- [NoC]
 *
 * A unit that asks is a *client*. Its number (enum port_client) is in each of its requests, and the reply goes to the
 * receiver that is connected under this number. The token is the client's own. The code way is separate because
 * NVIDIA's counters name a unit of the GPC (GCC) on it, which the data of the L1 do not take. */
#ifndef SUBCORE_SM_PORT_H
#define SUBCORE_SM_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"
#include "config/config.h"
#include "port/message.h"
#include "probe/counters.h"
#include "sm/port/inbox.h"
#include "sm/port/peers.h"
#include "sm/port/utlb.h"

/* The receiver of a reply. */
struct port_receiver {
    void *self;
    void (*take)(void *self, const struct reply *reply, uint64_t now);
};

/* The receiver of a message from another SM. */
struct port_peer_receiver {
    void *self;
    void (*take)(void *self, const struct request *message, uint64_t now);
};

enum port_way { PORT_WAY_DATA, PORT_WAY_CODE, PORT_WAYS };

struct port {
    struct port_wires {
        const struct config_noc *noc;
        struct sm_counters *n;
        struct port_receiver client[PORT_CLIENTS];
        struct port_peer_receiver peer[PORT_CLIENTS];
        uint32_t credits; /* requests of the data way that can be in the network */
        uint16_t sm;
    } to;
    struct outbox out;
    struct inbox in;
    struct peers peers; /* messages from other SMs */
    struct utlb utlb;
    uint64_t egress_free[PORT_WAYS]; /* cycle from which the way takes another request */
    uint64_t peer_free;              /* when the network between SMs takes another message, in 2^-20 cycles */
    uint32_t in_network;             /* requests of the data way without their reply */
};

/* Makes a port, which has its wires. `quantum` is the longest run between two exchanges with the memory system. Returns
 * false if out of memory. */
bool port_init(struct port *p, const struct config *config, uint32_t quantum, struct arena *arena);
void port_free(struct port *p);
/* Empties the port before a kernel. Clients stay connected. */
void port_begin(struct port *p);

/* Connects a client, once, before its first request. */
static inline void port_connect(struct port *p, unsigned client, struct port_receiver receiver)
{
    p->to.client[client] = receiver;
}

/* The same for the messages that other SMs send under this number. */
static inline void port_connect_peers(struct port *p, unsigned client, struct port_peer_receiver receiver)
{
    p->to.peer[client] = receiver;
}

/* Returns the cycle from which the queue of the data way takes another request. */
static inline uint64_t port_takes(const struct port *p)
{
    uint32_t queue = p->to.noc->egress_queue;
    return p->egress_free[PORT_WAY_DATA] > queue ? p->egress_free[PORT_WAY_DATA] - queue : 0;
}

/* Returns true if the data way has credits for so many requests at once. More than there are go alone. */
static inline bool port_room(const struct port *p, uint32_t requests)
{
    return p->in_network == 0 || p->in_network + requests <= p->to.credits;
}

/* Returns the cycle at which the last request of the data way has left the SM. */
static inline uint64_t port_sent(const struct port *p) { return p->egress_free[PORT_WAY_DATA]; }

/* Returns true if no request of the data way is in the network. */
static inline bool port_quiet(const struct port *p) { return p->in_network == 0; }

/* Sends a request of the client, which is ready at cycle request.arrival. The port fills in sm, client and translate,
 * and the cycle at which the request leaves. Each request gets one reply, with which its credit is free. */
void port_send(struct port *p, unsigned client, struct request request);

/* Sends a request for whose reply no unit waits, and which takes no credit: a prefetch into the L2. */
void port_post(struct port *p, struct request request);

/* Sends a message to the client of this number on SM message.to, which is of the same GPC. It is ready at cycle
 * message.arrival. The port fills in sm, client, destination and the cycle at which it leaves. Nothing comes back
 * unless the other SM sends an answer. Messages leave in the order of the calls, noc.peer_bytes a cycle, beside the
 * requests to the L2: an H200 reads 17.0 bytes a cycle from the next CTA, whether two, four or eight are in a cluster
 * (validate/data/h200-micro.csv). */
void port_send_peer(struct port *p, unsigned client, struct request message);

/* Hands the replies and messages that have arrived to their clients, as fast as the ingress takes them. Returns true if
 * there was one. */
bool port_deliver(struct port *p, uint64_t now);
static inline bool port_cycle(struct port *p, uint64_t now)
{
    return (inbox_next(&p->in) <= now || !peers_empty(&p->peers)) && port_deliver(p, now);
}
/* Returns the cycle at which the next reply can be taken, UINT64_MAX if none is known. */
uint64_t port_next(const struct port *p);

void port_archive(struct archive *a, struct port *p);

#endif
