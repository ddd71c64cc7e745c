/* Shared memory: loads, stores, atomics, asynchronous copies into it. */
#include <string.h>

#include "base/bits.h"
#include "exec/executors.h"
#include "exec/launch.h"
#include "exec/memory/access.h"
#include "exec/memory/atomic.h"
#include "exec/memory/lane_data.h"
#include "exec/memory/lane_order.h"
#include "exec/memory/proxy_see.h"

/* Offsets as the row functions take them, when they are good. */
static bool widen(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                  unsigned bytes, const char *what, const uint32_t offset[EXEC_LANES], uint64_t address[EXEC_LANES])
{
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        address[lane] = offset[lane];
    bool good = access_check_window(core, warp, inst, lanes, bytes, what, offset, warp->cta->launch->shared_bytes,
                                    EXEC_FAULT_ADDRESS);
    if (good && warp->cta->shadow)
        proxy_see(core, warp, inst, lanes, bytes, address,
                  isa_op_info((enum isa_op)inst->isa.op)->memory != ISA_MEM_LOAD);
    return good;
}

void access_load_shared(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                        const uint32_t offset[EXEC_LANES])
{
    uint64_t address[EXEC_LANES];
    unsigned bytes = access_bytes(&inst->isa);
    if (widen(core, warp, inst, lanes, bytes, "shared load", offset, address))
        access_load_rows(warp, &inst->isa, lanes, bytes, warp->cta->shared, 0, address);
}

void access_store_shared(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                         const uint32_t offset[EXEC_LANES])
{
    uint64_t address[EXEC_LANES];
    unsigned bytes = access_bytes(&inst->isa);
    if (widen(core, warp, inst, lanes, bytes, "shared store", offset, address))
        access_store_rows(warp, &inst->isa, lanes, bytes, warp->cta->shared, 0, address);
}

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

/* CAST has its result in a predicate since sm_100. */
void access_atomic_shared(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                          const uint32_t offset[EXEC_LANES])
{
    const struct isa_inst *isa = &inst->isa;
    enum atomic_function function = atomic_function_of(isa);
    enum atomic_type type = atomic_type_of(isa);
    unsigned bytes = atomic_bytes(type);
    uint64_t address[EXEC_LANES];
    if (!widen(core, warp, inst, lanes, bytes, "shared atomic", offset, address))
        return;
    uint64_t data[EXEC_LANES][EXEC_DATA];
    uint32_t nonzero = 0;
    lane_data_gather(warp, isa->b.kind == ISA_REG ? isa->b.index : ISA_RZ, bytes / 4, lanes, 0, data);
    lane_data_gather(warp, isa->c.kind == ISA_REG ? isa->c.index : ISA_RZ, bytes / 4, lanes, 4, data);
    for (uint32_t left = lanes; left;) {
        unsigned lane = lane_order_next_atomic(&left);
        atomic_at(warp->cta->shared + offset[lane], bytes, function, type, data[lane]);
        nonzero |= data[lane][0] ? 1u << lane : 0;
    }
    if (isa->d.kind == ISA_REG)
        lane_data_write(warp, isa->d.index, lanes, bytes, false, data);
    else if (function == ATOMIC_CAST)
        exec_set_predicate(warp, isa->pu, lanes, nonzero);
}

void exec_ATOMS(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    uint32_t offset[EXEC_LANES];
    enum atomic_type type = atomic_type_of(&inst->isa);
    if (!atomic_supported(atomic_function_of(&inst->isa), type)) {
        exec_refuse(core, warp, inst, "this atomic operation or type");
        return;
    }
    access_shared_addresses(warp, &inst->isa, offset);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        out->address[lane] = offset[lane];
    out->space = ISA_SPACE_SHARED;
    out->bytes = (uint8_t)atomic_bytes(type);
    access_atomic_shared(core, warp, inst, active, offset);
}

/* ---- asynchronous copies --------------------------------------------------------------------------------------- */

/* The shared addresses, and how many bytes each lane reads. With ZFILL the distance of the global address from its
 * alignment is the number of bytes that are zero instead. Without the predicate all are. */
static void copy_operands(const struct exec_warp *warp, const struct isa_inst *isa, uint32_t copied, unsigned bytes,
                          uint8_t length[EXEC_LANES], struct issued *out)
{
    const uint32_t *row = exec_row(warp, isa->b.kind == ISA_REG ? isa->b.index : ISA_RZ);
    uint32_t own = (uint32_t)warp->cta->cluster.rank << EXEC_RANK_SHIFT;
    uint32_t base = isa->b.value + (isa->c.kind == ISA_UREG ? warp->ureg[isa->c.index] : 0) - own;
    uint64_t filled = isa->mod[ISA_MOD_ZFILL] ? bytes - 1 : 0;
    access_global_addresses(warp, isa, out);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        out->shared[lane] = row[lane] + base;
        length[lane] = copied >> lane & 1 ? (uint8_t)(bytes - (out->address[lane] & filled)) : 0;
        out->address[lane] &= ~filled;
    }
}

/* Reads and writes when it executes. A program that looks at the result before it has waited for the copy sees it
 * early. */
void exec_LDGSTS(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned bytes = access_bytes(isa);
    uint32_t copied = active & operand_predicate(warp, isa->pp);
    uint8_t length[EXEC_LANES];
    uint64_t to[EXEC_LANES];
    copy_operands(warp, isa, copied, bytes, length, out);
    out->space = ISA_SPACE_GLOBAL;
    out->bytes = (uint8_t)bytes;
    out->zero_fill = active & ~copied;
    if (!access_check_window(core, warp, inst, active, bytes, "copy to shared memory", out->shared,
                             warp->cta->launch->shared_bytes, EXEC_FAULT_ADDRESS) ||
        !access_check_global(core, warp, inst, copied, bytes, "copy from global memory", out->address))
        return;
    for (unsigned lane = 0; warp->cta->shadow && lane < EXEC_LANES; lane++)
        to[lane] = out->shared[lane];
    proxy_see(core, warp, inst, warp->cta->shadow ? active : 0, bytes, to, true);
    uint64_t data[EXEC_LANES][EXEC_DATA];
    access_read_global(core, copied, bytes, out->address, data);
    for (uint32_t left = active; left;) {
        unsigned lane = lane_order_next_store(&left);
        uint8_t *at = warp->cta->shared + out->shared[lane];
        memcpy(at, data[lane], length[lane]);
        memset(at + length[lane], 0, bytes - length[lane]);
    }
}
