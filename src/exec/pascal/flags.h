/* The condition code of Pascal, from rows of results. For the lanes_*.c files. */
#ifndef SUBCORE_EXEC_FLAGS_H
#define SUBCORE_EXEC_FLAGS_H

#include "exec/arithmetic/lanes.h"
#include "exec/pascal/stack_state.h"

/* Returns the zero and sign flags of a row. Carry and overflow are 0. */
static inline struct condition condition_of(const uint32_t row[EXEC_LANES])
{
    return (struct condition){.zero = ~lanes_mask(row), .sign = lanes_signs(row)};
}

/* Sets zero and sign by the result, and the given carries, if the instruction writes the condition code. With .X zero
 * is that of the whole number. */
static inline void write_flags(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, const uint32_t *r,
                               struct condition carries)
{
    if (!isa->mod[ISA_MOD_CC])
        return;
    struct condition flags = condition_of(r);
    carries.zero = isa->mod[ISA_MOD_EXTENDED] ? flags.zero & warp->stack->condition.zero : flags.zero;
    carries.sign = flags.sign;
    condition_set(warp, active, carries);
}

/* Writes a result and its flags. */
static inline void write_result(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, const uint32_t *r,
                                uint32_t carry, uint32_t overflow)
{
    write_flags(warp, isa, active, r, (struct condition){.carry = carry, .overflow = overflow});
    lanes_write(warp, isa->d.index, active, r);
}

#endif
