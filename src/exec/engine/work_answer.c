#include "exec/engine/work_answer.h"

#include <assert.h>

#include "exec/engine/command.h"
#include "exec/launch.h"

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
