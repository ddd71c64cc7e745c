/* Events of an SM ordered by cycle, first in first out within a cycle. Everything an SM knows to happen at a later
 * cycle stands here, so that the next thing to happen is one bit scan away.
 *
 * A wheel has a bucket for each cycle in one block. Later blocks have one bucket each, whose events move to the wheel
 * when the first is taken. Nearly all events are due within the next hundred cycles, and a wheel for the whole span
 * would take 64 KiB per SM in the host's caches. */
#ifndef SUBCORE_SM_CALENDAR_H
#define SUBCORE_SM_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"

/* The span covers the longest backlog there is: every entry of the pending request table returning 128-bit data to
 * one sub-core. */
enum { CALENDAR_SPAN = 16384, CALENDAR_EVENTS = 8192, CALENDAR_NIL = 0xffff };

/* Cycles per block, and buckets for blocks: twice the span, so that no two blocks in the span share a bucket. */
enum { CALENDAR_BLOCK = 512, CALENDAR_BLOCKS = 2 * CALENDAR_SPAN / CALENDAR_BLOCK };

enum event_kind {
    EVENT_SB_RELEASE,     /* a dependence counter of a warp is decremented: a = counter */
    EVENT_SOURCES_READ,   /* scoreboard: an instruction has read its sources: a = its number in the code */
    EVENT_RESULT_WRITTEN, /* scoreboard: has written its result: a = its number in the code */
    EVENT_DEPBAR,         /* a DEPBAR of a warp begins to hold it: a = its number in the code */
    EVENT_WRITE,          /* loaded data are at the end of the return path: a = token */
    EVENT_COMPLETE,       /* an access is complete: a = token */
    EVENT_GROUP,          /* there is a place for a group of copies to shared memory again */
    EVENT_COPY,           /* the global data of a copy to shared memory are there: a = token */
    EVENT_FETCH,          /* the instruction line that a warp waits for has arrived */
    EVENT_CONSTANT,       /* the constant that a warp waits for has arrived */
    EVENT_BRANCH,         /* the warp may fetch from its branch target */
    EVENT_BARRIER,        /* a CTA barrier completes: slot = CTA slot, a = barrier */
    EVENT_CLUSTER,        /* warps of a CTA pass the barrier of their cluster: slot = CTA slot, a = which */
    EVENT_MEMBAR,         /* the time of a fence is over */
    EVENT_EXIT            /* the time for which an EXIT holds the exited warp is over */
};

struct event {
    uint8_t kind;
    uint8_t slot; /* of a warp, except for EVENT_BARRIER and EVENT_CLUSTER */
    uint32_t a;
};

/* An event in its bucket. */
struct calendar_record {
    uint32_t a;
    uint16_t behind; /* the next of the bucket, or the next free one */
    uint16_t cycle;  /* of the block */
    uint8_t kind, slot;
};

struct calendar_bucket {
    uint16_t head, tail;
};

struct calendar {
    uint64_t base;  /* everything before this cycle has been taken */
    uint64_t next;  /* cycle of the earliest event, UINT64_MAX when there is none */
    uint64_t block; /* of which the wheel has the events that do not stand in `later` */
    uint32_t count;
    uint32_t fresh;                 /* records from here on have never been used */
    uint16_t free;                  /* records used before (CALENDAR_NIL: none) */
    struct calendar_record *record; /* [CALENDAR_EVENTS] */
    uint64_t occupied[CALENDAR_BLOCK / 64];
    uint64_t waiting;                              /* blocks with an event in `later` */
    uint16_t least[CALENDAR_BLOCKS];               /* the first cycle of these events, in the block */
    struct calendar_bucket later[CALENDAR_BLOCKS]; /* where `waiting` has a bit */
    struct calendar_bucket wheel[CALENDAR_BLOCK];  /* where `occupied` has a bit */
};

/* Returns false if the host is out of memory. */
bool calendar_init(struct calendar *c, struct arena *arena);

/* Empty, at cycle `now`. */
void calendar_begin_at(struct calendar *c, uint64_t now);

/* `when` is at least the cycle last taken or turned to, and less than CALENDAR_SPAN cycles after it. */
void calendar_add(struct calendar *c, uint64_t when, struct event event);

/* Cycle `now` begins. Without it a wheel that was not touched for long has no place for a new event. */
static inline void calendar_turn(struct calendar *c, uint64_t now)
{
    if (c->base < now && c->next >= now)
        c->base = now;
}

/* Takes the earliest event. There is one. */
struct event calendar_pop(struct calendar *c);

/* Takes the next event due at or before `now`, in order of cycle and entry. Returns false if there is none: then the
 * wheel turns to `now`. */
static inline bool calendar_take(struct calendar *c, uint64_t now, struct event *out)
{
    if (c->next > now) {
        calendar_turn(c, now);
        return false;
    }
    *out = calendar_pop(c);
    return true;
}

static inline void calendar_begin(struct calendar *c) { calendar_begin_at(c, 0); }

void calendar_archive(struct archive *a, struct calendar *c);

/* Cycle of the earliest event, UINT64_MAX when there is none. */
static inline uint64_t calendar_next(const struct calendar *c) { return c->next; }

#endif
