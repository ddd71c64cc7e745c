/* Stores and reductions to shared memory of the cluster that complete their bytes at a barrier object (STAS, REDAS;
 * st.async and red.async): [R.64] holds the address and that of the object, both with the rank of one CTA. */
#include <inttypes.h>

#include "base/bits.h"
#include "exec/executors.h"
#include "exec/memory/access.h"
#include "exec/memory/lane_data.h"
#include "exec/memory/lane_order.h"
#include "exec/memory/mbarrier.h"
#include "exec/memory/remote.h"

static bool fault_misaligned(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                             unsigned lane, uint32_t address, unsigned bytes, const char *what)
{
    exec_fault_at(core, warp, inst, lane, address, EXEC_FAULT_MISALIGNED,
                  "misaligned address 0x%" PRIx32 " of a %u-byte %s", address, bytes, what);
    return false;
}

static bool check(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                  unsigned bytes, const uint32_t address[EXEC_LANES], const uint32_t object[EXEC_LANES])
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        if (address[lane] % bytes)
            return fault_misaligned(core, warp, inst, lane, address[lane], bytes, "asynchronous store");
        if (object[lane] % MBARRIER_BYTES)
            return fault_misaligned(core, warp, inst, lane, object[lane], MBARRIER_BYTES, "barrier object");
        if (address[lane] >> EXEC_RANK_SHIFT == object[lane] >> EXEC_RANK_SHIFT)
            continue;
        exec_fault_at(core, warp, inst, lane, object[lane], EXEC_FAULT_OTHER,
                      "the barrier object 0x%" PRIx32 " of an asynchronous store to 0x%" PRIx32 " is another CTA's",
                      object[lane], address[lane]);
        return false;
    }
    return true;
}

/* Every form goes the way to other CTAs, also to the own one: the data and the completion are one operation at the
 * memory. A deferred core whose lanes all stay at home does it at once, as it does other accesses to its memory. */
static void store(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    bool reduces = isa->op == ISA_OP_REDAS;
    unsigned bytes = reduces ? atomic_bytes(atomic_type_of(isa)) : access_bytes(isa);
    uint32_t address[EXEC_LANES], object[EXEC_LANES], away = 0;
    uint64_t data[EXEC_LANES][EXEC_DATA] = {{0}};
    const uint32_t *low = exec_row(warp, isa->a.index), *high = exec_row_word(warp, isa->a.index, 1);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        address[lane] = low[lane];
        object[lane] = high[lane];
        away |= (uint32_t)(low[lane] >> EXEC_RANK_SHIFT != warp->cta->cluster.rank) << lane;
        out->address[lane] = low[lane] & ((UINT32_C(1) << EXEC_RANK_SHIFT) - 1);
    }
    if (!check(core, warp, inst, active, bytes, address, object))
        return;
    lane_data_gather(warp, isa->b.kind == ISA_REG ? isa->b.index : ISA_RZ, bytes / 4, active, 0, data);
    out->space = ISA_SPACE_SHARED;
    out->bytes = (uint8_t)bytes;
    remote_async(core, warp, inst, active, bytes, address, object, data, (away & active) != 0, out);
}

static bool plain(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    const struct isa_inst *isa = &inst->isa;
    bool good = isa->a.kind == ISA_REG && isa->a.words == 2 && isa->offset == 0 &&
                (!isa->has_ureg_base || isa->ureg_base == ISA_URZ);
    if (!good)
        exec_refuse(core, warp, inst, "an asynchronous store whose address is no pair of registers alone");
    return good;
}

void exec_STAS(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    if (plain(core, warp, inst))
        store(core, warp, inst, active, out);
}

void exec_REDAS(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    if (!atomic_supported(atomic_function_of(&inst->isa), atomic_type_of(&inst->isa)))
        exec_refuse(core, warp, inst, "this asynchronous reduction or type");
    else if (plain(core, warp, inst))
        store(core, warp, inst, active, out);
}
