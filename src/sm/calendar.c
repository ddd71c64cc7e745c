#include "sm/calendar.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"

void calendar_init(struct calendar *c, uint64_t now)
{
    memset(c->occupied, 0, sizeof c->occupied);
    c->base = now;
    c->next = UINT64_MAX;
    c->free = CALENDAR_NIL;
    c->fresh = c->count = 0;
}

static uint16_t take_record(struct calendar *c)
{
    if (c->free == CALENDAR_NIL) {
        assert(c->fresh < CALENDAR_EVENTS);
        return (uint16_t)c->fresh++;
    }
    uint16_t i = c->free;
    c->free = c->record[i].behind;
    return i;
}

void calendar_add(struct calendar *c, uint64_t when, struct event event)
{
    assert(when >= c->base && when - c->base < CALENDAR_SPAN);
    uint16_t i = take_record(c);
    c->record[i] = (struct calendar_record){event.a, CALENDAR_NIL, event.kind, event.slot};
    unsigned b = when % CALENDAR_SPAN;
    struct calendar_bucket *bucket = &c->bucket[b];
    uint64_t *word = &c->occupied[b / 64], bit = UINT64_C(1) << (b % 64);
    if (*word & bit)
        c->record[bucket->tail].behind = i;
    else
        bucket->head = i;
    *word |= bit;
    bucket->tail = i;
    c->count++;
    if (when < c->next)
        c->next = when;
}

static uint64_t earliest(const struct calendar *c)
{
    if (c->count == 0)
        return UINT64_MAX;
    unsigned start = c->base % CALENDAR_SPAN;
    unsigned word = start / 64;
    uint64_t bits = c->occupied[word] & (~UINT64_C(0) << (start % 64));
    for (unsigned n = 0; n <= CALENDAR_SPAN / 64; n++) {
        if (bits) {
            unsigned bucket = word * 64 + lowest_bit64(bits);
            return c->base + (bucket - start) % CALENDAR_SPAN;
        }
        word = (word + 1) % (CALENDAR_SPAN / 64);
        bits = c->occupied[word];
    }
    return UINT64_MAX;
}

struct event calendar_pop(struct calendar *c)
{
    assert(c->count);
    c->base = c->next;
    unsigned b = c->base % CALENDAR_SPAN;
    uint16_t i = c->bucket[b].head;
    struct calendar_record *record = &c->record[i];
    uint16_t next = record->behind;
    record->behind = c->free;
    c->free = i;
    c->count--;
    if (next == CALENDAR_NIL) {
        c->occupied[b / 64] &= ~(UINT64_C(1) << (b % 64));
        c->next = earliest(c);
    } else {
        c->bucket[b].head = next;
    }
    return (struct event){record->kind, record->slot, record->a};
}
