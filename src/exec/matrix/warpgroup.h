/* The order of a warpgroup's products among its four warps.
 *
 * A product of a warpgroup begins when the last of its warps has issued it, so that a wait for it ends for no warp
 * before all have come so far. Programs rely on that: one thread of the group frees the operands' memory behind the
 * wait. The timed machine sees to it by its own clock. A functional run asks here. */
#ifndef SUBCORE_EXEC_WARPGROUP_H
#define SUBCORE_EXEC_WARPGROUP_H

#include "exec/inst.h"
#include "exec/warp_state.h"

/* Counts a product that a warp issues; `commits`: it ends a group. */
static inline void warpgroup_issued(struct exec_warpgroup *w, bool commits)
{
    w->issued++;
    if (commits)
        w->committed[w->groups++ % EXEC_WARPGROUP_GROUPS] = w->issued;
}

/* Returns whether WARPGROUP.DEPBAR or another instruction `inst`, which the warp executes next, may go on: the warps
 * of its group have issued the awaited instructions. */
bool warpgroup_may_pass(const struct exec_warp *warp, const struct exec_inst *inst);

#endif
