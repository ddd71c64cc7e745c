/* Execution units of the legacy core: fixed-latency pipelines, one of each kind for each scheduler.
 *
 * A unit takes an instruction when the interval of the one before is over, unless a result would leave it, or more
 * results than legacy.result_width the SM's units, in the same cycle as others. Its result is at the registers
 * `latency` + 2 cycles after it has entered: the latency, a cycle to the result latch, and one from there. All results
 * of a cycle are written, each takes its bank for a step of the collectors, and the scoreboard opens in the same cycle.
 * With the two cycles in the collectors and the one at the unit's input a consumer issues latency + 5 cycles behind
 * its producer (GPGPU-Sim 4). */
#ifndef SUBCORE_SM_LEGACY_PIPELINES_H
#define SUBCORE_SM_LEGACY_PIPELINES_H

#include "sm/legacy/collectors.h"
#include "sm/retire.h"

struct sm_warp;

enum { LEGACY_SPAN = 512, LEGACY_RESULTS = 32 }; /* the longest latency and more; results of a cycle */

struct legacy_result {
    uint32_t code;
    uint8_t slot, unit;
};

/* The results that are written in a cycle. */
struct legacy_results {
    uint32_t count;
    struct legacy_result result[LEGACY_RESULTS];
};

struct legacy_pipelines {
    struct legacy_pipeline_ports {
        const struct config_legacy *config;
        const struct code_table *code;
        struct legacy_latches *in;
        struct legacy_collectors *collectors;
        struct retire *retire;
        struct sm_warp *warp; /* [SM_WARPS] */
    } to;
    uint64_t free[LEGACY_UNITS][SM_SUBCORES];                     /* cycle from which the unit takes an instruction */
    uint64_t leaves[LEGACY_UNITS][SM_SUBCORES][LEGACY_SPAN / 64]; /* bit for each cycle, modulo the span */
    struct legacy_results *results;                               /* [LEGACY_SPAN], by cycle modulo the span */
    uint32_t count;                                               /* instructions in the units */
};

/* Returns false if out of memory. */
bool legacy_pipelines_init(struct legacy_pipelines *p, struct arena *arena);
void legacy_pipelines_begin(struct legacy_pipelines *p);

/* Writes the results of cycle `now`. Returns true if there was one. */
bool legacy_pipelines_write(struct legacy_pipelines *p, uint64_t now);

/* The units take instructions. Returns true if one did. */
bool legacy_pipelines_cycle(struct legacy_pipelines *p, uint64_t now);

/* An instruction of the warp that is no access has nothing left to do. */
void legacy_op_done(struct retire *retire, struct sm_warp *warp, uint32_t slot);

#endif
