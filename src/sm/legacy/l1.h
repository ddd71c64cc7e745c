/* L1 of the legacy core: tags for sectored lines, and MSHRs for sectors.
 *
 * A load that misses takes its line at once: the sector is reserved until it is filled, and a line with a reserved
 * sector cannot be replaced. Requests for a sector that is in flight are merged, legacy.l1_merges at most. A store
 * takes a line, too, and marks its sector as written without fetching it. A sector written in part is fetched when it
 * is loaded. Stores are written through. Those to local memory may stay until their line is replaced
 * (legacy.l1_write_back). Lines that have been written are replaced only when legacy.l1_dirty percent have (GPGPU-Sim
 * 4: sectored, LRU, allocation on miss, lazy fetch on read). An SM that has no CTA left empties it.
 *
 * A request is named by a number: its access and its sector. */
#ifndef SUBCORE_SM_LEGACY_L1_H
#define SUBCORE_SM_LEGACY_L1_H

#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"
#include "base/arena.h"
#include "config/config.h"

enum { LEGACY_L1_SETS = 64, LEGACY_L1_INDEX = 4096, LEGACY_L1_NONE = 0xffff };

struct legacy_l1_line {
    uint64_t line;                              /* multiple of 128 */
    uint16_t older, younger;                    /* in its set's order of use */
    uint16_t chain;                             /* with the same index */
    uint8_t valid, reserved, written, readable; /* sector masks; of a written sector: all of it is */
    bool local;
};

/* A sector in flight. */
struct legacy_mshr {
    uint64_t sector; /* address */
    uint16_t first, last, count;
    bool used;
};

/* A line with sectors of local memory that are only here. */
struct legacy_victim {
    uint64_t line;
    uint8_t sectors; /* 0: none */
};

struct legacy_l1 {
    const struct config_legacy *config;
    struct legacy_l1_line *lines; /* [room] */
    uint32_t room, ways;
    uint16_t oldest[LEGACY_L1_SETS], youngest[LEGACY_L1_SETS];
    uint16_t index[LEGACY_L1_INDEX];
    uint32_t dirty; /* lines with a written sector */
    struct legacy_mshr *mshr;
    uint32_t mshrs;
    uint16_t *next; /* [requests]: behind each in its MSHR */
    uint32_t requests;
    struct legacy_victim victim; /* of the last access */
};

enum legacy_l1_answer {
    LEGACY_L1_HIT,
    LEGACY_L1_MISS,   /* the sector must be asked for */
    LEGACY_L1_MERGED, /* it is in flight */
    LEGACY_L1_FULL    /* nothing happens: try again */
};

/* Makes the L1 for accesses with so many requests. Returns false if out of memory. */
bool legacy_l1_init(struct legacy_l1 *l1, const struct config_legacy *config, uint32_t max_bytes, uint32_t requests,
                    struct arena *arena);
/* Empties it, with this capacity. */
void legacy_l1_begin(struct legacy_l1 *l1, uint32_t bytes);

/* Loads a sector. `room`: the miss queue takes a request. */
enum legacy_l1_answer legacy_l1_load(struct legacy_l1 *l1, uint64_t sector, uint16_t request, bool local, bool room);

/* Stores to a sector, in whole or in part: HIT, MISS or FULL. */
enum legacy_l1_answer legacy_l1_store(struct legacy_l1 *l1, uint64_t sector, bool whole, bool local);

/* A sector has come. Returns the first request that waited for it, in order: see next (LEGACY_L1_NONE: none). */
uint16_t legacy_l1_fill(struct legacy_l1 *l1, uint64_t sector);

/* Empties the cache except for sectors in flight and local ones that are only here. */
void legacy_l1_invalidate(struct legacy_l1 *l1);

void legacy_l1_archive(struct archive *a, struct legacy_l1 *l1);

#endif
