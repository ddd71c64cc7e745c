/* Pending request table of the SM-shared part (after Nyland and Lashgar): an entry for each memory instruction that has
 * been accepted and is not complete, with what it still waits for. The MICRO 2025 paper's artifact has 128 entries.
 *
 * What an instruction needs while it stands in the queue of its sub-core is kept in the same record, so that there are
 * more records than entries: a token names a record from issue to completion. */
#ifndef SUBCORE_SM_PENDING_TABLE_H
#define SUBCORE_SM_PENDING_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/bank_conflicts.h"
#include "sm/coalesce.h"
#include "sm/code.h"

enum { LSU_TOKENS = 1024, LSU_NO_TOKEN = 0xffff };

/* A memory instruction from issue to completion. */
struct access {
    const struct code *code;
    uint16_t slot; /* warp slot */
    uint8_t space; /* enum isa_space, of a generic address what it was found to be */
    uint8_t partition;
    uint8_t async_group;
    bool deferred;           /* the source wants to know when it is complete */
    bool returns;            /* data come back to registers */
    bool posted;             /* a store or reduction of which only the acknowledgements are missing */
    bool answered;           /* the data are there, and wait for older ones of an ordered chain */
    uint16_t next;           /* token of the next in that chain */
    uint16_t older, younger; /* deferred: neighbours in struct unacknowledged */
    uint64_t number;         /* deferred: place in the order of issue */
    uint8_t lines;           /* entries of `line`; for LDC blocks of the constant cache */
    uint8_t left;            /* lines still on their way */
    struct bank_passes bank; /* passes through the data array */
    uint64_t data_at;        /* LDC: cycle at which its data are at the return path, as far as that is known */
    uint16_t bytes;          /* of all active lanes' registers that move */
    uint64_t cache_policy;   /* of its descriptor, 0 without one */
    struct line_access line[32];
};

struct pending_table {
    struct access *access;     /* [LSU_TOKENS] */
    uint16_t free[LSU_TOKENS]; /* stack: recently used ones stay in the host's cache */
    uint32_t free_count;
    uint32_t entries; /* taken by accepted instructions */
};

bool pending_table_init(struct pending_table *t);
void pending_table_free(struct pending_table *t);
/* Empty, with a record for every entry and every place of the sub-cores' queues. */
void pending_table_begin(struct pending_table *t, const struct config_lsu *config);

static inline uint16_t pending_table_take(struct pending_table *t) { return t->free[--t->free_count]; }

/* The instruction is complete: its entry and its record are free. */
static inline void pending_table_release(struct pending_table *t, uint16_t token)
{
    t->entries--;
    t->free[t->free_count++] = token;
}

#endif
