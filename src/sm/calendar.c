#include "sm/calendar.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"

bool calendar_init(struct calendar *c, struct arena *arena)
{
    c->record = arena_take_sparse(arena, CALENDAR_EVENTS * sizeof *c->record);
    return c->record != NULL;
}

void calendar_begin_at(struct calendar *c, uint64_t now)
{
    memset(c->occupied, 0, sizeof c->occupied);
    c->waiting = 0;
    c->base = now;
    c->block = now / CALENDAR_BLOCK;
    c->next = UINT64_MAX;
    c->free = CALENDAR_NIL;
    c->fresh = c->count = 0;
}

/* ---- buckets ----------------------------------------------------------------------------------------------------- */

static bool has(const uint64_t *bits, uint32_t i) { return bits[i / 64] >> (i % 64) & 1; }

_Static_assert(CALENDAR_BLOCKS == 64, "a bit of a word for each block");

/* Puts a record behind the others in bucket i. `bits`: buckets that have any. */
static void append(struct calendar *c, struct calendar_bucket *bucket, uint64_t *bits, uint32_t i, uint16_t record)
{
    if (has(bits, i))
        c->record[bucket[i].tail].behind = record;
    else
        bucket[i].head = record;
    bits[i / 64] |= UINT64_C(1) << (i % 64);
    bucket[i].tail = record;
}

/* ---- entry ------------------------------------------------------------------------------------------------------- */

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

static void add_later(struct calendar *c, uint32_t block, uint16_t record)
{
    uint16_t cycle = c->record[record].cycle;
    if (!has(&c->waiting, block) || cycle < c->least[block])
        c->least[block] = cycle;
    append(c, c->later, &c->waiting, block, record);
}

void calendar_add(struct calendar *c, uint64_t when, struct event event)
{
    assert(when >= c->base && when - c->base < CALENDAR_SPAN);
    uint16_t i = take_record(c), cycle = when % CALENDAR_BLOCK;
    c->record[i] = (struct calendar_record){event.a, CALENDAR_NIL, cycle, event.kind, event.slot};
    uint64_t block = when / CALENDAR_BLOCK;
    if (block == c->block)
        append(c, c->wheel, c->occupied, cycle, i);
    else
        add_later(c, block % CALENDAR_BLOCKS, i);
    c->count++;
    if (when < c->next)
        c->next = when;
}

/* ---- the next event ---------------------------------------------------------------------------------------------- */

/* Fills the empty wheel with the block that `base` is in. Its events keep their order, and come before those that are
 * added from now on. */
static void turn_to_block(struct calendar *c)
{
    c->block = c->base / CALENDAR_BLOCK;
    uint32_t from = c->block % CALENDAR_BLOCKS;
    uint16_t i = c->later[from].head, behind;
    c->waiting &= ~(UINT64_C(1) << from);
    for (; i != CALENDAR_NIL; i = behind) {
        behind = c->record[i].behind;
        c->record[i].behind = CALENDAR_NIL;
        append(c, c->wheel, c->occupied, c->record[i].cycle, i);
    }
}

/* Of the wheel: UINT64_MAX when it is empty. */
static uint64_t earliest_here(const struct calendar *c)
{
    for (uint32_t word = c->base % CALENDAR_BLOCK / 64; word < CALENDAR_BLOCK / 64; word++)
        if (c->occupied[word])
            return c->block * CALENDAR_BLOCK + word * 64 + lowest_bit64(c->occupied[word]);
    return UINT64_MAX;
}

/* Of the blocks after the wheel's. */
static uint64_t earliest_later(const struct calendar *c)
{
    if (c->waiting == 0)
        return UINT64_MAX;
    unsigned first = (c->block + 1) % CALENDAR_BLOCKS;
    uint64_t from_first = c->waiting >> first | c->waiting << (CALENDAR_BLOCKS - first) % CALENDAR_BLOCKS;
    uint64_t block = c->block + 1 + lowest_bit64(from_first);
    return block * CALENDAR_BLOCK + c->least[block % CALENDAR_BLOCKS];
}

static uint64_t earliest(const struct calendar *c)
{
    if (c->count == 0)
        return UINT64_MAX;
    uint64_t here = earliest_here(c);
    return here != UINT64_MAX ? here : earliest_later(c);
}

struct event calendar_pop(struct calendar *c)
{
    assert(c->count);
    c->base = c->next;
    if (c->base / CALENDAR_BLOCK != c->block)
        turn_to_block(c);
    uint32_t b = c->base % CALENDAR_BLOCK;
    uint16_t i = c->wheel[b].head;
    struct calendar_record *record = &c->record[i];
    uint16_t next = record->behind;
    record->behind = c->free;
    c->free = i;
    c->count--;
    if (next == CALENDAR_NIL) {
        c->occupied[b / 64] &= ~(UINT64_C(1) << (b % 64));
        c->next = earliest(c);
    } else {
        c->wheel[b].head = next;
    }
    return (struct event){record->kind, record->slot, record->a};
}

void calendar_archive(struct archive *a, struct calendar *c) { archive_array(a, &c->record, CALENDAR_EVENTS); }
