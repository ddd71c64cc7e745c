/* When anything in the queues behind issue can next move, so that cycles in which nothing can cost nothing. */
#ifndef SUBCORE_SM_QUEUE_CLOCK_H
#define SUBCORE_SM_QUEUE_CLOCK_H

#include <stdint.h>

#include "base/archive.h"

/* Of a sub-core. */
struct queue_clock {
    uint64_t *sm_at; /* port: the earliest of the sub-cores' */
    uint64_t at;     /* nothing moves before (UINT64_MAX: the queues are empty) */
};

static inline void queue_clock_begin(struct queue_clock *c) { c->at = UINT64_MAX; }
static inline void queue_clock_archive(struct archive *a, struct queue_clock *c) { archive_keep(a, &c->sm_at); }

/* Something in the sub-core's queues can move in cycle `at`. */
static inline void queue_clock_wake(struct queue_clock *c, uint64_t at)
{
    if (c->at > at)
        c->at = at;
    if (*c->sm_at > at)
        *c->sm_at = at;
}

#endif
