/* Where loaded data wait for the write port of their bank, at the end of the return path: a result of fixed latency
 * in the same bank and cycle goes first, and then those of the sub-core's own variable-latency units. Later data
 * wait behind. Source: MICRO 2025 paper, results of loads; the order, the code published with it. */
#ifndef SUBCORE_SM_WRITE_BACK_H
#define SUBCORE_SM_WRITE_BACK_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/execute/queue_clock.h"
#include "sm/memory/pending_table.h"
#include "sm/registers/register_file.h"
#include "sm/retire.h"

struct write_back {
    struct write_back_ports {
        const struct pending_table *table;
        struct write_ports *ports;
        struct retire *retire;
        struct queue_clock *clock;
    } to;
    uint32_t first, end;          /* places of `waiting`, modulo LSU_TOKENS */
    uint16_t waiting[LSU_TOKENS]; /* tokens, the oldest first: every access may wait */
};

static inline void write_back_begin(struct write_back *w) { w->first = w->end = 0; }

static inline bool write_back_empty(const struct write_back *w) { return w->first == w->end; }

/* EVENT_WRITE. Returns true if the data are written in this cycle: then the access is complete. */
bool write_back_arrive(struct write_back *w, uint16_t token, uint64_t now);
/* The oldest that waits writes if it can. Returns its token, whose access is complete, or LSU_NO_TOKEN. */
uint16_t write_back_cycle(struct write_back *w, uint64_t now);
static inline uint64_t write_back_next(const struct write_back *w, uint64_t now)
{
    return write_back_empty(w) ? UINT64_MAX : now + 1;
}

#endif
