/* Global and local memory: tag and data stage of the L1, and the requests to the network. */
#ifndef SUBCORE_SM_GLOBAL_PATH_H
#define SUBCORE_SM_GLOBAL_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "port/message.h"
#include "probe/counters.h"
#include "sm/memory/async_copy.h"
#include "sm/memory/fence.h"
#include "sm/memory/l1.h"
#include "sm/memory/shared_memory.h"
#include "sm/port/port.h"

struct warp_gates;

enum { GLOBAL_TICKS = 1 << 20 };

struct global_path {
    struct global_path_ports {
        struct pending_table *table;
        struct l1 *l1;
        struct shared_memory *data; /* stage, which is shared memory's */
        struct port *port;
        const struct async_copies *copies;
        const struct delivery *delivery;
        struct fences *fences;
        const struct warp_gates *gates;
        struct sm_warp *warp; /* [SM_WARPS] */
        const struct config_l1 *config;
        const struct config_lsu *lsu;
        struct sm_counters *n;
    } to;
    uint64_t tags_free;    /* cycle from which the tag stage takes the next instruction */
    uint32_t stores;       /* pending lines, in stores and reductions: the L2 has not acknowledged them */
    uint64_t atomics_free; /* from when on the next operation of an atomic can leave, in GLOBAL_TICKS of a cycle */
};

/* Returns the cycle from which the path can take an access as far as time decides. Accesses may wait for the data stage
 * behind the tags, for l1.data_queue cycles at most, unless `others` wait for it in front of them. */
uint64_t global_path_free(const struct global_path *g, bool others);
/* Returns true if there is room behind the path for the access's worst case: each of its lines a miss and a message. A
 * store also waits until l1.stores_pending has room for its lines, or no other is pending. */
bool global_path_room(const struct global_path *g, const struct access *a);

/* Takes an access that is accepted at `now`. */
void global_path_access(struct global_path *g, uint16_t token, uint64_t now);

/* Takes a reply to the port's client PORT_DATA. `self` is the path. */
void global_path_reply(void *self, const struct reply *reply, uint64_t now);

#endif
