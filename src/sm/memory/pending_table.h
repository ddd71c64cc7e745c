/* Pending request table of the SM-shared part (after Nyland and Lashgar): an entry for each memory instruction that has
 * been accepted and is not complete, with its pending sectors. The MICRO 2025 paper's artifact has 128 entries.
 *
 * The same record keeps the facts of an instruction in its sub-core's queue, so that there are more records than
 * entries: a token names a record from issue to completion. */
#ifndef SUBCORE_SM_PENDING_TABLE_H
#define SUBCORE_SM_PENDING_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/host_line.h"
#include "config/config.h"
#include "sm/code.h"
#include "sm/memory/bank_conflicts.h"
#include "sm/memory/coalesce.h"

enum {
    LSU_TOKENS = 1024,
    LSU_NO_TOKEN = 0xffff,
    MBARRIER_WAITS = 64 /* accesses that wait at barrier objects without an entry (sm/memory/mbarrier_unit.h) */
};

/* A memory instruction from issue to completion. */
struct access {
    const struct code *code;
    struct line_access *line; /* of the record, room for 32 */
    uint64_t number;          /* deferred: place in the order of issue */
    uint64_t data_at;         /* LDC: cycle at which its data are at the return path, as far as that is known; ARRIVES:
                               * at which it is done if its copies have landed; textures and surfaces: the time that the
                               * texture unit adds (sm/memory/texture_unit.h) */
    uint64_t cache_policy;    /* of its descriptor, 0 without one */
    uint16_t slot, life;      /* warp slot, and sm_warp.life of its warp */
    uint16_t next;            /* token of the next in an ordered chain */
    uint16_t older, younger;  /* deferred: neighbours in struct unacknowledged */
    uint16_t bytes;           /* of all active lanes' registers that move */
    struct bank_passes bank;  /* passes through the data array */
    uint8_t space;            /* enum isa_space, of a generic address the space that was found */
    uint8_t subcore;
    uint8_t window; /* of its warp's code */
    uint8_t async_group;
    uint8_t lines;     /* entries of `line`; LDC: blocks of the constant cache; MATCH.ANY: values, at most 32 */
    uint8_t left;      /* lines still on their way (ARRIVES: 1 while copies are) */
    bool deferred : 1; /* the source wants to know when it is complete */
    bool returns : 1;  /* data come back to registers */
    bool posted : 1;   /* a store or reduction of which only the acknowledgements are missing */
    bool answered : 1; /* the data have arrived, and wait for older ones of the chain. ARRIVES: for copies */
    bool halved : 1;   /* an access to memory whose active lanes lie in one half of the warp */
};

_Static_assert(sizeof(struct access) == HOST_LINE, "a record touches one line of the host's cache, and its lines");

/* Returns the cycles that MATCH.ANY takes if it needs `cycles` for 32 different values: the unit looks at one after
 * another. Other instructions take all cycles. */
static inline uint32_t access_share(const struct access *a, uint32_t cycles)
{
    return a->code->memory == CODE_QUEUE_VALUES ? div_up32(cycles * a->lines, ISA_LANES) : cycles;
}

struct pending_table {
    struct access *access;    /* [records] */
    struct line_access *line; /* [records][32] */
    uint32_t records;         /* one for every entry, every place of the sub-cores' queues, every wait */
    uint32_t free_count;
    uint32_t entries;          /* taken by accepted instructions */
    uint32_t stores;           /* of these, by instructions without a result */
    uint16_t free[LSU_TOKENS]; /* stack: recently used ones stay in the host's cache */
};

/* Returns false if the host is out of memory. */
bool pending_table_init(struct pending_table *t, const struct config_lsu *config, struct arena *arena);
/* Empty. */
void pending_table_begin(struct pending_table *t);

static inline uint16_t pending_table_take(struct pending_table *t) { return t->free[--t->free_count]; }

/* An accepted instruction takes an entry. */
static inline void pending_table_enter(struct pending_table *t, uint16_t token)
{
    t->entries++;
    t->stores += !t->access[token].returns;
}

/* The instruction is complete: its entry and its record are free. */
static inline void pending_table_release(struct pending_table *t, uint16_t token)
{
    t->entries--;
    t->stores -= !t->access[token].returns;
    t->free[t->free_count++] = token;
}

#endif
