/* From issue to a unit, and from a unit to the registers: CONTROL, ALLOCATE, the queues of units, the result queue.
 *
 *   fixed latency      issue -> CONTROL -> ALLOCATE -> read window -> unit -> result queue -> write port
 *   variable latency   issue -> CONTROL -> queue of the unit -> unit -> write port -> dependence counter
 *
 * Source: MICRO 2025 paper, sections on CONTROL, ALLOCATE and results. */
#ifndef SUBCORE_SM_DISPATCH_H
#define SUBCORE_SM_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/sm.h"

/* Cycle from which a place in the queue of a class that is no memory is free, UINT64_MAX when only what leaves it frees
 * one. */
uint64_t dispatch_queue_free(const struct sm *sm, const struct subcore *p, enum issue_class class);

/* Cycle from which an instruction of this class finds its unit's input latch, or a place in its queue, free. */
static inline uint64_t dispatch_free(const struct sm *sm, const struct subcore *p, enum issue_class class)
{
    if (!unit_choice_queued(&sm->unit_choice, class))
        return units_free(&p->units, &sm->unit_choice, class);
    if (class == CLASS_LG || class == CLASS_MIO)
        return memory_queue_full(&p->queue, &sm->config->lsu) ? UINT64_MAX : 0;
    return dispatch_queue_free(sm, p, class);
}

/* An instruction issues: takes its unit or its place, its read ports and its place among the results. Memory
 * instructions go on in lsu_issue. */
void dispatch(struct sm *sm, unsigned subcore, unsigned warp, const struct code *code, uint64_t now);

/* Something in the sub-core's queues can move in cycle `at`. */
static inline void dispatch_wake(struct sm *sm, struct subcore *p, uint64_t at)
{
    if (p->queues_at > at)
        p->queues_at = at;
    if (sm->queues_at > at)
        sm->queues_at = at;
}

/* Queues of units other than memory, and the FP64 unit that sub-cores share. True when anything moved. */
bool dispatch_cycle(struct sm *sm, uint64_t now);
/* Earliest cycle after `now` at which dispatch_cycle could move anything. */
uint64_t dispatch_next(const struct sm *sm, uint64_t now);

#endif
