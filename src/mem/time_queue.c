#include "mem/time_queue.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"

enum { FIRST_CAPACITY = 256, WORDS = TIME_WINDOW / 64 };

static const uint32_t NONE = TIME_QUEUE_NONE;

static void chain_unused(struct time_queue *queue, uint32_t from)
{
    for (uint32_t i = from; i < queue->capacity; i++)
        queue->entry[i].next = i + 1 < queue->capacity ? i + 1 : NONE;
    queue->unused = from;
}

static void clear(struct time_queue *queue)
{
    chain_unused(queue, 0);
    queue->count = 0;
    queue->far_first = UINT64_MAX;
    queue->far = (struct time_list){NONE, NONE};
    memset(queue->filled, 0, sizeof queue->filled);
}

bool time_queue_create(struct time_queue *queue, struct arena *arena)
{
    queue->capacity = FIRST_CAPACITY;
    queue->arena = arena;
    queue->entry = arena_take(arena, queue->capacity * sizeof *queue->entry);
    if (queue->entry == NULL)
        return false;
    queue->now = 0;
    clear(queue);
    return true;
}

void time_queue_reset(struct time_queue *queue)
{
    queue->now = 0;
    if (queue->count == 0) /* all entries are unused, and no bucket is filled */
        return;
    clear(queue);
}

static bool grow(struct time_queue *queue)
{
    uint32_t old = queue->capacity;
    size_t bytes = old * sizeof *queue->entry;
    struct time_entry *entry = arena_more(queue->arena, queue->entry, bytes, 2 * bytes);
    if (entry == NULL)
        return false;
    queue->entry = entry;
    queue->capacity = 2 * old;
    chain_unused(queue, old);
    return true;
}

static inline void append(struct time_queue *queue, struct time_list *list, uint32_t index)
{
    queue->entry[index].next = NONE;
    queue->entry[list->last].next = index;
    list->last = index;
}

static void put(struct time_queue *queue, uint32_t index)
{
    uint64_t time = queue->entry[index].time;
    if (time - queue->now < TIME_WINDOW) {
        uint32_t b = (uint32_t)(time % TIME_WINDOW);
        uint64_t bit = UINT64_C(1) << (b % 64);
        if (queue->filled[b / 64] & bit) {
            append(queue, &queue->bucket[b], index);
        } else {
            queue->filled[b / 64] |= bit;
            queue->bucket[b] = (struct time_list){index, index};
            queue->entry[index].next = NONE;
        }
        return;
    }
    if (queue->far.first == NONE) {
        queue->far = (struct time_list){index, index};
        queue->entry[index].next = NONE;
    } else {
        append(queue, &queue->far, index);
    }
    queue->far_first = time < queue->far_first ? time : queue->far_first;
}

uint32_t time_queue_add(struct time_queue *queue, uint64_t time)
{
    assert(time >= queue->now);
    if (queue->unused == NONE && !grow(queue))
        return NONE;
    uint32_t index = queue->unused;
    queue->unused = queue->entry[index].next;
    queue->entry[index].time = time;
    queue->count++;
    put(queue, index);
    return index;
}

/* Moves time on, and far entries that have come near into their buckets, in the order in which they were added. They
 * are older than later entries of these buckets. */
static void advance(struct time_queue *queue, uint64_t now)
{
    queue->now = now;
    if (queue->far_first == UINT64_MAX || queue->far_first - now >= TIME_WINDOW)
        return;
    uint32_t index = queue->far.first;
    queue->far = (struct time_list){NONE, NONE};
    queue->far_first = UINT64_MAX;
    while (index != NONE) {
        uint32_t next = queue->entry[index].next;
        put(queue, index);
        index = next;
    }
}

/* Cycles from `now` to the first filled bucket, or TIME_WINDOW. */
static uint32_t distance(const struct time_queue *queue)
{
    uint32_t from = (uint32_t)(queue->now % TIME_WINDOW);
    uint64_t bits = queue->filled[from / 64] >> (from % 64);
    if (bits != 0)
        return lowest_bit64(bits);
    uint32_t gone = 64 - from % 64;
    for (uint32_t i = 1; i <= WORDS; i++, gone += 64) {
        bits = queue->filled[(from / 64 + i) % WORDS];
        if (bits != 0)
            return gone + lowest_bit64(bits);
    }
    return TIME_WINDOW;
}

static uint32_t take(struct time_queue *queue, uint64_t time)
{
    uint32_t b = (uint32_t)(time % TIME_WINDOW);
    uint32_t index = queue->bucket[b].first;
    struct time_entry *entry = &queue->entry[index];
    if (entry->next == NONE)
        queue->filled[b / 64] &= ~(UINT64_C(1) << (b % 64));
    queue->bucket[b].first = entry->next;
    entry->next = queue->unused;
    queue->unused = index;
    queue->count--;
    return index;
}

uint32_t time_queue_take(struct time_queue *queue, uint64_t end)
{
    while (queue->count > 0 && queue->now < end) {
        uint64_t next = queue->now + distance(queue);
        if (next < queue->now + TIME_WINDOW) {
            if (next >= end)
                break;
            if (next > queue->now)
                advance(queue, next);
            return take(queue, next);
        }
        advance(queue, queue->far_first < end ? queue->far_first : end);
    }
    if (queue->now < end)
        advance(queue, end);
    return NONE;
}
