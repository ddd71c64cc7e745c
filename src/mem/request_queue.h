/* Requests on their way to a group, in the order (arrival, SM, order of sending).
 *
 *   cycle      now   +1   +2   +3  ...  +window-1  |  later
 *   bucket      .     *    .    *                  |  one list, moved into buckets when its time comes near
 *                     |         |
 *                   SM 0      SM 4
 *                   SM 3
 *
 * A bucket for each cycle of a window, as arrivals lie close together; taking the next request is a bit scan. */
#ifndef SUBCORE_MEM_REQUEST_QUEUE_H
#define SUBCORE_MEM_REQUEST_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "port/message.h"

enum { REQUEST_WINDOW = 1024 }; /* cycles, a power of two */

struct queued_request {
    struct request request;
    uint64_t local; /* line number within the slice */
    uint32_t slice; /* within the group */
    uint32_t next;
};

struct request_list {
    uint32_t first, last;
}; /* indices; UINT32_MAX: none */

struct request_queue {
    struct queued_request *entry;
    uint32_t capacity;
    uint32_t unused; /* list of free entries */
    uint32_t count;
    uint64_t now;       /* nothing earlier can come */
    uint64_t far_first; /* earliest arrival of the far list */
    struct request_list far;
    uint64_t filled[REQUEST_WINDOW / 64];
    struct request_list bucket[REQUEST_WINDOW];
};

bool request_queue_create(struct request_queue *queue);
void request_queue_destroy(struct request_queue *queue);
void request_queue_reset(struct request_queue *queue);

/* Doubles the pool when it is full. This and the reply list of a group are all that is allocated during a run; both
 * stop growing after a few quanta, and both end the process when the host has no memory left. */
bool request_queue_push(struct request_queue *queue, const struct request *request, uint32_t slice, uint64_t local);

/* Takes the next request that arrives before `end`; NULL when there is none, and then `end` is the queue's time. The
 * entry is good until the next push. */
const struct queued_request *request_queue_pop(struct request_queue *queue, uint64_t end);

#endif
