/* The functional run: a whole launch, or the rest of one, without time. */
#ifndef SUBCORE_EXEC_RUN_H
#define SUBCORE_EXEC_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "exec/fault_report.h"
#include "exec/resident.h"

struct exec_launch;

struct exec_totals {
    uint64_t warp_instructions;
    uint64_t thread_instructions; /* active lanes */
    uint64_t ctas;
    struct exec_fault_report fault;
};

/* Runs a whole launch without time, CTAs in grid order on the calling thread, their warps in short turns. A CTA that
 * runs long is put aside for the next ones so that CTAs which wait for each other make progress. All CTAs of a
 * cooperative launch are resident. `stop` (may be NULL) is polled. `progress` (may be NULL) is called now and then with
 * the CTAs and the warp instructions done. */
bool exec_run(const struct exec_launch *launch, const volatile bool *stop,
              void (*progress)(void *context, uint64_t done, uint64_t total, uint64_t instructions), void *context,
              struct exec_totals *totals, struct status *status);

/* A launch that has come part of the way. The storage of CTAs that have begun is placed, and remains the caller's.
 * Without any, the run has its own. */
struct exec_rest {
    uint64_t clock;                 /* where the cores' clock goes on */
    uint64_t next, done;            /* CTAs that have begun, and ended */
    uint64_t end;                   /* the first CTA that is left out. The number of CTAs: none */
    uint64_t instructions;          /* warp instructions so far, for messages */
    struct exec_resident *resident; /* [count] */
    uint32_t count;

    /* Returns the number in the grid of the CTA that begins as number `index`; NULL: it is the same. */
    uint64_t (*number)(const void *order, uint64_t index);
    const void *order;
};

/* The rest of a launch up to `end`, as exec_run. The totals are of the rest, except for totals->ctas. */
bool exec_run_rest(const struct exec_launch *launch, const struct exec_rest *rest, const volatile bool *stop,
                   void (*progress)(void *context, uint64_t done, uint64_t total, uint64_t instructions), void *context,
                   struct exec_totals *totals, struct status *status);

#endif
