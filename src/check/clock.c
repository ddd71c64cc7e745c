#include "check/clock.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    uint64_t x = ((const struct clock_entry *)a)->key, y = ((const struct clock_entry *)b)->key;
    return x < y ? -1 : x > y;
}

static struct clock *allocate(uint32_t count)
{
    struct clock *c = malloc(offsetof(struct clock, entry) + count * sizeof(struct clock_entry));
    if (c)
        *c = (struct clock){.users = 1, .count = count};
    return c;
}

static struct clock *of_all(const struct clock_entry *entries, uint32_t count)
{
    struct clock *c = allocate(1);
    if (!c)
        return NULL;
    c->entry[0] = (struct clock_entry){clock_key(CLOCK_ALL, 0), 0};
    for (uint32_t i = 0; i < count; i++)
        c->entry[0].stamp = entries[i].stamp > c->entry[0].stamp ? entries[i].stamp : c->entry[0].stamp;
    return c;
}

struct clock *clock_make(struct clock_entry *entries, uint32_t count)
{
    uint32_t kept = 0;
    if (count == 0)
        return NULL;
    if (count > 1)
        qsort(entries, count, sizeof *entries, compare);
    for (uint32_t i = 0; i < count; i++) {
        if (kept > 0 && entries[kept - 1].key == entries[i].key) {
            if (entries[kept - 1].stamp < entries[i].stamp)
                entries[kept - 1].stamp = entries[i].stamp;
        } else {
            entries[kept++] = entries[i];
        }
    }
    if (kept > CLOCK_MOST)
        return of_all(entries, kept);
    struct clock *c = allocate(kept);
    if (c)
        memcpy(c->entry, entries, kept * sizeof *entries);
    return c;
}

struct clock *clock_share(struct clock *clock)
{
    if (clock)
        clock->users++;
    return clock;
}

void clock_drop(struct clock *clock)
{
    if (clock && --clock->users == 0)
        free(clock);
}

static uint32_t stamp_at(const struct clock *clock, uint64_t key)
{
    uint32_t low = 0, high = clock->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (clock->entry[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < clock->count && clock->entry[low].key == key ? clock->entry[low].stamp : 0;
}

static bool includes(const struct clock *a, const struct clock *b)
{
    if (b->count > a->count)
        return false;
    for (uint32_t i = 0; i < b->count; i++)
        if (stamp_at(a, b->entry[i].key) < b->entry[i].stamp)
            return false;
    return true;
}

void clock_join(struct clock **to, struct clock *other)
{
    struct clock *old = *to;
    if (!other || other == old)
        return;
    if (!old || includes(other, old)) {
        *to = clock_share(other);
        clock_drop(old);
        return;
    }
    if (includes(old, other))
        return;
    struct clock_entry *both = malloc(((size_t)old->count + other->count) * sizeof *both);
    if (!both)
        return;
    memcpy(both, old->entry, old->count * sizeof *both);
    memcpy(both + old->count, other->entry, other->count * sizeof *both);
    struct clock *joined = clock_make(both, old->count + other->count);
    free(both);
    if (!joined)
        return;
    *to = joined;
    clock_drop(old);
}

bool clock_knows(const struct clock *clock, uint32_t warp, unsigned lane, uint64_t cta, uint32_t stamp)
{
    return clock &&
           (stamp_at(clock, clock_key(CLOCK_THREAD, (uint64_t)warp << 5 | lane)) >= stamp ||
            stamp_at(clock, clock_key(CLOCK_WARP, warp)) >= stamp ||
            stamp_at(clock, clock_key(CLOCK_CTA, cta)) >= stamp || stamp_at(clock, clock_key(CLOCK_ALL, 0)) >= stamp);
}
