/* Miss status holding registers of an L2 slice: one for each line with sectors in flight, with the requests that wait
 * for them in the order in which they were served (Kroft, ISCA 1981).
 *
 * A register is taken with the first sector that is asked for and freed with the last that comes. Sectors of a copy
 * that were written while they were in flight are barred: the requests that wait get them, the cache does not keep
 * them. */
#ifndef SUBCORE_MEM_L2_MSHR_H
#define SUBCORE_MEM_L2_MSHR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "mem/request_pool.h"

enum { L2_NO_MSHR = UINT16_MAX };

struct l2_mshr {
    uint32_t line; /* [set][way] of the tags; of a free register: the next free one */
    uint32_t waiting;
    struct request_list waiters;
    uint8_t pending, barred; /* bits of sectors; barred is a part of pending */
};

struct l2_mshrs {
    struct l2_mshr *mshr;
    uint32_t count, taken;
    uint32_t touched; /* registers below were taken since the last reset */
    uint32_t unused;  /* list of those that are free again */
};

/* `count` below L2_NO_MSHR. Returns false if the host is out of memory. */
bool l2_mshrs_create(struct l2_mshrs *mshrs, uint32_t count, struct arena *arena);
void l2_mshrs_reset(struct l2_mshrs *mshrs);

static inline bool l2_mshrs_full(const struct l2_mshrs *mshrs) { return mshrs->taken == mshrs->count; }

/* Only when they are not full. */
uint16_t l2_mshrs_take(struct l2_mshrs *mshrs, uint32_t line);
void l2_mshrs_release(struct l2_mshrs *mshrs, uint16_t id);

/* Takes sectors that have come from the pending ones. Of these, those that the cache may keep. */
uint8_t l2_mshr_arrive(struct l2_mshr *mshr, uint8_t sectors);

#endif
