/* Pascal's way to diverge: a warp has one program counter, one mask of threads that execute, and a stack.
 *
 *   SSY t     pushes where threads meet again; SYNC takes its threads out of the mask
 *   PBK t     pushes where a loop ends; BRK takes threads out until then
 *   PCNT t    pushes where a loop's next round begins; CONT takes threads out until then
 *   PRET t    pushes where a call returns to, CAL and JCAL the next instruction; RET takes threads out until then
 *   a branch  that not all threads take pushes those that take it, and the others continue
 *
 * When no thread is left in the mask, entries are popped until one has threads that are not out for something below it.
 * The threads that do not take a branch go on first. That is assumed: no source tells. It keeps the stack of a loop low
 * that threads leave one by one. Hardware moves entries to memory when it has many. Here there are SIMT_ENTRIES. */
#ifndef SUBCORE_EXEC_SIMT_STACK_H
#define SUBCORE_EXEC_SIMT_STACK_H

#include "exec/core.h"
#include "exec/inst.h"
#include "exec/pascal/stack_state.h"

/* Pushes the current threads, which go on at `pc` when they are popped. A full stack is a fault. */
void stack_push(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, enum simt_kind kind,
                uint32_t pc, uint32_t mask);
/* Sends `lanes` of the current threads to the instructions that their own targets name. The others continue. */
void stack_branch(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                  const uint32_t target[EXEC_LANES], struct issued *out);
/* The same if all have one target. */
void stack_jump(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                uint32_t pc, struct issued *out);
/* Takes lanes out of the mask until an entry of the kind is popped (SIMT_SYNC: until the next). */
void stack_leave(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, enum simt_kind kind,
                 uint32_t lanes, struct issued *out);

#endif
