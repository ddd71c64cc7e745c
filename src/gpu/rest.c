#include "gpu/rest.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bits.h"
#include "exec/engine/command.h"
#include "exec/exec.h"
#include "exec/memory/pending.h"
#include "exec/memory/remote.h"
#include "exec/run.h"
#include "exec/tensor/commit.h"

/* ---- state of SMs ----------------------------------------------------------------------------------------------- */

/* Stores of a core take effect in their order, and results reach their registers. */
static void land(struct exec_core *core)
{
    pending_settle(core);
    remote_settle(core);
    command_settle(core);
    commit_settle(core);
    for (uint32_t token = 0; token < EXEC_TOKENS; token++)
        if (core->pending[token].lanes || (core->remote && core->remote[token] && core->remote[token]->lanes))
            exec_complete(core, token);
}

/* A CTA that is in flight to the SM begins here. */
static void begin_queued(const struct exec_machine *e, const struct cta_queue *queue, struct exec_machine_sm *s)
{
    for (uint32_t i = 0; i < queue->count; i++) {
        const struct cta_start *start = &queue->start[i];
        if (start->cluster.size > 1)
            exec_machine_join(e, s->cta[start->place.slot], &start->cluster);
        exec_cta_start(s->cta[start->place.slot], start->order, start->place.first_warp);
    }
}

static bool is_queued(const struct cta_queue *queue, uint32_t cta_slot)
{
    for (uint32_t i = 0; i < queue->count; i++)
        if (queue->start[i].place.slot == cta_slot)
            return true;
    return false;
}

/* Warps whose barrier is complete go on at once. */
static void take_barriers(const struct sm_cta *cta, struct exec_resident *r)
{
    const struct cta_barriers *b = &cta->barriers;
    for (unsigned k = 0; k < CTA_BARRIERS; k++) {
        r->arrived[k] = b->arrived[k];
        r->expected[k] = b->expected[k];
        for (uint64_t left = b->waiting[k]; left; left &= left - 1)
            exec_resident_wait(r, lowest_bit64(left) - cta->first_slot, k);
        for (uint64_t left = b->released[k]; left; left &= left - 1) {
            uint32_t next;
            exec_release_barrier(&r->cta->warps[lowest_bit64(left) - cta->first_slot], &next);
        }
    }
}

/* The phase of the cluster's barrier is over, and this CTA has not heard of it. */
static bool is_behind(const struct timed *t, const struct sm_cta *cta)
{
    const struct cluster_place *place = &cta->cluster.place;
    for (uint32_t i = 0; place->size > 1 && i < place->size; i++) {
        const struct sm_cta *peer = &t->sms[place->member[i].sm].sm.cta[place->member[i].slot];
        bool same = peer->used && peer->cluster.place.number == place->number;
        if (same && (int8_t)(peer->cluster.barrier.phase - cta->cluster.barrier.phase) > 0)
            return true;
    }
    return false;
}

static void let_go(struct exec_resident *r, const struct sm_cta *cta, uint64_t slots)
{
    for (uint64_t left = slots; left; left &= left - 1) {
        uint32_t next;
        exec_release_barrier(&r->cta->warps[lowest_bit64(left) - cta->first_slot], &next);
    }
}

/* Warps whose event is under way, and those that wait for a phase that is over, go on at once. */
static void take_cluster(const struct timed *t, const struct sm_cta *cta, struct exec_resident *r)
{
    const struct cluster_barrier *b = &cta->cluster.barrier;
    let_go(r, cta, b->released | b->passing);
    if (is_behind(t, cta)) {
        let_go(r, cta, b->waiting);
        return;
    }
    r->cluster_arrived = (uint32_t)(b->arrived >> cta->first_slot);
    for (uint64_t left = b->waiting; left; left &= left - 1)
        exec_resident_wait(r, lowest_bit64(left) - cta->first_slot, EXEC_CLUSTER_BARRIER);
}

