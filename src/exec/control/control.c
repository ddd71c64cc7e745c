/* The end of threads, convergence barriers, warp synchronisation. */
#include <string.h>

#include "base/bits.h"
#include "exec/control/jump.h"
#include "exec/exec.h"
#include "exec/executors.h"
#include "exec/warp.h"

void exec_EXIT(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    uint32_t lanes = active & operand_predicate(warp, inst->isa.pp);
    if (!lanes)
        return;
    bool whole = lanes == warp_current(warp)->mask;
    warp_exit(warp, lanes);
    if (whole || warp->paths > 1)
        warp_schedule(core, warp, inst, whole ? WARP_LOWEST : WARP_STAY, out);
}

/* ---- convergence barriers -------------------------------------------------------------------------------------- */

void exec_BSSY(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)core;
    (void)out;
    uint32_t lanes = active & operand_predicate(warp, inst->isa.pp);
    uint32_t *members = warp->barrier[inst->isa.barrier & 15];
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        members[lane] = lanes >> lane & 1 ? lanes : members[lane];
}

/* The lanes that wait for the same threads as the first one does. Threads that stand at one BSYNC by chance, from
 * calls of different depth, do not wait for each other. */
static uint32_t waiting_alike(const struct exec_warp *warp, const uint32_t *members, uint32_t lanes)
{
    uint32_t alike = 0, first = members[lowest_bit32(lanes)] & warp->live;
    for (uint32_t left = lanes; left; left &= left - 1)
        alike |= (members[lowest_bit32(left)] & warp->live) == first ? left & (0u - left) : 0;
    return alike;
}

void exec_BSYNC(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    uint32_t lanes = active & operand_predicate(warp, inst->isa.pp);
    uint32_t *members = warp->barrier[inst->isa.barrier & 15];
    if (!lanes)
        return;
    if (warp->paths == 1 && lanes == warp->live && waiting_alike(warp, members, lanes) == lanes) {
        memset(members, 0, sizeof warp->barrier[0]);
        return;
    }
    while (lanes) {
        uint32_t alike = waiting_alike(warp, members, lanes);
        struct exec_path *path = warp_part(warp, alike);
        path->state = EXEC_PATH_AT_BSYNC;
        path->wait = inst->isa.barrier & 15;
        lanes &= ~alike;
    }
    warp_schedule(core, warp, inst, WARP_LOWEST, out);
}

void exec_BREAK(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    warp_leave_barrier(warp, inst->isa.barrier & 15, active & operand_predicate(warp, inst->isa.pp));
    if (warp->paths > 1)
        warp_schedule(core, warp, inst, WARP_STAY, out);
}

static bool move_refused(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    const struct isa_inst *isa = &inst->isa;
    if (isa->barrier < 16 && !isa->mod[ISA_MOD_FLAG] && !isa->mod[ISA_MOD_WIDE64])
        return false;
    exec_refuse(core, warp, inst, "moves of warp state other than convergence barriers");
    return true;
}

static uint32_t whole_quads(uint32_t mask)
{
    for (unsigned lane = 0; lane < EXEC_LANES; lane += 4)
        mask |= (mask >> lane & 0xf) ? UINT32_C(0xf) << lane : 0;
    return mask;
}

/* Code of sm_75 and sm_80 adds the missing threads of its quads (.PQUAD) before it reads textures with gradients, and
 * takes the old mask back. Here quads must be complete already: then neither changes anything. */
static void move_active(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                        const struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t *saved = warp->barrier[isa->mod[ISA_MOD_BARRIER2] & 15];
    if (!isa->mod[ISA_MOD_REGISTER_BARRIER]) {
        for (uint32_t left = active; left; left &= left - 1)
            saved[lowest_bit32(left)] = out->path;
        return;
    }
    uint32_t wanted = saved[lowest_bit32(active)];
    if ((isa->mod[ISA_MOD_FLAG] ? whole_quads(wanted) : wanted) != out->path)
        exec_refuse(core, warp, inst, "a read with gradients by a part of a quad of threads");
}

static bool moves_active(const struct isa_inst *isa)
{
    enum { MACTIVE = 26 };
    return isa->barrier == MACTIVE && isa->d.kind == ISA_NONE && isa->b.kind == ISA_NONE;
}

