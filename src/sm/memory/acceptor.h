/* Acceptor of the SM-shared part: one memory instruction each accept_interval cycles, from the four sub-cores in turn.
 *
 * MICRO 2025 paper, memory pipeline: one every 2 cycles, round robin. With table 1 this gives 4, 4, 6, 8 cycles an
 * instruction for 1 to 4 sub-cores. GA100 takes one a cycle: its LDS stream at 2, 2, 3, 4 cycles (measured on an
 * A100). An access whose active lanes lie in one half of the warp takes half the time (lsu.half_warps): ASSUMED,
 * since two cycles for a warp are one for 16 lanes. A key, since no measurement of it is known. */
#ifndef SUBCORE_SM_ACCEPTOR_H
#define SUBCORE_SM_ACCEPTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/order.h"
#include "config/config.h"
#include "probe/counters.h"
#include "sm/memory/global_path.h"
#include "sm/memory/mbarrier_unit.h"
#include "sm/memory/memory_queue.h"
#include "sm/memory/shared_memory.h"
#include "sm/registers/register_file.h"
#include "sm/scheduler/warp_gate.h"
#include "sm/slot.h"

struct acceptor {
    struct acceptor_ports {
        struct memory_queue *queue[SM_SUBCORES];
        struct register_file *registers[SM_SUBCORES];
        const struct warp_gates *gates;
        struct pending_table *table;
        const struct shared_memory *shared;
        const struct mbarrier_unit *objects;
        const struct global_path *global;
        const struct config_lsu *config;
        const struct config_core *core;
        struct sm_counters *n;
    } to;
    uint64_t free;                     /* cycle from which it takes an instruction */
    uint32_t turn;                     /* sub-core that is asked first */
    uint32_t waiting;                  /* bit p: the queue of sub-core p is not empty */
    uint32_t banks;                    /* bit p: its head is an access to shared memory */
    uint64_t head_leaves[SM_SUBCORES]; /* cycle from which its head can leave as far as the sub-core is concerned */
    uint64_t looks; /* no head can be taken before: what those wait for that time holds back is only taken for longer,
                     * and the others have been refused (UINT64_MAX: all, until there may be room) */
    bool refused;   /* some head has found no room behind the acceptor */
};

/* Makes an acceptor whose queues are empty. */
void acceptor_begin(struct acceptor *a);

/* The queue of the sub-core has another head, or none. */
void acceptor_new_head(struct acceptor *a, unsigned subcore);

/* There may be room behind the acceptor that was not there before: a reply has come, or an access is complete. */
static inline void acceptor_room(struct acceptor *a)
{
    if (a->refused)
        a->looks = a->free;
}

/* Tells whether it looks at the queues' heads in this cycle. */
static inline bool acceptor_looks(const struct acceptor *a, uint64_t now) { return a->waiting && a->looks <= now; }

/* Takes at most one instruction. Returns its token, or LSU_NO_TOKEN. */
uint16_t acceptor_cycle(struct acceptor *a, uint64_t now);
/* Returns the earliest cycle after `now`, in which it has looked if it does, at which it could take one; UINT64_MAX if
 * only a completion or a reply lets it. */
static inline uint64_t acceptor_next(const struct acceptor *a, uint64_t now)
{
    bool entry = a->to.table->entries < a->to.config->pending;
    return a->waiting && entry ? latest(a->looks, now + 1) : UINT64_MAX;
}

#endif
