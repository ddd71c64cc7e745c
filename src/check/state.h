/* The checks' state of a running launch. */
#ifndef SUBCORE_CHECK_STATE_H
#define SUBCORE_CHECK_STATE_H

#include "check/check.h"
#include "check/order.h"
#include "check/shadow.h"
#include "exec/cta.h"
#include "isa/role.h"
#include "isa/sync.h"

enum { CHECK_GROUPS = 64 /* of asynchronous copies that are told apart */ };

struct check_warp {
    uint8_t waits;               /* number of the barrier that it waits at, plus 1 */
    uint32_t met;                /* lanes that have arrived at a WARPSYNC, and go on together */
    bool piece;                  /* some lanes have arrived at a barrier before others, */
    uint32_t apart;              /* at this pc */
    uint32_t open;               /* number of the open copy group */
    uint32_t done[CHECK_GROUPS]; /* stamps at which groups were waited for (0: not yet) */
    uint8_t counter;             /* dependence counter of the groups */
    uint32_t fenced;             /* lanes whose last instruction for memory was a fence */
    uint32_t cluster_stamp;      /* of its arrival at the cluster's barrier */
    uint8_t *local;              /* bits for the bytes of local memory that are written, lane by lane (NULL: none yet)
                                  * */
};

struct check_barrier {
    uint32_t arrived, waiting;  /* warps, a bit each */
    uint32_t arrivals, threads; /* threads: that it waits for (0: all of the CTA) */
    uint32_t stamp[ORDER_WARPS], pc[ORDER_WARPS];
};

/* The barrier of a cluster. */
struct check_cluster {
    uint32_t users; /* CTAs */
    uint32_t arrived[EXEC_CTA_GROUP];
    struct clock *gathers, *done; /* the knowledge of this phase's arrivals, and that of the last one's */
};

struct check_cta {
    uint64_t linear;
    uint64_t order; /* as exec_cta has it */
    uint32_t rank;
    uint32_t live; /* warps that have not exited, a bit each */
    struct order_warp know[ORDER_WARPS];
    struct check_warp warp[ORDER_WARPS];
    struct check_barrier barrier[EXEC_BARRIERS];
    struct shadow shared;
    struct check_cluster *cluster; /* NULL: no cluster */
};

struct check_launch {
    const struct exec_launch *of;
    struct memory *memory;
    struct order order;
    struct shadow global;
    struct check_cta **cta; /* [ctas], by the slot of their first warp */
    uint32_t ctas;
};

/* The executing warp and its instruction. */
struct check_at {
    struct check *check;
    struct check_launch *launch;
    struct check_cta *cta;
    struct check_warp *warp;
    struct order_warp *know;
    const struct exec_warp *exec;
    const struct isa_inst *isa;
    enum isa_role role;
    enum isa_sync sync;
    const struct issued *issued;
};

static inline bool check_wants(const struct check *check, enum check_bit bit) { return check->checks >> bit & 1; }

/* Returns the state of a CTA that runs, made when it is first asked for (NULL: the host has no memory). */
struct check_cta *check_cta_of(struct check *check, const struct exec_cta *cta);
/* Frees it. */
void check_cta_end(struct check_launch *launch, struct check_cta *cta);

/* Notes a finding at which this thread comes second. `first`: warp, lane and pc of the other thread; first_warp
 * UINT32_MAX: there is none. */
void check_note(const struct check_at *at, enum check_kind kind, unsigned lane, uint32_t first_warp,
                unsigned first_lane, uint32_t first_pc, enum check_memory memory, uint64_t address, uint32_t bytes);
/* Fills in a thread by the number of its warp in the launch. */
void check_place_at(const struct exec_launch *launch, struct check_place *place, uint32_t warp, unsigned lane,
                    uint32_t pc);

/* ---- memory (check/access.c, check/transfer.c) ------------------------------------------------------------------- */

/* A location in shared memory, as struct order names it. */
static inline uint64_t check_shared_location(const struct check_cta *cta, uint32_t offset)
{
    return UINT64_C(1) << 63 | cta->linear << EXEC_RANK_SHIFT | offset;
}

/* An access of a lane. */
struct check_access {
    uint64_t address; /* global, or the offset in the CTA's shared memory */
    uint32_t bytes;
    uint32_t flags; /* as struct shadow_write has them beside the pc */
    uint8_t lane;
    bool reads, writes;
    bool knows_value;
    uint32_t value[8]; /* words that it writes */
};

void check_access_memory(const struct check_at *at);
/* An instruction for the engine of copies. */
void check_transfer(const struct check_at *at);
/* The CTA of this rank in the cluster of `at` (NULL: none runs there). */
struct check_cta *check_peer(const struct check_at *at, uint32_t rank);

/* ---- races (check/race.c) ---------------------------------------------------------------------------------------- */

/* Compares an access with those before it, and notes it. `cta`: whose shared memory it is (NULL: global memory). */
void check_race(const struct check_at *at, struct check_cta *cta, const struct check_access *access);
/* Compares only, for bytes that an engine reads or writes for a lane. */
void check_race_range(const struct check_at *at, struct check_cta *cta, uint64_t address, uint64_t bytes, unsigned lane,
                      bool writes);

/* ---- barriers and copies (check/sync.c) -------------------------------------------------------------------------- */

/* Before an instruction of a warp: it has passed its wait. */
void check_passed(const struct check_at *at);
/* An instruction that may be at a barrier. */
void check_barriers(const struct check_at *at);
/* A CTA ends, or the launch does: warps that are left at its barriers. */
void check_left(struct check *check, const struct check_launch *launch, const struct check_cta *cta);
/* Groups of asynchronous copies: LDGDEPBAR, DEPBAR, and control bits that wait. */
void check_copies(const struct check_at *at);
void check_copies_done(const struct check_at *at, uint32_t open);
/* Operations on barrier objects. */
void check_objects(const struct check_at *at);

#endif
