/* Operands of an instruction as rows with 32 lanes, and the way results go back.
 *
 * A plain register is its own row. Everything else is spread into the caller's temporary. Executors compute all 32
 * lanes into a local row, which the compiler turns into vector code, and lanes_write blends it in under the mask: so
 * destination and sources may be the same register. */
#ifndef SUBCORE_EXEC_LANES_H
#define SUBCORE_EXEC_LANES_H

#include <string.h>

#include "exec/arithmetic/lanes_names.h"

#include "exec/core.h"
#include "exec/executors.h"
#include "exec/inst.h"
#include "exec/sizes.h"
#include "exec/warp_state.h"

struct lanes {
    _Alignas(64) uint32_t v[EXEC_LANES];
};

#define EXEC_OP(id)                                                                                                    \
    void exec_##id(struct exec_core *core __attribute__((unused)), struct exec_warp *warp,                             \
                   const struct exec_inst *inst, uint32_t active, struct issued *out __attribute__((unused)))

#define BIT4(i) 1u << (i), 2u << (i), 4u << (i), 8u << (i)
static const struct lanes lanes_bit = {{BIT4(0), BIT4(4), BIT4(8), BIT4(12), BIT4(16), BIT4(20), BIT4(24), BIT4(28)}};
#undef BIT4

/* ---- sources ---------------------------------------------------------------------------------------------------- */

static inline const uint32_t *lanes_spread(struct lanes *t, uint32_t value)
{
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        t->v[i] = value;
    return t->v;
}

/* Word `w` of the operand, modifiers not applied. */
static inline const uint32_t *lanes_word(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                                         const struct isa_operand *op, unsigned w, struct lanes *t)
{
    if (op->kind == ISA_REG)
        return exec_row_word(warp, op->index, w);
    return lanes_spread(t, operand_word(core, warp, inst, op, w));
}

static inline const uint32_t *lanes_raw(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                                        const struct isa_operand *op, struct lanes *t)
{
    return lanes_word(core, warp, inst, op, 0, t);
}

/* An operand of a minimum: with .XORSIGN without |x|, since the executor needs the sign and takes the magnitude. */
static inline __attribute__((unused)) struct isa_operand operand_signed(const struct isa_operand *op,
                                                                        const struct isa_inst *isa)
{
    struct isa_operand copy = *op;
    if (isa->mod[ISA_MOD_XORSIGN])
        copy.flags &= (uint8_t)~ISA_ABS;
    return copy;
}

/* Integer operand: |x|, then -x or ~x. */
static inline uint32_t integer_form(uint32_t v, unsigned flags)
{
    v = flags & ISA_ABS && v >> 31 ? 0u - v : v;
    return flags & ISA_INV ? ~v : flags & ISA_NEG ? 0u - v : v;
}

static __attribute__((noinline, unused)) const uint32_t *
lanes_integer_form(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                   const struct isa_operand *op, struct lanes *t)
{
    if (op->kind != ISA_REG)
        return lanes_spread(t, integer_form(operand_word(core, warp, inst, op, 0), op->flags));
    const uint32_t *v = exec_row(warp, op->index);
    if (op->flags & ISA_ABS) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            t->v[i] = v[i] >> 31 ? 0u - v[i] : v[i];
        v = t->v;
    }
    if (op->flags & (ISA_INV | ISA_NEG)) {
        uint32_t one = op->flags & ISA_INV ? 0 : 1;
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            t->v[i] = ~v[i] + one;
        v = t->v;
    }
    return v;
}

static inline const uint32_t *lanes_integer(struct exec_core *core, struct exec_warp *warp,
                                            const struct exec_inst *inst, const struct isa_operand *op, struct lanes *t)
{
    if (op->kind == ISA_REG && !op->flags)
        return exec_row(warp, op->index);
    return lanes_integer_form(core, warp, inst, op, t);
}

