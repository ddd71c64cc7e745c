#include "sm/front/tags.h"

#include <string.h>

#include "base/bits.h"
#include "base/hash.h"

static size_t words(const struct tags *t) { return div_up32(t->sets, 64); }

bool tags_init(struct tags *t, uint32_t sets, uint32_t ways, bool random, struct arena *arena)
{
    size_t count = (size_t)sets * ways;
    *t = (struct tags){.sets = sets,
                       .ways = ways,
                       .random = random,
                       .tag = arena_take(arena, count * sizeof *t->tag),
                       .used = arena_take(arena, count * sizeof *t->used),
                       .ready = arena_take(arena, count * sizeof *t->ready)};
    t->filled = arena_take(arena, words(t) * sizeof *t->filled);
    if (!t->tag || !t->used || !t->ready || !t->filled)
        return false;
    memset(t->filled, 0xff, words(t) * sizeof *t->filled);
    tags_clear(t);
    return true;
}

static void clear_set(struct tags *t, uint32_t set)
{
    for (size_t i = (size_t)set * t->ways, end = i + t->ways; i < end; i++) {
        t->tag[i] = TAGS_EMPTY;
        t->used[i] = t->ready[i] = 0;
    }
}

void tags_clear(struct tags *t)
{
    for (size_t w = 0; w < words(t); w++) {
        for (uint64_t left = t->filled[w]; left; left &= left - 1) {
            uint32_t set = 64 * (uint32_t)w + lowest_bit64(left);
            if (set < t->sets)
                clear_set(t, set);
        }
        t->filled[w] = 0;
    }
    t->uses = 0;
}

void tags_keep(struct tags *t, uint64_t end)
{
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++) {
        bool stays = t->tag[i] < end && t->ready[i] != TAGS_COMING;
        t->tag[i] = stays ? t->tag[i] : TAGS_EMPTY;
        t->used[i] = stays ? t->used[i] : 0;
        t->ready[i] = 0;
    }
}

void tags_drop(struct tags *t, uint64_t first, uint64_t end)
{
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++) {
        if (t->tag[i] < first || t->tag[i] >= end)
            continue;
        t->tag[i] = TAGS_EMPTY;
        t->used[i] = t->ready[i] = 0;
    }
}

uint64_t tags_lookup(struct tags *t, uint64_t line)
{
    size_t first = (size_t)(line % t->sets) * t->ways;
    for (size_t i = first; i < first + t->ways; i++) {
        if (t->tag[i] == line) {
            t->used[i] = ++t->uses;
            return t->ready[i];
        }
    }
    return TAGS_MISS;
}

bool tags_has(const struct tags *t, uint64_t line)
{
    const uint64_t *tag = t->tag + (size_t)(line % t->sets) * t->ways;
    for (uint32_t i = 0; i < t->ways; i++) {
        if (tag[i] == line)
            return true;
    }
    return false;
}

/* The place of the line, or an empty one, or that of the line that is replaced. */
static size_t place_of(const struct tags *t, uint64_t line)
{
    size_t first = (size_t)(line % t->sets) * t->ways, oldest = first;
    for (size_t i = first; i < first + t->ways; i++) {
        if (t->tag[i] == line)
            return i;
        if (t->used[i] < t->used[oldest])
            oldest = i;
    }
    if (!t->random || t->tag[oldest] == TAGS_EMPTY)
        return oldest;
    return first + (size_t)((hash_mix(t->uses) >> 32) % t->ways);
}

uint64_t tags_insert(struct tags *t, uint64_t line, uint64_t ready)
{
    size_t victim = place_of(t, line);
    uint64_t replaced = t->tag[victim] == line ? TAGS_EMPTY : t->tag[victim];
    t->tag[victim] = line;
    t->ready[victim] = ready;
    t->used[victim] = ++t->uses;
    uint32_t set = (uint32_t)(line % t->sets);
    t->filled[set / 64] |= UINT64_C(1) << set % 64;
    return replaced;
}

void tags_arrive(struct tags *t, uint64_t line, uint64_t ready)
{
    size_t first = (size_t)(line % t->sets) * t->ways;
    for (size_t i = first; i < first + t->ways; i++) {
        if (t->tag[i] == line && t->ready[i] == TAGS_COMING)
            t->ready[i] = ready;
    }
}

void tags_archive(struct archive *a, struct tags *t)
{
    size_t count = (size_t)t->sets * t->ways;
    archive_array(a, &t->tag, count);
    archive_array(a, &t->used, count);
    archive_array(a, &t->ready, count);
    archive_array(a, &t->filled, words(t));
}
