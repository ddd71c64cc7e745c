/* Warps that repeat a failed test: a phase of a barrier object in shared memory that has not ended, registers of
 * their CTA's pool, or columns of tensor memory. While all warps of a run only do that, no warp can free it for them:
 * nothing else changes either. */
#ifndef SUBCORE_EXEC_RETRY_H
#define SUBCORE_EXEC_RETRY_H

#include "exec/core.h"
#include "exec/inst.h"
#include "exec/resident.h"
#include "exec/warp_state.h"

enum {
    RETRY_INSTRUCTIONS = 96, /* that a warp executes at most on its way back to ask again, 32 for each turn */
    RETRY_PATIENCE =
        1 << 16 /* instructions in each warp, all of which do so, before it is a deadlock: more than it takes
                              * before threads of a warp are no longer held back for each other */
};

/* The same for all warps of a run. */
static inline uint64_t retry_patience(uint32_t warps_per_cta, uint32_t ctas)
{
    return (uint64_t)RETRY_PATIENCE * warps_per_cta * ctas;
}

/* The warp has not got it. */
static inline void retry_begin(struct exec_warp *warp) { warp->retries = RETRY_INSTRUCTIONS; }

/* Tells, after a turn of the warp that ended behind `last`, whether it does only that. Others notice an access to
 * memory, except for the question itself. */
static inline bool retry_goes_on(struct exec_warp *warp, const struct exec_inst *last)
{
    enum { TURN = 32 };
    if (!warp->retries)
        return false;
    bool asks =
        last->isa.op == ISA_OP_SYNCS_PHASECHK || last->isa.op == ISA_OP_USETMAXREG || last->isa.op == ISA_OP_UTCATOMSWS;
    if (!asks)
        warp->retries = last->shares || warp->retries <= TURN ? 0 : (uint8_t)(warp->retries - TURN);
    return warp->retries > 0;
}

/* All warps of the residents ask again, or wait at barriers: the run ends with a deadlock that names their requests.
 * Returns false. */
bool retry_deadlock(struct exec_core *core, const struct exec_resident *resident, uint32_t room, struct status *status);

/* Faults when an instruction names more registers than the warp has. */
void pool_fault(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst);

#endif
