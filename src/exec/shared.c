/* Shared memory: loads, stores, atomics, asynchronous copies into it. */
#include <string.h>

#include "base/bits.h"
#include "exec/access.h"
#include "exec/atomic.h"
#include "exec/executors.h"
#include "exec/pending.h"

void exec_LDS(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    unsigned bytes = access_bytes(&inst->isa);
    if (access_begin_shared(core, warp, inst, active, bytes, "shared load", out))
        access_load_rows(warp, &inst->isa, active, bytes, warp->cta->shared, 0, out->address);
}

void exec_STS(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    unsigned bytes = access_bytes(&inst->isa);
    if (access_begin_shared(core, warp, inst, active, bytes, "shared store", out))
        access_store_rows(warp, &inst->isa, active, bytes, warp->cta->shared, 0, out->address);
}

/* ---- atomics --------------------------------------------------------------------------------------------------- */

static uint64_t pair(const struct exec_warp *warp, struct isa_operand o, unsigned lane, unsigned bytes)
{
    unsigned index = o.kind == ISA_REG ? o.index : ISA_RZ;
    uint64_t value = exec_row(warp, index)[lane];
    return bytes == 8 ? value | (uint64_t)exec_row_word(warp, index, 1)[lane] << 32 : value;
}

void exec_ATOMS(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    enum atomic_function function = atomic_function_of(isa);
    enum atomic_type type = atomic_type_of(isa);
    if (!atomic_supported(function, type)) {
        exec_refuse(core, warp, inst, "this atomic operation or type");
        return;
    }
    unsigned bytes = atomic_bytes(type);
    if (!access_begin_shared(core, warp, inst, active, bytes, "shared atomic", out))
        return;
    uint64_t data[EXEC_LANES][2];
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint8_t *at = warp->cta->shared + out->address[lane];
        uint64_t old = 0, operand = pair(warp, isa->b, lane, bytes), other = pair(warp, isa->c, lane, bytes);
        memcpy(&old, at, bytes);
        uint64_t result = atomic_result(function, type, old, operand, other);
        memcpy(at, &result, bytes);
        data[lane][0] = function == ATOMIC_CAST ? old == operand : old;
    }
    pending_write_registers(warp, isa->d.index, active, bytes, false, data);
}

/* ---- asynchronous copies --------------------------------------------------------------------------------------- */

/* The shared addresses, and how many bytes each lane reads. With ZFILL the distance of the global address from its
 * alignment is the number of bytes that are zero instead; without the predicate all are. */
static void copy_operands(const struct exec_warp *warp, const struct isa_inst *isa, uint32_t copied, unsigned bytes,
                          uint8_t length[EXEC_LANES], struct issued *out)
{
    const uint32_t *row = exec_row(warp, isa->b.kind == ISA_REG ? isa->b.index : ISA_RZ);
    uint32_t base = isa->b.value + (isa->c.kind == ISA_UREG ? warp->ureg[isa->c.index] : 0);
    uint64_t filled = isa->mod[ISA_MOD_ZFILL] ? bytes - 1 : 0;
    access_global_addresses(warp, isa, out->address);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        out->shared[lane] = row[lane] + base;
        length[lane] = copied >> lane & 1 ? (uint8_t)(bytes - (out->address[lane] & filled)) : 0;
        out->address[lane] &= ~filled;
    }
}

/* Reads and writes when it executes; a program that looks at the result before it has waited for the copy sees it
 * early. */
void exec_LDGSTS(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned bytes = access_bytes(isa);
    uint32_t copied = active & operand_predicate(warp, isa->pp);
    uint8_t length[EXEC_LANES];
    copy_operands(warp, isa, copied, bytes, length, out);
    out->space = ISA_SPACE_GLOBAL;
    out->bytes = (uint8_t)bytes;
    out->zero_fill = active & ~copied;
    if (!access_check_window(core, warp, inst, active, bytes, "copy to shared memory", out->shared,
                             warp->cta->launch->shared_bytes) ||
        !access_check_global(core, warp, inst, copied, bytes, "copy from global memory", out->address))
        return;
    uint64_t data[EXEC_LANES][2];
    access_read_global(core, copied, bytes, out->address, data);
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint8_t *to = warp->cta->shared + out->shared[lane];
        memcpy(to, data[lane], length[lane]);
        memset(to + length[lane], 0, bytes - length[lane]);
    }
}
