/* Global memory: loads, stores, asynchronous copies. */
#include <string.h>

#include "base/bits.h"
#include "exec/executors.h"
#include "exec/memory/access.h"
#include "exec/memory/atomic.h"
#include "exec/memory/lane_data.h"
#include "exec/memory/lane_order.h"
#include "exec/memory/pending.h"
#include "exec/memory/store_log.h"

static void load_at_slice(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                          unsigned bytes, struct issued *out)
{
    struct exec_pending *access = pending_begin(core, warp, PENDING_LOAD, lanes, bytes, out);
    access->sign = access_signed(&inst->isa);
    access->destination = inst->isa.d.index;
    access->upper = inst->isa.e.index;
}

void access_load_global(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                        struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned bytes = access_bytes(isa);
    if (!access_check_global(core, warp, inst, lanes, bytes, "global load", out->address))
        return;
    if (!core->immediate && (inst->at_slice || store_log_unknown(core, out->address, lanes, bytes))) {
        load_at_slice(core, warp, inst, lanes, bytes, out);
        return;
    }
    if (!store_log_empty(core) && store_log_holds_any(core, out->address, lanes)) {
        uint64_t data[EXEC_LANES][EXEC_DATA];
        access_read_global(core, lanes, bytes, out->address, data);
        lane_data_write(warp, isa->d.index, lanes, bytes, access_signed(isa), data);
        return;
    }
    access_load_rows(warp, isa, lanes, bytes, core->memory->host, core->memory->base, out->address);
}

void exec_LDG(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    if ((isa->pu.present && isa->pu.index != ISA_PT) || (~operand_predicate(warp, isa->pp) & active)) {
        exec_refuse(core, warp, inst, "a load with predicates");
        return;
    }
    access_global_addresses(warp, isa, out);
    out->space = ISA_SPACE_GLOBAL;
    out->bytes = (uint8_t)access_bytes(isa);
    access_load_global(core, warp, inst, active, out);
}

void access_store_global(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                         struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned bytes = access_bytes(isa);
    if (!access_check_global(core, warp, inst, lanes, bytes, "global store", out->address))
        return;
    if (core->immediate) {
        access_store_rows(warp, isa, lanes, bytes, core->memory->host, core->memory->base, out->address);
        return;
    }
    const uint32_t *row[4];
    for (unsigned w = 0; w < 4; w++)
        row[w] = exec_row_word(warp, isa->b.index, 4 * w < bytes ? w : 0);
    pending_put(core, pending_begin(core, warp, PENDING_STORE, lanes, bytes, out), row);
}

void exec_STG(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    access_global_addresses(warp, &inst->isa, out);
    out->space = ISA_SPACE_GLOBAL;
    out->bytes = (uint8_t)access_bytes(&inst->isa);
    access_store_global(core, warp, inst, active, out);
}

/* ---- atomics --------------------------------------------------------------------------------------------------- */

void access_atomic_global(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                          struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    bool reduction = isa->op == ISA_OP_RED;
    enum atomic_function function = atomic_function_of(isa);
    enum atomic_type type = atomic_type_of(isa);
    unsigned bytes = atomic_bytes(type);
    if (!access_check_global(core, warp, inst, lanes, bytes, reduction ? "global reduction" : "global atomic",
                             out->address))
        return;
    uint64_t here[EXEC_LANES][EXEC_DATA], (*data)[EXEC_DATA] = core->immediate ? here : pending_operands(core);
    unsigned destination = isa->d.kind == ISA_REG ? isa->d.index : ISA_RZ;
    lane_data_gather(warp, isa->b.kind == ISA_REG ? isa->b.index : ISA_RZ, bytes / 4, lanes, 0, data);
    if (isa->c.kind == ISA_REG)
        lane_data_gather(warp, isa->c.index, bytes / 4, lanes, 4, data);
    if (!core->immediate) {
        struct exec_pending *access =
            pending_begin(core, warp, reduction ? PENDING_REDUCTION : PENDING_ATOMIC, lanes, bytes, out);
        access->sign = false;
        access->function = (uint8_t)function;
        access->type = (uint8_t)type;
        access->destination = (uint8_t)destination;
        return;
    }
    for (uint32_t left = lanes; left;) {
        unsigned lane = lane_order_next_atomic(&left);
        atomic_operate(core->memory, out->address[lane], bytes, function, type, data[lane]);
    }
    if (!reduction)
        lane_data_write(warp, destination, lanes, bytes, false, data);
}

static void atomic_access(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                          struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    enum atomic_type type = atomic_type_of(isa);
    if (!atomic_supported(atomic_function_of(isa), type) || (isa->pu.present && isa->pu.index != ISA_PT)) {
        exec_refuse(core, warp, inst, "this atomic operation or type");
        return;
    }
    access_global_addresses(warp, isa, out);
    out->space = ISA_SPACE_GLOBAL;
    out->bytes = (uint8_t)atomic_bytes(type);
    access_atomic_global(core, warp, inst, lanes, out);
}

void exec_ATOMG(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    atomic_access(core, warp, inst, active, out);
}

void exec_ATOMG_CAS(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                    struct issued *out)
{
    atomic_access(core, warp, inst, active, out);
}

void exec_RED(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    atomic_access(core, warp, inst, active, out);
}
