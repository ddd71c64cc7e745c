#include "mem/first_use.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { CACHE_BITS = 10, FIRST_ROOM = 4096 };

/* Returns the place of the key, or the free one where it belongs. */
static uint64_t *find(uint64_t *table, uint64_t room, uint64_t key)
{
    uint64_t at = hash_mix(key) & (room - 1);
    while (table[at] && table[at] != key)
        at = (at + 1) & (room - 1);
    return &table[at];
}

/* Keeps the table at most half full. */
static bool grow(struct first_use *u)
{
    if (2 * u->count < u->room)
        return true;
    uint64_t room = u->room ? 2 * u->room : FIRST_ROOM;
    uint64_t *table = calloc(room, sizeof *table);
    if (!table)
        return false;
    for (uint64_t i = 0; i < u->room; i++)
        if (u->key[i])
            *find(table, room, u->key[i]) = u->key[i];
    free(u->key);
    u->key = table;
    u->room = room;
    return true;
}

void first_use_free(struct first_use *u)
{
    free(u->key);
    *u = (struct first_use){0};
}

void first_use_clear(struct first_use *u)
{
    if (u->key)
        memset(u->key, 0, u->room * sizeof *u->key);
    u->count = 0;
}

bool first_use_touch(struct first_use *u, uint32_t cache, uint64_t number)
{
    uint64_t key = (number << CACHE_BITS | cache) + 1;
    if (!grow(u)) {
        u->failed = true;
        return true;
    }
    uint64_t *place = find(u->key, u->room, key);
    bool there = *place != 0;
    u->count += !there;
    *place = key;
    return there;
}
