/* UGETNEXTWORKID {[UA]}: UA holds the shared address of the answer, the register behind it that of an mbarrier.
 *
 * The answer is 16 bytes, as compiled code of query_cancel reads them: ctaid.x of the first CTA of the cluster; ctaid.y
 * in bits 15:0 and ctaid.z in bits 31:16; bit 0 of the third word is 1 if there was a cluster. The rest is ASSUMED to
 * be 0, and so is all when there was none. */
#include "exec/engine/work.h"

#include <assert.h>

#include "exec/executors.h"

enum { ANSWER = 16, OFFSET_MASK = 0xffffff };

void work_answer(struct exec_command *c, exec_take_function *take, void *context)
{
    uint64_t order;
    assert(c->asks);
    c->asks = false;
    for (unsigned w = 0; w < sizeof c->work / sizeof *c->work; w++)
        c->work[w] = 0;
    if (!take || !take(context, &order))
        return;
    struct exec_dim first = exec_cta_index(c->cta->launch, order);
    c->work[0] = first.x;
    c->work[1] = first.y | first.z << 16;
    c->work[2] = 1;
}

void exec_serve_work(struct exec_core *core, const struct exec_launch *launch, exec_take_function *take, void *context)
{
    if (!core->asks_for_work)
        return;
    core->asks_for_work = false;
    for (uint32_t i = 0; i < EXEC_COMMANDS; i++) {
        struct exec_command *c = &core->command[i];
        if (c->used && c->asks && c->cta->launch == launch)
            work_answer(c, take, context);
        core->asks_for_work |= c->used && c->asks;
    }
}

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
