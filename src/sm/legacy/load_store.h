/* LD/ST unit of the legacy core, one per SM, with one dispatch register.
 *
 *   collectors -> dispatch register --> shared memory's pipeline -------------------------+--> write-back, one a cycle
 *                        |                                                                |
 *                        +--> banks' pipelines --> L1 --(hit)--> done                     |
 *                        |                         +--(miss)--> miss queue --> port ...   |
 *                        |                  ... port --> replies --> L1, MSHRs -----------+
 *                        +--> past the L1: port ... --> replies --------------------------+
 *
 * The register takes an instruction in the cycle in which the one before has left. An access to shared memory holds it
 * for the cycles that its banks need. Of an access to global or local memory one request for each bank leaves in a
 * cycle, up to the first whose pipeline does not take it. A bank looks its request up after legacy.l1_latency cycles,
 * and in each cycle again while the L1 cannot take it, which blocks the queue. Atomics, strong loads and
 * LDGSTS.BYPASS send one request in a cycle past the L1. The network takes one request of the miss queue in a cycle,
 * and the unit one reply. A hit opens the scoreboard at once. Data of shared memory and replies take the register
 * bank for a step of the collectors, one in a cycle, of these clients in turn (GPGPU-Sim 4).
 *
 * Operations on barrier objects, tensor memory and other CTAs' memory, which that simulator does not have, go on in
 * the modern core's structures. */
#ifndef SUBCORE_SM_LEGACY_LOAD_STORE_H
#define SUBCORE_SM_LEGACY_LOAD_STORE_H

#include "base/ring.h"
#include "sm/legacy/collectors.h"
#include "sm/legacy/l1.h"
#include "sm/memory/lsu.h"

enum { LEGACY_STAGES = 128, LEGACY_L1_BANKS = 16, LEGACY_REPLIES = 8192 };
_Static_assert(LSU_TOKENS * 32 < (int)LEGACY_L1_NONE, "a number names a request");

/* Requests that wait for something; 16 bits each: request_number of an access's token and its sector. */
RING(legacy_misses, uint16_t, 64)

struct legacy_reply {
    uint64_t sector;
    uint16_t token; /* LSU_NO_TOKEN: a sector of the L1 */
    bool data;      /* else an acknowledgement */
};

/* Requests or tokens on their way through stages, of which the first is the last to be reached. */
struct legacy_stages {
    uint16_t at[LEGACY_STAGES]; /* LEGACY_L1_NONE: nothing */
    uint32_t count;
};

struct legacy_load_store {
    struct legacy_load_store_ports {
        const struct config *config;
        const struct code_table *code;
        struct legacy_latches *in;
        struct legacy_collectors *collectors;
        struct lsu *lsu; /* pending table, fences, copies; the work of the modern core's structures */
        struct port *port;
        struct retire *retire;
        const struct warp_gates *gates;
        struct dependence *dependence[SM_SUBCORES];
        struct sm_warp *warp; /* [SM_WARPS] */
        struct sm_counters *n;
    } to;
    struct legacy_op op; /* in the dispatch register */
    uint16_t at;         /* its next request */
    uint16_t cycles;     /* for which it still holds shared memory */
    uint16_t writes;     /* token of the access that is written back (LSU_NO_TOKEN: none) */
    uint16_t past;       /* of a reply that went past the L1 */
    uint8_t turn;        /* client that is served first */
    struct legacy_stages shared, bank[LEGACY_L1_BANKS];
    struct legacy_misses misses;
    struct legacy_reply *reply; /* [LEGACY_REPLIES] */
    uint32_t reply_first, reply_end;
    uint16_t ready_first, ready_last; /* requests whose sector has come, chained as in the MSHRs */
    struct legacy_l1 l1;
};

/* Returns false if out of memory. The ports are connected. */
bool legacy_load_store_init(struct legacy_load_store *u, struct arena *arena);
void legacy_load_store_begin(struct legacy_load_store *u);

/* An access issues: notes its requests, as `issued` has its addresses. */
void legacy_load_store_issue(struct legacy_load_store *u, uint16_t token, const struct issued *issued);

/* A cycle. Returns true if anything moved. */
bool legacy_load_store_cycle(struct legacy_load_store *u, uint64_t now);
/* Returns true if nothing can move before a reply comes. */
bool legacy_load_store_idle(const struct legacy_load_store *u);

/* Takes a reply to the port's client PORT_DATA. `self` is the unit. */
void legacy_load_store_reply(void *self, const struct reply *reply, uint64_t now);

void legacy_load_store_archive(struct archive *a, struct legacy_load_store *u);

#endif
