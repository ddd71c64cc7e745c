/* The checker of tensor memory: accesses that nothing orders, and columns that were never freed. It is there when
 * exec_launch.findings is. All functions may be called without.
 *
 *   TENSOR   a warp loads columns of its quarter that it has stored to, without tcgen05.wait::st (FENCE.VIEW.ASYNC.T)
 *            in between (PTX ISA, memory consistency model of tcgen05)
 *   LEAK     the last warp of a CTA exits and the CTA has columns that it has not freed (PTX ISA, tcgen05.alloc)
 *
 * Registers of tcgen05.ld that are read before tcgen05.wait::ld are found by the checker of control bits (src/hazard):
 * that wait is no instruction. */
#ifndef SUBCORE_EXEC_TENSOR_TENSOR_WATCH_H
#define SUBCORE_EXEC_TENSOR_TENSOR_WATCH_H

#include "exec/tensor/tensor_memory.h"

/* The warp stores to an area of its own quarter, or loads it. */
void tensor_watch_store(const struct exec_warp *warp, const struct exec_inst *inst, struct tensor_area area);
void tensor_watch_load(const struct exec_core *core, const struct exec_warp *warp, const struct exec_inst *inst,
                       struct tensor_area area);
/* The warp has waited for its stores. */
void tensor_watch_wait(const struct exec_warp *warp);
/* The last warp of a CTA exits at the instruction. */
void tensor_watch_end(const struct exec_core *core, const struct exec_warp *warp, uint32_t pc);

#endif
