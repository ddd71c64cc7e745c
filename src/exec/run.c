/* A whole launch without time. CTAs start in grid order. One that takes many turns makes room for others, as many as
 * the GPU could hold at once, so that CTAs which wait for each other make progress.
 *
 * Programs that miss a barrier are right on hardware, and in a timed run, where warps run side by side. So the warps of
 * a CTA take short turns here. A turn ends behind an access to memory that other warps see, and before an instruction
 * that waits for a load. Until the load is there the warp has no turn. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "exec/compute.h"
#include "exec/control/spin.h"
#include "exec/exec.h"
#include "exec/fault.h"
#include "exec/matrix/warpgroup.h"
#include "exec/retry.h"
#include "exec/run.h"

enum {
    WARP_TURN = 32,        /* instructions of a warp before the next warp of the CTA has its turn, at most */
    CTA_TURNS = 512,       /* of its warps, before another CTA has its turn */
    GRID_TURNS = 8,        /* the same where CTAs wait for each other, going round: cooperative launches, clusters */
    REPORT_EVERY = 1 << 20 /* between calls of progress() */
};

struct run {
    const struct exec_launch *launch;
    const volatile bool *stop;
    struct exec_core core;
    bool computes; /* arithmetic goes by itself: no watch wants each instruction, and warps keep their registers */
    uint32_t cta_turns;
    struct exec_resident *resident; /* [room] */
    uint32_t room, free_count, queued, first;
    uint32_t *free;                                        /* unused residents */
    uint32_t *queue;                                       /* ring of CTAs that were put aside */
    uint64_t next, done;                                   /* CTAs started, finished */
    uint64_t end;                                          /* the first CTA that is left out */
    uint64_t (*number)(const void *order, uint64_t index); /* as exec_rest has it */
    const void *order;
    uint64_t instructions, reported;
    uint64_t useful; /* number of a warp's last instruction that does not just ask again (exec/retry.h) */
    uint64_t before; /* instructions of the part that was timed */
    uint64_t chance; /* drawn last */
    struct spin_watch spin;
    struct issued out;
};

static uint32_t bit(uint32_t warp) { return UINT32_C(1) << warp; }

/* ---- one CTA --------------------------------------------------------------------------------------------------- */

static void wake_warps(struct exec_resident *r)
{
    if (!r->asleep || r->turn < r->wake)
        return;
    r->wake = UINT64_MAX;
    for (uint32_t left = r->asleep; left; left &= left - 1) {
        uint64_t there = r->there[lowest_bit32(left)];
        if (there <= r->turn)
            r->asleep &= ~bit(lowest_bit32(left));
        else if (there < r->wake)
            r->wake = there;
    }
}

static void sleep_until_there(struct exec_resident *r, uint32_t w)
{
    if (!r->asleep || r->there[w] < r->wake)
        r->wake = r->there[w];
    r->asleep |= bit(w);
}

/* Returns whether the warp sleeps before its next instruction. */
static bool wait_for_loads(struct exec_resident *r, uint32_t w, const struct exec_inst *done,
                           const struct exec_inst *next)
{
    if (done->turns && r->there[w] < r->turn + done->turns)
        r->there[w] = r->turn + done->turns;
    if (!next->waits || r->there[w] <= r->turn)
        return false;
    sleep_until_there(r, w);
    return true;
}

/* Arithmetic of a warp, `most` instructions of it. Returns how many; the turn is over if the warp sleeps, or at a
 * fault. */
static uint32_t compute(struct run *run, struct exec_resident *r, uint32_t w, uint32_t most)
{
    struct exec_warp *warp = &r->cta->warps[w];
    bool loading = r->there[w] > r->turn;
    uint32_t count = compute_row(&run->core, warp, most, loading);
    uint32_t next = warp->path[warp->current].pc;
    run->instructions += count;
    run->out.pc = next - 16;
    if (run->launch->watch)
        run->launch->watch->computed(run->launch->watch->self, warp, count);
    if (loading && run->launch->kernel->code[next / 16].waits)
        sleep_until_there(r, w);
    return count;
}

