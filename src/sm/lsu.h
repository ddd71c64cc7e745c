/* Memory unit: a queue in each sub-core, one acceptor shared by the four, shared memory, the way to the L1 and to the
 * network.
 *
 *   issue --> queue (5) --address step--> accept (round robin) --> shared memory --> return bus --> registers
 *                                                              \-> L1 -----------/
 *                                                              \-> network ------/
 *
 * Timing of the uncontended path is that of tables 1 and 2 of the MICRO 2025 paper; the formulas stand beside the
 * code. */
#ifndef SUBCORE_SM_LSU_H
#define SUBCORE_SM_LSU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "isa/issued.h"
#include "port/message.h"
#include "sm/coalesce.h"
#include "sm/code.h"

enum { LSU_TOKENS = 1024, LSU_NO_TOKEN = 0xffff, ASYNC_GROUPS = 64 };

/* A memory instruction from issue to completion. */
struct access {
    const struct code *code;
    uint16_t slot; /* warp slot */
    uint8_t space; /* enum isa_space, of a generic address what it was found to be */
    uint8_t partition;
    uint8_t async_group;
    bool deferred;         /* the source wants to know when it is complete */
    bool returns;          /* data come back to registers */
    bool posted;           /* a store or reduction of which only the acknowledgements are missing */
    uint8_t lines;         /* entries of `line` */
    uint8_t left;          /* lines still on their way */
    uint8_t passes, least; /* shared memory */
    uint16_t bytes;        /* of all active lanes' registers that move */
    struct line_access line[32];
};

struct queued {
    uint16_t token;
    uint64_t earliest;
};
RING(memory_ring, struct queued, 64)

struct memory_queue {
    struct memory_ring ring;
    uint64_t last_leave;
    uint64_t return_free; /* bus to the register file */
};

/* Copies to shared memory in flight, by group of LDGDEPBAR. */
struct async_groups {
    uint16_t left[ASYNC_GROUPS];
    uint8_t sb[ASYNC_GROUPS]; /* counter to lower when the group and all before it have landed */
    uint8_t oldest, open;     /* open: group that new copies join */
    uint64_t raised;          /* cycle at which CONTROL raises the counter of the group closed last */
};

struct lsu {
    struct access *access;     /* [LSU_TOKENS] */
    uint16_t free[LSU_TOKENS]; /* stack: recently used ones stay in the host's cache */
    uint32_t free_count;
    uint64_t accept_free;
    uint64_t shared_free; /* banks */
    uint64_t l1_free;     /* tag and data stage */
    uint32_t turn;        /* sub-core that is asked first */
    uint32_t in_network;  /* requests without their reply */
};

struct sm;

bool lsu_init(struct lsu *lsu);
void lsu_free(struct lsu *lsu);
void lsu_begin(struct lsu *lsu, uint32_t pending);

/* A memory instruction of the warp has issued: it takes a place in the queue. sm->issued holds what execution knows. */
void lsu_issue(struct sm *sm, unsigned partition, unsigned warp, const struct code *code, uint16_t token, uint64_t now);

/* The acceptor takes at most one instruction. True when it did. */
bool lsu_cycle(struct sm *sm, uint64_t now);
/* Replies that have arrived leave the network. */
bool lsu_replies(struct sm *sm, uint64_t now);
/* Earliest cycle after `now` at which the acceptor could take an instruction. */
uint64_t lsu_next(const struct sm *sm, uint64_t now);

/* EVENT_COMPLETE. */
void lsu_complete(struct sm *sm, uint16_t token);

/* LDGDEPBAR: closes the open group of copies; `sb` goes down when they have landed. */
void lsu_async_close(struct sm *sm, unsigned slot, uint8_t sb, uint64_t now);

#endif
