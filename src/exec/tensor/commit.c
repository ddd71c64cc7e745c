#include "exec/tensor/commit.h"

#include <inttypes.h>

#include "base/bits.h"
#include "exec/exec.h"
#include "exec/executors.h"
#include "exec/memory/mbarrier.h"
#include "exec/memory/proxy_see.h"
#include "exec/memory/remote.h"
#include "exec/module.h"
#include "exec/tensor/tensor_pair.h"

enum { OFFSET = (1 << EXEC_RANK_SHIFT) - 1 };

bool commit_init(struct exec_core *core, struct arena *arena, struct status *status)
{
    core->commit = arena_take(arena, EXEC_COMMITS * sizeof *core->commit);
    if (!core->commit)
        return status_fail(status, STATUS_MEMORY, "out of memory for commits in flight");
    for (unsigned i = 0; i < EXEC_COMMITS; i++)
        core->commit[i] = (struct exec_commit){0};
    return true;
}

static void fault_gone(struct exec_core *core, const struct exec_commit *c, unsigned rank)
{
    const struct exec_kernel *kernel = c->cta->launch->kernel;
    exec_fault_core(core, EXEC_FAULT_ADDRESS,
                    "kernel %s, pc 0x%" PRIx32
                    ": the CTA of rank %u, to whose barrier object a commit goes, has exited",
                    kernel && kernel->cubin ? kernel->cubin->name : "?", c->pc, rank);
}

/* Arrives at the object of one CTA. `core` is the one that the CTA is on. */
static void arrive(struct exec_core *core, const struct exec_commit *c, unsigned rank)
{
    struct exec_cta *to = rank == c->cta->cluster.rank ? c->cta : remote_peer(c->cta, rank);
    if (to && exec_cta_lives(to))
        mbarrier_arrive(core, to, c->offset, (struct mbarrier_arrival){.count = 1});
    else
        fault_gone(core, c, rank);
}

static void arrive_everywhere(struct exec_core *core, const struct exec_commit *c)
{
    for (uint32_t left = c->targets; left && !core->fault.code; left &= left - 1)
        arrive(core, c, lowest_bit32(left));
}

void exec_commit_complete(struct exec_core *core, uint32_t index)
{
    struct exec_commit *c = &core->commit[index];
    unsigned rank = c->cta ? c->cta->cluster.rank : 0;
    if (c->cta && c->cta->order == c->generation && c->targets >> rank & 1)
        arrive(core, c, rank);
    c->targets = (uint16_t)(c->targets & ~(1u << rank));
}

void exec_commit_serve(struct exec_core *core, struct exec_core *from, uint32_t index, uint32_t rank)
{
    arrive(core, &from->commit[index], rank);
}

void commit_settle(struct exec_core *core)
{
    for (unsigned i = 0; core->commit && i < EXEC_COMMITS; i++) {
        if (core->commit[i].cta && core->commit[i].cta->order == core->commit[i].generation)
            arrive_everywhere(core, &core->commit[i]);
        core->commit[i] = (struct exec_commit){0};
    }
}

/* ---- the instruction --------------------------------------------------------------------------------------------- */

static bool check(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                  const struct exec_commit *c, uint32_t address)
{
    for (uint32_t left = c->targets; left; left &= left - 1) {
        unsigned rank = lowest_bit32(left);
        if (rank == warp->cta->cluster.rank || remote_peer(warp->cta, rank))
            continue;
        exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_ADDRESS,
                      "the cluster has no CTA of rank %u, to whose barrier object a commit goes", rank);
        return false;
    }
    if (mbarrier_inside(warp->cta, c->offset))
        return true;
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_ADDRESS,
                  "no barrier object of a commit can be at 0x%" PRIx32
                  ": it is no multiple of %d, or beyond the %" PRIu32 " bytes of shared memory",
                  address, MBARRIER_BYTES, warp->cta->launch->shared_bytes);
    return false;
}

/* A warp that sees the end of the commit's phase has waited for the products before it. Of a pair both CTAs have
 * these, and the commit comes behind their effects. */
static void see_pair(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                     const uint32_t word[TENSOR_PAIR_WORDS])
{
    (void)core;
    for (unsigned i = 0; i < 2; i++) {
        unsigned rank = warp->cta->cluster.rank ^ i;
        struct exec_cta *cta = i ? remote_peer(warp->cta, rank) : warp->cta;
        if (cta && word[1] >> rank & 1)
            proxy_see_commit(cta, inst->isa.pc, warp->index, word[0]);
    }
}

static void see(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                const struct exec_commit *c)
{
    uint32_t word[TENSOR_PAIR_WORDS] = {c->offset, c->targets};
    if (!warp->cta->shadow)
        return;
    if (inst->isa.mod[ISA_MOD_CTAS])
        tensor_pair_begin(core, warp, inst, see_pair, word);
    else if (c->targets >> warp->cta->cluster.rank & 1)
        proxy_see_commit(warp->cta, inst->isa.pc, warp->index, c->offset);
}

void exec_UTCBAR(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t address = warp->ureg[isa->a.index];
    struct exec_commit c = {.cta = warp->cta,
                            .generation = warp->cta->order,
                            .pc = inst->isa.pc,
                            .offset = address & OFFSET,
                            .targets = (uint16_t)(1u << (address >> EXEC_RANK_SHIFT & 15))};
    if (isa->mod[ISA_MOD_MULTICAST])
        c.targets = (uint16_t)warp->ureg[isa->c.index];
    if (!check(core, warp, inst, &c, address))
        return;
    issued_note(out, active, c.offset, issued_pack_commit(c.offset, c.targets));
    see(core, warp, inst, &c);
    if (core->immediate)
        arrive_everywhere(core, &c);
    else
        core->commit[core->token - EXEC_TOKENS - EXEC_COMMANDS] = c;
}
