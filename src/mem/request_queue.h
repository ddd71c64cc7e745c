/* Requests on their way to a group, in the order (arrival, SM, order of sending).
 *
 *   cycle      now   +1   +2   +3  ...  +window-1  |  later
 *   bucket      .     *    .    *                  |  one list, moved into buckets when its time comes near
 *                     |         |
 *                   SM 0      SM 4
 *                   SM 3
 *
 * A bucket for each cycle of a window, as arrivals lie close together. Finding the next request is a bit scan. */
#ifndef SUBCORE_MEM_REQUEST_QUEUE_H
#define SUBCORE_MEM_REQUEST_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/request_pool.h"

enum { REQUEST_WINDOW = 1024 }; /* cycles, a power of two */

struct request_queue {
    uint32_t count;
    uint64_t now;       /* nothing earlier can come */
    uint64_t far_first; /* earliest arrival of the far list */
    struct request_list far;
    uint64_t filled[REQUEST_WINDOW / 64];
    struct request_list bucket[REQUEST_WINDOW];
};

void request_queue_reset(struct request_queue *queue);

void request_queue_push(struct request_queue *queue, struct request_pool *pool, uint32_t index);

/* Arrival of the next request before `end`; UINT64_MAX when there is none, and then `end` is the queue's time. */
uint64_t request_queue_next(struct request_queue *queue, struct request_pool *pool, uint64_t end);

/* Arrival of the first request; UINT64_MAX when there is none. */
uint64_t request_queue_first(const struct request_queue *queue);

/* Returns whether a request arrives at `now`, the least time that request_queue_next may have told. */
static inline bool request_queue_due(const struct request_queue *queue, uint64_t now)
{
    uint32_t b = (uint32_t)(now % REQUEST_WINDOW);
    return queue->now == now && (queue->filled[b / 64] >> (b % 64) & 1);
}

/* Takes out the request whose arrival request_queue_next has told. */
uint32_t request_queue_take(struct request_queue *queue, const struct request_pool *pool);

#endif