/* Between a register, or another convergence barrier, and the one that each of the executing threads sees. */
void exec_BMOV(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    if (moves_active(isa)) {
        move_active(core, warp, inst, active, out);
        return;
    }
    if (move_refused(core, warp, inst))
        return;
    uint32_t *members = warp->barrier[isa->barrier], *others = warp->barrier[isa->mod[ISA_MOD_BARRIER2] & 15];
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        if (isa->mod[ISA_MOD_REGISTER_BARRIER]) {
            members[lane] = isa->b.kind == ISA_NONE ? others[lane] : exec_operand(core, warp, inst, &isa->b, lane);
            continue;
        }
        if (isa->d.kind == ISA_NONE)
            others[lane] = members[lane];
        else if (isa->d.index != ISA_RZ)
            warp->reg[isa->d.index][lane] = members[lane] & warp->live;
        if (isa->mod[ISA_MOD_CLEAR])
            members[lane] = 0;
    }
    if (warp->paths > 1)
        warp_schedule(core, warp, inst, WARP_STAY, out);
}

/* ---- warp synchronisation -------------------------------------------------------------------------------------- */

static unsigned sync_mode(const struct isa_inst *isa)
{
    return isa->mod[ISA_MOD_FLAG] ? ISA_WARPSYNC_EXCLUSIVE : isa->mod[ISA_MOD_MODE];
}

/* The first thread's mask and those of `lanes` that name the same threads. */
static uint32_t same_mask(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                          uint32_t *mask)
{
    const struct isa_inst *isa = &inst->isa;
    *mask = warp->live;
    if (isa->mod[ISA_MOD_MASK])
        return lanes;
    const struct isa_operand *o = operand_only(isa);
    *mask = exec_operand(core, warp, inst, o, lowest_bit32(lanes));
    uint32_t same = o->kind == ISA_REG ? 0 : lanes;
    for (uint32_t left = lanes & ~same; left; left &= left - 1)
        same |= exec_operand(core, warp, inst, o, lowest_bit32(left)) == *mask ? left & -left : 0;
    return same;
}

/* Threads with different masks wait for different others. An exclusive or collective section
 * begins with the threads of one mask and no others. */
void exec_WARPSYNC(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                   struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t lanes = active & operand_predicate(warp, isa->pp), mask;
    unsigned mode = sync_mode(isa);
    if (mode == ISA_WARPSYNC_COLLECTIVE)
        for (uint32_t left = lanes; left; left &= left - 1)
            warp->collective_target[lowest_bit32(left)] = isa->target;
    while (lanes) {
        uint32_t same = same_mask(core, warp, inst, lanes, &mask);
        if (warp->paths == 1 && same == warp->live)
            return;
        struct exec_path *path = warp_part(warp, same);
        path->state = mode == ISA_WARPSYNC_COLLECTIVE ? EXEC_PATH_AT_COLLECTIVE : EXEC_PATH_AT_WARPSYNC;
        path->wait = mask | same;
        path->exclusive = mode != ISA_WARPSYNC_PLAIN;
        lanes &= ~same;
        if (!lanes)
            warp_schedule(core, warp, inst, WARP_LOWEST, out);
    }
}

void exec_ENDCOLLECTIVE(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                        struct issued *out)
{
    jump_each(core, warp, inst, active & operand_predicate(warp, inst->isa.pp), warp->collective_target, out);
}

/* One of the executing threads: the first of those that the predicate or the mask names. */
void exec_ELECT(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    uint32_t among = active & operand_predicate(warp, isa->pp);
    if (isa->a.kind == ISA_UREG) {
        uint32_t mask = operand_word(core, warp, inst, &isa->a, 0);
        among &= isa->a.flags & ISA_INV ? ~mask : mask;
    }
    exec_set_predicate(warp, isa->pu, active, among & -among);
    exec_fill_uniform(warp, isa->d.index, among ? lowest_bit32(among) : 0);
}

static void give_way(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, struct issued *out)
{
    if (warp->paths > 1)
        warp_schedule(core, warp, inst, WARP_NEXT, out);
}

void exec_YIELD(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    if (active & operand_predicate(warp, inst->isa.pp))
        give_way(core, warp, inst, out);
}

void exec_NANOSLEEP(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                    struct issued *out)
{
    uint32_t lanes = active & operand_predicate(warp, inst->isa.pp);
    if (!lanes)
        return;
    uint32_t time = exec_operand(core, warp, inst, operand_only(&inst->isa), lowest_bit32(lanes));
    out->sleep = (uint16_t)(time < UINT16_MAX ? time : UINT16_MAX);
    out->wakes = inst->isa.mod[ISA_MOD_BARRIER_WAKES];
    if (out->wakes && exec_awake(warp))
        out->sleep = 0;
    give_way(core, warp, inst, out);
}
