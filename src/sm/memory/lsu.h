/* Memory unit: a queue in each sub-core, and the part that the SM shares.
 *
 *   issue --> memory queue (5) --address--> acceptor --> pending table --+-> shared memory ---+--> return path
 *             of the sub-core                                            +-> L1 --> network --+    of the sub-core,
 *                                                                        +-> other SMs -------+
 *                                                                        +-> constants (LDC) -+    registers
 *                                                                        +-> tensor memory ---+
 *                                                                        +-> misc: SHFL, S2R -+
 *
 * Without contention the times are those in tables 1 and 2 of the MICRO 2025 paper. Each rule stands with the structure
 * that follows it. */
#ifndef SUBCORE_SM_LSU_H
#define SUBCORE_SM_LSU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"
#include "sm/code_table.h"
#include "sm/memory/acceptor.h"
#include "sm/memory/address_memo.h"
#include "sm/memory/async_copy.h"
#include "sm/memory/bank_memo.h"
#include "sm/memory/constant_load.h"
#include "sm/memory/delivery.h"
#include "sm/memory/fence.h"
#include "sm/memory/global_path.h"
#include "sm/memory/l1.h"
#include "sm/memory/pending_table.h"
#include "sm/memory/remote_path.h"
#include "sm/memory/shared_memory.h"
#include "sm/memory/unwaited.h"
#include "sm/source.h"

struct tensor_memory_unit;
struct texture_unit;

/* The part that the four sub-cores share. */
struct lsu {
    struct lsu_ports {
        struct memory_queue *queue[SM_SUBCORES];
        struct sm_warp *warp; /* [SM_WARPS] */
        const struct sm_source *source;
        struct mbarrier_unit *objects;
        struct texture_unit *textures;
        struct tensor_memory_unit *tensor;
        struct retire *retire;
        const struct code_table *code;
        const struct config *config;
    } to;
    struct acceptor acceptor;
    struct pending_table table;
    struct shared_memory shared;
    struct bank_memo banks;
    struct address_memo addresses;
    struct global_path global;
    struct remote_path remote;
    struct l1 l1;
    struct constant_loads constants;
    struct async_copies copies;
    struct fences fences;
    struct delivery delivery;
    struct unwaited unwaited[CODE_WINDOWS]; /* of the kernel in this code window */
};

/* Makes the unit, which has its wires. Returns false if out of memory. */
bool lsu_init(struct lsu *lsu, const struct config *config, struct arena *arena);
/* Empties it before a kernel that leaves the L1 so many bytes. */
void lsu_begin(struct lsu *lsu);

/* A memory instruction of the warp in this slot issues: it takes a place in the queue of its sub-core. */
void lsu_issue(struct lsu *lsu, uint32_t slot, const struct code *code, const struct issued *is, uint16_t token,
               uint64_t now);

/* The two halves for the legacy core, which has its own way from issue to the shared part: notes an access that issues,
 * and begins it. */
void lsu_note(struct lsu *lsu, uint32_t slot, const struct code *code, const struct issued *is, uint16_t token,
              uint64_t now);
void lsu_access(struct lsu *lsu, uint16_t token, uint64_t now);

/* The shared part takes an instruction if it can. Returns true if it did. */
bool lsu_accept(struct lsu *lsu, uint64_t now);
static inline bool lsu_cycle(struct lsu *lsu, uint64_t now)
{
    return acceptor_looks(&lsu->acceptor, now) && lsu_accept(lsu, now);
}
/* Replies have come: there may be room for accesses. */
static inline void lsu_replied(struct lsu *lsu) { acceptor_room(&lsu->acceptor); }
/* Returns the earliest cycle after `now` at which it could take one; UINT64_MAX if only a completion or a reply lets
 * it. */
static inline uint64_t lsu_next(const struct lsu *lsu, uint64_t now) { return acceptor_next(&lsu->acceptor, now); }

/* The access is complete in this cycle: its data have been written, or EVENT_COMPLETE. */
void lsu_complete(struct lsu *lsu, uint16_t token, uint64_t now);

/* The warp in this slot leaves it. Accesses of which only the acknowledgement is missing stay. */
void lsu_leave(struct lsu *lsu, uint32_t slot);
/* Returns true if memory has acknowledged all stores of warps that have left. */
bool lsu_acknowledged(const struct lsu *lsu);

/* Saves or restores the unit within its SM; lsu_archive_accesses follows behind the SM. */
void lsu_archive(struct archive *a, struct lsu *lsu);
void lsu_archive_accesses(struct archive *a, struct lsu *lsu);

#endif
