/* The stack of an LRU cache without limits: keys in the order of their last use, and the depth at which each is.
 *
 * The reuse distance of an access is the number of distinct other keys since the last access to its key. A fully
 * associative LRU cache of n places has a key exactly if its distance is below n. Each use has a position in time. A
 * Fenwick tree counts the positions that are the last use of some key, so that a distance takes O(log n) steps
 * (Bennett and Kruskal, "LRU Stack Processing", 1975). A hash table finds the position of a key. Positions are numbered
 * anew when they run out, which costs O(1) for each access.
 *
 * The stack remembers a given number of keys and forgets the deepest beyond them. */
#ifndef SUBCORE_MEM_REUSE_STACK_H
#define SUBCORE_MEM_REUSE_STACK_H

#include <stdbool.h>
#include <stdint.h>

#define REUSE_COLD UINT64_MAX /* the distance of a key that the stack does not have */

enum { REUSE_NONE = UINT32_MAX };

/* A key with the notes of the cache that uses the stack, which are 0 at its first use. */
struct reuse_entry {
    uint64_t key;
    uint32_t position; /* of its last use */
    uint32_t next;     /* with the same hash; of a free entry, the next free one */
    uint8_t valid, dirty;
    uint16_t note;
};

struct reuse_stack {
    uint32_t limit;     /* keys that it remembers, at least 1 */
    uint32_t positions; /* a power of two, at least twice the limit */
    uint32_t buckets;   /* a power of two */
    uint32_t count;     /* keys that it has */
    uint32_t now;       /* the next position */
    uint32_t free;
    struct reuse_entry *entry; /* [limit] */
    uint32_t *bucket;          /* [buckets] */
    uint32_t *at;              /* [positions] the entry that was last used there, or REUSE_NONE */
    uint32_t *tree;            /* [positions + 1] Fenwick tree over the positions that are a last use */
};

/* Makes an empty stack. Returns false if the host is out of memory. */
bool reuse_stack_create(struct reuse_stack *s, uint32_t limit);
void reuse_stack_free(struct reuse_stack *s);
/* Removes all keys. */
void reuse_stack_clear(struct reuse_stack *s);

/* Returns the entry of a key, which comes to the top, and its reuse distance, or REUSE_COLD. */
struct reuse_entry *reuse_stack_touch(struct reuse_stack *s, uint64_t key, uint64_t *distance);
/* Returns the entry of a key, or NULL. Nothing moves. */
struct reuse_entry *reuse_stack_find(const struct reuse_stack *s, uint64_t key);
/* Returns the entry at a depth, 0 being the top, or NULL if the stack is not as deep. */
struct reuse_entry *reuse_stack_at(const struct reuse_stack *s, uint32_t depth);

#endif
