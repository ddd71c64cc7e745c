#include "probe/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* The place of a key, or the free one where it belongs. There is always a free one. */
static uint32_t *place(const struct keys *k, uint64_t key)
{
    size_t i = (size_t)hash_mix(key) & (k->place_count - 1);
    while (k->places[i] != 0 && k->keys[k->places[i] - 1] != key)
        i = (i + 1) & (k->place_count - 1);
    return &k->places[i];
}

size_t keys_find(const struct keys *keys, uint64_t key)
{
    uint32_t number = keys->place_count ? *place(keys, key) : 0;
    return number ? number - 1 : KEYS_NONE;
}

static bool grow(struct keys *k)
{
    size_t count = k->place_count ? 2 * k->place_count : 64;
    uint32_t *places = calloc(count, sizeof *places);
    if (!places)
        return false;
    free(k->places);
    k->places = places;
    k->place_count = count;
    for (size_t i = 0; i < k->count; i++)
        *place(k, k->keys[i]) = (uint32_t)(i + 1);
    return true;
}

void *keys_items(void *items, size_t *room, size_t count, size_t bytes)
{
    if (count <= *room)
        return items;
    size_t more = *room ? 2 * *room : 16;
    char *larger = realloc(items, more * bytes);
    if (!larger)
        return NULL;
    memset(larger + *room * bytes, 0, (more - *room) * bytes);
    *room = more;
    return larger;
}

size_t keys_add(struct keys *keys, uint64_t key)
{
    size_t found = keys_find(keys, key);
    if (found != KEYS_NONE)
        return found;
    if (2 * (keys->count + 1) > keys->place_count && !grow(keys))
        return KEYS_NONE;
    uint64_t *numbers = keys_items(keys->keys, &keys->room, keys->count + 1, sizeof *numbers);
    if (!numbers)
        return KEYS_NONE;
    keys->keys = numbers;
    numbers[keys->count] = key;
    uint32_t *own = place(keys, key);
    *own = (uint32_t)++keys->count;
    return keys->count - 1;
}

void keys_free(struct keys *keys)
{
    free(keys->keys);
    free(keys->places);
    *keys = (struct keys){0};
}
