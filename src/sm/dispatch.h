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

#include "sm/code.h"

struct sm;
struct partition;

/* Cycle from which an instruction of this class finds its unit's input latch, or a place in its queue, free; UINT64_MAX
 * when only something that leaves the queue frees it. */
uint64_t dispatch_free(const struct sm *sm, const struct partition *p, enum issue_class class);

/* An instruction issues: takes its unit or its place, its read ports and its place among the results. Memory
 * instructions go on in lsu_issue. */
void dispatch(struct sm *sm, unsigned partition, unsigned warp, const struct code *code, uint64_t now);

/* Queues of units other than memory, and the FP64 unit that sub-cores share. True when anything moved. */
bool dispatch_cycle(struct sm *sm, uint64_t now);
/* Earliest cycle after `now` at which dispatch_cycle could move anything. */
uint64_t dispatch_next(const struct sm *sm, uint64_t now);

#endif
