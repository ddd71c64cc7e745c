/* Where threads go. */
#ifndef SUBCORE_EXEC_JUMP_H
#define SUBCORE_EXEC_JUMP_H

#include "exec/core.h"
#include "exec/inst.h"
#include "exec/sizes.h"
#include "exec/warp_state.h"

/* Sends `lanes` of the current path to their targets. The others continue. */
void jump_each(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
               const uint32_t target[EXEC_LANES], struct issued *out);

#endif
