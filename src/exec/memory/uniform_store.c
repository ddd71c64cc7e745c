/* USTGR and UREDGR of sm_100: st.async and red.async to device memory, of one value to one address, both in uniform
 * registers. A warp executes one of them once, for its first thread. Compiled code goes through its threads in a loop.
 * The order that .release asks for is the MEMBAR before it. */
#include <string.h>

#include "base/bits.h"
#include "exec/executors.h"
#include "exec/memory/access.h"
#include "exec/memory/atomic.h"
#include "exec/memory/pending.h"

/* The lane that stands for the warp; 0 with a fault. The others access nothing. */
static uint32_t begin(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                      unsigned bytes, const char *what, struct issued *out)
{
    uint32_t lane = active & -active;
    access_global_addresses(warp, &inst->isa, out);
    out->space = ISA_SPACE_GLOBAL;
    out->bytes = (uint8_t)bytes;
    out->zero_fill = active & ~lane;
    return access_check_global(core, warp, inst, lane, bytes, what, out->address) ? lane : 0;
}

static uint64_t value_of(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned bytes)
{
    uint64_t value = operand_word(core, warp, inst, &inst->isa.b, 0);
    return bytes < 8 ? value : value | (uint64_t)operand_word(core, warp, inst, &inst->isa.b, 1) << 32;
}

void exec_USTGR(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    unsigned bytes = access_bytes(&inst->isa);
    uint32_t lane = begin(core, warp, inst, active, bytes, "asynchronous global store", out);
    if (!lane)
        return;
    uint64_t value = value_of(core, warp, inst, bytes);
    if (core->immediate) {
        memcpy(memory_at(core->memory, out->address[lowest_bit32(lane)]), &value, bytes);
        return;
    }
    uint32_t word[2][EXEC_LANES];
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        word[0][i] = (uint32_t)value;
        word[1][i] = (uint32_t)(value >> 32);
    }
    pending_put(core, pending_begin(core, warp, PENDING_STORE, lane, bytes, out),
                (const uint32_t *const[]){word[0], word[1]});
}

void exec_UREDGR(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    enum atomic_type type = atomic_type_of(&inst->isa);
    unsigned bytes = atomic_bytes(type);
    uint32_t lane = begin(core, warp, inst, active, bytes, "asynchronous global reduction", out);
    if (!lane)
        return;
    uint64_t here[EXEC_DATA] = {0}, *data = core->immediate ? here : pending_operands(core)[lowest_bit32(lane)];
    data[0] = value_of(core, warp, inst, bytes);
    if (core->immediate) {
        atomic_operate(core->memory, out->address[lowest_bit32(lane)], bytes, ATOMIC_ADD, type, data);
        return;
    }
    struct exec_pending *access = pending_begin(core, warp, PENDING_REDUCTION, lane, bytes, out);
    access->sign = false;
    access->function = ATOMIC_ADD;
    access->type = (uint8_t)type;
    access->destination = ISA_RZ;
}
