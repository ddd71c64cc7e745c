/* Numbered entries in the order of their times; of one time, in the order in which they were added.
 *
 *   cycle      now   +1   +2   +3  ...  +window-1  |  later
 *   bucket      .     *    .    *                  |  one list, moved into buckets when its time comes near
 *
 * The queue hands out a number for each entry. The owner keeps the entry's contents in an array, at that number. A
 * number is free again when its entry has been taken and another is taken or added. */
#ifndef SUBCORE_MEM_TIME_QUEUE_H
#define SUBCORE_MEM_TIME_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { TIME_WINDOW = 1024 /* cycles, a power of two */ };

#define TIME_QUEUE_NONE UINT32_MAX

struct time_entry {
    uint64_t time;
    uint32_t next;
};

struct time_list {
    uint32_t first, last;
};

struct time_queue {
    struct arena *arena;
    struct time_entry *entry;
    uint32_t capacity, count, unused;
    uint64_t now; /* every entry's time is this or later */
    uint64_t far_first;
    struct time_list far;
    uint64_t filled[TIME_WINDOW / 64];
    struct time_list bucket[TIME_WINDOW];
};

/* Returns false if the host is out of memory. */
bool time_queue_create(struct time_queue *queue, struct arena *arena);
void time_queue_reset(struct time_queue *queue);

/* The number of the new entry, less than `capacity`, which may have grown; TIME_QUEUE_NONE when the host is out of
 * memory. `time` is not before an `end` that was given to time_queue_take. */
uint32_t time_queue_add(struct time_queue *queue, uint64_t time);

/* The first entry with a time before `end`, or TIME_QUEUE_NONE. */
uint32_t time_queue_take(struct time_queue *queue, uint64_t end);

#endif
