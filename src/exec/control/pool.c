/* Registers of a warp that change at run time (setmaxnreg): a warp gives registers to the pool of its CTA, or asks it
 * for some. The pool is empty when the CTA begins. A thread's registers are counted in eights, as setmaxnreg takes
 * them. The pool counts the registers of a thread, as all threads of a warp have the same. Each warp acts by itself,
 * though PTX wants all of a warpgroup to do the same. */
#include <inttypes.h>

#include "base/bits.h"
#include "exec/cta.h"
#include "exec/executors.h"
#include "exec/retry.h"

enum { LEAST = 24, MOST = 256, UNIT = 8 };
enum { DEALLOC = 1 }; /* of MODE (2: TRY_ALLOC) */

static bool fault_count(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t count)
{
    exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_OTHER,
               "%" PRIu32 " registers a thread: the warp has %" PRIu32
               ", it %s them, and the number is a multiple of 8 from 24 to 256",
               count, warp->registers, inst->isa.mod[ISA_MOD_MODE] == DEALLOC ? "gives up" : "asks for");
    return false;
}

static bool good(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t count)
{
    bool gives = inst->isa.mod[ISA_MOD_MODE] == DEALLOC;
    bool way = gives ? count <= warp->registers : count >= warp->registers;
    return (way && count >= LEAST && count <= MOST && count % UNIT == 0) || fault_count(core, warp, inst, count);
}

/* New registers have anything in them: here their last values. */
void exec_USETMAXREG(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                     struct issued *out)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t *pool = &warp->cta->pool, count = operand_word(core, warp, inst, &isa->b, 0);
    (void)active;
    if (!isa->mod[ISA_MOD_FLAG]) {
        exec_refuse(core, warp, inst, "registers of another pool than the CTA's");
        return;
    }
    if (!good(core, warp, inst, count))
        return;
    if (isa->mod[ISA_MOD_MODE] == DEALLOC) {
        *pool += warp->registers - count;
        warp->registers = count;
        return;
    }
    bool granted = count - warp->registers <= *pool;
    if (granted) {
        *pool -= count - warp->registers;
        warp->registers = count;
    }
    warp->wanted = granted ? 0 : count;
    out->retries = !granted;
    if (granted)
        warp->retries = 0;
    else
        retry_begin(warp);
    exec_set_uniform_predicate(warp, isa->pu, granted);
}

void pool_fault(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    exec_fault(core, warp, inst, EXEC_NO_LANE, EXEC_FAULT_OTHER,
               "the instruction names R%u, and the warp has %" PRIu32 " registers a thread (setmaxnreg)",
               inst->rows - 1u, warp->registers);
}
