/* A whole launch without time. CTAs start in grid order; one that takes many instructions makes room for others, as
 * many as the GPU could hold at once, so that CTAs which wait for each other make progress. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "exec/fault.h"
#include "exec/spin.h"

enum {
    WARP_TURN = 2048,       /* instructions of a warp before the next warp of the CTA has its turn */
    CTA_TURN = 1 << 16,     /* of a CTA before another CTA has its turn */
    GRID_TURN = 256,        /* of either in a cooperative launch: its CTAs wait for each other, going round */
    REPORT_EVERY = 1 << 20, /* between calls of progress() */
    SM_CTAS = 32,
    SM_WARPS = 64,
    SM_REGISTERS = 65536,
    SM_SHARED = 233472
};

enum warp_state { WARP_RUNS, WARP_WAITS, WARP_GONE };

struct run {
    const struct exec_launch *launch;
    const volatile bool *stop;
    struct exec_core core;
    uint32_t warp_turn, cta_turn;
    struct exec_resident *resident; /* [room] */
    uint32_t room, free_count, queued, first;
    uint32_t *free;      /* unused residents */
    uint32_t *queue;     /* ring of CTAs that were put aside */
    uint64_t next, done; /* CTAs started, finished */
    uint64_t instructions, reported;
    uint64_t before; /* instructions of the part that was timed */
    struct spin_watch spin;
    struct issued out;
};

/* ---- barriers of a CTA ----------------------------------------------------------------------------------------- */

static void try_complete(struct exec_resident *r, unsigned barrier)
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

static void arrive(struct exec_resident *r, const struct issued *out)
{
    r->arrived[out->barrier]++;
    r->expected[out->barrier] = out->barrier_warps;
    try_complete(r, out->barrier);
}

static void warp_gone(struct exec_resident *r, uint32_t w)
{
    r->state[w] = WARP_GONE;
    r->live--;
    for (unsigned b = 0; b < EXEC_ALL_BARRIERS; b++)
        try_complete(r, b);
}

void exec_resident_begin(struct exec_resident *r)
{
    r->live = 0;
    memset(r->arrived, 0, sizeof r->arrived);
    for (uint32_t w = 0; w < r->cta->launch->warps_per_cta; w++) {
        bool lives = r->cta->warps[w].live != 0;
        r->state[w] = lives ? WARP_RUNS : WARP_GONE;
        r->live += lives;
    }
}

void exec_resident_wait(struct exec_resident *r, uint32_t warp, unsigned barrier)
{
    r->state[warp] = WARP_WAITS;
    r->barrier[warp] = (uint8_t)barrier;
}

/* ---- one CTA --------------------------------------------------------------------------------------------------- */

/* One instruction; false: the warp cannot go on. */
static inline bool step(struct run *run, struct exec_resident *r, uint32_t w)
{
    struct exec_warp *warp = &r->cta->warps[w];
    struct issued *out = &run->out;
    exec_step(&run->core, warp, 0, out);
    run->instructions++;
    if (run->launch->watch)
        run->launch->watch->issued(run->launch->watch->self, warp, out);
    if (out->barrier_arrive)
        arrive(r, out);
    if (out->flow == ISSUED_NEXT || out->flow == ISSUED_JUMP)
        return true;
    if (out->flow == ISSUED_EXITED) {
        warp_gone(r, w);
    } else {
        r->state[w] = WARP_WAITS;
        r->barrier[w] = out->barrier;
        arrive(r, out);
    }
    return r->state[w] == WARP_RUNS;
}

static void run_warp(struct run *run, struct exec_resident *r, uint32_t w)
{
    for (uint32_t n = 0; n < run->warp_turn && step(run, r, w); n++)
        ;
}

/* The same turn of a warp, in which it is seen whether it comes back to where it was, with the registers of then. */
static void look_at_warp(struct run *run, struct exec_resident *r, uint32_t w)
{
    const struct exec_warp *warp = &r->cta->warps[w];
    uint32_t pc = exec_pc(warp);
    uint64_t state = spin_state(warp);
    bool spins = false, goes_on = true;
    for (uint32_t n = 0; n < run->warp_turn && goes_on; n++) {
        goes_on = step(run, r, w);
        spins |= goes_on && exec_pc(warp) == pc && spin_state(warp) == state;
    }
    if (!spins || !goes_on)
        spin_is_none(&run->spin);
}

static bool report_deadlock(struct run *run, const struct exec_resident *r, struct status *status)
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

