/* The first thing that went wrong in a core, as a sentence with kernel, pc, instruction, CTA and warp. After a
 * fault the warp has exited and the core executes no more. */
#ifndef SUBCORE_EXEC_FAULT_H
#define SUBCORE_EXEC_FAULT_H

#include "exec/exec.h"

enum { EXEC_NO_LANE = 32 };

void exec_fault(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                enum status_code code, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The instruction is understood but not simulated. */
void exec_refuse(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, const char *reason);

#endif
