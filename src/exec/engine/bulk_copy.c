/* Copies of bytes by the same engine, without a tensor map: UBLKCP, UBLKRED, UBLKPF.
 *
 *             {[UB..]}                     {[UA]}
 *   .S.G      shared address, mbarrier     device address        UC: size / 16 in bits 15:0, in bits 31:16 the ranks
 *   .G.S      device address               shared address            that receive a multicast, or the bytes of each
 *                                                                    16 that are written (.DST_G_BYTE_MASK)
 *   .S.S      shared address, mbarrier     own shared address
 *   UBLKPF                                 device address */
#include <inttypes.h>

#include "exec/engine/command.h"
#include "exec/executors.h"
#include "exec/memory/atomic.h"

enum { UNIT = 16, OFFSET_MASK = 0xffffff, SIZE_MASK = 0xffff };

static uint64_t device_address(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                               const struct isa_operand *operand)
{
    uint64_t low = operand_word(core, warp, inst, operand, 0);
    return low | (uint64_t)operand_word(core, warp, inst, operand, 1) << 32;
}

static bool own_offset(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t address,
                       uint32_t *offset)
{
    *offset = address & OFFSET_MASK;
    if (address >> EXEC_RANK_SHIFT == warp->cta->cluster.rank)
        return true;
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_ADDRESS,
                  "illegal address 0x%" PRIx32 " in shared memory: it is that of another CTA", address);
    return false;
}

static bool check_device(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint64_t address,
                         const char *what)
{
    if (address % UNIT == 0)
        return true;
    exec_fault_at(core, warp, inst, EXEC_NO_LANE, address, EXEC_FAULT_MISALIGNED,
                  "misaligned address 0x%" PRIx64 " of a %s: it is no multiple of %d", address, what, UNIT);
    return false;
}

/* Fills a command for the places that the instruction names. */
static bool make(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, const char *what,
                 struct exec_command *c)
{
    const struct isa_inst *isa = &inst->isa;
    bool to_shared = isa->mod[ISA_MOD_TO], from_shared = isa->mod[ISA_MOD_FROM];
    uint32_t size = operand_word(core, warp, inst, &isa->c, 0);
    uint64_t device = to_shared ? device_address(core, warp, inst, &isa->a) : device_address(core, warp, inst, &isa->b);
    *c = (struct exec_command){0};
    if (!to_shared && !from_shared) {
        exec_refuse(core, warp, inst, "a bulk copy from device memory to device memory");
        return false;
    }
    box_bytes(device, (size & SIZE_MASK) * UNIT, &c->box);
    struct transfer *t = &c->box.transfer;
    uint32_t shared = operand_word(core, warp, inst, to_shared ? &isa->b : &isa->a, 0);
    t->kind = !to_shared ? TRANSFER_STORE : from_shared ? TRANSFER_SHARED : TRANSFER_LOAD;
    t->shared = shared & OFFSET_MASK;
    if (to_shared) {
        uint32_t barrier = operand_word(core, warp, inst, &isa->b, 1);
        t->barrier = barrier & OFFSET_MASK;
        t->targets = (uint16_t)(1u << (shared >> EXEC_RANK_SHIFT & 15));
        if (isa->mod[ISA_MOD_MULTICAST])
            t->targets = (uint16_t)(size >> 16);
    } else if (!own_offset(core, warp, inst, shared, &t->shared)) {
        return false;
    }
    if (from_shared && to_shared)
        return own_offset(core, warp, inst, operand_word(core, warp, inst, &isa->a, 0), &c->source);
    return check_device(core, warp, inst, device, what);
}

void exec_UBLKCP(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    (void)active;
    struct exec_command c;
    const uint8_t *mod = inst->isa.mod;
    out->transfer.kind = TRANSFER_NONE;
    if (mod[ISA_MOD_SEQUENCED] || mod[ISA_MOD_COUNTED]) {
        exec_refuse(core, warp, inst, "a bulk copy that is sequenced or counted");
        return;
    }
    if (!make(core, warp, inst, "bulk copy", &c) || !command_check(core, warp, inst, &c, UNIT, "bulk copy"))
        return;
    if (mod[ISA_MOD_BYTE_MASK] && c.box.transfer.kind == TRANSFER_STORE)
        c.kept = (uint16_t) ~(operand_word(core, warp, inst, &inst->isa.c, 0) >> 16);
    command_begin(core, warp, inst, &c, out);
}

void exec_UBLKRED(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                  struct issued *out)
{
    (void)active;
    /* PTX says of add.f32 that it flushes, and compilers write F32.RN for it. */
    static const uint8_t types[] = {ATOMIC_U32,     ATOMIC_S32,     ATOMIC_U64, ATOMIC_S64,   ATOMIC_F16X2,
                                    ATOMIC_F32_FTZ, ATOMIC_F32_FTZ, ATOMIC_F64, ATOMIC_BF16X2};
    static const uint8_t bytes[] = {4, 4, 8, 8, 2, 4, 4, 8, 2};
    struct exec_command c;
    out->transfer.kind = TRANSFER_NONE;
    unsigned type = inst->isa.mod[ISA_MOD_BULK_TYPE], function = inst->isa.mod[ISA_MOD_FUNCTION];
    if (type >= sizeof types || function > ATOMIC_XOR ||
        !atomic_supported((enum atomic_function)function, (enum atomic_type)types[type])) {
        exec_refuse(core, warp, inst, "this bulk reduction");
        return;
    }
    if (inst->isa.mod[ISA_MOD_COUNTED]) {
        exec_refuse(core, warp, inst, "a bulk reduction that is counted");
        return;
    }
    if (!make(core, warp, inst, "bulk reduction", &c))
        return;
    c.reduces = true;
    c.function = (uint8_t)function;
    c.type = types[type];
    c.element = bytes[type];
    if (c.box.transfer.kind == TRANSFER_STORE)
        c.box.transfer.kind = TRANSFER_REDUCTION;
    if (command_check(core, warp, inst, &c, UNIT, "bulk reduction"))
        command_begin(core, warp, inst, &c, out);
}

void exec_UBLKPF(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    (void)active;
    struct exec_command c = {0};
    uint32_t size = operand_word(core, warp, inst, &inst->isa.c, 0) & SIZE_MASK;
    box_bytes(device_address(core, warp, inst, &inst->isa.a), size * UNIT, &c.box);
    c.box.transfer.kind = TRANSFER_PREFETCH;
    command_begin(core, warp, inst, &c, out);
}