static void run_warp(struct run *run, struct exec_resident *r, uint32_t w)
{
    struct exec_warp *warp = &r->cta->warps[w];
    const struct exec_inst *code = run->launch->kernel->code;
    struct issued *out = &run->out;
    for (uint32_t n = 0; n < WARP_TURN; n++) {
        const struct exec_inst *first = &code[warp->path[warp->current].pc / 16];
        if (first->computes && run->computes) {
            n += compute(run, r, w, WARP_TURN - n) - 1;
            if (r->asleep & bit(w) || run->core.fault.code)
                return;
            continue;
        }
        if (first->joins && !warpgroup_may_pass(warp, first))
            return;
        exec_step(&run->core, warp, 0, out);
        run->instructions++;
        if (run->launch->watch)
            run->launch->watch->issued(run->launch->watch->self, warp, out);
        if (out->barrier_arrive && out->barrier == EXEC_CLUSTER_BARRIER)
            resident_arrive_at_cluster(r, w);
        else if (out->barrier_arrive)
            resident_arrive(r, out);
        if (out->flow == ISSUED_NEXT || out->flow == ISSUED_JUMP) {
            const struct exec_inst *done = &code[out->pc / 16];
            if (wait_for_loads(r, w, done, &code[out->next_pc / 16]) || done->shares)
                return;
            continue;
        }
        if (out->flow == ISSUED_EXITED) {
            resident_warp_gone(r, w);
            resident_try_cluster(r);
        } else if (out->barrier == EXEC_CLUSTER_BARRIER) {
            resident_wait_for_cluster(r, w);
        } else {
            exec_resident_wait(r, w, out->barrier);
            resident_arrive(r, out);
        }
        return;
    }
}

/* After a turn of the warp. */
static void follow_retries(struct run *run, struct exec_warp *warp)
{
    if (!retry_goes_on(warp, &run->launch->kernel->code[run->out.pc / 16]))
        run->useful = run->instructions;
}

