/* L1 data cache: 128-byte lines of four 32-byte sectors. A miss brings only the sectors that it touches. Lines are
 * taken when their data arrive, and misses merged in the MSHRs. Stores to global memory are written through: they
 * update the line or give it up, or take one and leave their words there (l1.store). Those to local memory stay, and
 * are written when their line is evicted. Tags only: values come from the source when an instruction issues. */
#ifndef SUBCORE_SM_L1_H
#define SUBCORE_SM_L1_H

#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"
#include "config/config.h"
#include "sm/memory/coalesce.h"
#include "sm/memory/l1_tags.h"

enum { MSHR_WAITERS = 8192, MSHR_NIL = 0xffff };

struct mshr {
    uint64_t line;
    uint8_t pending;
    uint8_t keep; /* enum l1_keep */
    bool used, local;
    uint16_t first;
    uint16_t waiters;
};
struct mshr_waiter {
    uint16_t token, next;
    uint8_t sectors;
};

struct l1 {
    const struct config_l1 *config;
    struct l1_tags tags;
    struct mshr *mshr;   /* [mshr_table], open addressing by line */
    uint32_t mshr_table; /* a power of two, at least twice mshr_lines */
    uint32_t mshr_count;
    uint32_t mshr_full;         /* of these, without room for a further waiter */
    struct mshr_waiter *waiter; /* [MSHR_WAITERS] */
    uint16_t waiter_free;       /* used before (MSHR_NIL: none) */
    uint32_t waiter_fresh;      /* those from here on have never been used */
    uint32_t waiter_count;
};

/* Returns false if the host is out of memory. */
bool l1_init(struct l1 *l1, const struct config_l1 *config, uint32_t max_bytes, struct arena *arena);
/* Empties it, with this capacity (the part beside the shared-memory carve-out). Capacity 0 misses always. */
void l1_begin(struct l1 *l1, uint32_t bytes);

/* Returns those of the access's sectors that are present: valid, or with all words that it wants left by stores. */
uint8_t l1_load(struct l1 *l1, const struct line_access *access, enum l1_keep keep);
/* Takes note of a store to global memory, which is written through. Returns those of its sectors that hit. They are
 * updated or given up. With l1.store = "allocate" its whole words stay, unless it wants no line, and all its sectors
 * hit if the line is there with nothing under way. Sectors that it writes in part then hold nothing else, unless all
 * of the line is valid or they are under way. Evicted sectors of local memory stand in tags.victim. */
uint8_t l1_store(struct l1 *l1, const struct line_access *access, enum l1_keep keep);
/* Gives up a line that an atomic or a reduction changes in the L2 (l1.atomics_drop). Source: an H200's load hits
 * (docs/memory.md). */
void l1_change(struct l1 *l1, uint64_t line);
/* A store to local memory: those that it has to write through, written in part and not present. The others stay
 * here. Evicted sectors stand in tags.victim. */
uint8_t l1_store_local(struct l1 *l1, uint64_t line, uint8_t sectors, uint8_t partial);

/* Empties the cache except for local memory; pending sectors still fill it. */
void l1_invalidate(struct l1 *l1);

/* The access `token` waits for these missing sectors. Returns those that were not requested from the L2 yet. */
uint8_t l1_miss(struct l1 *l1, uint64_t line, uint8_t sectors, uint16_t token, enum l1_keep keep, bool local);
/* Returns true if there is an MSHR for each of these lines, should they all miss, and room at those that are under
 * way. */
bool l1_can_miss(const struct l1 *l1, const struct line_access line[], uint32_t lines);

/* Sectors have arrived: the line takes them in (evicted sectors stand in tags.victim); `done` is called, in the
 * order of waiting, for each access that no longer waits for this line. */
void l1_fill(struct l1 *l1, uint64_t line, uint8_t sectors, void (*done)(void *context, uint16_t token), void *context);

void l1_archive(struct archive *a, struct l1 *l1);

#endif
