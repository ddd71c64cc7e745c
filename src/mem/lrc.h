/* LRC, a GPC's L2 request coalescer (the name is NVIDIA's). If another SM of its group has the sectors under way, an
 * SM's load joins that one, and one reply serves both. A group is some of the GPC's TPCs. SMs that work on neighbouring
 * tiles read the same lines at about the same time. Source: an H200's counters of L2 sectors (validate/data/h200,
 * docs/memory.md). LDGSTS.BYPASS and multicast copies go alone: `tensor_async` and `wgmma_cluster` have no fewer
 * sectors than their SMs ask for.
 *
 * Each place holds one line. A load whose place another line has goes to the L2, and no load joins it. */
#ifndef SUBCORE_MEM_LRC_H
#define SUBCORE_MEM_LRC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "port/message.h"

/* A load that waits for the reply to another. */
struct lrc_waiter {
    uint32_t next; /* LRC_NONE: the last */
    uint16_t sm, token;
    uint8_t client, sectors;
};

/* A line under way, and the load that asked the L2 for it. */
struct lrc_line {
    uint64_t line;
    uint32_t first, last; /* waiters (LRC_NONE: none) */
    uint16_t sm, token;
    uint8_t client, sectors; /* sectors 0: the place is free */
    uint8_t group;           /* of SMs */
};

#define LRC_NONE UINT32_MAX

struct lrc {
    struct lrc_line *line; /* [lines] */
    uint32_t lines;        /* 0: no unit */
    struct lrc_waiter *waiter;
    uint32_t waiters, free, room; /* that were ever used, the first free one, places */
    bool used;                    /* since the last reset */
    struct arena *arena;
};

/* Returns false if the host is out of memory. */
bool lrc_create(struct lrc *lrc, uint32_t lines, struct arena *arena);
void lrc_reset(struct lrc *lrc);

/* Returns whether the unit looks at the request: a weak load of data that does not go alone. */
static inline bool lrc_takes(const struct lrc *lrc, const struct request *request)
{
    bool data = request->client == PORT_DATA || (request->client >= PORT_ENGINE && request->client < PORT_CLIENTS);
    return lrc->lines && data && request->kind == REQUEST_LOAD && !request->effect && !request->alone;
}

/* Joins a load that an SM in the same group has under way. Returns false if there is none: the request goes to the L2,
 * and others can join it if its place was free. */
bool lrc_join(struct lrc *lrc, const struct request *request, uint8_t group);

/* Frees the place of a load that has its reply. Returns the first load that joined it, LRC_NONE if there is none. */
uint32_t lrc_answer(struct lrc *lrc, const struct reply *reply, uint8_t group);
/* Frees a waiter that has its reply. Returns the next one of the same load. */
uint32_t lrc_release(struct lrc *lrc, uint32_t waiter);

#endif
