/* The requests that are in a group, from their acceptance until they are answered, and lists of them.
 *
 * A request is stored once. Wherever it waits - on its way, in a slice's input, at an MSHR, on the link between the
 * partitions - it is a member of that place's list, so that moving it costs no copy and no place needs a size of its
 * own. Requests are named by their index, as the store may move when it grows. */
#ifndef SUBCORE_MEM_REQUEST_POOL_H
#define SUBCORE_MEM_REQUEST_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "port/message.h"

enum { REQUEST_NONE = UINT32_MAX };

struct pooled_request {
    struct request request; /* arrival: cycle from which it can be taken where it waits */
    uint64_t local;         /* number of its line within the home slice */
    uint32_t set;           /* of the slices, in which the line lives */
    uint32_t next;
    uint16_t home, entry; /* slices of the group: where the line lives, and where the request enters */
    uint8_t lack;         /* sectors for which it waits at an MSHR */
    uint8_t asked, rest;  /* sectors that it fetches for a copy from the home, and that others fetch meanwhile */
    bool crossed;         /* has gone over the link */
};

struct request_pool {
    struct arena *arena;
    struct pooled_request *entry;
    uint32_t capacity, count;
    uint32_t touched; /* entries below were taken since the last reset */
    uint32_t unused;  /* list of those that are free again */
};

/* In order (REQUEST_NONE: no member). */
struct request_list {
    uint32_t first, last;
};

/* Returns false if the host is out of memory. */
bool request_pool_create(struct request_pool *pool, struct arena *arena);
void request_pool_reset(struct request_pool *pool);

/* A free entry, or REQUEST_NONE when the host has no memory left. Doubles the store when it is full. This and the list
 * of replies are all that is allocated during a run, and both stop growing after a few quanta. */
uint32_t request_pool_take(struct request_pool *pool);
void request_pool_release(struct request_pool *pool, uint32_t index);

static inline struct request_list request_list_empty(void) { return (struct request_list){REQUEST_NONE, REQUEST_NONE}; }

static inline void request_list_append(struct request_pool *pool, struct request_list *list, uint32_t index)
{
    pool->entry[index].next = REQUEST_NONE;
    if (list->first == REQUEST_NONE)
        list->first = index;
    else
        pool->entry[list->last].next = index;
    list->last = index;
}

/* Takes the first member of a list that has one. */
static inline uint32_t request_list_take(const struct request_pool *pool, struct request_list *list)
{
    uint32_t index = list->first;
    list->first = pool->entry[index].next;
    return index;
}

#endif
