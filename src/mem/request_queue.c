#include "mem/request_queue.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"

enum { WORDS = REQUEST_WINDOW / 64 };

void request_queue_reset(struct request_queue *queue)
{
    queue->count = 0;
    queue->now = 0;
    queue->far_first = UINT64_MAX;
    queue->far = request_list_empty();
    memset(queue->filled, 0, sizeof queue->filled);
}

/* Behind the last entry of the same or a lower SM. Entries nearly always come in that order. */
static void insert(struct request_pool *pool, struct request_list *list, uint32_t index)
{
    struct pooled_request *entry = pool->entry;
    uint16_t sm = entry[index].request.sm;
    if (entry[list->last].request.sm <= sm) {
        request_list_append(pool, list, index);
        return;
    }
    uint32_t *link = &list->first;
    while (entry[*link].request.sm <= sm)
        link = &entry[*link].next;
    entry[index].next = *link;
    *link = index;
}

static void put(struct request_queue *queue, struct request_pool *pool, uint32_t index)
{
    uint32_t b = (uint32_t)(pool->entry[index].request.arrival % REQUEST_WINDOW);
    uint64_t bit = UINT64_C(1) << (b % 64);
    if (queue->filled[b / 64] & bit) {
        insert(pool, &queue->bucket[b], index);
        return;
    }
    queue->filled[b / 64] |= bit;
    queue->bucket[b] = (struct request_list){index, index};
    pool->entry[index].next = REQUEST_NONE;
}

static void put_far(struct request_queue *queue, struct request_pool *pool, uint32_t index)
{
    uint64_t arrival = pool->entry[index].request.arrival;
    if (arrival < queue->far_first)
        queue->far_first = arrival;
    request_list_append(pool, &queue->far, index);
}

void request_queue_push(struct request_queue *queue, struct request_pool *pool, uint32_t index)
{
    uint64_t arrival = pool->entry[index].request.arrival;
    assert(arrival >= queue->now);
    queue->count++;
    if (arrival - queue->now < REQUEST_WINDOW)
        put(queue, pool, index);
    else
        put_far(queue, pool, index);
}

/* Moves time on, and far requests that have come near into their buckets, in the order in which they were sent. */
static void advance(struct request_queue *queue, struct request_pool *pool, uint64_t now)
{
    queue->now = now;
    if (queue->far_first == UINT64_MAX || queue->far_first - now >= REQUEST_WINDOW)
        return;
    uint32_t index = queue->far.first;
    queue->far = request_list_empty();
    queue->far_first = UINT64_MAX;
    while (index != REQUEST_NONE) {
        uint32_t next = pool->entry[index].next;
        if (pool->entry[index].request.arrival - now < REQUEST_WINDOW)
            put(queue, pool, index);
        else
            put_far(queue, pool, index);
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

uint64_t request_queue_next(struct request_queue *queue, struct request_pool *pool, uint64_t end)
{
    while (queue->count > 0 && queue->now < end) {
        uint64_t next = queue->now + distance(queue);
        if (next < queue->now + REQUEST_WINDOW) {
            if (next >= end)
                break;
            if (next > queue->now)
                advance(queue, pool, next);
            return next;
        }
        advance(queue, pool, queue->far_first < end ? queue->far_first : end);
    }
    if (queue->now < end)
        advance(queue, pool, end);
    return UINT64_MAX;
}

uint64_t request_queue_first(const struct request_queue *queue)
{
    if (queue->count == 0)
        return UINT64_MAX;
    uint32_t near = distance(queue);
    return near < REQUEST_WINDOW ? queue->now + near : queue->far_first;
}

uint32_t request_queue_take(struct request_queue *queue, const struct request_pool *pool)
{
    uint32_t b = (uint32_t)(queue->now % REQUEST_WINDOW);
    uint32_t index = request_list_take(pool, &queue->bucket[b]);
    if (queue->bucket[b].first != REQUEST_NONE)
        __builtin_prefetch(&pool->entry[queue->bucket[b].first], 1);
    else
        queue->filled[b / 64] &= ~(UINT64_C(1) << (b % 64));
    queue->count--;
    return index;
}