static bool report_deadlock(struct run *run, const struct exec_resident *r, struct status *status)
{
    const struct exec_cta *cta = r->cta;
    char text[240] = "";
    size_t used = 0;
    for (uint32_t w = 0; w < run->launch->warps_per_cta && used < sizeof text; w++) {
        if (!(r->waits & bit(w)))
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
    uint64_t until = r->turn + run->cta_turns;
    run->core.sm_id = r->sm;
    while (r->live && r->turn < until) {
        wake_warps(r);
        uint32_t awake = r->runs & ~r->asleep;
        if (!r->runs)
            return resident_others_run(r) || report_deadlock(run, r, status);
        for (uint32_t left = awake; left; left &= left - 1) {
            run_warp(run, r, lowest_bit32(left));
            follow_retries(run, &r->cta->warps[lowest_bit32(left)]);
            if (run->spin.left)
                spin_see(&run->spin, (uint32_t)(r - run->resident), lowest_bit32(left), r);
            if (run->core.fault.code) {
                *status = run->core.fault;
                return false;
            }
        }
        r->turn = awake ? r->turn + 1 : r->wake;
    }
    return true;
}

/* ---- the grid -------------------------------------------------------------------------------------------------- */

/* Without a place of its own each CTA has its number's SM. With local memory all are on one, which has all slots. */
static bool place_cta(const struct run *run, struct exec_resident *r, uint64_t order, uint32_t index,
                      struct status *status)
{
    if (!r->cta)
        r->cta = exec_cta_create(run->launch, status);
    if (!r->cta)
        return false;
    if (!r->placed) {
        r->sm = run->launch->local_base ? 0 : (uint32_t)(order % run->launch->sm_count);
        r->first_slot = index * run->launch->warps_per_cta;
    }
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
        if (run->spin.left)
            spin_turn(&run->spin, run->instructions, run->resident, run->room);
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

/* Makes residents those of one cluster. */
static void form_cluster(struct exec_resident *const *r, uint32_t count)
{
    struct exec_cta *cta[EXEC_CTA_GROUP] = {NULL};
    for (uint32_t rank = 0; rank < count; rank++) {
        cta[rank] = r[rank]->cta;
        memcpy(r[rank]->peer, r, count * sizeof *r);
    }
    exec_cluster_form(cta, count);
}

static uint64_t number(const struct run *run, uint64_t index)
{
    return run->number ? run->number(run->order, index) : index;
}

/* The CTAs of a cluster begin together, before the first has its turn. */
static bool run_group(struct run *run, struct status *status)
{
    struct exec_resident *of[EXEC_CTA_GROUP];
    uint32_t index[EXEC_CTA_GROUP], count = run->launch->cta_group;
    for (uint32_t i = 0; i < count; i++) {
        index[i] = run->free[--run->free_count];
        of[i] = &run->resident[index[i]];
        if (!place_cta(run, of[i], number(run, run->next + i), index[i], status))
            return false;
    }
    form_cluster(of, count);
    for (uint32_t i = 0; i < count; i++) {
        exec_cta_start(of[i]->cta, number(run, run->next++), of[i]->first_slot);
        exec_resident_begin(of[i]);
    }
    spin_moved(&run->spin, run->instructions);
    for (uint32_t i = 0; i < count; i++)
        if (!turn(run, index[i], status))
            return false;
    return true;
}

/* CTAs that are given away do not begin, and count as done. */
static bool take_group(void *context, uint64_t *order)
{
    struct run *run = context;
    uint32_t group = run->launch->cta_group;
    if (run->next >= run->end)
        return false;
    *order = run->next;
    run->next += group;
    run->done += group;
    return true;
}

/* On a GPU some CTAs are faster than others: by chance, side by side. */
static bool loses_turn(struct run *run)
{
    if (!run->launch->side_by_side)
        return false;
    run->chance = hash_mix(run->chance + 1);
    return run->chance % 2 > 0;
}

static bool run_grid(struct run *run,
                     void (*progress)(void *context, uint64_t done, uint64_t total, uint64_t instructions),
                     void *context, struct status *status)
{
    while (run->done < run->end) {
        if (run->next < run->end && run->free_count >= run->launch->cta_group) {
            if (!run_group(run, status))
                return false;
        } else if (run->queued) {
            uint32_t index = run->queue[run->first];
            run->first = (run->first + 1) % run->room;
            run->queued--;
            if (loses_turn(run))
                run->queue[(run->first + run->queued++) % run->room] = index;
            else if (!turn(run, index, status))
                return false;
        }
        if (run->instructions - run->useful > retry_patience(run->launch->warps_per_cta, run->room))
            return retry_deadlock(&run->core, run->resident, run->room, status);
        if (spin_is_due(&run->spin, run->instructions))
            spin_look(&run->spin, run->resident, run->room, SPIN_TURNS / run->cta_turns);
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
    bool short_turns = launch->cooperative || launch->cta_group > 1 || launch->side_by_side;
    run->cta_turns = short_turns ? GRID_TURNS : CTA_TURNS;
    run->resident = calloc(run->room, sizeof *run->resident);
    run->free = calloc(run->room, sizeof *run->free);
    run->queue = calloc(run->room, sizeof *run->queue);
    if (!run->resident || !run->free || !run->queue)
        return status_fail(status, STATUS_MEMORY, "no host memory for the CTAs of a launch");
    if (!exec_core_init(&run->core, launch->module->memory, NULL, 0, status))
        return false;
    spin_begin(&run->spin, launch);
    run->computes = (!launch->watch || launch->watch->computed) && !launch->kernel->reconfigures;
    run->core.work = (struct exec_work){take_group, run};
    run->core.start_ns = launch->start_ns;
    run->core.clock_hz = launch->clock_hz;
    run->core.timer_width = launch->timer_width;
    return true;
}

/* No CTA has begun. */
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

/* Of CTAs that have begun: the residents of their clusters. */
static void find_peers(const struct run *run, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct exec_resident *r = &run->resident[i];
        for (uint32_t rank = 0; r->live && rank < r->cta->cluster.size; rank++)
            for (uint32_t j = 0; j < count; j++)
                r->peer[rank] = run->resident[j].cta == r->cta->cluster.peer[rank] ? &run->resident[j] : r->peer[rank];
    }
}

/* CTAs that have begun go on in the order of their storage. A barrier may be complete whose last warp has exited. */
static bool prepare_rest(struct run *run, const struct exec_rest *rest, struct status *status)
{
    run->next = rest->next;
    run->done = rest->done;
    run->before = rest->instructions;
    if (rest->count == 0 && !prepare(run, status))
        return false;
    if (rest->count > 0) {
        run->room = rest->count;
        if (!begin(run, status))
            return false;
    }
    run->core.clock = rest->clock;
    for (uint32_t i = rest->count; i-- > 0;) {
        run->resident[i] = rest->resident[i];
        if (!run->resident[i].live)
            run->free[run->free_count++] = i;
    }
    find_peers(run, rest->count);
    for (uint32_t i = 0; i < rest->count; i++) {
        struct exec_resident *r = &run->resident[i];
        for (unsigned b = 0; r->live && b < EXEC_BARRIERS; b++)
            resident_try_barrier(r, b);
        if (r->live)
            resident_try_cluster(r);
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
    spin_end(&run->spin);
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
    struct run run = {.launch = launch, .stop = stop, .end = launch->cta_count};
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
    struct run run = {.launch = launch, .stop = stop, .end = rest->end, .number = rest->number, .order = rest->order};
    bool ok = prepare_rest(&run, rest, status) && run_grid(&run, progress, context, status);
    take_totals(&run, totals);
    finish(&run);
    return ok;
}
