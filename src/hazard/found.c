#include "hazard/found.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash(const struct hazard *h)
{
    uint64_t key = (uint64_t)h->first << 32 ^ (uint64_t)h->second << 12 ^ (uint64_t)h->resource << 2 ^ h->kind;
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static bool same(const struct hazard *a, const struct hazard *b)
{
    return a->first == b->first && a->second == b->second && a->resource == b->resource && a->kind == b->kind;
}

static void put(struct hazard_found *found, uint32_t index)
{
    uint32_t b = hash(&found->item[index]) & (found->buckets - 1);
    while (found->bucket[b])
        b = (b + 1) & (found->buckets - 1);
    found->bucket[b] = index + 1;
}

static struct hazard *find(const struct hazard_found *found, const struct hazard *h)
{
    if (!found->buckets)
        return NULL;
    for (uint32_t b = hash(h) & (found->buckets - 1); found->bucket[b]; b = (b + 1) & (found->buckets - 1))
        if (same(&found->item[found->bucket[b] - 1], h))
            return &found->item[found->bucket[b] - 1];
    return NULL;
}

static bool grow(struct hazard_found *found)
{
    uint32_t room = found->room ? 2 * found->room : 64;
    struct hazard *item = realloc(found->item, room * sizeof *item);
    if (item)
        found->item = item;
    uint32_t *bucket = calloc(2 * (size_t)room, sizeof *bucket);
    if (!item || !bucket) {
        free(bucket);
        return false;
    }
    free(found->bucket);
    found->bucket = bucket;
    found->buckets = 2 * room;
    found->room = room;
    for (uint32_t i = 0; i < found->count; i++)
        put(found, i);
    return true;
}

/* Does not depend on the order in which occurrences are added. */
static bool better_example(const struct hazard *a, const struct hazard *b)
{
    if (!a->happened != !b->happened)
        return a->happened;
    if (a->second_cycle != b->second_cycle)
        return a->second_cycle < b->second_cycle;
    if (a->sm != b->sm)
        return a->sm < b->sm;
    return a->cta != b->cta ? a->cta < b->cta : a->warp < b->warp;
}

void hazard_found_add(struct hazard_found *found, const struct hazard *h)
{
    struct hazard *at = find(found, h);
    if (at) {
        uint64_t count = at->count + h->count, happened = at->happened + h->happened;
        uint16_t distance = at->distance < h->distance ? at->distance : h->distance;
        if (better_example(h, at))
            *at = *h;
        at->count = count;
        at->happened = happened;
        at->distance = distance;
        return;
    }
    if (found->count == found->room && !grow(found)) {
        found->failed = true;
        return;
    }
    found->item[found->count++] = *h;
    put(found, found->count - 1);
}

static int compare(const void *a, const void *b)
{
    const struct hazard *x = a, *y = b;
    if (x->second != y->second)
        return x->second < y->second ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->resource != y->resource)
        return x->resource < y->resource ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

void hazard_found_sort(struct hazard_found *found)
{
    if (!found->count)
        return;
    qsort(found->item, found->count, sizeof *found->item, compare);
    memset(found->bucket, 0, found->buckets * sizeof *found->bucket);
    for (uint32_t i = 0; i < found->count; i++)
        put(found, i);
}

void hazard_found_free(struct hazard_found *found)
{
    free(found->item);
    free(found->bucket);
    *found = (struct hazard_found){0};
}
