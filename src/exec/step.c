/* One instruction of a warp. */
#include "base/bits.h"
#include "base/host_line.h"
#include "exec/executors.h"
#include "exec/retry.h"
#include "isa/matrix.h"

const uint32_t exec_zero_row[EXEC_LANES] = {0};

/* Loads that must not see an old value: strong at GPU or system scope, and MMIO. */
static bool strong_load(const struct isa_inst *isa)
{
    if (isa->op != ISA_OP_LDG && isa->op != ISA_OP_LD && isa->op != ISA_OP_LDG_256)
        return false;
    switch (isa->mod[ISA_MOD_ORDER]) {
    case ISA_ORDER_STRONG_GPU_PRIVATE:
    case ISA_ORDER_STRONG_GPU:
    case ISA_ORDER_MMIO_GPU:
    case ISA_ORDER_STRONG_SYS:
    case ISA_ORDER_MMIO_SYS: return true;
    default: return isa->mod[ISA_MOD_ORDER] >= ISA_ORDER_STRONG_SYS_PRIVATE; /* those that only sm_75 has */
    }
}

static bool plain_source(const struct isa_operand *op) { return op->kind == ISA_REG && !op->flags; }

/* Nothing but the operation itself, in the rounding that is written without a modifier. */
static bool plain_float(const struct isa_inst *isa)
{
    bool modified = (isa->mod[ISA_MOD_ROUND] & 3) || isa->mod[ISA_MOD_FMZ] || isa->mod[ISA_MOD_SAT];
    return isa->op == ISA_OP_FFMA && !modified && plain_source(&isa->a) && plain_source(&isa->b) &&
           plain_source(&isa->c);
}

static bool shares(const struct isa_op_info *info)
{
    bool accesses = info->memory != ISA_MEM_NONE && info->memory != ISA_MEM_SHUFFLE;
    return accesses && info->space != ISA_SPACE_LOCAL && info->space != ISA_SPACE_CONSTANT;
}

/* A load is on its way while other warps execute a few accesses of their own, one to device memory much longer. */
static uint8_t load_turns(const struct isa_op_info *info)
{
    enum { SHARED_TURNS = 4, GLOBAL_TURNS = 32 };
    if (info->memory != ISA_MEM_LOAD && info->memory != ISA_MEM_ATOMIC)
        return 0;
    switch (info->space) {
    case ISA_SPACE_SHARED: return SHARED_TURNS;
    case ISA_SPACE_GLOBAL:
    case ISA_SPACE_GENERIC: return GLOBAL_TURNS;
    default: return 0;
    }
}

void exec_inst_prepare(struct exec_inst *inst)
{
    const struct isa_inst *isa = &inst->isa;
    const struct isa_op_info *info = isa_op_info((enum isa_op)isa->op);
    inst->run = exec_function((enum isa_op)isa->op);
    inst->guard = isa->guard.index & 7;
    inst->guard_flip = isa->guard.inverted ? UINT32_MAX : 0;
    inst->guard_uniform = isa->guard.uniform;
    inst->at_slice = strong_load(isa);
    inst->plain = plain_float(isa);
    inst->waits = isa->control.wait != 0;
    inst->shares = shares(info);
    inst->turns = load_turns(info);
    inst->joins = isa_is_warpgroup_wait(isa);
}

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
    if (!core->immediate && out->flow == ISSUED_NEXT)
        fetch_registers(warp, &inst[1].isa);
}
