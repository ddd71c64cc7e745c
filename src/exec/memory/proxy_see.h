/* The proxy checker (exec/memory/proxy.h) as executors call it: with cores, CTAs and lanes. */
#ifndef SUBCORE_EXEC_PROXY_SEE_H
#define SUBCORE_EXEC_PROXY_SEE_H

#include "exec/core.h"
#include "exec/cta.h"
#include "exec/inst.h"
#include "exec/memory/proxy.h"
#include "exec/sizes.h"
#include "exec/warp_state.h"

/* Lanes of the instruction read, or write, `bytes` each of the CTA's own shared memory at these offsets. */
void proxy_see(const struct exec_core *core, const struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
               unsigned bytes, const uint64_t offset[EXEC_LANES], bool writes);

/* Lanes have seen that the phases of these parities (a bit each) have ended at the mbarriers at these offsets. */
void proxy_see_ended(const struct exec_warp *warp, uint32_t lanes, uint32_t parity, const uint64_t offset[EXEC_LANES]);

/* The instruction at `pc`, of this warp in its CTA, starts a transfer to or from the shared memory of this CTA,
 * perhaps another's than the warp's, which completes bytes at the mbarrier at the offset `barrier` of
 * the same CTA (UINT32_MAX: at none). Returns its number. */
uint32_t proxy_see_begin(struct exec_cta *cta, uint32_t pc, uint32_t warp, uint32_t barrier);
/* It moves these bytes from (`writes`: to) the CTA's memory. */
void proxy_see_bytes(const struct exec_core *core, struct exec_cta *cta, uint32_t number, uint32_t offset,
                     uint32_t bytes, bool writes);

/* A product of tensor cores, by the instruction at `pc`, begins: it writes `columns` of the CTA's tensor memory, and is
 * over when a warp has seen the end of the phase that a later commit completes. Returns its number. */
uint32_t proxy_see_product(struct exec_cta *cta, uint32_t pc, uint32_t warp, uint32_t column, uint32_t columns);
/* A commit of earlier work will arrive at the mbarrier at the offset. */
void proxy_see_commit(struct exec_cta *cta, uint32_t pc, uint32_t warp, uint32_t barrier);
/* The instruction reads columns of its CTA's tensor memory. */
void proxy_see_columns(const struct exec_core *core, const struct exec_warp *warp, const struct exec_inst *inst,
                       uint32_t column, uint32_t columns);

#endif
