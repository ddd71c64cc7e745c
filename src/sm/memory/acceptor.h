/* Acceptor of the SM-shared part: one memory instruction each accept_interval cycles, from the four sub-cores in turn.
 *
 * MICRO 2025 paper, memory pipeline: one every 2 cycles, round robin; with table 1 this gives 4, 4, 6, 8 cycles an
 * instruction for 1 to 4 sub-cores. GA100 takes one a cycle: its LDS stream at 2, 2, 3, 4 cycles (measured on an
 * A100). */
#ifndef SUBCORE_SM_ACCEPTOR_H
#define SUBCORE_SM_ACCEPTOR_H

#include <stdbool.h>
#include <stdint.h>

struct acceptor {
    uint64_t free;           /* cycle from which it takes an instruction */
    uint32_t turn;           /* sub-core that is asked first */
    uint32_t waiting;        /* bit p: the queue of sub-core p is not empty */
    uint64_t head_leaves[4]; /* cycle from which its head can leave as far as the sub-core is concerned */
};

struct sm;

/* The queue of the sub-core has another head, or none. */
void acceptor_new_head(struct sm *sm, unsigned subcore);

/* Takes at most one instruction. True when it did. */
bool acceptor_cycle(struct sm *sm, uint64_t now);
/* Earliest cycle after `now` at which it could take one; UINT64_MAX when only a completion or a reply lets it. */
uint64_t acceptor_next(const struct sm *sm, uint64_t now);

#endif
