/* Which instructions concern which check. */
#include "base/bits.h"
#include "check/state.h"

/* Lanes that execute it together have met: warp-level synchronisation. NOP stands where the compiler knows that a
 * __syncwarp() finds all of its lanes together. Shuffles and votes name the threads that take part, and matrix
 * instructions take the whole warp. */
static bool meets(const struct isa_inst *isa)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)isa->op);
    switch (isa->op) {
    case ISA_OP_NOP:
    case ISA_OP_SHFL:
    case ISA_OP_VOTE:
    case ISA_OP_VOTEU:
    case ISA_OP_MATCH:
    case ISA_OP_REDUX:
    case ISA_OP_CREDUX: return true;
    default: return info->pipe == ISA_PIPE_TENSOR || (info->flags & ISA_FRAGMENTS);
    }
}

static enum order_scope scope_of_fence(const struct isa_inst *isa)
{
    unsigned scope = isa->mod[ISA_MOD_SCOPE];
    return scope == ISA_SCOPE_GPU || scope == ISA_SCOPE_SYS || scope == ISA_SCOPE_VC ? ORDER_GPU : ORDER_CTA;
}

static void control(const struct check_at *at)
{
    struct order *order = &at->launch->order;
    uint32_t active = at->issued->active;
    switch (at->isa->op) {
    case ISA_OP_WARPSYNC: at->warp->met |= active; break;
    case ISA_OP_MEMBAR:
        order_fence(order, at->know, active, scope_of_fence(at->isa));
        at->warp->fenced |= active;
        break;
    case ISA_OP_CCTL: order_learn(at->know, active); break;
    default:
        if (meets(at->isa))
            order_meet(order, at->know, active, at->exec->live);
    }
}

static void memory(const struct check_at *at)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)at->isa->op);
    if (info->way == ISA_WAY_ENGINE) {
        check_transfer(at);
        return;
    }
    switch (at->isa->op) {
    case ISA_OP_SYNCS_ARRIVE:
    case ISA_OP_SYNCS_PHASECHK:
    case ISA_OP_SYNCS_EXCH:
    case ISA_OP_SYNCS_LD:
    case ISA_OP_SYNCS_ULD:
    case ISA_OP_ARRIVES: check_objects(at); return;
    default: break;
    }
    if (info->memory != ISA_MEM_NONE && info->memory != ISA_MEM_SHUFFLE && info->space != ISA_SPACE_CONSTANT &&
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
    const struct check_at at = {.check = check,
                                .launch = check->launch,
                                .cta = cta,
                                .warp = &cta->warp[warp->index],
                                .know = &cta->know[warp->index],
                                .exec = warp,
                                .isa = &check->launch->of->kernel->code[issued->pc / 16].isa,
                                .issued = issued};
    bool faulted = issued->flow == ISSUED_EXITED && !(isa_op_info((enum isa_op)at.isa->op)->flags & ISA_EXIT);
    if (faulted) /* what the instruction has filled in of *issued is not all of it */
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
