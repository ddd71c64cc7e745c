/* Which instructions concern which check. */
#include "base/bits.h"
#include "check/state.h"
#include "exec/inst.h"

static enum order_scope scope_of_fence(const struct isa_inst *isa)
{
    unsigned scope = isa->mod[ISA_MOD_SCOPE];
    return scope == ISA_SCOPE_GPU || scope == ISA_SCOPE_SYS || scope == ISA_SCOPE_VC ? ORDER_GPU : ORDER_CTA;
}

static void control(const struct check_at *at)
{
    struct order *order = &at->launch->order;
    uint32_t active = at->issued->active;
    switch (at->role) {
    case ISA_ROLE_WARPSYNC: at->warp->met |= active; break;
    case ISA_ROLE_FENCE:
        order_fence(order, at->know, active, scope_of_fence(at->isa));
        at->warp->fenced |= active;
        break;
    case ISA_ROLE_INVALIDATE: order_learn(at->know, active); break;
    case ISA_ROLE_MEET: order_meet(order, at->know, active, at->exec->live); break;
    default: break;
    }
}

static void memory(const struct check_at *at)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)at->isa->op);
    if (info->way == ISA_WAY_ENGINE)
        check_transfer(at);
    else if (at->sync != ISA_SYNC_NONE && at->sync != ISA_SYNC_STORE)
        check_objects(at);
    else if (info->memory != ISA_MEM_NONE && info->memory != ISA_MEM_SHUFFLE && info->space != ISA_SPACE_CONSTANT &&
             at->issued->space != ISA_SPACE_NONE)
        check_access_memory(at);
}

static void warp_ends(const struct check_at *at)
{
    at->cta->live &= ~(UINT32_C(1) << at->know->index);
    if (at->cta->live)
        return;
    check_left(at->check, at->launch, at->cta);
    check_cta_end(at->launch, at->cta);
}

void check_issued(struct check *check, const struct exec_warp *warp, const struct issued *issued)
{
    if (!check->launch)
        return;
    struct check_cta *cta = check_cta_of(check, warp->cta);
    if (!cta)
        return;
    const struct isa_inst *isa = &check->launch->of->kernel->code[issued->pc / 16].isa;
    const struct check_at at = {.check = check,
                                .launch = check->launch,
                                .cta = cta,
                                .warp = &cta->warp[warp->index],
                                .know = &cta->know[warp->index],
                                .exec = warp,
                                .isa = isa,
                                .role = isa_role_of(isa),
                                .sync = isa_sync_of((enum isa_op)isa->op),
                                .issued = issued};
    bool faulted = issued->flow == ISSUED_EXITED && !(isa_op_info((enum isa_op)isa->op)->flags & ISA_EXIT);
    if (faulted) /* the part of *issued that the instruction has filled in is not all of it */
        return;
    check_passed(&at);
    check_copies(&at);
    if (issued->active) {
        control(&at);
        memory(&at);
    }
    check_barriers(&at);
    if (issued->flow == ISSUED_EXITED)
        warp_ends(&at);
}