/* FP32 operand: modifiers touch the sign bit only, of NaN too. */
static __attribute__((noinline, unused)) const uint32_t *lanes_float_form(struct exec_core *core,
                                                                          struct exec_warp *warp,
                                                                          const struct exec_inst *inst,
                                                                          const struct isa_operand *op, struct lanes *t)
{
    uint32_t keep = op->flags & ISA_ABS ? 0x7fffffff : 0xffffffff;
    uint32_t flip = op->flags & ISA_NEG ? 0x80000000 : 0;
    if (op->kind != ISA_REG)
        return lanes_spread(t, (operand_word(core, warp, inst, op, 0) & keep) ^ flip);
    const uint32_t *v = exec_row(warp, op->index);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        t->v[i] = (v[i] & keep) ^ flip;
    return t->v;
}

static inline const uint32_t *lanes_float(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                                          const struct isa_operand *op, struct lanes *t)
{
    if (op->kind == ISA_REG && !op->flags)
        return exec_row(warp, op->index);
    return lanes_float_form(core, warp, inst, op, t);
}

/* ISETP's two sources of 64 bits: lanes where the first is less, and where they are equal. */
void lanes_compare_pairs(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t *less,
                         uint32_t *equal);

/* ---- results ---------------------------------------------------------------------------------------------------- */

/* A row that is aligned, in the widest moves of the variant: the compiler would make a call or narrower ones of it. */
static inline void lanes_copy(uint32_t *to, const uint32_t *from)
{
#ifdef EXEC_V4
    enum { WORDS = 16 };
#elif defined EXEC_V3
    enum { WORDS = 8 };
#else
    enum { WORDS = 4 };
#endif
    typedef uint32_t words __attribute__((vector_size(4 * WORDS), may_alias, aligned(4)));
    for (unsigned i = 0; i < EXEC_LANES; i += WORDS)
        *(words *)(to + i) = *(const words *)(from + i);
}

static inline void lanes_write(struct exec_warp *warp, unsigned index, uint32_t active, const uint32_t *value)
{
    if (index == ISA_RZ)
        return;
    /* A variable: clang 14 crashes where the undefined-behaviour sanitizer checks the alignment of an array. */
    uint32_t *row = warp->reg[index];
    row = __builtin_assume_aligned(row, 64);
    if (active == UINT32_MAX) {
        lanes_copy(row, value);
        return;
    }
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        uint32_t take = active & lanes_bit.v[i] ? UINT32_MAX : 0;
        row[i] = (value[i] & take) | (row[i] & ~take);
    }
}

static inline void lanes_write_pair(struct exec_warp *warp, unsigned index, uint32_t active, const struct lanes *low,
                                    const struct lanes *high)
{
    lanes_write(warp, index, active, low->v);
    if (index != ISA_RZ)
        lanes_write(warp, index + 1u, active, high->v);
}

/* A mask of the lanes where `condition` is not 0. */
static inline uint32_t lanes_mask(const uint32_t *condition)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        mask |= condition[i] ? lanes_bit.v[i] : 0;
    return mask;
}

/* Returns a mask of the lanes where a < b. */
static inline uint32_t lanes_below(const uint32_t *a, const uint32_t *b)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        mask |= a[i] < b[i] ? lanes_bit.v[i] : 0;
    return mask;
}

/* Returns a mask of the lanes whose highest bit is set. */
static inline uint32_t lanes_signs(const uint32_t *row)
{
    uint32_t mask = 0;
#ifdef EXEC_V3
    enum { WORDS = 8 };
    typedef float words __attribute__((vector_size(4 * WORDS), may_alias, aligned(4)));
    for (unsigned i = 0; i < EXEC_LANES; i += WORDS)
        mask |= (uint32_t)__builtin_ia32_movmskps256(*(const words *)(row + i)) << i;
#else
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        mask |= row[i] >> 31 ? lanes_bit.v[i] : 0;
#endif
    return mask;
}

#endif
