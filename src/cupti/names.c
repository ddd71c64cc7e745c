#include "cupti/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 256 };

/* FNV-1a */
static uint64_t hash_of(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return hash;
}

static const char **place_of(const char **table, size_t room, const char *name)
{
    size_t at = hash_of(name) & (room - 1);
    while (table[at] && strcmp(table[at], name) != 0)
        at = (at + 1) & (room - 1);
    return &table[at];
}

static int grow(struct names *names)
{
    size_t room = names->room ? 2 * names->room : ROOM_FIRST;
    const char **table = calloc(room, sizeof *table);
    if (!table)
        return 0;
    for (size_t i = 0; i < names->room; i++)
        if (names->table[i])
            *place_of(table, room, names->table[i]) = names->table[i];
    free(names->table);
    names->table = table;
    names->room = room;
    return 1;
}

const char *names_keep(struct names *names, const char *name)
{
    if (2 * names->count >= names->room && !grow(names))
        return NULL;
    const char **place = place_of(names->table, names->room, name);
    if (!*place) {
        *place = strdup(name);
        names->count += *place != NULL;
    }
    return *place;
}
