/* A whole launch without time. CTAs start in grid order; one that takes many instructions makes room for others, as
 * many as the GPU could hold at once, so that CTAs which wait for each other make progress. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "exec/fault.h"

enum {
    BARRIERS = EXEC_BARRIERS + 1, /* with the cluster's */
    WARP_TURN = 2048,             /* instructions of a warp before the next warp of the CTA has its turn */
    CTA_TURN = 1 << 16,           /* of a CTA before another CTA has its turn */
    GRID_TURN = 256,              /* of either in a cooperative launch: its CTAs wait for each other, going round */
    REPORT_EVERY = 1 << 20,       /* between calls of progress() */
    SM_CTAS = 32,
    SM_WARPS = 64,
    SM_REGISTERS = 65536,
    SM_SHARED = 233472
};

enum warp_state { WARP_RUNS, WARP_WAITS, WARP_GONE };

struct resident {
    struct exec_cta *cta;
    uint32_t live;                  /* warps */
    uint32_t arrived[BARRIERS];     /* warps, since the barrier last completed */
    uint32_t expected[BARRIERS];    /* warps; 0: all that live */
    uint8_t state[32], barrier[32]; /* of each warp */
};

struct run {
    const struct exec_launch *launch;
    const volatile bool *stop;
    struct exec_core core;
    uint32_t warp_turn, cta_turn;
    struct resident *resident; /* [room] */
    uint32_t room, free_count, queued, first;
    uint32_t *free;      /* unused residents */
    uint32_t *queue;     /* ring of CTAs that were put aside */
    uint64_t next, done; /* CTAs started, finished */
    uint64_t instructions, reported;
    struct issued out;
};

/* ---- barriers of a CTA ----------------------------------------------------------------------------------------- */

static void try_complete(struct resident *r, unsigned barrier)
{
    uint32_t needed = r->expected[barrier] ? r->expected[barrier] : r->live;
    if (!r->arrived[barrier] || r->arrived[barrier] < needed)
        return;
    r->arrived[barrier] = 0;
    for (uint32_t w = 0; w < r->cta->launch->warps_per_cta; w++) {
        uint32_t pc;
        if (r->state[w] != WARP_WAITS || r->barrier[w] != barrier)
            continue;
        r->state[w] = WARP_RUNS;
        exec_release_barrier(&r->cta->warps[w], &pc);
    }
}

static void arrive(struct resident *r, const struct issued *out)
{
    r->arrived[out->barrier]++;
    r->expected[out->barrier] = out->barrier_warps;
    try_complete(r, out->barrier);
}

static void warp_gone(struct resident *r, uint32_t w)
{
    r->state[w] = WARP_GONE;
    r->live--;
    for (unsigned b = 0; b < BARRIERS; b++)
        try_complete(r, b);
}

/* ---- one CTA --------------------------------------------------------------------------------------------------- */

static void run_warp(struct run *run, struct resident *r, uint32_t w)
{
    struct exec_warp *warp = &r->cta->warps[w];
    struct issued *out = &run->out;
    for (uint32_t n = 0; n < run->warp_turn; n++) {
        exec_step(&run->core, warp, 0, out);
        run->instructions++;
        if (run->launch->watch)
            run->launch->watch->issued(run->launch->watch->self, warp, out);
        if (out->barrier_arrive)
            arrive(r, out);
        if (out->flow == ISSUED_NEXT || out->flow == ISSUED_JUMP)
            continue;
        if (out->flow == ISSUED_EXITED) {
            warp_gone(r, w);
        } else {
            r->state[w] = WARP_WAITS;
            r->barrier[w] = out->barrier;
            arrive(r, out);
        }
        if (r->state[w] != WARP_RUNS)
            return;
    }
}

static bool report_deadlock(struct run *run, const struct resident *r, struct status *status)
{
    const struct exec_cta *cta = r->cta;
    char text[240] = "";
    size_t used = 0;
    for (uint32_t w = 0; w < run->launch->warps_per_cta && used < sizeof text; w++) {
        if (r->state[w] != WARP_WAITS)
            continue;
        int n = snprintf(text + used, sizeof text - used, "%swarp %" PRIu32 " pc 0x%" PRIx32 " barrier %u",
                         used ? ", " : "", w, exec_pc(&cta->warps[w]) - 16, (unsigned)r->barrier[w]);
        used += n > 0 ? (size_t)n : 0;
    }
    exec_fault_core(&run->core, EXEC_FAULT_DEADLOCK,
                    "all warps of CTA (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") wait at barriers: %s", cta->index.x,
                    cta->index.y, cta->index.z, text);
    return status_fail(status, STATUS_DEADLOCK,
                       "kernel %s, CTA (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "): all warps wait at barriers: %s",
                       run->launch->kernel->cubin->name, cta->index.x, cta->index.y, cta->index.z, text);
}

/* Runs a CTA until it is finished or has had its turn. With local memory all CTAs run on one SM, which has all its
 * slots. */
static bool run_cta(struct run *run, struct resident *r, struct status *status)
{
    uint64_t until = run->instructions + run->cta_turn;
    run->core.sm_id = run->launch->local_base ? 0 : (unsigned)(r->cta->linear % run->launch->sm_count);
    while (r->live && run->instructions < until) {
        uint64_t before = run->instructions;
        for (uint32_t w = 0; w < run->launch->warps_per_cta; w++) {
            if (r->state[w] != WARP_RUNS)
                continue;
            run_warp(run, r, w);
            if (run->core.fault.code) {
                *status = run->core.fault;
                return false;
            }
        }
        if (r->live && run->instructions == before)
            return report_deadlock(run, r, status);
    }
    return true;
}

