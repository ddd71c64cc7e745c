/* Tensor memory in time: loads and stores by warps (tcgen05.ld, tcgen05.st), and the map of its columns.
 *
 *   acceptor --+-> 32 lanes of the sub-core --> return path: loads, in the order of issue
 *              |                            +-> store_latency: the end of a store
 *              +-> map of columns, an operation at a time --> map_latency, pair_latency: result
 *
 * Each sub-core reaches the 32 lanes of its warps' quarter, one register of a warp (32 lanes of a column) at a time.
 * A load or store holds them for all of its registers. The loads of a sub-core bring their data back in the order of
 * issue: compiled code waits for the last of a run. tcgen05.wait::st (FENCE.VIEW.ASYNC.T) passes the same queue, and
 * its result is there when the stores of its warp have ended.
 *
 * A warp that allocates is held by its own code, which sleeps between two attempts. The unit has the time of an attempt
 * alone. It starts an operation each tmem.map_interval cycles.
 *
 * The rate is assumed, 32 lanes of 32 bits a cycle. The return path then lets 256 bytes a cycle and SM through, of
 * which 210 were measured on a B300. Whether the tensor core's accumulators hold the lanes up is not published, and not
 * modelled. */
#ifndef SUBCORE_SM_TENSOR_MEMORY_UNIT_H
#define SUBCORE_SM_TENSOR_MEMORY_UNIT_H

#include <stdint.h>

#include "config/config.h"
#include "probe/counters.h"
#include "sm/memory/delivery.h"
#include "sm/memory/pending_table.h"
#include "sm/retire.h"
#include "sm/slot.h"

struct tensor_memory_unit {
    struct tensor_memory_ports {
        const struct pending_table *table;
        const struct delivery *delivery;
        struct retire *retire;
        const struct config_tmem *config;
        const struct config_lsu *lsu;
        struct sm_counters *n;
    } to;
    uint64_t free[SM_SUBCORES]; /* cycle from which the lanes of a sub-core take an instruction */
    uint64_t stored[SM_WARPS];  /* cycle at which the stores of the warp in a slot have ended */
    uint64_t map_free;          /* cycle from which the map takes an operation */
};

/* Makes a unit that nothing holds. */
void tensor_memory_unit_begin(struct tensor_memory_unit *u);

/* An instruction that the acceptor takes at `now`: code->tensor says which. */
void tensor_memory_unit_access(struct tensor_memory_unit *u, uint16_t token, uint64_t now);

/* Returns the cycles from the beginning of a copy with so many bytes from shared memory to its end. */
uint32_t tensor_memory_copy_cycles(const struct config_tmem *config, uint32_t bytes);

#endif
