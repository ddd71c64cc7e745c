#include "isa/role.h"

/* NOP stands where the compiler knows that a __syncwarp() finds all of its lanes together. Shuffles, votes, matches and
 * reductions name the threads that take part. Matrix instructions, and those for their fragments, take the warp. */
enum isa_role isa_role_of(const struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)inst->op);
    switch (inst->op) {
    case ISA_OP_NOP:
    case ISA_OP_SHFL:
    case ISA_OP_VOTE:
    case ISA_OP_VOTEU:
    case ISA_OP_MATCH:
    case ISA_OP_REDUX:
    case ISA_OP_CREDUX: return ISA_ROLE_MEET;
    case ISA_OP_WARPSYNC: return ISA_ROLE_WARPSYNC;
    case ISA_OP_MEMBAR: return ISA_ROLE_FENCE;
    case ISA_OP_CCTL: return ISA_ROLE_INVALIDATE;
    case ISA_OP_BAR: return inst->mod[ISA_MOD_MODE] == ISA_BAR_ARV ? ISA_ROLE_NONE : ISA_ROLE_BARRIER;
    case ISA_OP_LDGDEPBAR: return ISA_ROLE_COPY_GROUP;
    case ISA_OP_DEPBAR: return ISA_ROLE_COPY_WAIT;
    default: break;
    }
    bool together = info->pipe == ISA_PIPE_TENSOR || (info->flags & ISA_FRAGMENTS);
    return together ? ISA_ROLE_MEET : ISA_ROLE_NONE;
}
