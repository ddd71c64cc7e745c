#include "mem/reuse_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"

/* A key is never 0. */
static uint64_t key_of(uint64_t number, bool copy) { return (number << 1 | copy) + 1; }

static struct reuse_line *set_of(const struct reuse_sets *c, uint64_t key)
{
    uint64_t set = (hash_mix(key) >> 32) * c->sets >> 32;
    return &c->line[set * c->ways];
}

/* Returns the place of the key among the ways, or the number of ways. */
static uint32_t find(const struct reuse_line *set, uint32_t ways, uint64_t key)
{
    uint32_t low = (uint32_t)key, i = 0;
    uint8_t high = (uint8_t)(key >> 32);
    while (i < ways && (set[i].key_low != low || set[i].key_high != high))
        i++;
    return i;
}

struct reuse_line *reuse_sets_access(struct reuse_sets *c, uint64_t number, bool copy)
{
    uint64_t key = key_of(number, copy);
    struct reuse_line *set = set_of(c, key);
    uint32_t at = find(set, c->ways, key);
    if (at == 0)
        return set;
    struct reuse_line line = {.key_low = (uint32_t)key, .key_high = (uint8_t)(key >> 32)};
    if (at < c->ways)
        line = set[at];
    else
        c->written += popcount4(set[--at].dirty);
    memmove(set + 1, set, at * sizeof *set);
    *set = line;
    return set;
}

void reuse_sets_drop(struct reuse_sets *c, uint64_t number, bool copy, uint8_t sectors)
{
    uint64_t key = key_of(number, copy);
    struct reuse_line *set = set_of(c, key);
    uint32_t at = find(set, c->ways, key);
    if (at < c->ways)
        set[at].valid &= (uint8_t)~sectors;
}

bool reuse_sets_create(struct reuse_sets *c, uint32_t sets, uint32_t ways)
{
    *c = (struct reuse_sets){.sets = sets, .ways = ways};
    c->line = calloc((size_t)sets * ways, sizeof *c->line);
    return c->line;
}

void reuse_sets_free(struct reuse_sets *c)
{
    free(c->line);
    *c = (struct reuse_sets){0};
}

void reuse_sets_clear(struct reuse_sets *c)
{
    memset(c->line, 0, (size_t)c->sets * c->ways * sizeof *c->line);
    c->written = 0;
}