/* Of a CTA without a thread left only stores have been under way. */
static void take_cta(const struct timed *t, const struct timed_sm *timed, struct exec_machine_sm *s, uint32_t slot,
                     struct exec_rest *rest)
{
    struct exec_resident *r = &rest->resident[rest->count++];
    const struct sm_cta *cta = &timed->sm.cta[slot];
    *r = (struct exec_resident){.cta = s->cta[slot],
                                .sm = timed->sm.id,
                                .first_slot = slot * s->cta[slot]->launch->warps_per_cta,
                                .placed = true};
    if (is_queued(&timed->queue, slot)) {
        exec_resident_begin(r);
    } else if (cta->used) {
        exec_resident_begin(r);
        take_barriers(cta, r);
        take_cluster(t, cta, r);
        rest->done += r->live == 0;
    }
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static bool take_all(const struct timed *t, struct exec_machine *e, struct exec_rest *rest, struct status *status)
{
    if (t->used == 0)
        return true;
    rest->resident = calloc((size_t)t->used * SM_CTAS, sizeof *rest->resident);
    if (!rest->resident)
        return status_fail(status, STATUS_MEMORY, "out of memory for the CTAs of %u SMs", t->used);
    for (uint32_t i = 0; i < t->used; i++)
        land(&e->sms[i].core);
    for (uint32_t i = 0; i < t->used; i++) {
        begin_queued(e, &t->sms[i].queue, &e->sms[i]);
        for (uint32_t slot = 0; slot < SM_CTAS; slot++)
            if (e->sms[i].cta[slot])
                take_cta(t, &t->sms[i], &e->sms[i], slot, rest);
    }
    return true;
}

struct rest_progress {
    const struct gpu_options *options;
    uint64_t cycle, instructions; /* of the timed part */
};

static void report_progress(void *context, uint64_t done, uint64_t total, uint64_t instructions)
{
    const struct rest_progress *p = context;
    p->options->progress(p->options->progress_context, done, total, p->cycle, p->instructions + instructions);
}

/* CTAs in flight have the launch's local memory. Those of a part have their own. */
static bool take_local(struct exec_launch *launch, struct status *status)
{
    enum { SLOTS = 2048 }; /* of warps, on one SM */
    if (!launch->local_base)
        return true;
    launch->local_slots = SLOTS;
    uint64_t bytes = (uint64_t)(launch->kernel->local_bytes + launch->stack_bytes) * EXEC_LANES * launch->local_slots;
    launch->local_base = memory_alloc(launch->module->memory, bytes);
    return launch->local_base ||
           status_fail(status, STATUS_MEMORY, "%s: no device memory for %" PRIu64 " bytes of local memory",
                       launch->kernel->cubin->name, bytes);
}

static bool execute(struct exec_machine *e, const struct timed *t, struct exec_rest *rest, struct warming *warming,
                    const struct gpu_options *options, struct kernel_result *result, struct status *status)
{
    if (t->config->launch.cta_order != CONFIG_CTA_ORDER_GRID)
        return status_fail(status, STATUS_USAGE,
                           "launch.cta_order: a part of a grid can be executed without time only in grid order");
    struct exec_launch silent = *e->alone.launch; /* the observers have seen the timed part, and judge cycles */
    silent.watch = warming ? &warming->watch : NULL;
    silent.side_by_side = warming && !warming->hybrid; /* a hybrid launch has them one by one, as a replay */
    silent.spins = options->spins.tell ? &options->spins : NULL;
    silent.timer_width = 1;
    silent.clock_hz = (uint64_t)(t->config->gpu.clock * 1e6);
    rest->clock = t->now;
    rest->instructions = result->warp_instructions + result->rest_instructions;
    struct rest_progress progress = {options, t->now, rest->instructions};
    struct exec_totals totals = {0};
    bool apart = rest->count == 0; /* no CTA of `rest` has local memory */
    bool ok = (!apart || take_local(&silent, status)) &&
              exec_run_rest(&silent, rest, options->stop, options->progress ? report_progress : NULL, &progress,
                            &totals, status);
    if (apart && silent.local_base)
        memory_free(silent.module->memory, silent.local_base);
    result->rest_instructions += totals.warp_instructions;
    result->rest_executed = ok;
    e->rest_fault = totals.fault;
    return ok;
}

static uint64_t number_in_share(const void *order, uint64_t index) { return share_number(order, index); }

bool rest_part(void *machine, const struct timed *t, uint64_t first, uint64_t end, struct warming *warming,
               const struct gpu_options *options, struct kernel_result *result, struct status *status)
{
    struct exec_rest part = {.next = first, .done = first, .end = end};
    if (t->hybrid.on)
        part.number = number_in_share, part.order = &t->hybrid.share;
    return execute(((const struct exec_grid *)machine)->machine, t, &part, warming, options, result, status);
}

bool rest_run(void *machine, struct timed *t, const struct gpu_options *options, struct kernel_result *result,
              struct status *status)
{
    struct exec_machine *e = ((const struct exec_grid *)machine)->machine;
    const struct kernel_run *k = t->kernels;
    struct exec_rest rest = {.next = k->scheduler.next, .done = k->scheduler.done, .end = k->launch.ctas};
    if (!take_all(t, e, &rest, status))
        return false;
    bool ok = execute(e, t, &rest, NULL, options, result, status);
    free(rest.resident);
    return ok;
}
