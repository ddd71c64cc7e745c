/* From issue to a unit: CONTROL, ALLOCATE, the queue of the unit, the result queue.
 *
 *   fixed latency      issue -> CONTROL -> ALLOCATE -> read window -> unit -> result queue -> write port
 *   variable latency   issue -> CONTROL -> queue of the unit -> unit -> write port -> dependence counter
 *
 * Source: MICRO 2025 paper, sections on CONTROL, ALLOCATE and results. */
#ifndef SUBCORE_SM_DISPATCH_H
#define SUBCORE_SM_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/engine/tma.h"
#include "sm/execute/queued_units.h"
#include "sm/execute/tensor_engine.h"
#include "sm/memory/memory_queue.h"
#include "sm/memory/texture_unit.h"
#include "sm/registers/register_file.h"
#include "sm/registers/result_queue.h"
#include "sm/retire.h"
#include "sm/units.h"

/* Where the instructions of a sub-core go. */
struct dispatch {
    struct units *units;
    const struct unit_choice *choice;
    struct queued_units *queues;
    const struct memory_queue *memory;
    const struct texture_unit *textures;
    const struct tma *tma;
    const struct tensor_engine *tensor_engine;
    struct register_file *registers;
    struct result_queue *results, *uniform_results;
    const struct warp_gate *gate;
    struct retire *retire;
    const uint16_t *products_full; /* warps that can issue no further product of their warpgroup */
    const struct config_core *core;
    const struct config_lsu *lsu;
    struct sm_counters *n;
    uint8_t subcore;
};

/* Cycle from which an instruction of this class finds its unit's input latch, or a place in its queue, free; UINT64_MAX
 * when only an instruction that leaves frees one. */
static inline uint64_t dispatch_free(const struct dispatch *d, enum issue_class class)
{
    if (!unit_choice_queued(d->choice, class))
        return units_free(d->units, d->choice, class);
    if (class == CLASS_LG || class == CLASS_MIO)
        return memory_queue_full(d->memory, d->lsu) ? UINT64_MAX : 0;
    if (class == CLASS_TEX)
        return texture_unit_full(d->textures, d->subcore) ? UINT64_MAX : 0;
    if (class == CLASS_ENGINE)
        return tma_full(d->tma) ? UINT64_MAX : 0;
    if (class == CLASS_TENSOR_ENGINE)
        return tensor_engine_full(d->tensor_engine) ? UINT64_MAX : 0;
    return queued_units_free(d->queues, class);
}

/* Returns those of `warps`, whose instructions go to the memory queue, that may issue. */
static inline uint32_t dispatch_admits(const struct dispatch *d, uint32_t warps)
{
    return memory_queue_admits(d->memory, d->lsu, warps);
}

/* An instruction issues: takes its unit or its place, its read ports and its place among the results. Memory
 * instructions continue in lsu_issue. */
void dispatch(const struct dispatch *d, uint8_t slot, const struct code *code, uint64_t now);
/* The same for an instruction that issues plainly (CODE_PLAIN_ISSUE). */
void dispatch_plain(const struct dispatch *d, uint8_t slot, const struct code *code, uint64_t now);

#endif
