/* The parts of code_build. */
#ifndef SUBCORE_SM_CODE_PARTS_H
#define SUBCORE_SM_CODE_PARTS_H

#include "sm/code.h"

/* Tells MATCH.ANY from MATCH.ALL and all others. */
static inline bool code_is_match_any(const struct isa_inst *inst)
{
    return isa_op_info(inst->op)->way == ISA_WAY_QUEUE_MATCH && inst->mod[ISA_MOD_MODE] == ISA_MATCH_ANY;
}

/* Fills the memory unit's fields: none where the instruction does not pass its queue. */
void code_build_memory(struct code *code, const struct isa_inst *inst, const struct isa_op_info *info);

#endif
