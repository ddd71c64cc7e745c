/* FP64 operands as rows of 32 lanes. */
#ifndef SUBCORE_EXEC_LANES_DOUBLE_H
#define SUBCORE_EXEC_LANES_DOUBLE_H

#include "exec/arithmetic/format.h"
#include "exec/arithmetic/lanes.h"

struct doubles {
    _Alignas(64) uint64_t v[EXEC_LANES];
};

/* An immediate is the upper word. */
static __attribute__((unused)) void lanes_double(struct exec_core *core, struct exec_warp *warp,
                                                 const struct exec_inst *inst, const struct isa_operand *op,
                                                 struct doubles *out)
{
    uint32_t keep = op->flags & ISA_ABS ? 0x7fffffff : UINT32_MAX, flip = op->flags & ISA_NEG ? FLOAT_SIGN : 0;
    if (op->kind != ISA_REG) {
        bool immediate = op->kind == ISA_IMM;
        uint32_t low = immediate ? 0 : operand_word(core, warp, inst, op, 0);
        uint32_t high = operand_word(core, warp, inst, op, immediate ? 0 : 1);
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            out->v[i] = (uint64_t)((high & keep) ^ flip) << 32 | low;
        return;
    }
    const uint32_t *low = exec_row_word(warp, op->index, 0), *high = exec_row_word(warp, op->index, 1);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        out->v[i] = (uint64_t)((high[i] & keep) ^ flip) << 32 | low[i];
}

#endif
