/* Instructions that read and write barrier objects as a whole, and fences between proxies. */
#include "base/bits.h"
#include "exec/executors.h"
#include "exec/memory/lane_data.h"
#include "exec/memory/mbarrier.h"
#include "exec/memory/proxy_see.h"
#include "exec/memory/syncs_place.h"

void exec_SYNCS_LD(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                   struct issued *out)
{
    struct syncs_places at;
    uint64_t data[EXEC_LANES][EXEC_DATA];
    if (!syncs_find_own(core, warp, inst, active, out, &at))
        return;
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        data[lane][0] = mbarrier_read(warp->cta, (uint32_t)out->address[lane]);
    }
    lane_data_write(warp, inst->isa.d.index, active, MBARRIER_BYTES, false, data);
}

/* IV makes the object plain memory again. Its bytes are then undefined (PTX ISA, mbarrier.inval). An H200 leaves them
 * as they are (2026-11-27; the recording is not kept in the repository). The other forms are of caches. */
void exec_SYNCS_CCTL(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                     struct issued *out)
{
    struct syncs_places at;
    if (inst->isa.a.kind == ISA_NONE || inst->isa.mod[ISA_MOD_FUNCTION] != 0)
        return;
    syncs_find_own(core, warp, inst, active, out, &at); /* checks the address */
}

/* The offset of a uniform instruction's one object. */
static bool find_uniform(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                         struct issued *out, uint32_t *offset)
{
    struct syncs_places at;
    if (!syncs_find_own(core, warp, inst, active, out, &at))
        return false;
    *offset = (uint32_t)out->address[lowest_bit32(active)];
    return true;
}

static void write_pair(struct exec_warp *warp, unsigned index, uint64_t value)
{
    if (index == ISA_URZ)
        return;
    exec_fill_uniform(warp, index, (uint32_t)value);
    exec_fill_uniform(warp, index + 1, (uint32_t)(value >> 32));
}

void exec_SYNCS_EXCH(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                     struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    uint64_t low = operand_word(core, warp, inst, &isa->b, 0), high = operand_word(core, warp, inst, &isa->b, 1);
    uint32_t offset;
    if (!find_uniform(core, warp, inst, active, out, &offset))
        return;
    uint64_t old = mbarrier_read(warp->cta, offset);
    mbarrier_write(warp->cta, offset, high << 32 | low);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        out->operand[lane] = high << 32 | low;
    write_pair(warp, isa->d.index, old);
}

void exec_SYNCS_ULD(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                    struct issued *out)
{
    uint32_t offset;
    if (find_uniform(core, warp, inst, active, out, &offset))
        write_pair(warp, inst->isa.d.index, mbarrier_read(warp->cta, offset));
}
