/* Columns of tensor memory as compiled code takes them: UTCATOMSWS operates on a map of 16 units, which the SM keeps
 * for all its CTAs (tcgen05.alloc, tcgen05.dealloc). An allocation is a loop around FIND_AND_SET, which sleeps while
 * there are not enough columns in a row. Compiled code keeps in shared memory which units the CTA has, and traps when
 * it frees others.
 *
 * A functional run has no SMs: there a CTA has all columns for itself. That the lowest free columns are handed out is
 * assumed. */
#include <inttypes.h>

#include "base/bits.h"
#include "exec/executors.h"
#include "exec/launch.h"
#include "exec/retry.h"
#include "exec/tensor/tensor_memory.h"
#include "exec/tensor/tensor_pair.h"

enum { AND = 0, OR = 1 };                         /* of FUNCTION */
enum { FIRST, COUNT };                            /* words of an allocation by a pair */
enum { POISON = 0x7fffdead, COLUMNS_SHOWN = 32 }; /* NaN as FP32 */

/* The contents of unwritten columns: zeros, or a pattern that a checker makes visible. */
static uint32_t fill_of(const struct exec_cta *cta) { return cta->launch->findings ? (uint32_t)POISON : 0; }

static void give(struct exec_cta *cta, uint32_t units, uint32_t pc)
{
    tensor_memory_give(cta, units, fill_of(cta));
    cta->tensor->allocated_at = pc;
}

/* ---- allocation -------------------------------------------------------------------------------------------------- */

static void answer(struct exec_warp *warp, const struct exec_inst *inst, uint32_t units, uint32_t count)
{
    exec_set_uniform_predicate(warp, inst->isa.pu, units != 0);
    if (units)
        exec_fill_uniform(warp, inst->isa.d.index, lowest_bit32(units));
    warp->wanted_columns = units ? 0 : count * TENSOR_UNIT;
    if (units)
        warp->retries = 0;
    else
        retry_begin(warp);
}

static void find_in_pair(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                         const uint32_t word[TENSOR_PAIR_WORDS])
{
    struct exec_cta *other = tensor_pair_other(core, warp, inst);
    if (!other)
        return;
    uint32_t units = tensor_memory_find(tensor_memory_taken(warp->cta) | tensor_memory_taken(other), word[COUNT]);
    if (units) {
        give(warp->cta, units, inst->isa.pc);
        give(other, units, inst->isa.pc);
    }
    answer(warp, inst, units, word[COUNT]);
}

static void find(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t count,
                 struct issued *out)
{
    if (inst->isa.mod[ISA_MOD_CTAS]) {
        const uint32_t word[TENSOR_PAIR_WORDS] = {[COUNT] = count};
        tensor_pair_begin(core, warp, inst, find_in_pair, word);
        out->retries = !core->immediate || warp->wanted_columns; /* not known yet in a timed run */
        return;
    }
    uint32_t units = tensor_memory_find(tensor_memory_taken(warp->cta), count);
    if (units)
        give(warp->cta, units, inst->isa.pc);
    answer(warp, inst, units, count);
    out->retries = !units;
}

/* ---- the map as a number ----------------------------------------------------------------------------------------- */

static void release(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, struct exec_cta *cta,
                    uint32_t units)
{
    uint32_t foreign = units & ~cta->tensor->units;
    if (foreign) {
        uint32_t column = lowest_bit32(foreign) * TENSOR_UNIT;
        exec_fault_at(core, warp, inst, EXEC_NO_LANE, column, EXEC_FAULT_ADDRESS,
                      "frees columns %" PRIu32 "-%" PRIu32 " of tensor memory, which the CTA has not allocated", column,
                      column + COLUMNS_SHOWN - 1);
        return;
    }
    tensor_memory_take(cta, units);
}

static void release_in_pair(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                            const uint32_t word[TENSOR_PAIR_WORDS])
{
    struct exec_cta *other = tensor_pair_other(core, warp, inst);
    if (!other)
        return;
    release(core, warp, inst, warp->cta, word[FIRST]);
    if (!core->fault.code)
        release(core, warp, inst, other, word[FIRST]);
}

void exec_UTCATOMSWS(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                     struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t operand = operand_word(core, warp, inst, &isa->b, 0);
    (void)active;
    if (isa->pu.present) {
        if (!isa->mod[ISA_MOD_ALIGNED])
            exec_refuse(core, warp, inst, "an allocation of tensor memory that is not aligned to its size");
        else if (operand < 1 || operand > TENSOR_UNITS || (operand & (operand - 1)))
            exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_OTHER,
                       "allocates %" PRIu32 " units of 32 columns of tensor memory: the number is a power of two from 1"
                       " to %d",
                       operand, TENSOR_UNITS);
        else
            find(core, warp, inst, operand, out);
        return;
    }
    if (isa->mod[ISA_MOD_FUNCTION] != AND) {
        exec_refuse(core, warp, inst, "an allocation of chosen columns of tensor memory");
        return;
    }
    const uint32_t word[TENSOR_PAIR_WORDS] = {[FIRST] = ~operand & TENSOR_ALL_UNITS};
    exec_fill_uniform(warp, isa->d.index, tensor_memory_taken(warp->cta));
    if (isa->mod[ISA_MOD_CTAS])
        tensor_pair_begin(core, warp, inst, release_in_pair, word);
    else
        release(core, warp, inst, warp->cta, word[FIRST]);
}

/* The CTA gives back its right to allocate (tcgen05.relinquish_alloc_permit), which compiled code also notes in shared
 * memory, where a later allocation finds it and traps. Nothing else depends on it here: how many CTAs of an SM may have
 * the right at a time is not published. */
void exec_UVIRTCOUNT(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                     struct issued *out)
{
    (void)core, (void)warp, (void)inst, (void)active, (void)out;
}
