/* Memory unit: a queue in each sub-core, and the part that the SM shares.
 *
 *   issue --> memory queue (5) --address--> acceptor --> pending table --+-> shared memory ---+--> return path
 *             of the sub-core                                            +-> L1 --> network --+    of the sub-core,
 *                                                                        +-> constants (LDC) -+    registers
 *                                                                        +-> misc: SHFL, S2R -+
 *
 * Without contention the times are those of tables 1 and 2 of the MICRO 2025 paper; each rule stands with the structure
 * that follows it. */
#ifndef SUBCORE_SM_LSU_H
#define SUBCORE_SM_LSU_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/memory/acceptor.h"
#include "sm/memory/async_copy.h"
#include "sm/memory/fence.h"
#include "sm/memory/global_path.h"
#include "sm/memory/load_order.h"
#include "sm/memory/memory_queue.h"
#include "sm/memory/pending_table.h"
#include "sm/memory/return_path.h"
#include "sm/memory/shared_memory.h"

/* What the four sub-cores share. */
struct lsu {
    struct acceptor acceptor;
    struct pending_table table;
    struct shared_memory shared;
    struct global_path global;
    struct unacknowledged unacknowledged;
};

struct sm;

/* False when the host is out of memory. */
bool lsu_init(struct lsu *lsu, const struct config_lsu *config, struct arena *arena);
void lsu_begin(struct lsu *lsu);

/* A memory instruction of the warp has issued: it takes a place in the queue. sm->issued holds what execution knows. */
void lsu_issue(struct sm *sm, unsigned subcore, unsigned warp, const struct code *code, uint16_t token, uint64_t now);

/* Cycles for which it keeps the acceptor. */
uint32_t lsu_interval(const struct config_lsu *config, const struct access *a);
/* The shared part takes the instruction. */
void lsu_accept(struct sm *sm, uint16_t token, uint64_t now);

/* Data ready at `ready` go to the registers, so many bytes a cycle (0: their size costs nothing) and no faster than in
 * `least` cycles. Returns the cycle at which a consumer can issue. */
uint64_t lsu_return(struct sm *sm, uint16_t token, enum return_class class, uint64_t ready, uint32_t bytes_per_cycle,
                    uint32_t least);
void lsu_complete_at(struct sm *sm, uint16_t token, uint64_t when);

/* EVENT_COMPLETE. */
void lsu_complete(struct sm *sm, uint16_t token);

#endif
