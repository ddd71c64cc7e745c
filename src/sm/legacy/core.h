/* The legacy core: the model of GPGPU-Sim 4 with its sub-core option, in place of the modern core's front end,
 * issue, registers and units (core.model = "legacy"). docs/legacy-core.md has the whole picture.
 *
 *   fetch -> buffer -> SCHEDULER -> latch -> operand collectors -> latch -> pipelines -> registers, scoreboard
 *                                                                       \-> LD/ST unit -> L1 -> port
 *
 * The order in a cycle is that simulator's: results are written, units take instructions, the LD/ST unit works, operand
 * collectors take their steps, schedulers issue, buffers are filled. */
#ifndef SUBCORE_SM_LEGACY_CORE_H
#define SUBCORE_SM_LEGACY_CORE_H

#include "sm/legacy/fetch.h"
#include "sm/legacy/load_store.h"
#include "sm/legacy/pipelines.h"
#include "sm/legacy/scheduler.h"

struct legacy_core {
    struct legacy_fetch fetch;
    struct legacy_scheduler scheduler[SM_SUBCORES];
    struct legacy_latches issued, ready; /* in front of and behind the collectors */
    struct legacy_collectors collectors;
    struct legacy_pipelines pipelines;
    struct legacy_load_store memory;
    uint32_t age; /* of the instruction issued last */
};

/* Returns false if out of memory. The ports are connected. */
bool legacy_core_init(struct legacy_core *core, struct arena *arena);
/* Empties it before a kernel. */
void legacy_core_begin(struct legacy_core *core);

/* The stages of a cycle before the events of the SM, and behind them. Return true if anything moved. */
bool legacy_core_results(struct legacy_core *core, uint64_t now);
bool legacy_core_execute(struct legacy_core *core, uint64_t now);
bool legacy_core_read_operands(struct legacy_core *core);

/* Returns true if nothing can move by itself, the schedulers apart. */
bool legacy_core_idle(const struct legacy_core *core);

void legacy_core_archive(struct archive *a, struct legacy_core *core);

#endif
