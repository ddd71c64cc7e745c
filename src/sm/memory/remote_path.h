/* Distributed shared memory: accesses to the shared memory of other SMs in the GPC, and the service of theirs.
 *
 *   accepted --> a message for each SM and each four segments --port--> [network between SMs] --> banks there
 *   delivery <-- last answer <--port-- [network] <-- answer: data, or an acknowledgement <----+
 *
 * Data travel in aligned segments of 32 bytes, in which such accesses should be coalesced (Hopper Tuning Guide): a lane
 * that is alone in its segment costs as much as eight of four bytes. The other SM's banks are held as by an access of
 * its own, conflicts included. Requests of other SMs take them before the acceptor looks. Measured on an H800, one
 * access at a time: 180 to 181 cycles from issue to use for a cluster of 2 (Luo et al., 2025). The network's part is
 * noc.peer_latency, and its width noc.peer_bytes (sm/port/port.h). */
#ifndef SUBCORE_SM_REMOTE_PATH_H
#define SUBCORE_SM_REMOTE_PATH_H

#include <stdint.h>

#include "port/message.h"
#include "sm/memory/delivery.h"
#include "sm/memory/fence.h"
#include "sm/memory/mbarrier_unit.h"
#include "sm/memory/shared_memory.h"
#include "sm/port/port.h"
#include "sm/source.h"

struct sm_cta;
struct sm_warp;

/* Ports alone: accesses in flight stand in the pending request table. */
struct remote_path {
    struct pending_table *table;
    struct shared_memory *shared;
    struct port *port;
    const struct delivery *delivery;
    struct mbarrier_unit *objects;
    struct fences *fences;
    const struct sm_source *source;
    struct sm_warp *warp;     /* [SM_WARPS] */
    const struct sm_cta *cta; /* [SM_CTAS] */
    const struct config_shared *config;
    struct sm_counters *n;
};

/* Splits an access into messages: line_access.line is the rank, lanes those of the message, bytes the length of the
 * segments that they touch, operations the passes through the banks there. Returns their number. */
unsigned remote_path_split(const struct config_shared *config, const struct code *code, const struct issued *is,
                           struct line_access out[32]);

/* Takes an access that is accepted at `now`. */
void remote_path_access(const struct remote_path *p, uint16_t token, uint64_t now);

/* Takes a message of another SM: a request, or the answer to one of ours. `self` is the path. */
void remote_path_take(void *self, const struct request *message, uint64_t now);

#endif
