/* The delivery of records to the profiler's buffers. */
#include <stdlib.h>
#include <string.h>

#include "cupti/state.h"

/* Times of a record that are not 0, from host time to the profiler's. */
static void settle_times(const struct clock *clock, uint64_t *times, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (times[i] != 0)
            times[i] = clock_of(clock, times[i]);
}

static void settle_record(const struct clock *clock, uint8_t *data)
{
    switch (*(const uint32_t *)(void *)data) {
    case ACTIVITY_MEMCPY: settle_times(clock, &((struct record_copy *)(void *)data)->start, 2); break;
    case ACTIVITY_MEMSET: settle_times(clock, &((struct record_set *)(void *)data)->start, 2); break;
    case ACTIVITY_DRIVER:
    case ACTIVITY_RUNTIME: settle_times(clock, &((struct record_api *)(void *)data)->start, 2); break;
    case ACTIVITY_SYNCHRONIZATION: settle_times(clock, &((struct record_wait *)(void *)data)->start, 2); break;
    case ACTIVITY_KERNEL:
    case ACTIVITY_CONCURRENT_KERNEL:
        settle_times(clock, &((struct record_kernel *)(void *)data)->start, 3);
        settle_times(clock, &((struct record_kernel *)(void *)data)->queued, 2);
        break;
    default: break;
    }
}

void cupti_settle(const struct clock *clock, struct pending *pending)
{
    while (pending->settled < pending->used) {
        uint8_t *record = pending->data + pending->settled;
        settle_record(clock, record);
        pending->settled += record_bytes(*(const uint32_t *)(void *)record);
    }
}

void cupti_add(struct cupti *cupti, const void *record)
{
    struct pending *pending = &cupti->pending;
    size_t bytes = record_bytes(*(const uint32_t *)record);
    if (pending->room - pending->used < bytes) {
        size_t room = pending->room ? 2 * pending->room : 1 << 16;
        uint8_t *data = realloc(pending->data, room);
        if (!data) {
            cupti->dropped++;
            return;
        }
        pending->data = data;
        pending->room = room;
    }
    memcpy(pending->data + pending->used, record, bytes);
    pending->used += bytes;
}

static void complete(struct buffer *buffer)
{
    if (buffer->data)
        buffer->complete(NULL, 0, buffer->data, buffer->size, buffer->used);
    *buffer = (struct buffer){0};
}

static bool fits(const struct buffer *buffer, size_t bytes)
{
    return buffer->data && buffer->size - buffer->used >= bytes &&
           (buffer->most == 0 || buffer->records < buffer->most);
}

/* A new buffer that cannot hold the record stays: a smaller record may come. */
static bool make_room(struct buffer *buffer, size_t bytes, buffer_request request, buffer_complete completed)
{
    if (fits(buffer, bytes))
        return true;
    complete(buffer);
    *buffer = (struct buffer){.complete = completed};
    request(&buffer->data, &buffer->size, &buffer->most);
    if (buffer->data && buffer->size > 0)
        memset(buffer->data, 0, buffer->size);
    return fits(buffer, bytes);
}

/* Returns the number of records that found no place. */
static size_t pour(struct buffer *buffer, const struct pending *pending, buffer_request request,
                   buffer_complete completed)
{
    size_t dropped = 0;
    for (size_t at = 0; at < pending->used;) {
        const uint8_t *record = pending->data + at;
        size_t bytes = record_bytes(*(const uint32_t *)(const void *)record);
        at += bytes;
        if (!make_room(buffer, bytes, request, completed)) {
            dropped++;
            continue;
        }
        memcpy(buffer->data + buffer->used, record, bytes);
        buffer->used += bytes;
        buffer->records++;
    }
    return dropped;
}

/* Returns false if another thread delivers, or this one inside a function of the profiler. Called with the lock
 * held. */
static bool begin_delivery(struct cupti *cupti, bool wait)
{
    if (cupti->delivering && (!wait || pthread_equal(cupti->deliverer, pthread_self())))
        return false;
    while (cupti->delivering)
        pthread_cond_wait(&cupti->delivered, &cupti->lock);
    cupti->delivering = true;
    cupti->deliverer = pthread_self();
    return true;
}

/* Takes the waiting records for the deliverer alone. Called with the lock held. */
static struct pending take(struct cupti *cupti, enum delivery delivery)
{
    struct pending pending = cupti->pending;
    if (delivery == DELIVER_NOTHING)
        return (struct pending){0};
    cupti->pending = (struct pending){0};
    return pending;
}

static void end_delivery(struct cupti *cupti, size_t dropped)
{
    pthread_mutex_lock(&cupti->lock);
    cupti->dropped += dropped;
    cupti->has_buffer = cupti->buffer.data != NULL;
    cupti->delivering = false;
    pthread_cond_broadcast(&cupti->delivered);
    pthread_mutex_unlock(&cupti->lock);
}

void cupti_deliver(struct cupti *cupti, enum delivery delivery)
{
    pthread_mutex_lock(&cupti->lock);
    bool needed = delivery != DELIVER_NOTHING || cupti->pending.used > 0;
    bool begins = needed && cupti->request && begin_delivery(cupti, delivery >= DELIVER_ALL);
    struct pending pending = begins ? take(cupti, delivery) : (struct pending){0};
    struct clock clock = cupti->clock;
    buffer_request request = cupti->request;
    buffer_complete completed = cupti->complete;
    pthread_mutex_unlock(&cupti->lock);
    if (!begins)
        return;
    if (pending.settled < pending.used)
        clock_measure(&clock);
    cupti_settle(&clock, &pending);
    if (delivery == DELIVER_NOTHING)
        make_room(&cupti->buffer, 0, request, completed);
    if (delivery == DELIVER_END)
        complete(&cupti->buffer);
    size_t dropped = pour(&cupti->buffer, &pending, request, completed);
    if (delivery == DELIVER_ALL && cupti->buffer.used > 0)
        complete(&cupti->buffer);
    free(pending.data);
    end_delivery(cupti, dropped);
}
