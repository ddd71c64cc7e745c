/* Which kernels of a list may run at the same time: the order that CUDA's streams keep.
 *
 * Kernels of a stream run one after the other. Work in the default stream (number 0) waits for all that was given
 * before, to any stream, and all that is given later waits for it: the rule of the CUDA C++ Programming Guide for the
 * legacy default stream and blocking streams. A list does not say which streams are non-blocking: ASSUMED that none
 * is. Nor does it say which stream waits for an event of another.
 *
 * Of the list the first STREAM_WINDOW kernels that have not ended are looked at: as many grids can be resident at once
 * (CUDA C++ Programming Guide, maximum number of resident grids per device, compute capability 7.5 and later). */
#ifndef SUBCORE_GPU_STREAM_ORDER_H
#define SUBCORE_GPU_STREAM_ORDER_H

#include <stdbool.h>
#include <stdint.h>

enum { STREAM_WINDOW = 128 };

struct stream_entry {
    void *item;
    uint64_t stream;
    uint64_t round; /* those of different rounds do not overlap */
    uint64_t ready; /* cycle in which the last of those ended that it has waited for */
    bool launched;
};

struct stream_order {
    struct stream_entry entry[STREAM_WINDOW]; /* that have not ended, in the order of the list */
    uint32_t count;
    uint64_t round;
    uint64_t now; /* the last end */
    bool serial;  /* all as in one stream */
};

static inline bool stream_order_full(const struct stream_order *o) { return o->count == STREAM_WINDOW; }

/* The next kernel of the list, which is not full. */
void stream_order_add(struct stream_order *o, uint64_t stream, void *item);
/* The default stream is given something that takes no time. */
void stream_order_barrier(struct stream_order *o);

/* The first that may begin and has not been launched: it is now, at *cycle. NULL: none may before another ends. */
void *stream_order_launch(struct stream_order *o, uint64_t *cycle);
/* Returns whether none that has not been launched may begin before another ends. */
bool stream_order_waits(const struct stream_order *o);
/* This one, which was launched, has ended. */
void stream_order_end(struct stream_order *o, const void *item, uint64_t cycle);

/* None is launched. Cycles begin anew. */
void stream_order_restart(struct stream_order *o);

#endif
