#include "exec/tensor/tensor_watch.h"

#include <string.h>

#include "base/bits.h"
#include "exec/launch.h"
#include "exec/memory/proxy.h"
#include "exec/observers.h"

static bool watches(const struct exec_warp *warp) { return warp->cta->launch->findings && warp->cta->tensor; }

static void tell(const struct exec_core *core, const struct exec_warp *warp, enum proxy_kind kind, uint32_t first,
                 uint32_t second, uint32_t address)
{
    const struct exec_findings *to = warp->cta->launch->findings;
    const struct exec_finding finding = {.kind = (uint8_t)kind,
                                         .first = first,
                                         .second = second,
                                         .warp = warp->index,
                                         .offset = address,
                                         .cta = warp->cta->linear};
    to->found(to->self, core->sm_id, &finding);
}

/* The first column of the area that the warp has stored to and not waited for. */
static void check(const struct exec_core *core, const struct exec_warp *warp, const struct exec_inst *inst,
                  struct tensor_area area)
{
    const struct tensor_stores *s = &warp->cta->tensor->stores[warp->index];
    for (uint32_t c = area.column; c < area.column + area.columns; c++) {
        if (!(s->columns[c / 64] >> c % 64 & 1))
            continue;
        tell(core, warp, TENSOR_NO_WAIT, s->pc, inst->isa.pc, area.lane << 16 | c);
        return;
    }
}

void tensor_watch_store(const struct exec_warp *warp, const struct exec_inst *inst, struct tensor_area area)
{
    if (!watches(warp))
        return;
    struct tensor_stores *s = &warp->cta->tensor->stores[warp->index];
    s->pc = inst->isa.pc;
    for (uint32_t c = area.column; c < area.column + area.columns; c++)
        s->columns[c / 64] |= UINT64_C(1) << c % 64;
}

void tensor_watch_load(const struct exec_core *core, const struct exec_warp *warp, const struct exec_inst *inst,
                       struct tensor_area area)
{
    if (watches(warp))
        check(core, warp, inst, area);
}

void tensor_watch_wait(const struct exec_warp *warp)
{
    if (watches(warp))
        memset(&warp->cta->tensor->stores[warp->index], 0, sizeof(struct tensor_stores));
}

void tensor_watch_end(const struct exec_core *core, const struct exec_warp *warp, uint32_t pc)
{
    if (!watches(warp) || !warp->cta->tensor->units)
        return;
    tell(core, warp, TENSOR_LEAK, warp->cta->tensor->allocated_at, pc,
         lowest_bit32(warp->cta->tensor->units) * TENSOR_UNIT);
}
