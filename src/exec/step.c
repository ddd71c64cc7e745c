/* One instruction of a warp. */
#include "base/bits.h"
#include "base/host_line.h"
#include "exec/executors.h"
#include "exec/retry.h"
#include "exec/tensor/tensor_watch.h"
#include "isa/matrix.h"

const uint32_t exec_zero_row[EXEC_LANES] = {0};

static uint32_t guard_mask(const struct exec_warp *warp, const struct exec_inst *inst)
{
    uint32_t value = warp->pred[inst->guard];
    if (inst->guard_uniform)
        value = warp->upred >> inst->guard & 1 ? UINT32_MAX : 0;
    return value ^ inst->guard_flip;
}

/* Hint to the host: the registers of the warp's next instruction, which issues after those of other warps. */
static inline void fetch_registers(const struct exec_warp *warp, const struct isa_inst *isa)
{
    enum { LINES = sizeof *warp->reg / HOST_LINE, WORDS = HOST_LINE / sizeof **warp->reg };
    const struct isa_operand *const operand[] = {&isa->a, &isa->b, &isa->c, &isa->d};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned line = 0; line < LINES && operand[i]->kind == ISA_REG; line++)
            __builtin_prefetch(&warp->reg[operand[i]->index][line * WORDS]);
}

void exec_step(struct exec_core *core, struct exec_warp *warp, uint32_t token, struct issued *out)
{
    struct exec_path *path = &warp->path[warp->current];
    const struct exec_inst *inst = &warp->cta->launch->kernel->code[path->pc / 16];
    uint32_t active = path->mask & guard_mask(warp, inst);
    out->pc = path->pc;
    out->next_pc = path->pc += 16;
    out->path = path->mask;
    path->group = 0;
    out->active = active;
    out->flow = ISSUED_NEXT;
    out->barrier_arrive = false;
    out->deferred = false;
    out->space = ISA_SPACE_NONE;
    out->bytes = 0;
    out->sleep = 0;
    out->wakes = out->retries = false;
    out->zero_fill = 0;
    core->token = token;
    core->clock += core->immediate;
    core->thread_instructions += active == UINT32_MAX ? EXEC_LANES : popcount32(active);
    if (inst->rows > warp->registers && warp->cta->launch->kernel->reconfigures && !core->fault.code)
        pool_fault(core, warp, inst);
    if (active && !core->fault.code)
        inst->run(core, warp, inst, active, out);
    if (core->fault.code) {
        warp->live = 0;
        warp->paths = 0;
        out->flow = ISSUED_EXITED;
    }
    if (out->flow == ISSUED_EXITED && warp->cta->tensor && !exec_cta_lives(warp->cta)) {
        if (!core->fault.code)
            tensor_watch_end(core, warp, out->pc);
        tensor_memory_leave(warp->cta);
    }
    if (!core->immediate && out->flow == ISSUED_NEXT)
        fetch_registers(warp, &inst[1].isa);
}
