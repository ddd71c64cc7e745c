#include "mem/request_queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static const uint32_t NONE = UINT32_MAX;

enum { FIRST_CAPACITY = 1024, WORDS = REQUEST_WINDOW / 64 };

static void chain_unused(struct request_queue *queue, uint32_t from)
{
    for (uint32_t i = from; i < queue->capacity; i++)
        queue->entry[i].next = i + 1 < queue->capacity ? i + 1 : NONE;
    queue->unused = from;
}

bool request_queue_create(struct request_queue *queue)
{
    queue->capacity = FIRST_CAPACITY;
    queue->entry = malloc(queue->capacity * sizeof *queue->entry);
    if (queue->entry == NULL)
        return false;
    request_queue_reset(queue);
    return true;
}

void request_queue_destroy(struct request_queue *queue)
{
    free(queue->entry);
    queue->entry = NULL;
}

void request_queue_reset(struct request_queue *queue)
{
    chain_unused(queue, 0);
    queue->count = 0;
    queue->now = 0;
    queue->far_first = UINT64_MAX;
    queue->far = (struct request_list){NONE, NONE};
    memset(queue->filled, 0, sizeof queue->filled);
}

static bool grow(struct request_queue *queue)
{
    uint32_t old = queue->capacity;
    struct queued_request *entry = realloc(queue->entry, 2 * (size_t)old * sizeof *entry);
    if (entry == NULL)
        return false;
    queue->entry = entry;
    queue->capacity = 2 * old;
    chain_unused(queue, old);
    return true;
}

/* Behind the last entry of the same or a lower SM. Entries nearly always come in that order. */
static void insert(struct request_queue *queue, struct request_list *list, uint32_t index)
{
    struct queued_request *entry = queue->entry;
    uint16_t sm = entry[index].request.sm;
    if (entry[list->last].request.sm <= sm) {
        entry[index].next = NONE;
        entry[list->last].next = index;
        list->last = index;
        return;
    }
    uint32_t *link = &list->first;
    while (entry[*link].request.sm <= sm)
        link = &entry[*link].next;
    entry[index].next = *link;
    *link = index;
}

static void put(struct request_queue *queue, uint32_t index)
{
    uint32_t b = (uint32_t)(queue->entry[index].request.arrival % REQUEST_WINDOW);
    uint64_t bit = UINT64_C(1) << (b % 64);
    if (queue->filled[b / 64] & bit) {
        insert(queue, &queue->bucket[b], index);
        return;
    }
    queue->filled[b / 64] |= bit;
    queue->bucket[b] = (struct request_list){index, index};
    queue->entry[index].next = NONE;
}

static void put_far(struct request_queue *queue, uint32_t index)
{
    uint64_t arrival = queue->entry[index].request.arrival;
    if (arrival < queue->far_first)
        queue->far_first = arrival;
    if (queue->far.first == NONE)
        queue->far.first = index;
    else
        queue->entry[queue->far.last].next = index;
    queue->far.last = index;
    queue->entry[index].next = NONE;
}

bool request_queue_push(struct request_queue *queue, const struct request *request, uint32_t slice, uint64_t local)
{
    assert(request->arrival >= queue->now);
    if (queue->unused == NONE && !grow(queue))
        return false;
    uint32_t index = queue->unused;
    struct queued_request *entry = &queue->entry[index];
    queue->unused = entry->next;
    entry->request = *request;
    entry->slice = slice;
    entry->local = local;
    queue->count++;
    if (request->arrival - queue->now < REQUEST_WINDOW)
        put(queue, index);
    else
        put_far(queue, index);
    return true;
}

/* Moves time on, and far requests that have come near into their buckets, in the order in which they were sent. */
static void advance(struct request_queue *queue, uint64_t now)
{
    queue->now = now;
    if (queue->far_first == UINT64_MAX || queue->far_first - now >= REQUEST_WINDOW)
        return;
    uint32_t index = queue->far.first;
    queue->far = (struct request_list){NONE, NONE};
    queue->far_first = UINT64_MAX;
    while (index != NONE) {
        uint32_t next = queue->entry[index].next;
        if (queue->entry[index].request.arrival - now < REQUEST_WINDOW)
            put(queue, index);
        else
            put_far(queue, index);
        index = next;
    }
}

/* Cycles from `now` to the first filled bucket, or REQUEST_WINDOW. */
static uint32_t distance(const struct request_queue *queue)
{
    uint32_t from = (uint32_t)(queue->now % REQUEST_WINDOW);
    uint64_t bits = queue->filled[from / 64] >> (from % 64);
    if (bits != 0)
        return lowest_bit64(bits);
    uint32_t gone = 64 - from % 64;
    for (uint32_t i = 1; i <= WORDS; i++, gone += 64) {
        bits = queue->filled[(from / 64 + i) % WORDS];
        if (bits != 0)
            return gone + lowest_bit64(bits);
    }
    return REQUEST_WINDOW;
}

static const struct queued_request *take(struct request_queue *queue, uint64_t arrival)
{
    uint32_t b = (uint32_t)(arrival % REQUEST_WINDOW);
    uint32_t index = queue->bucket[b].first;
    struct queued_request *entry = &queue->entry[index];
    if (entry->next == NONE)
        queue->filled[b / 64] &= ~(UINT64_C(1) << (b % 64));
    queue->bucket[b].first = entry->next;
    entry->next = queue->unused;
    queue->unused = index;
    queue->count--;
    return entry;
}

const struct queued_request *request_queue_pop(struct request_queue *queue, uint64_t end)
{
    while (queue->count > 0 && queue->now < end) {
        uint64_t next = queue->now + distance(queue);
        if (next < queue->now + REQUEST_WINDOW) {
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
    return NULL;
}
