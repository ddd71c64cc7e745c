/* Tag store of a set-associative cache with LRU replacement: instruction and constant caches are made of it. */
#ifndef SUBCORE_SM_TAGS_H
#define SUBCORE_SM_TAGS_H

#include <stdbool.h>
#include <stdint.h>

struct tags {
    uint32_t sets, ways;
    uint64_t *tag;        /* [sets][ways]; TAGS_EMPTY when unused */
    uint64_t *used;       /* time of last use, by counting uses */
    uint64_t uses;
};

#define TAGS_EMPTY UINT64_MAX

bool tags_init(struct tags *t, uint32_t sets, uint32_t ways);
void tags_free(struct tags *t);
void tags_clear(struct tags *t);

/* True when the line is there; it becomes the most recently used. */
bool tags_lookup(struct tags *t, uint64_t line);
/* Puts the line in place of the least recently used one of its set. */
void tags_insert(struct tags *t, uint64_t line);

#endif
