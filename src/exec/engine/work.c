/* UGETNEXTWORKID {[UA]}: UA holds the shared address of the answer, the register behind it that of an mbarrier.
 *
 * The answer is 16 bytes, as compiled code of query_cancel reads them: ctaid.x of the cluster's first CTA; ctaid.y
 * in bits 15:0 and ctaid.z in bits 31:16. Bit 0 of the third word is 1 if there was a cluster. The rest is ASSUMED to
 * be 0, and so is all when there was none. */
#include "exec/engine/command.h"
#include "exec/executors.h"

enum { ANSWER = 16, OFFSET_MASK = 0xffffff };

void exec_UGETNEXTWORKID(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                         struct issued *out)
{
    (void)active;
    const struct isa_inst *isa = &inst->isa;
    struct exec_command c = {0};
    struct transfer *t = &c.box.transfer;
    box_bytes(0, ANSWER, &c.box);
    t->kind = TRANSFER_WORK;
    uint32_t to = operand_word(core, warp, inst, &isa->a, 0);
    t->shared = to & OFFSET_MASK;
    t->barrier = operand_word(core, warp, inst, &isa->a, 1) & OFFSET_MASK;
    bool all = isa->mod[ISA_MOD_FUNCTION] == ISA_NEXT_WORK_BROADCAST;
    t->targets = (uint16_t)(all ? (1u << warp->cta->cluster.size) - 1 : 1u << (to >> EXEC_RANK_SHIFT & 15));
    if (!command_check(core, warp, inst, &c, ANSWER, "answer of the CTA scheduler"))
        return;
    core->asks_for_work = true;
    command_begin(core, warp, inst, &c, out);
}
