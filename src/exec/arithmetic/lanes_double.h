/* FP64 operands as rows of 32 lanes. */
#ifndef SUBCORE_EXEC_LANES_DOUBLE_H
#define SUBCORE_EXEC_LANES_DOUBLE_H

#include <math.h>

#include "exec/arithmetic/format.h"
#include "exec/arithmetic/lanes.h"

/* As bits, and as numbers. */
struct doubles {
    _Alignas(64) uint64_t v[EXEC_LANES];
};
struct numbers {
    _Alignas(64) double v[EXEC_LANES];
};

/* Rounds to whole numbers. Each loop becomes a vector instruction. */
static __attribute__((unused)) void numbers_round(struct numbers *n, enum rounding mode)
{
    if (mode == ROUND_DOWN) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            n->v[i] = floor(n->v[i]);
    } else if (mode == ROUND_UP) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            n->v[i] = ceil(n->v[i]);
    } else if (mode == ROUND_ZERO) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            n->v[i] = trunc(n->v[i]);
    } else {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            n->v[i] = rint(n->v[i]);
    }
}

/* Returns true if there is a NaN. The loop has the lanes' width, as vectors need it. */
static __attribute__((unused)) bool doubles_have_nan(const struct doubles *d)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        any |= double_of(d->v[i]) != double_of(d->v[i]) ? UINT64_MAX : 0;
    return any != 0;
}

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
