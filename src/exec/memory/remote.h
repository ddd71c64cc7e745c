/* Distributed shared memory: accesses to the shared memory of other CTAs in a cluster, by generic addresses.
 *
 * A functional run does them at once. In a timed run they are messages: the access is kept under its token, takes
 * effect when its message reaches the SM of the other CTA (exec_serve_remote), and its result reaches the registers at
 * exec_complete. */
#ifndef SUBCORE_EXEC_REMOTE_H
#define SUBCORE_EXEC_REMOTE_H

#include <stdatomic.h>

#include "exec/core.h"
#include "exec/cta.h"
#include "exec/inst.h"
#include "exec/memory/atomic.h"
#include "exec/memory/mbarrier.h"
#include "exec/sizes.h"
#include "exec/warp_state.h"

enum remote_kind {
    REMOTE_LOAD,
    REMOTE_STORE,
    REMOTE_ATOMIC,
    REMOTE_ARRIVE,      /* at barrier objects (SYNCS.ARRIVE) */
    REMOTE_ASYNC_STORE, /* STAS: stores, and completes the bytes at a barrier object of the same CTA */
    REMOTE_ASYNC_ATOMIC /* REDAS, likewise */
};

/* An access by the lanes of a warp. The old values of an atomic, and loaded values, replace its operands. */
struct exec_remote {
    struct exec_warp *warp;
    const struct exec_inst *inst;
    uint64_t generation;      /* of the warp's storage */
    uint32_t lanes;           /* 0: the record is free */
    _Atomic uint32_t waiting; /* lanes whose message is in flight. Other SMs take theirs at the same time */
    _Atomic uint32_t missed;  /* lanes whose CTA was not there any more, or whose address is beyond its memory */
    _Atomic uint32_t wrong;   /* lanes whose barrier object refuses their operation */
    uint8_t kind;             /* enum remote_kind */
    uint8_t bytes;            /* a lane accesses */
    uint8_t function, type;
    uint32_t address[EXEC_LANES];         /* rank << EXEC_RANK_SHIFT | offset */
    uint64_t data[EXEC_LANES][EXEC_DATA]; /* of arrivals as remote_pack writes them. An object that is wrong is left in
                                           * data[lane][0], with its error in data[lane][1] */
    uint32_t object[EXEC_LANES];          /* of asynchronous operations: the address of the barrier object */
};

/* Returns the CTA of this rank in the same cluster, NULL if there is none or its storage is another CTA's by now. */
struct exec_cta *remote_peer(const struct exec_cta *cta, unsigned rank);

/* Begins an access of `lanes`, whose addresses are 32-bit cluster addresses and multiples of `bytes`. Those of
 * stores and atomics have their operands in the registers. Fills in `out` of a deferred core. */
void remote_access(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                   unsigned bytes, const uint32_t address[EXEC_LANES], struct issued *out);

/* Describes an access of `lanes` to the cluster's memory as the timing sees it. */
void remote_describe(uint32_t lanes, unsigned bytes, const uint32_t address[EXEC_LANES], struct issued *out);

/* Returns the record of a token, which is made if there is none yet. NULL if the host has no memory. */
struct exec_remote *remote_record(struct exec_core *core, uint32_t token);

/* Writes an arrival as the data of a lane. */
void remote_pack(uint64_t data[EXEC_DATA], struct mbarrier_arrival arrival);
/* Begins arrivals of `lanes` at the barrier objects at these addresses. */
void remote_arrive(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                   const uint32_t address[EXEC_LANES], uint64_t data[EXEC_LANES][EXEC_DATA], struct issued *out);
/* Begins STAS or REDAS of `lanes`: operands in data[lane], which the function and type, if it is an atomic one, say how
 * to combine; the barrier objects at `object`. Not `away`: all are in the own CTA. */
void remote_async(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                  unsigned bytes, const uint32_t address[EXEC_LANES], const uint32_t object[EXEC_LANES],
                  uint64_t data[EXEC_LANES][EXEC_DATA], bool away, struct issued *out);

/* Ends the access of the token, if it is a remote one: results, and faults, reach the warp. */
bool remote_complete(struct exec_core *core, uint32_t token);

/* All remote accesses that the core has in flight take effect now. Nothing else runs. */
void remote_settle(struct exec_core *core);

void remote_free(struct exec_core *core);

#endif
