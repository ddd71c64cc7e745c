#include "mem/reuse_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

static void tree_add(const struct reuse_stack *s, uint32_t position, uint32_t change)
{
    for (uint32_t i = position + 1; i <= s->positions; i += i & -i)
        s->tree[i] += change;
}

/* Returns the keys whose last use is at the position or before. */
static uint32_t tree_sum(const struct reuse_stack *s, uint32_t position)
{
    uint32_t sum = 0;
    for (uint32_t i = position + 1; i > 0; i &= i - 1)
        sum += s->tree[i];
    return sum;
}

/* Returns the position of the key that has so many before it in time. */
static uint32_t tree_find(const struct reuse_stack *s, uint32_t before)
{
    uint32_t at = 0;
    for (uint32_t step = s->positions; step > 0; step /= 2) {
        if (at + step > s->positions || s->tree[at + step] > before)
            continue;
        at += step;
        before -= s->tree[at];
    }
    return at;
}

/* Numbers the last uses from 0 on, in their order. */
static void renumber(struct reuse_stack *s)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < s->positions; i++) {
        uint32_t entry = s->at[i];
        if (entry == REUSE_NONE)
            continue;
        s->at[i] = REUSE_NONE;
        s->at[used] = entry;
        s->entry[entry].position = used++;
    }
    s->now = used;
    for (uint32_t i = 1; i <= s->positions; i++)
        s->tree[i] = i <= used;
    for (uint32_t i = 1; i <= s->positions; i++)
        if (i + (i & -i) <= s->positions)
            s->tree[i + (i & -i)] += s->tree[i];
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static uint32_t *bucket_of(const struct reuse_stack *s, uint64_t key) { return &s->bucket[hash_mix(key) % s->buckets]; }

struct reuse_entry *reuse_stack_find(const struct reuse_stack *s, uint64_t key)
{
    uint32_t i = *bucket_of(s, key);
    while (i != REUSE_NONE && s->entry[i].key != key)
        i = s->entry[i].next;
    return i == REUSE_NONE ? NULL : &s->entry[i];
}

static void leave_position(struct reuse_stack *s, const struct reuse_entry *e)
{
    tree_add(s, e->position, UINT32_MAX);
    s->at[e->position] = REUSE_NONE;
}

static void forget_deepest(struct reuse_stack *s)
{
    uint32_t i = s->at[tree_find(s, 0)];
    struct reuse_entry *e = &s->entry[i];
    leave_position(s, e);
    uint32_t *link = bucket_of(s, e->key);
    while (*link != i)
        link = &s->entry[*link].next;
    *link = e->next;
    e->next = s->free;
    s->free = i;
    s->count--;
}

static struct reuse_entry *add(struct reuse_stack *s, uint64_t key)
{
    if (s->count == s->limit)
        forget_deepest(s);
    uint32_t i = s->free, *bucket = bucket_of(s, key);
    struct reuse_entry *e = &s->entry[i];
    s->free = e->next;
    *e = (struct reuse_entry){.key = key, .next = *bucket};
    *bucket = i;
    s->count++;
    return e;
}

struct reuse_entry *reuse_stack_touch(struct reuse_stack *s, uint64_t key, uint64_t *distance)
{
    struct reuse_entry *e = reuse_stack_find(s, key);
    *distance = REUSE_COLD;
    if (e) {
        *distance = s->count - tree_sum(s, e->position);
        if (*distance == 0)
            return e;
        leave_position(s, e);
    } else {
        e = add(s, key);
    }
    if (s->now == s->positions)
        renumber(s);
    e->position = s->now++;
    s->at[e->position] = (uint32_t)(e - s->entry);
    tree_add(s, e->position, 1);
    return e;
}

struct reuse_entry *reuse_stack_at(const struct reuse_stack *s, uint32_t depth)
{
    return depth < s->count ? &s->entry[s->at[tree_find(s, s->count - 1 - depth)]] : NULL;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

void reuse_stack_clear(struct reuse_stack *s)
{
    memset(s->bucket, 0xff, s->buckets * sizeof *s->bucket);
    memset(s->at, 0xff, s->positions * sizeof *s->at);
    memset(s->tree, 0, (s->positions + 1u) * sizeof *s->tree);
    for (uint32_t i = 0; i < s->limit; i++)
        s->entry[i].next = i + 1;
    s->count = s->now = s->free = 0;
}

bool reuse_stack_create(struct reuse_stack *s, uint32_t limit)
{
    uint32_t power = 2u << highest_bit32(limit);
    *s = (struct reuse_stack){.limit = limit, .positions = 2 * power, .buckets = power};
    s->entry = calloc(limit, sizeof *s->entry);
    s->bucket = calloc(s->buckets, sizeof *s->bucket);
    s->at = calloc(s->positions, sizeof *s->at);
    s->tree = calloc(s->positions + 1u, sizeof *s->tree);
    if (s->entry && s->bucket && s->at && s->tree) {
        reuse_stack_clear(s);
        return true;
    }
    reuse_stack_free(s);
    return false;
}

void reuse_stack_free(struct reuse_stack *s)
{
    free(s->entry);
    free(s->bucket);
    free(s->at);
    free(s->tree);
    *s = (struct reuse_stack){0};
}
