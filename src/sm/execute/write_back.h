/* Where loaded data wait for the write port of their bank, at the end of the return path: a result of fixed latency
 * in the same bank and cycle goes first, and then those of the sub-core's own variable-latency units. Later data
 * wait behind. Source: MICRO 2025 paper, results of loads; the order, the code published with it. */
#ifndef SUBCORE_SM_WRITE_BACK_H
#define SUBCORE_SM_WRITE_BACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "sm/execute/queue_clock.h"
#include "sm/memory/pending_table.h"
#include "sm/registers/register_file.h"
#include "sm/retire.h"

RING(write_ring, uint16_t, 1024) /* tokens */
_Static_assert((int)write_ring_capacity >= (int)LSU_TOKENS, "every access may wait");

struct write_back {
    struct write_back_ports {
        const struct pending_table *table;
        struct write_ports *ports;
        struct retire *retire;
        struct queue_clock *clock;
    } to;
    struct write_ring waiting;
};

static inline void write_back_begin(struct write_back *w) { w->waiting.head = w->waiting.tail = 0; }

/* EVENT_WRITE. Returns true if the data are written in this cycle: then the access is complete. */
bool write_back_arrive(struct write_back *w, uint16_t token, uint64_t now);
/* The oldest that waits writes if it can. Returns its token, whose access is complete, or LSU_NO_TOKEN. */
uint16_t write_back_cycle(struct write_back *w, uint64_t now);
static inline uint64_t write_back_next(const struct write_back *w, uint64_t now)
{
    return write_ring_empty(&w->waiting) ? UINT64_MAX : now + 1;
}

#endif
