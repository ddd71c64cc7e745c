/* UMEMSETS.64 [UA], URZ, UC: fills shared memory with zeros, UC times 8 bytes (st.bulk of the PTX ISA). It is a weak
 * store of the generic proxy. In time it is one store of the warp: ASSUMED, as nothing is published. */
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "exec/executors.h"
#include "exec/launch.h"
#include "exec/memory/access.h"
#include "exec/memory/proxy_see.h"

enum { UNIT = 8, OFFSET_MASK = 0xffffff };

static bool check(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t address,
                  uint64_t bytes)
{
    uint32_t offset = address & OFFSET_MASK, size = warp->cta->launch->shared_bytes;
    if (address >> EXEC_RANK_SHIFT != warp->cta->cluster.rank)
        exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_ADDRESS,
                      "illegal address 0x%" PRIx32 " of a bulk store of zeros: it is that of another CTA", address);
    else if (offset % UNIT)
        exec_fault_at(core, warp, inst, EXEC_NO_LANE, offset, EXEC_FAULT_MISALIGNED,
                      "misaligned address 0x%" PRIx32 " of a bulk store of zeros: it is no multiple of %d", offset,
                      UNIT);
    else if (offset + bytes > size)
        exec_fault_at(core, warp, inst, EXEC_NO_LANE, offset, EXEC_FAULT_ADDRESS,
                      "illegal address 0x%" PRIx32 " of a bulk store of %" PRIu64 " zero bytes: there are %" PRIu32
                      " bytes",
                      offset, bytes, size);
    else
        return true;
    return false;
}

static void see(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t first,
                uint64_t units)
{
    for (uint64_t done = 0; warp->cta->shadow && done < units; done += EXEC_LANES) {
        uint64_t address[EXEC_LANES], left = units - done;
        for (unsigned lane = 0; lane < EXEC_LANES; lane++)
            address[lane] = first + (done + lane) * UNIT;
        proxy_see(core, warp, inst, left < EXEC_LANES ? (1u << left) - 1 : UINT32_MAX, UNIT, address, true);
    }
}

void exec_UMEMSETS(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                   struct issued *out)
{
    (void)active;
    const struct isa_inst *isa = &inst->isa;
    uint32_t address[EXEC_LANES], units = operand_word(core, warp, inst, &isa->c, 0);
    access_window_addresses(warp, isa, address);
    uint32_t first = address[0] & OFFSET_MASK;
    out->space = ISA_SPACE_SHARED;
    out->bytes = UNIT;
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        out->address[lane] = first;
    if (!check(core, warp, inst, address[0], (uint64_t)units * UNIT))
        return;
    see(core, warp, inst, first, units);
    memset(warp->cta->shared + first, 0, (size_t)units * UNIT);
}
