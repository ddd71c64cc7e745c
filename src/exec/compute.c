#include "exec/compute.h"

#include "base/bits.h"
#include "exec/cta.h"
#include "exec/launch.h"

uint32_t compute_row(struct exec_core *core, struct exec_warp *warp, uint32_t most, bool loading)
{
    struct exec_path *path = &warp->path[warp->current];
    const struct exec_inst *inst = &warp->cta->launch->kernel->code[path->pc / 16];
    struct issued none; /* arithmetic writes nothing there */
    uint32_t count = 0;
    path->group = 0;
    do {
        uint32_t active = path->mask & compute_guard(warp, inst);
        path->pc += 16;
        core->clock += core->immediate;
        core->thread_instructions += active == UINT32_MAX ? EXEC_LANES : popcount32(active);
        if (active)
            inst->run(core, warp, inst, active, &none);
        inst++;
        count++;
    } while (count < most && inst->computes && !core->fault.code && !(loading && inst->waits));
    return count;
}
