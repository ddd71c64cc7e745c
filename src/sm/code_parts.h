/* The parts of code_build. */
#ifndef SUBCORE_SM_CODE_PARTS_H
#define SUBCORE_SM_CODE_PARTS_H

#include "sm/code.h"

/* Fills the memory unit's fields: none where the instruction does not pass its queue. */
void code_build_memory(struct code *code, const struct isa_inst *inst, const struct isa_op_info *info);

#endif
