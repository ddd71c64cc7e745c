#include "exec/memory/syncs_place.h"

#include <inttypes.h>

#include "base/bits.h"
#include "exec/executors.h"
#include "exec/launch.h"
#include "exec/memory/access.h"
#include "exec/memory/mbarrier.h"
#include "exec/memory/remote.h"

static uint32_t rank_of(uint32_t address) { return address >> EXEC_RANK_SHIFT; }

static uint32_t offset_in(uint32_t address) { return address & ((UINT32_C(1) << EXEC_RANK_SHIFT) - 1); }

/* Returns the CTA of an address, NULL if the cluster has none of this rank that lives. A deferred core asks its own
 * only: others run on other SMs. */
static struct exec_cta *cta_at(const struct exec_core *core, const struct exec_warp *warp, uint32_t address)
{
    if (rank_of(address) == warp->cta->cluster.rank)
        return warp->cta;
    struct exec_cta *peer = core->immediate ? remote_peer(warp->cta, rank_of(address)) : NULL;
    return peer && exec_cta_lives(peer) ? peer : NULL;
}

static void fault_address(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned lane,
                          uint32_t address)
{
    if (address % MBARRIER_BYTES)
        exec_fault_at(core, warp, inst, lane, address, EXEC_FAULT_MISALIGNED,
                      "misaligned address 0x%" PRIx32 " of an 8-byte barrier object", address);
    else if (rank_of(address) != warp->cta->cluster.rank && !cta_at(core, warp, address))
        exec_fault_at(core, warp, inst, lane, address, EXEC_FAULT_ADDRESS,
                      "illegal address 0x%" PRIx32
                      " of an 8-byte barrier object: the cluster has no CTA of rank %" PRIu32 " that runs",
                      address, rank_of(address));
    else
        exec_fault_at(core, warp, inst, lane, address, EXEC_FAULT_ADDRESS,
                      "illegal address 0x%" PRIx32 " of an 8-byte barrier object: there are %" PRIu32 " bytes", address,
                      warp->cta->launch->shared_bytes);
}

bool syncs_find(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                struct issued *out, struct syncs_places *at)
{
    access_window_addresses(warp, &inst->isa, at->address);
    at->remote = 0;
    out->space = ISA_SPACE_SHARED;
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        out->address[lane] = offset_in(at->address[lane]);
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        bool remote = rank_of(at->address[lane]) != warp->cta->cluster.rank;
        at->cta[lane] = cta_at(core, warp, at->address[lane]);
        at->remote |= (uint32_t)remote << lane;
        if ((!at->cta[lane] && (core->immediate || !remote)) || at->address[lane] % MBARRIER_BYTES ||
            (at->cta[lane] && !mbarrier_inside(at->cta[lane], (uint32_t)out->address[lane]))) {
            fault_address(core, warp, inst, lane, at->address[lane]);
            return false;
        }
    }
    return true;
}

bool syncs_find_own(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                    struct issued *out, struct syncs_places *at)
{
    if (!syncs_find(core, warp, inst, lanes, out, at))
        return false;
    if (at->remote)
        exec_refuse(core, warp, inst, "this operation on a barrier object of another CTA");
    return !at->remote;
}
