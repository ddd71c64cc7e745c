/* One instruction of a warp. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "base/host_line.h"
#include "exec/compute.h"
#include "exec/exec.h"
#include "exec/executors.h"
#include "exec/retry.h"
#include "exec/tensor/tensor_watch.h"
#include "isa/matrix.h"

/* What most instructions leave as it is, from `flow` to `zero_fill`, is 0 then. */
enum { ISSUED_BEHIND_FLOW = offsetof(struct issued, address) - offsetof(struct issued, flow) };
static_assert(ISSUED_NEXT == 0 && ISA_SPACE_NONE == 0, "an instruction that does nothing special has zeros");

const uint32_t exec_zero_row[EXEC_LANES] = {0};

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
    uint32_t active = path->mask & compute_guard(warp, inst);
    out->pc = path->pc;
    out->next_pc = path->pc += 16;
    out->path = path->mask;
    path->group = 0;
    out->active = active;
    memset(&out->flow, 0, ISSUED_BEHIND_FLOW);
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
