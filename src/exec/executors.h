/* Shared by executors: their declarations, and register rows by number. */
#ifndef SUBCORE_EXEC_EXECUTORS_H
#define SUBCORE_EXEC_EXECUTORS_H

#include "exec/core.h"
#include "exec/fault.h"
#include "exec/inst.h"
#include "exec/operand.h"
#include "exec/sizes.h"
#include "exec/warp_state.h"

#define X(id, name, pipe, way, latency, memory, space, flags) exec_fn exec_##id;
ISA_EXECUTED_OPCODES(X)
#undef X

/* Refuses a word that is no instruction. */
exec_fn exec_invalid;
/* Refuses an instruction that is only decoded, by its name. */
exec_fn exec_refused;
/* Executes the instruction that stands for a function of the driver (exec/launch/service.h). Its arguments are in R4
 * and up, 64-bit ones in pairs. The result goes to R4. It returns to the address in R20 and R21. */
exec_fn exec_service;

/* Executor of an opcode; of ISA_INVALID the one above. */
exec_fn *exec_function(enum isa_op op);

/* 32 zeros: the row of RZ. */
extern const uint32_t exec_zero_row[EXEC_LANES];

/* Row of a source register. */
static inline const uint32_t *exec_row(const struct exec_warp *warp, unsigned index)
{
    return index == ISA_RZ ? exec_zero_row : warp->reg[index];
}

/* Row of word `word` in a register range; RZ reads 0 in all words. */
static inline const uint32_t *exec_row_word(const struct exec_warp *warp, unsigned index, unsigned word)
{
    return index == ISA_RZ ? exec_zero_row : warp->reg[index + word];
}

/* Writes a value to the lanes of a destination register. */
static inline void exec_fill(struct exec_warp *warp, unsigned index, uint32_t lanes, uint32_t value)
{
    if (index == ISA_RZ)
        return;
    uint32_t *row = warp->reg[index];
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        row[lane] = lanes >> lane & 1 ? value : row[lane];
}

static inline void exec_fill_uniform(struct exec_warp *warp, unsigned index, uint32_t value)
{
    if (index != ISA_URZ)
        warp->ureg[index] = value;
}

/* Writes a predicate destination for some lanes; PT discards. */
static inline void exec_set_predicate(struct exec_warp *warp, struct isa_predicate p, uint32_t lanes, uint32_t value)
{
    if (p.present && p.index < ISA_PT)
        warp->pred[p.index] = (warp->pred[p.index] & ~lanes) | (value & lanes);
}

static inline void exec_set_uniform_predicate(struct exec_warp *warp, struct isa_predicate p, bool value)
{
    if (p.present && p.index < ISA_PT)
        warp->upred = (uint8_t)((warp->upred & ~(1u << p.index)) | (unsigned)value << p.index);
}

/* Index of the thread in its CTA. */
struct exec_dim exec_thread(const struct exec_warp *warp, unsigned lane);

/* Value of any 32-bit source operand in one lane. */
static inline uint32_t exec_operand(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                                    const struct isa_operand *operand, unsigned lane)
{
    if (operand->kind == ISA_REG)
        return exec_row(warp, operand->index)[lane];
    return operand_word(core, warp, inst, operand, 0);
}

#endif
