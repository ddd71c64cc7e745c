/* Functions of the driver that sample with gradients in three dimensions and for cubes. ptxas calls them on sm_90 and
 * later, and writes their work out before. */
#ifndef SUBCORE_EXEC_SERVICE_TEXTURE_H
#define SUBCORE_EXEC_SERVICE_TEXTURE_H

#include "exec/core.h"
#include "exec/inst.h"
#include "exec/warp_state.h"

/* Returns whether the name is that of such a function: "__cuda_syscall_tex_grad_3d_v4_f32_f32" and so on. */
bool service_is_gradient(const char *name);

/* Samples for one lane. Read off calls of ptxas 13.0: R4 has the handle, R8 to R11 the coordinates (an array's layer
 * first), R12 to R15 their changes along x, and 16 bytes at R1 those along y. The components go to R5 to R8. R4 becomes
 * 1. `inst` is the instruction to blame. */
void service_gradient(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                      const char *name);

#endif
