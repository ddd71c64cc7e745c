/* Retire sink: the port to which units report the progress of instructions. A report for a later cycle goes into the
 * calendar. That a warp may have nothing left in flight is a message, which the SM takes as soon as the unit
 * returns: no unit calls a unit above it. */
#ifndef SUBCORE_SM_RETIRE_H
#define SUBCORE_SM_RETIRE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/calendar.h"
#include "sm/code_table.h"
#include "sm/observer.h"

enum { RETIRE_MESSAGES = 64 };

struct retire {
    struct retire_ports {
        struct calendar *calendar;
        const struct code_table *code;
        const struct sm_observer *const *observer;
        uint16_t sm;
    } to;
    uint32_t count;
    uint8_t drained[RETIRE_MESSAGES]; /* warp slots, in the order of the messages */
};

static inline void retire_begin(struct retire *r) { r->count = 0; }

/* Returns whether there are messages of warps that may leave. */
static inline bool retire_has_drained(const struct retire *r) { return r->count > 0; }

/* An instruction of variable latency, or one that names a counter, will have read its sources, or written its result:
 * an issue check of cycle `when` no longer waits for it. */
void retire_sources_read(struct retire *r, uint32_t slot, const struct code *code, uint64_t when);
void retire_result_written(struct retire *r, uint32_t slot, const struct code *code, uint64_t when);

/* Lowers a dependence counter of the warp at `when`. */
static inline void retire_counter(struct retire *r, uint32_t slot, uint8_t counter, uint64_t when)
{
    calendar_add(r->to.calendar, when, (struct event){EVENT_SB_RELEASE, (uint8_t)slot, counter});
}

/* The access of this token is complete at `when` (EVENT_COMPLETE). */
static inline void retire_access_done(struct retire *r, uint32_t slot, uint16_t token, uint64_t when)
{
    calendar_add(r->to.calendar, when, (struct event){EVENT_COMPLETE, (uint8_t)slot, token});
}

/* Tells whether the SM has an observer. */
static inline bool retire_observed(const struct retire *r) { return *r->to.observer != NULL; }

/* The loaded data of the access are at the write port of their registers at `when` (EVENT_WRITE). */
static inline void retire_data_back(struct retire *r, uint32_t slot, uint16_t token, uint64_t when)
{
    calendar_add(r->to.calendar, when, (struct event){EVENT_WRITE, (uint8_t)slot, token});
}

/* A queue or the memory unit has nothing left of the warp: it may leave its slot if it has exited. */
static inline void retire_warp_drained(struct retire *r, uint32_t slot)
{
    assert(r->count < RETIRE_MESSAGES);
    r->drained[r->count++] = (uint8_t)slot;
}

#endif
