#include "exec/memory/proxy_see.h"

#include "base/bits.h"
#include "exec/launch.h"
#include "exec/memory/mbarrier.h"
#include "exec/observers.h"

/* The owner of the memory, and the executing warp. */
struct seen {
    const struct exec_core *core;
    const struct exec_cta *cta;
};

static void found(void *self, enum proxy_kind kind, struct proxy_place first, struct proxy_place second,
                  uint32_t offset)
{
    const struct seen *seen = self;
    const struct exec_findings *to = seen->cta->launch->findings;
    const struct exec_finding finding = {.kind = (uint8_t)kind,
                                         .first = first.pc,
                                         .second = second.pc,
                                         .first_warp = first.warp,
                                         .warp = second.warp,
                                         .offset = offset,
                                         .cta = seen->cta->linear};
    if (to)
        to->found(to->self, seen->core->sm_id, &finding);
}

void proxy_see(const struct exec_core *core, const struct exec_warp *warp, const struct exec_inst *inst, uint32_t lanes,
               unsigned bytes, const uint64_t offset[EXEC_LANES], bool writes)
{
    struct proxy_shadow *shadow = warp->cta->shadow;
    struct seen seen = {core, warp->cta};
    const struct proxy_sink to = {&seen, found};
    const struct proxy_place by = {inst->isa.pc, warp->index};
    for (uint32_t left = shadow ? lanes : 0; left; left &= left - 1) {
        uint32_t at = (uint32_t)offset[lowest_bit32(left)];
        if (writes)
            proxy_generic_write(shadow, by, at, bytes, to);
        else
            proxy_generic_read(shadow, by, at, bytes, to);
    }
}

void proxy_see_ended(const struct exec_warp *warp, uint32_t lanes, uint32_t parity, const uint64_t offset[EXEC_LANES])
{
    struct proxy_shadow *shadow = warp->cta->shadow;
    for (uint32_t left = shadow && shadow->open ? lanes : 0; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        proxy_phase_ended(shadow, (uint32_t)offset[lane], parity >> lane & 1);
    }
}

uint32_t proxy_see_begin(struct exec_cta *cta, uint32_t pc, uint32_t warp, uint32_t barrier)
{
    if (!cta->shadow)
        return 0;
    unsigned parity =
        barrier != UINT32_MAX && mbarrier_inside(cta, barrier) ? mbarrier_phase(mbarrier_read(cta, barrier)) : 0;
    return proxy_async_begin(cta->shadow, (struct proxy_place){pc, warp}, barrier, parity);
}

void proxy_see_bytes(const struct exec_core *core, struct exec_cta *cta, uint32_t number, uint32_t offset,
                     uint32_t bytes, bool writes)
{
    struct seen seen = {core, cta};
    (writes ? proxy_async_write : proxy_async_read)(cta->shadow, number, offset, bytes,
                                                    (struct proxy_sink){&seen, found});
}

uint32_t proxy_see_product(struct exec_cta *cta, uint32_t pc, uint32_t warp, uint32_t column, uint32_t columns)
{
    return proxy_product_begin(cta->shadow, (struct proxy_place){pc, warp}, column, columns);
}

void proxy_see_commit(struct exec_cta *cta, uint32_t pc, uint32_t warp, uint32_t barrier)
{
    if (cta->shadow)
        proxy_commit(cta->shadow, (struct proxy_place){pc, warp}, barrier, mbarrier_phase(mbarrier_read(cta, barrier)));
}

void proxy_see_columns(const struct exec_core *core, const struct exec_warp *warp, const struct exec_inst *inst,
                       uint32_t column, uint32_t columns)
{
    struct seen seen = {core, warp->cta};
    proxy_columns_read(warp->cta->shadow, (struct proxy_place){inst->isa.pc, warp->index}, column, columns,
                       (struct proxy_sink){&seen, found});
}
