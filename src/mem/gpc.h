/* A GPC between its SMs and the crossbar: TPC multiplexers, the outlet to the request network, the inlet from the reply
 * network, the second-level TLB.
 *
 *   SM 0 --port--\                                     /--> slice
 *                 [TPC]--\                            /
 *   SM 1 --port--/        [TLB] --> [outlet] --latency---> slice
 *   SM 2 --port--\        /
 *                 [TPC]--/
 *   SM 3 --port--/
 *
 *   SM <--port-- [TPC] <-- [inlet] <--latency-- slice
 *
 * Requests: a message leaves when its TPC's link and the outlet are both free, the first that can. Of several that can
 * in the same cycle, TPCs take turns, and so do the SMs of a TPC. Messages of an SM leave in the order of their times.
 * Replies: the inlet takes them in the order of arrival, and so does each TPC behind it. There is room between the two.
 * Messages cut through: links that are free add nothing. Nothing pushes back into the slices or the SMs. How much an SM
 * can have under way bounds the queues. A message to another SM of the GPC turns round behind its TPC: it takes
 * noc.peer_latency, and comes in by the inlet. Its widths are assumed. That a GPC's outlet is narrower
 * than its SMs, and that a TPC gives both its SMs their full rate, is measured ("Uncovering real GPU NoC
 * characteristics", MICRO 2024). */
#ifndef SUBCORE_MEM_GPC_H
#define SUBCORE_MEM_GPC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "config/config.h"
#include "mem/address_map.h"
#include "mem/gcc.h"
#include "mem/lrc.h"
#include "mem/noc.h"
#include "mem/time_queue.h"
#include "mem/tlb.h"
#include "mem/topology.h"
#include "port/message.h"
#include "probe/counters.h"

enum { GPC_TPCS = GPCS_SMS, TPC_SMS = 2 };

#define GPC_NONE UINT32_MAX

enum { GPC_PEER = PORT_NOBODY - 1 }; /* no client of a port has this number */

/* The common part of all GPCs. */
struct gpc_model {
    const struct noc *noc;
    const struct address_map *map;
    uint64_t tpc_request, tpc_reply, gpc_request, gpc_reply; /* cycles of a unit, fixed point as in struct bus */
    uint64_t gcc_interval;                                   /* the same, of a line */
    uint32_t gcc_latency;
    uint32_t lrc_lines; /* of each GPC */
    uint32_t lrc_tpcs;  /* whose loads join */
};

/* Requests of an SM that have left its port, by time; a ring. */
struct sm_requests {
    struct request *request;
    uint32_t head, count, room; /* room: a power of two, or 0 */
};

struct tpc {
    struct sm_requests sm[TPC_SMS];
    uint32_t turn;         /* the SM that comes first among equals */
    uint64_t request_free; /* fixed point */
    uint64_t reply_free;
};

/* Where a request that has left goes. */
struct gpc_target {
    uint64_t local;       /* number of its line within the home slice */
    uint16_t group;       /* of slices */
    uint16_t home, entry; /* slices of the group: where the line lives, and where the request enters */
    uint32_t next;        /* of those that go to the same group (GPC_NONE: none) */
};

struct gpc {
    _Alignas(64) uint32_t number; /* GPCs of different threads share no cache line */
    uint32_t tpcs;
    struct arena *arena;
    uint32_t waiting; /* requests */
    uint32_t turn;    /* the TPC that comes first among equals */
    uint64_t request_free, reply_free;
    uint64_t ready[GPC_TPCS]; /* when a TPC can send its next request, UINT64_MAX: it has none */
    struct tpc tpc[GPC_TPCS];
    struct tlb tlb;
    struct gcc gcc;
    struct lrc lrc;
    struct time_queue inlet;
    struct reply *reply; /* of the entries in `inlet` */
    uint32_t reply_room;
    struct request *peer; /* the same, of messages from SM to SM: those whose reply is of the client GPC_PEER */
    uint32_t peer_room;
    struct request *sent;      /* of this quantum */
    struct gpc_target *target; /* of these */
    struct gpc_list {
        uint32_t first, last;
    } * to; /* of these, those for each group, in order (GPC_NONE: none) */
    uint32_t groups;
    uint32_t sent_count, sent_room;
    struct mem_counters n;
};

/* The receiver of a GPC's reply, its `arrival` being the cycle at the SM's port. */
struct gpc_sink {
    void *self;
    bool (*deliver)(void *self, const struct reply *reply); /* false when the host is out of memory */
    /* The same for a message from another SM to request->to. NULL: no unit of an SM sends any; a message trips an
     * assert then. */
    bool (*receive)(void *self, const struct request *request);
};

void gpc_model_init(struct gpc_model *model, const struct noc *noc, const struct address_map *map,
                    const struct config *config);

/* Returns false if the host is out of memory, here and below. */
bool gpc_create(struct gpc *gpc, const struct gpc_model *model, const struct config_tlb *tlb, uint32_t number,
                struct arena *arena);
void gpc_reset(struct gpc *gpc);

/* Takes a message of an SM. `arrival` is the cycle at which a request has left the SM's port, no less than the `end`
 * that was given to gpc_depart last. */
bool gpc_send(struct gpc *gpc, const struct gpc_model *model, const struct request *request, uint32_t count);

/* Lets out the messages that can leave before `end`: gpc->sent, in order, with `arrival` at the slice. */
bool gpc_depart(struct gpc *gpc, const struct gpc_model *model, uint64_t end);

/* The messages that have left are at their destinations. */
void gpc_forget_sent(struct gpc *gpc);

/* A reply on its way to an SM of the GPC; `arrival` is the cycle at the inlet, no less than the `end` that was given to
 * gpc_deliver last. */
bool gpc_return(struct gpc *gpc, const struct reply *reply);

/* Hands on the replies that reach the inlet before `end`. */
bool gpc_deliver(struct gpc *gpc, const struct gpc_model *model, uint64_t end, struct gpc_sink sink);

void gpc_counters(const struct gpc *gpc, struct mem_counters *out);

#endif
