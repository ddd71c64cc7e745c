/* WARPGROUP: the fence and the waits of a warpgroup's products. */
#include "exec/matrix/warpgroup.h"

#include "exec/cta.h"
#include "exec/launch.h"
#include "exec/matrix/wgmma.h"

bool warpgroup_may_pass(const struct exec_warp *warp, const struct exec_inst *inst)
{
    const struct exec_warpgroup *own = &warp->warpgroup;
    uint32_t pending = inst->isa.mod[ISA_MOD_COUNT];
    if (own->groups <= pending)
        return true;
    uint32_t needed = own->committed[(own->groups - pending - 1) % EXEC_WARPGROUP_GROUPS];
    const struct exec_cta *cta = warp->cta;
    uint32_t first = warp->index / WGMMA_WARPS * WGMMA_WARPS;
    for (uint32_t w = first; w < first + WGMMA_WARPS && w < cta->launch->warps_per_cta; w++)
        if (cta->warps[w].live && (int32_t)(cta->warps[w].warpgroup.issued - needed) < 0)
            return false;
    return true;
}

/* Results are in the registers from issue on. */
void exec_WARPGROUP(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                    struct issued *out)
{
    (void)core;
    (void)warp;
    (void)inst;
    (void)active;
    (void)out;
}
