/* Barriers of a CTA, and the results of their reductions. */
#include <inttypes.h>

#include "base/bits.h"
#include "exec/cta.h"
#include "exec/exec.h"
#include "exec/executors.h"
#include "exec/warp.h"

static bool barrier_operands(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                             uint32_t active, uint32_t *number, uint32_t *threads)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned lane = lowest_bit32(active);
    *number = isa->a.kind == ISA_NONE ? isa->barrier : exec_operand(core, warp, inst, &isa->a, lane);
    *threads = isa->b.kind == ISA_NONE ? 0 : exec_operand(core, warp, inst, &isa->b, lane);
    if (*number <= 15 && *threads % EXEC_LANES == 0 && *threads <= 1024)
        return true;
    exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_OTHER,
               "barrier %" PRIu32 " for %" PRIu32 " threads: there are 16 barriers, for multiples of 32 threads",
               *number, *threads);
    return false;
}

/* The warp has arrived when all of its threads have. */
static void arrive(struct exec_warp *warp, uint32_t lanes, uint32_t number, uint32_t threads, struct issued *out)
{
    uint32_t *arrived = &warp->arrived[number];
    *arrived = (*arrived | lanes) & warp->live;
    if (*arrived != warp->live)
        return;
    *arrived = 0;
    out->barrier = (uint8_t)number;
    out->barrier_warps = (uint16_t)(threads / EXEC_LANES);
    out->barrier_arrive = true;
}

static void combine(struct exec_reduction *r, uint32_t lanes, uint32_t predicate, unsigned function)
{
    if (r->arrived == r->released)
        *r = (struct exec_reduction){0};
    r->arrived += popcount32(lanes);
    r->count += popcount32(lanes & predicate);
    r->function = (uint8_t)function;
}

/* The path gets the result of the reduction for which it has waited. */
static void take_result(struct exec_warp *warp, const struct exec_path *path)
{
    struct exec_reduction *r = &warp->cta->reduction[path->wait % EXEC_BARRIERS];
    if (!path->reduces)
        return;
    r->released += popcount32(path->mask);
    warp->barrier_count = r->count;
    warp->barrier_vote = r->function == ISA_BAR_REDUCTION_AND ? r->count == r->arrived : r->count != 0;
}

void exec_release_barrier(struct exec_warp *warp, uint32_t *next_pc)
{
    for (uint32_t i = 0; i < warp->paths; i++) {
        if (warp->path[i].state != EXEC_PATH_AT_BARRIER)
            continue;
        take_result(warp, &warp->path[i]);
        warp->path[i].state = EXEC_PATH_READY;
    }
    warp_resume(warp);
    *next_pc = exec_pc(warp);
}

void exec_BAR(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    unsigned mode = inst->isa.mod[ISA_MOD_MODE];
    uint32_t number, threads;
    if (mode > ISA_BAR_SYNCALL || mode == ISA_BAR_SCAN) {
        exec_refuse(core, warp, inst, "a barrier that scans predicates");
        return;
    }
    if (!barrier_operands(core, warp, inst, active, &number, &threads))
        return;
    if (mode == ISA_BAR_ARV) {
        arrive(warp, active, number, threads, out);
        return;
    }
    struct exec_path *path = warp_part(warp, active);
    path->state = EXEC_PATH_AT_BARRIER;
    path->wait = number;
    path->warps = (uint16_t)(threads / EXEC_LANES);
    path->reduces = mode == ISA_BAR_RED;
    if (mode == ISA_BAR_RED)
        combine(&warp->cta->reduction[number], active, operand_predicate(warp, inst->isa.pp),
                inst->isa.mod[ISA_MOD_FUNCTION]);
    warp_schedule(core, warp, inst, WARP_LOWEST, out);
}

/* The result of the warp's last reduction. */
void exec_B2R(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    if (isa->mod[ISA_MOD_MODE] != ISA_B2R_RESULT) {
        exec_refuse(core, warp, inst, "reading the state of a barrier");
        return;
    }
    exec_fill(warp, isa->d.index, active, warp->barrier_count);
    exec_set_predicate(warp, isa->pu, active, warp->barrier_vote ? UINT32_MAX : 0);
}

/* ---- the barrier of a cluster ---------------------------------------------------------------------------------- */

/* An arrival of the warp. A warp waits later, by its own instruction. */
void exec_UCGABAR_ARV(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                      struct issued *out)
{
    (void)core;
    (void)inst;
    arrive(warp, active, EXEC_CLUSTER_BARRIER, 0, out);
}

/* Waits for the phase at which the warp has arrived last. The caller that times or runs the warp knows whether it is
 * over. */
void exec_UCGABAR_WAIT(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                       struct issued *out)
{
    struct exec_path *path = warp_part(warp, active);
    path->state = EXEC_PATH_AT_BARRIER;
    path->wait = EXEC_CLUSTER_BARRIER;
    path->warps = 0;
    path->reduces = false;
    warp_schedule(core, warp, inst, WARP_LOWEST, out);
}