/* ---- the grid -------------------------------------------------------------------------------------------------- */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* CTAs that the GPU could hold, and that have local memory. Whether it can hold all of a cooperative launch has been
 * checked before. */
static uint32_t resident_limit(const struct exec_launch *launch)
{
    uint32_t warps = launch->warps_per_cta, each = least(SM_CTAS, SM_WARPS / warps);
    uint32_t registers = launch->kernel->rows * EXEC_LANES * warps;
    if (registers)
        each = least(each, SM_REGISTERS / registers);
    if (launch->shared_bytes)
        each = least(each, SM_SHARED / launch->shared_bytes);
    uint64_t limit = launch->cooperative ? launch->cta_count : (uint64_t)(each ? each : 1) * launch->sm_count;
    if (launch->local_base && limit > launch->local_slots / warps)
        limit = launch->local_slots / warps;
    return (uint32_t)(limit < launch->cta_count ? limit : launch->cta_count);
}

static bool start_cta(struct run *run, uint32_t index, struct status *status)
{
    struct resident *r = &run->resident[index];
    if (!r->cta)
        r->cta = exec_cta_create(run->launch, status);
    if (!r->cta)
        return false;
    exec_cta_start(r->cta, run->next++, index * run->launch->warps_per_cta);
    r->live = run->launch->warps_per_cta;
    memset(r->arrived, 0, sizeof r->arrived);
    memset(r->state, WARP_RUNS, sizeof r->state);
    return true;
}

static bool turn(struct run *run, uint32_t index, struct status *status)
{
    struct exec_core *core = &run->core;
    bool ok = run_cta(run, &run->resident[index], status);
    exec_write_output(&core, 1, run->launch->output);
    if (!ok)
        return false;
    if (run->resident[index].live) {
        run->queue[(run->first + run->queued++) % run->room] = index;
    } else {
        run->free[run->free_count++] = index;
        run->done++;
    }
    if (run->stop && *run->stop)
        return status_fail(status, STATUS_INTERRUPTED, "%s: stopped after %" PRIu64 " of %" PRIu64 " CTAs",
                           run->launch->kernel->cubin->name, run->done, run->launch->cta_count);
    return true;
}

static bool run_grid(struct run *run, void (*progress)(void *context, uint64_t done, uint64_t total), void *context,
                     struct status *status)
{
    while (run->done < run->launch->cta_count) {
        if (run->next < run->launch->cta_count && run->free_count) {
            uint32_t index = run->free[--run->free_count];
            if (!start_cta(run, index, status) || !turn(run, index, status))
                return false;
        }
        if (run->queued) {
            uint32_t index = run->queue[run->first];
            run->first = (run->first + 1) % run->room;
            run->queued--;
            if (!turn(run, index, status))
                return false;
        }
        if (progress && run->instructions - run->reported >= REPORT_EVERY) {
            run->reported = run->instructions;
            progress(context, run->done, run->launch->cta_count);
        }
    }
    return true;
}

static bool prepare(struct run *run, struct status *status)
{
    const struct exec_launch *launch = run->launch;
    run->room = resident_limit(launch);
    run->warp_turn = launch->cooperative ? GRID_TURN : WARP_TURN;
    run->cta_turn = launch->cooperative ? GRID_TURN : CTA_TURN;
    if (!run->room || (launch->cooperative && run->room < launch->cta_count))
        return status_fail(status, STATUS_USAGE, "%s: local memory for %" PRIu32 " warps, a CTA has %" PRIu32,
                           launch->kernel->cubin->name, launch->local_slots, launch->warps_per_cta);
    run->resident = calloc(run->room, sizeof *run->resident);
    run->free = calloc(run->room, sizeof *run->free);
    run->queue = calloc(run->room, sizeof *run->queue);
    if (!run->resident || !run->free || !run->queue)
        return status_fail(status, STATUS_MEMORY, "no host memory for the CTAs of a launch");
    while (run->free_count < run->room) {
        run->free[run->free_count] = run->room - 1 - run->free_count;
        run->free_count++;
    }
    if (!exec_core_init(&run->core, launch->module->memory, true, 0, status))
        return false;
    run->core.start_ns = launch->start_ns;
    run->core.clock_hz = launch->clock_hz;
    run->core.timer_width = launch->timer_width;
    return true;
}

static void finish(struct run *run)
{
    for (uint32_t i = 0; run->resident && i < run->room; i++)
        exec_cta_destroy(run->resident[i].cta);
    exec_core_free(&run->core);
    free(run->resident);
    free(run->free);
    free(run->queue);
}

bool exec_run(const struct exec_launch *launch, const volatile bool *stop,
              void (*progress)(void *context, uint64_t done, uint64_t total), void *context, struct exec_totals *totals,
              struct status *status)
{
    struct run run = {.launch = launch, .stop = stop};
    bool ok = prepare(&run, status) && run_grid(&run, progress, context, status);
    if (totals)
        *totals = (struct exec_totals){run.instructions, run.core.thread_instructions, run.done, run.core.report};
    finish(&run);
    return ok;
}
