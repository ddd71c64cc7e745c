/* Numbers of 64 bits to indices from 0, in the order in which they come: a hash table. */
#ifndef SUBCORE_PROBE_KEYS_H
#define SUBCORE_PROBE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keys {
    uint64_t *keys; /* in their order */
    size_t count, room;
    uint32_t *places; /* index + 1 (0: free) */
    size_t place_count;
};

#define KEYS_NONE SIZE_MAX

/* Returns the index of the key (KEYS_NONE: it is not there). */
size_t keys_find(const struct keys *keys, uint64_t key);
/* Returns the index of the key, and adds it with the next one if it is not there (KEYS_NONE: out of memory). */
size_t keys_add(struct keys *keys, uint64_t key);
void keys_free(struct keys *keys);

/* Makes room in an array for `count` items of `bytes` each, the new ones zero. NULL: out of memory. The array stays. */
void *keys_items(void *items, size_t *room, size_t count, size_t bytes);

#endif
