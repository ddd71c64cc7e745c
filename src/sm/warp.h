/* Timing state of a resident warp. Its architectural state is the source's. The members that nearly all instructions
 * touch come first, in two lines of the host's cache. */
#ifndef SUBCORE_SM_WARP_H
#define SUBCORE_SM_WARP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/host_line.h"
#include "sm/front/instruction_buffer.h"
#include "sm/issue/dependence_counters.h"
#include "sm/memory/async_copy.h"
#include "sm/memory/fence.h"
#include "sm/memory/load_order.h"
#include "sm/product_groups.h"
#include "sm/slot.h"

struct sm_warp {
    _Alignas(HOST_LINE) uint32_t pc; /* of the next instruction to issue */
    struct instruction_buffer ib;
    struct dependence_counters counters;
    uint8_t cta; /* CTA slot */
    bool exited;
    bool leaves_later;            /* EVENT_EXIT will let it leave */
    uint8_t window;               /* of its code */
    uint32_t code_base, code_end; /* its code, as pcs: from here, and before there */
    uint32_t passed, lanes;       /* instructions that the source has passed, with these lanes (sm_source.pass) */
    uint32_t accesses;            /* memory instructions in flight */
    uint32_t queued_ops;          /* instructions in the queues of other units, or there without their result */
    uint32_t posted;              /* accesses of which only the acknowledgement is missing: stores and reductions */
    uint32_t remote;              /* of these, to other CTAs' shared memory */
    uint16_t life;                /* of the slot's warps, this one: accesses tell them apart */
    uint64_t leaves;              /* an exited warp stays until this cycle */
    struct fence fence;
    struct load_order order;        /* LDG.STRONG.SM in flight */
    struct async_groups async;      /* LDGSTS in flight */
    struct product_groups products; /* groups of its warpgroup's matrix products */
    uint32_t atomics;               /* legacy core: atomics in flight, for which it waits */
};

/* Nothing is in flight for the warp, its dependence counters and its scoreboard apart. */
static inline bool sm_warp_done(const struct sm_warp *w) { return w->accesses == 0 && w->queued_ops == 0; }

/* The same, except for acknowledgements of its stores and reductions: an exited warp does not wait for them. */
static inline bool sm_warp_sent(const struct sm_warp *w)
{
    return w->accesses == w->posted && w->remote == 0 && w->queued_ops == 0;
}

#endif
