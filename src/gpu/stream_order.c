#include "gpu/stream_order.h"

#include <assert.h>
#include <string.h>

#include "base/order.h"

void stream_order_barrier(struct stream_order *o) { o->round++; }

void stream_order_add(struct stream_order *o, uint64_t stream, void *item)
{
    assert(!stream_order_full(o));
    bool alone = stream == 0 || o->serial;
    o->round += alone;
    o->entry[o->count++] = (struct stream_entry){.item = item, .stream = stream, .round = o->round, .ready = o->now};
    o->round += alone;
}

static bool waits_for(const struct stream_entry *e, const struct stream_entry *before)
{
    return e->stream == before->stream || e->round != before->round;
}

static bool may_begin(const struct stream_order *o, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (waits_for(&o->entry[index], &o->entry[i]))
            return false;
    return true;
}

void *stream_order_launch(struct stream_order *o, uint64_t *cycle)
{
    for (uint32_t i = 0; i < o->count; i++) {
        struct stream_entry *e = &o->entry[i];
        if (e->launched || !may_begin(o, i))
            continue;
        e->launched = true;
        *cycle = e->ready;
        return e->item;
    }
    return NULL;
}

bool stream_order_waits(const struct stream_order *o)
{
    for (uint32_t i = 0; i < o->count; i++)
        if (!o->entry[i].launched && may_begin(o, i))
            return false;
    return true;
}

void stream_order_end(struct stream_order *o, const void *item, uint64_t cycle)
{
    uint32_t place = 0;
    while (o->entry[place].item != item)
        place++;
    for (uint32_t i = place + 1; i < o->count; i++)
        if (waits_for(&o->entry[i], &o->entry[place]))
            o->entry[i].ready = latest(o->entry[i].ready, cycle);
    o->count--;
    memmove(&o->entry[place], &o->entry[place + 1], (o->count - place) * sizeof o->entry[0]);
    o->now = latest(o->now, cycle);
}

void stream_order_restart(struct stream_order *o)
{
    o->now = 0;
    for (uint32_t i = 0; i < o->count; i++)
        o->entry[i].ready = 0;
}
