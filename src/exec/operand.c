#include "exec/operand.h"

#include <string.h>

#include "exec/cta.h"
#include "exec/fault.h"
#include "exec/launch.h"

enum { BANK_BYTES = 65536 };

uint64_t operand_constant(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned bank,
                          uint32_t offset, unsigned bytes)
{
    if (bank >= EXEC_BANKS) {
        exec_refuse(core, warp, inst, "only constant banks 0 to 4 exist");
        return 0;
    }
    const uint8_t *data = warp->cta->launch->bank[bank];
    if (data && bytes == 4 && offset % 4 == 0) {
        uint32_t word;
        memcpy(&word, data + offset % BANK_BYTES, sizeof word);
        return word;
    }
    uint64_t value = 0;
    for (unsigned k = 0; data && k < bytes; ++k)
        value |= (uint64_t)data[(offset + k) % BANK_BYTES] << 8 * k;
    return value;
}

uint32_t operand_word(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                      const struct isa_operand *op, unsigned w)
{
    switch (op->kind) {
    case ISA_UREG: return op->index == ISA_URZ ? 0 : warp->ureg[op->index + w];
    case ISA_IMM: return w == 0 ? op->value : op->upper;
    case ISA_CONST: return (uint32_t)operand_constant(core, warp, inst, op->bank, op->value + 4 * w, 4);
    case ISA_CONST_BINDLESS: exec_refuse(core, warp, inst, "bindless constants are not simulated"); return 0;
    default: exec_refuse(core, warp, inst, "a source operand is missing"); return 0;
    }
}
