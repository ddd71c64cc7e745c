#include "sm/legacy/fetch.h"

#include "sm/warp.h"

void legacy_fetch_begin(struct legacy_fetch *f)
{
    f->latch = LEGACY_NO_WARP;
    f->last = 0; /* GPGPU-Sim 4 begins with the second warp */
}

/* Slots of warps whose buffer is empty and that have not exited. */
static uint64_t empty_buffers(const struct legacy_fetch *f)
{
    uint64_t out = 0;
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++) {
        const struct scheduler *s = f->to.gates->subcore[subcore].scheduler;
        uint32_t warps = s->resident & s->closed[STALL_NO_INSTRUCTION] & ~(uint32_t)s->closed[STALL_DRAIN];
        for (; warps; warps &= warps - 1)
            out |= UINT64_C(1) << slot_of(subcore, lowest_bit32(warps));
    }
    return out;
}

static void decode(struct legacy_fetch *f)
{
    uint32_t slot = f->latch;
    struct sm_warp *w = &f->to.warp[slot];
    f->latch = LEGACY_NO_WARP;
    if (w->ib.epoch != f->epoch)
        return;
    w->ib.decoded = (uint8_t)f->to.config->legacy.instruction_buffer;
    gates_open(f->to.gates, slot, STALL_NO_INSTRUCTION);
}

static void fetch(struct legacy_fetch *f, uint64_t empty)
{
    uint64_t behind = empty & ~((UINT64_C(2) << f->last) - 1);
    f->latch = f->last = (uint8_t)lowest_bit64(behind ? behind : empty);
    f->epoch = f->to.warp[f->latch].ib.epoch;
}

bool legacy_fetch_cycle(struct legacy_fetch *f)
{
    uint64_t empty = empty_buffers(f);
    if (!empty && f->latch == LEGACY_NO_WARP)
        return false;
    for (uint32_t round = 0; round < f->to.config->legacy.fetch_rounds; round++) {
        if (f->latch != LEGACY_NO_WARP) {
            empty &= ~(UINT64_C(1) << f->latch);
            decode(f);
        }
        if (empty)
            fetch(f, empty);
    }
    return true;
}
