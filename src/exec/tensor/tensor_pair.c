#include "exec/tensor/tensor_pair.h"

#include "exec/fault.h"
#include "exec/memory/remote.h"

bool tensor_pair_of(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                    struct exec_cta *cta[2])
{
    unsigned rank = warp->cta->cluster.rank, first = rank & ~1u;
    for (unsigned i = 0; i < 2; i++) {
        cta[i] = first + i == rank ? warp->cta : remote_peer(warp->cta, first + i);
        if (cta[i] && exec_cta_lives(cta[i]))
            continue;
        exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_OTHER,
                   "an instruction of a pair of CTAs needs the CTA of rank %u, which %s", first + i,
                   cta[i] ? "has exited" : "the cluster does not have");
        return false;
    }
    return true;
}
