/* The functional machine: decoded code and state in, new state and memory accesses out. It knows no time. This is
 * the step of a warp, and the effects of its accesses. exec/run.h runs whole launches. The structures have headers:
 *
 *   exec_module   module.h       code of a cubin, decoded once, relocated, with its globals in device memory
 *   exec_launch   launch.h       one kernel launch: grid, constant banks, parameters
 *   exec_core     core.h         the part that one SM's warps share: the way to device memory, the first fault
 *   exec_cta      cta.h          a resident CTA: shared memory, its warps
 *   exec_warp     warp_state.h   registers, predicates, divergent paths, convergence barriers
 *
 * Memory order. A core is immediate (a functional run: every access takes effect at once) or deferred (a timed run):
 * then a weak load reads device memory when it executes, overlaid with its own core's stores that are still on their
 * way. Stores, reductions, atomics and strong loads take effect when exec_apply is called for each of their sectors, by
 * the owner of that sector's L2 slice, and results reach the registers at exec_complete. */
#ifndef SUBCORE_EXEC_EXEC_H
#define SUBCORE_EXEC_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exec/core.h"
#include "exec/cta.h"
#include "exec/inst.h"
#include "exec/launch.h"
#include "exec/module.h"
#include "exec/observers.h"
#include "exec/sizes.h"
#include "exec/warp_state.h"
#include "isa/issued.h"

/* Pc of the instruction that the warp executes next. The warp is live and not waiting at a CTA barrier. */
uint32_t exec_pc(const struct exec_warp *warp);

/* Writes the address that the warp asks for again and again, for a report: "waits for the end of phase 0 at mbarrier
 * 0x400 (phase 0, 1 of 1 arrivals and 4096 bytes pending)". Returns false, and writes nothing, if it asks for nothing.
 * */
bool exec_wait_text(const struct exec_warp *warp, char *text, size_t size);

/* Executes the next instruction of the warp. `token` names the access in a deferred core (0..EXEC_TOKENS-1, not in
 * use), or the command of an engine (EXEC_TOKENS + 0..EXEC_COMMANDS-1); ignored for instructions that defer nothing. A
 * fault is put into core->fault and the warp exits. */
void exec_step(struct exec_core *core, struct exec_warp *warp, uint32_t token, struct issued *out);

/* A CTA barrier that the warp waits at has completed. Sets *next_pc. */
void exec_release_barrier(struct exec_warp *warp, uint32_t *next_pc);

/* Deferred cores: lanes `lanes` of access `token` take effect now at their L2 slice. Called in slice order by the owner
 * of the addresses. Calls for lanes of different sectors may run in parallel. */
void exec_apply(struct exec_core *core, uint32_t token, uint32_t lanes);
/* Tells whether the access need not wait any longer: all barrier objects that a SYNCS.PHASECHK.TRYWAIT waits for have
 * ended their phase, which later phases do not take back. True for other accesses. */
bool exec_ready(struct exec_core *core, uint32_t token);
/* Tells whether a barrier object has ended its phase that the warp's last test found unfinished; true without such. */
bool exec_awake(const struct exec_warp *warp);
/* Lanes `lanes` of the core's access `token`, which are to CTAs of one other SM, take effect now in their shared
 * memory. The caller runs that SM. */
void exec_serve_remote(struct exec_core *from, uint32_t token, uint32_t lanes);
/* The access is complete: the result is written to the registers, the stores leave the log, the token is free. A wait
 * at barrier objects tests them a last time. */
void exec_complete(struct exec_core *core, uint32_t token);

/* Commands of engines (exec/engine/command.h), in deferred cores.
 *
 * A row of a store or reduction takes effect now at the L2 slice that has `line`, a multiple of 128, as far as it lies
 * in these sectors. Calls for different lines may run in parallel. */
void exec_command_apply(struct exec_core *core, uint32_t command, uint32_t row, uint64_t line, uint32_t sectors);
/* All data of the command have come, or all its writes are acknowledged: loads write shared memory and complete their
 * transactions. The token EXEC_TOKENS + command is free. */
void exec_command_complete(struct exec_core *core, uint32_t command);
/* The data of a load, or a copy from shared memory, reach the CTA of this rank, which `core` has. `from` has the
 * command, and keeps it until exec_command_complete. */
void exec_command_serve(struct exec_core *core, struct exec_core *from, uint32_t command, uint32_t rank);

/* Commits of tcgen05 (exec/tensor/commit.h), in deferred cores. Operations that issued before it are over: the commit
 * arrives in the memory of the CTA that has issued it, if it goes there. */
void exec_commit_complete(struct exec_core *core, uint32_t commit);
/* It arrives at the CTA of this rank, which `core` has. `from` has the commit. */
void exec_commit_serve(struct exec_core *core, struct exec_core *from, uint32_t commit, uint32_t rank);

#endif
