/* Where loaded data wait for the write port of their bank, at the end of the return path: a result of fixed latency in
 * the same bank and cycle goes first, and then those of the sub-core's own units of variable latency; what has come
 * later waits behind. Source: MICRO 2025 paper, results of loads; the order, the code published with it. */
#ifndef SUBCORE_SM_WRITE_BACK_H
#define SUBCORE_SM_WRITE_BACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "sm/execute/register_file.h"
#include "sm/memory/pending_table.h"

RING(write_ring, uint16_t, 1024) /* tokens */
_Static_assert((int)write_ring_capacity >= (int)LSU_TOKENS, "every access may wait");

struct write_back {
    struct write_ring waiting;
};

struct sm;

static inline void write_back_init(struct write_back *w) { w->waiting.head = w->waiting.tail = 0; }

/* The banks of the last register of a result: a wide one comes register after register. */
static inline unsigned write_back_bank(const struct code *code)
{
    return code->write_words ? 1u << (code->write_first + code->write_words - 1u) % RF_BANKS : 0;
}

/* EVENT_WRITE. */
void write_back_arrive(struct sm *sm, uint16_t token);
/* The oldest that waits writes if it can. True when it did. */
bool write_back_cycle(struct sm *sm, unsigned subcore, uint64_t now);
static inline uint64_t write_back_next(const struct write_back *w, uint64_t now)
{
    return write_ring_empty(&w->waiting) ? UINT64_MAX : now + 1;
}

#endif
