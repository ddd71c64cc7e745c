/* Local memory: each thread's own, interleaved in device memory so that the same word of the 32 lanes is one line:
 * word w of lane l in a warp's slot is at base + (slot * words + w) * 128 + l * 4. Every SM has the same number of
 * slots, one SM's after the other's. It takes effect at once. */
#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "exec/cta.h"
#include "exec/executors.h"
#include "exec/launch.h"
#include "exec/memory/access.h"
#include "exec/memory/lane_data.h"

enum { LINE = 4 * EXEC_LANES };

/* The places of the lanes' words in device memory. */
static bool begin(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                  const char *what, const uint32_t offset[EXEC_LANES], struct issued *out)
{
    const struct exec_launch *launch = warp->cta->launch;
    uint32_t size = exec_local_bytes(launch);
    if (!access_check_window(core, warp, inst, lanes, access_bytes(&inst->isa), what, offset, size, EXEC_FAULT_STACK))
        return false;
    uint64_t slot = (uint64_t)core->sm_id * (launch->local_slots / launch->sm_count) + warp->slot;
    assert(slot < launch->local_slots);
    uint64_t base = launch->local_base + slot * size * EXEC_LANES;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        out->address[lane] = base + (uint64_t)(offset[lane] / 4) * LINE + lane * 4 + offset[lane] % 4;
    }
    return true;
}

void access_load_local(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                       const uint32_t offset[EXEC_LANES], struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned bytes = access_bytes(isa), part = bytes < 4 ? bytes : 4;
    if (!begin(core, warp, inst, lanes, "local load", offset, out))
        return;
    uint64_t data[EXEC_LANES][EXEC_DATA];
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        for (unsigned at = 0; at < bytes; at += 4)
            memcpy((uint8_t *)data[lane] + at, memory_at(core->memory, out->address[lane] + at / 4 * LINE), part);
    }
    lane_data_write(warp, isa->d.index, lanes, bytes, access_signed(isa), data);
}

void access_store_local(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                        const uint32_t offset[EXEC_LANES], struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned bytes = access_bytes(isa), part = bytes < 4 ? bytes : 4;
    if (!begin(core, warp, inst, lanes, "local store", offset, out))
        return;
    for (unsigned at = 0; at < bytes; at += 4) {
        const uint32_t *row = exec_row_word(warp, isa->b.index, at / 4);
        for (uint32_t left = lanes; left; left &= left - 1) {
            unsigned lane = lowest_bit32(left);
            memcpy(memory_at(core->memory, out->address[lane] + at / 4 * LINE), &row[lane], part);
        }
    }
}

void exec_LDL(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    uint32_t offset[EXEC_LANES];
    access_window_addresses(warp, &inst->isa, offset);
    out->space = ISA_SPACE_LOCAL;
    out->bytes = (uint8_t)access_bytes(&inst->isa);
    access_load_local(core, warp, inst, active, offset, out);
}

void exec_STL(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    uint32_t offset[EXEC_LANES];
    access_window_addresses(warp, &inst->isa, offset);
    out->space = ISA_SPACE_LOCAL;
    out->bytes = (uint8_t)access_bytes(&inst->isa);
    access_store_local(core, warp, inst, active, offset, out);
}