/* Runs a CTA until it is finished or has had its turn. */
static bool run_cta(struct run *run, struct exec_resident *r, struct status *status)
{
    uint64_t until = run->instructions + run->cta_turn;
    run->core.sm_id = r->sm;
    while (r->live && run->instructions < until) {
        uint64_t before = run->instructions;
        for (uint32_t w = 0; w < run->launch->warps_per_cta; w++) {
            if (r->state[w] != WARP_RUNS)
                continue;
            (run->spin.left ? look_at_warp : run_warp)(run, r, w);
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

/* Without a place of its own each CTA has its number's SM; with local memory all are on one, which has all slots. */
static bool start_cta(struct run *run, uint32_t index, struct status *status)
{
    struct exec_resident *r = &run->resident[index];
    if (!r->cta)
        r->cta = exec_cta_create(run->launch, status);
    if (!r->cta)
        return false;
    if (!r->placed) {
        r->sm = run->launch->local_base ? 0 : (uint32_t)(run->next % run->launch->sm_count);
        r->first_slot = index * run->launch->warps_per_cta;
    }
    exec_cta_start(r->cta, run->next++, r->first_slot);
    spin_moved(&run->spin, run->instructions);
    exec_resident_begin(r);
    return true;
}

/* Its warps were looked at in this turn, and all of them spin or wait. */
static void see_cta(struct run *run, const struct exec_resident *r)
{
    for (uint32_t w = 0; w < run->launch->warps_per_cta; w++)
        if (r->state[w] != WARP_GONE)
            spin_add(&run->spin.report, &r->cta->warps[w]);
    spin_cta_seen(&run->spin, run->instructions);
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
        if (run->spin.left)
            see_cta(run, &run->resident[index]);
    } else {
        run->free[run->free_count++] = index;
        run->done++;
        spin_moved(&run->spin, run->instructions);
    }
    if (!run->stop || !*run->stop)
        return true;
    spin_again(&run->spin);
    return status_fail(
        status, STATUS_INTERRUPTED,
        "kernel %.200s: stopped with %" PRIu64 " of %" PRIu64 " CTAs completed, after %" PRIu64 " warp instructions",
        run->launch->kernel->cubin->name, run->done, run->launch->cta_count, run->before + run->instructions);
}

static bool run_grid(struct run *run,
                     void (*progress)(void *context, uint64_t done, uint64_t total, uint64_t instructions),
                     void *context, struct status *status)
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
        spin_look(&run->spin, run->instructions, run->queued);
        if (progress && run->instructions - run->reported >= REPORT_EVERY) {
            run->reported = run->instructions;
            progress(context, run->done, run->launch->cta_count, run->instructions);
        }
    }
    return true;
}

static bool begin(struct run *run, struct status *status)
{
    const struct exec_launch *launch = run->launch;
    run->warp_turn = launch->cooperative ? GRID_TURN : WARP_TURN;
    run->cta_turn = launch->cooperative ? GRID_TURN : CTA_TURN;
    run->resident = calloc(run->room, sizeof *run->resident);
    run->free = calloc(run->room, sizeof *run->free);
    run->queue = calloc(run->room, sizeof *run->queue);
    if (!run->resident || !run->free || !run->queue)
        return status_fail(status, STATUS_MEMORY, "no host memory for the CTAs of a launch");
    if (!exec_core_init(&run->core, launch->module->memory, NULL, 0, status))
        return false;
    spin_begin(&run->spin, launch);
    run->core.start_ns = launch->start_ns;
    run->core.clock_hz = launch->clock_hz;
    run->core.timer_width = launch->timer_width;
    return true;
}

static bool prepare(struct run *run, struct status *status)
{
    const struct exec_launch *launch = run->launch;
    run->room = resident_limit(launch);
    if (!run->room || (launch->cooperative && run->room < launch->cta_count))
        return status_fail(status, STATUS_USAGE, "%s: local memory for %" PRIu32 " warps, a CTA has %" PRIu32,
                           launch->kernel->cubin->name, launch->local_slots, launch->warps_per_cta);
    if (!begin(run, status))
        return false;
    while (run->free_count < run->room) {
        run->free[run->free_count] = run->room - 1 - run->free_count;
        run->free_count++;
    }
    return true;
}

/* CTAs that have begun go on in the order of their storage; a barrier may be complete whose last warp has exited. */
static bool prepare_rest(struct run *run, const struct exec_rest *rest, struct status *status)
{
    run->room = rest->count;
    if (!begin(run, status))
        return false;
    run->core.clock = rest->clock;
    run->next = rest->next;
    run->done = rest->done;
    run->before = rest->instructions;
    for (uint32_t i = rest->count; i-- > 0;) {
        run->resident[i] = rest->resident[i];
        if (!run->resident[i].live)
            run->free[run->free_count++] = i;
    }
    for (uint32_t i = 0; i < rest->count; i++) {
        struct exec_resident *r = &run->resident[i];
        for (unsigned b = 0; r->live && b < EXEC_ALL_BARRIERS; b++)
            try_complete(r, b);
        if (r->live)
            run->queue[run->queued++] = i;
    }
    return true;
}

static void finish(struct run *run)
{
    for (uint32_t i = 0; run->resident && i < run->room; i++)
        if (!run->resident[i].placed)
            exec_cta_destroy(run->resident[i].cta);
    exec_core_free(&run->core);
    free(run->resident);
    free(run->free);
    free(run->queue);
}

static void take_totals(const struct run *run, struct exec_totals *totals)
{
    *totals = (struct exec_totals){run->instructions, run->core.thread_instructions, run->done, run->core.report};
}

bool exec_run(const struct exec_launch *launch, const volatile bool *stop,
              void (*progress)(void *context, uint64_t done, uint64_t total, uint64_t instructions), void *context,
              struct exec_totals *totals, struct status *status)
{
    struct run run = {.launch = launch, .stop = stop};
    bool ok = prepare(&run, status) && run_grid(&run, progress, context, status);
    if (totals)
        take_totals(&run, totals);
    finish(&run);
    return ok;
}

bool exec_run_rest(const struct exec_launch *launch, const struct exec_rest *rest, const volatile bool *stop,
                   void (*progress)(void *context, uint64_t done, uint64_t total, uint64_t instructions), void *context,
                   struct exec_totals *totals, struct status *status)
{
    struct run run = {.launch = launch, .stop = stop};
    bool ok = prepare_rest(&run, rest, status) && run_grid(&run, progress, context, status);
    take_totals(&run, totals);
    finish(&run);
    return ok;
}
