/* Operands that are the same for the whole warp, and predicates. */
#ifndef SUBCORE_EXEC_OPERAND_H
#define SUBCORE_EXEC_OPERAND_H

#include "exec/core.h"
#include "exec/inst.h"
#include "exec/warp_state.h"

/* Immediate, constant or uniform register: word `w`, modifiers not applied. Refuses an operand that cannot be read
 * (then 0). */
uint32_t operand_word(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                      const struct isa_operand *op, unsigned w);

/* `bytes` (1..8) of a constant bank, little endian. Addresses wrap at 64 KiB. */
uint64_t operand_constant(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, unsigned bank,
                          uint32_t offset, unsigned bytes);

/* The source of instructions that have one, whichever role the table gave it. */
static inline const struct isa_operand *operand_only(const struct isa_inst *isa)
{
    return isa->b.kind != ISA_NONE ? &isa->b : isa->a.kind != ISA_NONE ? &isa->a : &isa->c;
}

/* The second source of instructions that have two: FADD and HADD2 keep it in slot B or C. */
static inline const struct isa_operand *operand_second(const struct isa_inst *isa)
{
    return isa->b.kind != ISA_NONE ? &isa->b : &isa->c;
}

/* Predicate source as a lane mask. An absent one is true. */
static inline uint32_t operand_predicate(const struct exec_warp *warp, struct isa_predicate p)
{
    if (!p.present)
        return UINT32_MAX;
    uint32_t mask = p.uniform ? ((warp->upred >> p.index & 1) != 0 ? UINT32_MAX : 0) : warp->pred[p.index];
    return p.inverted ? ~mask : mask;
}

/* An optional predicate that is there and not PT. */
static inline bool operand_has_predicate(struct isa_predicate p)
{
    return p.present && (p.index != ISA_PT || p.inverted);
}

/* Carry in: an absent one is none. */
static inline uint32_t operand_carry(const struct exec_warp *warp, struct isa_predicate p)
{
    return p.present ? operand_predicate(warp, p) : 0;
}

/* Predicates of instructions in the uniform datapath: always uniform ones. */
static inline bool operand_uniform(const struct exec_warp *warp, struct isa_predicate p)
{
    return !p.present || (warp->upred >> p.index & 1) != p.inverted;
}

#endif
