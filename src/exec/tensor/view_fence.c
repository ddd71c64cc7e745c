/* FENCE.VIEW.ASYNC. Of shared memory (.S) it orders writes of the warp's threads before reads of the asynchronous
 * proxy; of tensor memory (.T) it waits for the warp's stores there (tcgen05.wait::st); of global memory (.G) it
 * orders, too. All these effects are there when the instructions issue, so that only the checkers have to know. */
#include "exec/executors.h"
#include "exec/memory/proxy.h"
#include "exec/tensor/tensor_watch.h"

void exec_FENCE(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    enum { SHARED = 0, TENSOR = 2 };
    (void)core, (void)active, (void)out;
    if (inst->isa.mod[ISA_MOD_FUNCTION] == SHARED)
        proxy_fence(warp->cta->shadow, warp->index);
    else if (inst->isa.mod[ISA_MOD_FUNCTION] == TENSOR)
        tensor_watch_wait(warp);
}
