/* The first thing that went wrong in a core, as a sentence with kernel, pc, instruction, CTA and warp. After a
 * fault the warp has exited and the core executes no more. */
#ifndef SUBCORE_EXEC_FAULT_H
#define SUBCORE_EXEC_FAULT_H

#include "exec/core.h"
#include "exec/fault_report.h"
#include "exec/inst.h"
#include "exec/sizes.h"
#include "exec/warp_state.h"

enum { EXEC_NO_LANE = EXEC_LANES };

void exec_fault(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                enum exec_fault_kind kind, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* The same with the address that is to blame. */
void exec_fault_at(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                   uint64_t address, enum exec_fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 7, 8)));
/* A fault of the core without one known instruction. */
void exec_fault_core(struct exec_core *core, enum exec_fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns whether a jump goes to an instruction of the kernel; else the core has a fault. */
bool exec_check_target(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t target);

/* The instruction is understood but not simulated. */
void exec_refuse(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, const char *reason);

#endif
