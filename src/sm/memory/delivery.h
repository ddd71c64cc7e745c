/* Delivery: how an access ends. Its data take the return path of their sub-core to the write port of their registers
 * (EVENT_WRITE), and the access is complete when they are written. An access without a result ends at a cycle that its
 * unit knows (EVENT_COMPLETE). */
#ifndef SUBCORE_SM_DELIVERY_H
#define SUBCORE_SM_DELIVERY_H

#include <stdint.h>

#include "sm/memory/pending_table.h"
#include "sm/memory/return_path.h"
#include "sm/retire.h"
#include "sm/slot.h"

/* Ports alone. */
struct delivery {
    const struct pending_table *table;
    struct return_path *path[SM_SUBCORES];
    struct retire *retire;
};

/* Sends data that are ready at `ready` to the registers, so many bytes per cycle (0: their size costs nothing) and no
 * faster than in `least` cycles. Returns the cycle at which a consumer can issue. */
uint64_t delivery_send(const struct delivery *d, uint16_t token, enum return_class class, uint64_t ready,
                       uint32_t bytes_per_cycle, uint32_t least);

/* Completes the access at `when`. */
void delivery_complete(const struct delivery *d, uint16_t token, uint64_t when);

#endif
