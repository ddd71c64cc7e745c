/* Global memory: loads, stores, asynchronous copies. */
#include <string.h>

#include "base/bits.h"
#include "exec/access.h"
#include "exec/atomic.h"
#include "exec/executors.h"
#include "exec/pending.h"

static void load_at_slice(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                          unsigned bytes, struct issued *out)
{
    struct exec_pending here, *access = pending_begin(core, warp, lanes, &here);
    access->kind = PENDING_LOAD;
    access->bytes = (uint8_t)bytes;
    access->sign = access_signed(&inst->isa);
    access->destination = inst->isa.d.index;
    memcpy(access->address, out->address, sizeof access->address);
    pending_issue(core, access, out);
}

void exec_LDG(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned bytes = access_bytes(isa);
    if ((isa->pu.present && isa->pu.index != ISA_PT) || (~operand_predicate(warp, isa->pp) & active)) {
        exec_refuse(core, warp, inst, "a load with predicates");
        return;
    }
    access_global_addresses(warp, isa, out->address);
    out->space = ISA_SPACE_GLOBAL;
    out->bytes = (uint8_t)bytes;
    if (!access_check_global(core, warp, inst, active, bytes, "global load", out->address))
        return;
    if (!core->immediate && (inst->at_slice || pending_unknown(core, out->address, active, bytes))) {
        load_at_slice(core, warp, inst, active, bytes, out);
        return;
    }
    if (!pending_log_empty(core)) {
        uint64_t data[EXEC_LANES][2];
        access_read_global(core, active, bytes, out->address, data);
        pending_write_registers(warp, isa->d.index, active, bytes, access_signed(isa), data);
        return;
    }
    access_load_rows(warp, isa, active, bytes, core->memory->host, MEMORY_BASE, out->address);
}

/* Copies source registers into data[lane], `words` from word `to` on. */
static void gather_words(const struct exec_warp *warp, unsigned index, unsigned words, uint32_t lanes, unsigned to,
                         struct exec_pending *access)
{
    for (unsigned w = 0; w < words; w++) {
        const uint32_t *row = exec_row_word(warp, index, w);
        for (uint32_t left = lanes; left; left &= left - 1) {
            unsigned lane = lowest_bit32(left);
            uint64_t *data = &access->data[lane][(to + w) / 2];
            *data = (to + w) % 2 ? (uint32_t)*data | (uint64_t)row[lane] << 32 : row[lane];
        }
    }
}

void exec_STG(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned bytes = access_bytes(isa);
    access_global_addresses(warp, isa, out->address);
    out->space = ISA_SPACE_GLOBAL;
    out->bytes = (uint8_t)bytes;
    if (!access_check_global(core, warp, inst, active, bytes, "global store", out->address))
        return;
    if (core->immediate) {
        access_store_rows(warp, isa, active, bytes, core->memory->host, MEMORY_BASE, out->address);
        return;
    }
    struct exec_pending *access = pending_begin(core, warp, active, NULL);
    access->kind = PENDING_STORE;
    access->bytes = (uint8_t)bytes;
    memcpy(access->address, out->address, sizeof access->address);
    gather_words(warp, isa->b.index, bytes < 4 ? 1 : bytes / 4, active, 0, access);
    pending_issue(core, access, out);
}

/* ---- atomics --------------------------------------------------------------------------------------------------- */

static void atomic_access(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
                          enum pending_kind kind, struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    bool swap = isa->op == ISA_OP_ATOMG_CAS;
    enum atomic_function function = atomic_function_of(isa);
    enum atomic_type type = atomic_type_of(isa);
    if (!atomic_supported(function, type) || (isa->pu.present && isa->pu.index != ISA_PT)) {
        exec_refuse(core, warp, inst, "this atomic operation or type");
        return;
    }
    unsigned bytes = atomic_bytes(type);
    access_global_addresses(warp, isa, out->address);
    out->space = ISA_SPACE_GLOBAL;
    out->bytes = (uint8_t)bytes;
    if (!access_check_global(core, warp, inst, lanes, bytes,
                             kind == PENDING_ATOMIC ? "global atomic" : "global reduction", out->address))
        return;
    struct exec_pending here, *access = pending_begin(core, warp, lanes, &here);
    access->kind = (uint8_t)kind;
    access->bytes = (uint8_t)bytes;
    access->sign = false;
    access->function = (uint8_t)function;
    access->type = (uint8_t)type;
    access->destination = isa->d.kind == ISA_REG ? isa->d.index : ISA_RZ;
    memcpy(access->address, out->address, sizeof access->address);
    gather_words(warp, isa->b.index, bytes / 4, lanes, 0, access);
    if (swap)
        gather_words(warp, isa->c.index, bytes / 4, lanes, 2, access);
    pending_issue(core, access, out);
}

void exec_ATOMG(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    atomic_access(core, warp, inst, active, PENDING_ATOMIC, out);
}

void exec_ATOMG_CAS(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                    struct issued *out)
{
    atomic_access(core, warp, inst, active, PENDING_ATOMIC, out);
}

void exec_RED(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
              struct issued *out)
{
    atomic_access(core, warp, inst, active, PENDING_REDUCTION, out);
}
