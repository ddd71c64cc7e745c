#include "asm/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static size_t bucket_of(const struct names *names, int32_t scope, const char *text, size_t length)
{
    return (size_t)hash_mix(hash_bytes(HASH_SEED + (uint32_t)scope, text, length)) & (names->buckets - 1);
}

static bool is(const struct name *name, int32_t scope, const char *text, size_t length)
{
    return name->scope == scope && strlen(name->text) == length && memcmp(name->text, text, length) == 0;
}

struct name *names_find(const struct names *names, int32_t scope, const char *text, size_t length)
{
    if (names->buckets == 0)
        return NULL;
    for (size_t i = bucket_of(names, scope, text, length); names->table[i]; i = (i + 1) & (names->buckets - 1))
        if (is(&names->items[names->table[i] - 1], scope, text, length))
            return &names->items[names->table[i] - 1];
    return NULL;
}

static void enter(struct names *names, size_t index)
{
    const struct name *name = &names->items[index];
    size_t i = bucket_of(names, name->scope, name->text, strlen(name->text));
    while (names->table[i])
        i = (i + 1) & (names->buckets - 1);
    names->table[i] = (uint32_t)index + 1;
}

/* At most half of the buckets are in use. */
static bool grow(struct names *names)
{
    size_t room = names->room * 2 + 64, buckets = 256;
    while (buckets < room * 2)
        buckets *= 2;
    struct name *items = realloc(names->items, room * sizeof *items);
    if (items)
        names->items = items;
    uint32_t *table = calloc(buckets, sizeof *table);
    if (!items || !table) {
        free(table);
        return false;
    }
    names->room = room;
    free(names->table);
    names->table = table;
    names->buckets = buckets;
    for (size_t i = 0; i < names->count; i++)
        enter(names, i);
    return true;
}

struct name *names_add(struct names *names, int32_t scope, const char *text, size_t length)
{
    char *copy = strndup(text, length);
    if (!copy || (names->count == names->room && !grow(names))) {
        free(copy);
        names->failed = true;
        return NULL;
    }
    names->items[names->count] = (struct name){.text = copy, .scope = scope};
    enter(names, names->count);
    return &names->items[names->count++];
}

void names_free(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i].text);
    free(names->items);
    free(names->table);
    *names = (struct names){0};
}
